import Basics

/// Which part of a resource a request asks for (RFC 9110, section 14).
package enum RequestedPart: Equatable, Sendable {
  /// All of it, also if the field asks for several parts or cannot be read: a server may ignore it.
  case whole
  /// These bytes.
  case bytes(Range<Int>)
  /// Bytes that do not exist.
  case unsatisfiable

  /// - Parameters:
  ///   - field: The value of Range; `nil` if the request has none.
  ///   - size: The number of bytes of the resource.
  package init(_ field: String?, of size: Int) {
    self = field.flatMap { Self.part($0, of: size) } ?? .whole
  }

  private static func part(_ field: String, of size: Int) -> RequestedPart? {
    let unit = "bytes="
    guard field.lowercased().hasPrefix(unit) else { return nil }
    let text = field.dropFirst(unit.count).filter { $0 != " " && $0 != "\t" }
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { $0.isASCIIDigit } }) else { return nil }
    let (first, last) = (number(ends[0]), number(ends[1]))
    guard let first else {
      // The last bytes, as many as the field says.
      guard let last else { return nil }
      return last > 0 && size > 0 ? .bytes(max(size - last, 0)..<size) : .unsatisfiable
    }
    guard first <= last ?? first else { return nil }
    guard first < size else { return .unsatisfiable }
    return .bytes(first..<min(last ?? size, size - 1) + 1)
  }

  /// The number that these digits express, at most the largest `Int`; `nil` if there are none.
  private static func number(_ digits: Substring) -> Int? { digits.isEmpty ? nil : Int(digits, in: 0...Int.max) ?? .max }
}
