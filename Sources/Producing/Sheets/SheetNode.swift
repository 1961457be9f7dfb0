import Basics

/// A text as lists and mappings, each with its place. YAML and JSON have this in common.
package indirect enum SheetNode: Equatable, Sendable {
  /// A single value.
  case scalar(SheetScalar)
  /// Values in order.
  case list([SheetNode], SheetPlace)
  /// Values by key, in order.
  case mapping([SheetMember], SheetPlace)

  /// Where it begins.
  package var place: SheetPlace {
    switch self {
    case .scalar(let scalar): scalar.place
    case .list(_, let place), .mapping(_, let place): place
    }
  }

  /// What it is, in words.
  package var kind: String {
    switch self {
    case .scalar: "a single value"
    case .list: "a list"
    case .mapping: "a mapping"
    }
  }
}

/// A single value, as it was written.
package struct SheetScalar: Equatable, Sendable {
  /// The value as text.
  package var text: String
  /// Whether it is written without quotation marks, so that it may mean a number, a truth value or nothing.
  package var isPlain: Bool
  /// Where it begins.
  package var place: SheetPlace

  package init(text: String, isPlain: Bool, place: SheetPlace) { (self.text, self.isPlain, self.place) = (text, isPlain, place) }

  /// Whether both have the same bytes, are written in the same way, and are at the same place.
  package static func == (left: SheetScalar, right: SheetScalar) -> Bool {
    left.text.hasSameBytes(as: right.text) && left.isPlain == right.isPlain && left.place == right.place
  }
}

/// A key of a mapping with its value.
package struct SheetMember: Equatable, Sendable {
  /// The key.
  package var key: String
  /// Where the key begins.
  package var keyPlace: SheetPlace
  /// The value.
  package var value: SheetNode

  package init(key: String, keyPlace: SheetPlace, value: SheetNode) { (self.key, self.keyPlace, self.value) = (key, keyPlace, value) }

  /// Whether both have the same key, byte by byte, at the same place and equal values.
  package static func == (left: SheetMember, right: SheetMember) -> Bool {
    left.key.hasSameBytes(as: right.key) && left.keyPlace == right.keyPlace && left.value == right.value
  }
}

extension [SheetMember] {
  /// The members without those whose key came before, which are reported.
  package func withoutRepeatedKeys(_ problems: inout [SheetProblem]) -> [SheetMember] {
    var firsts: [[UInt8]: SheetPlace] = [:]
    return filter { member in
      let bytes = Array<UInt8>(member.key.utf8)
      guard let first = firsts[bytes] else {
        firsts[bytes] = member.keyPlace
        return true
      }
      problems.report(
        at: member.keyPlace, "the key \(member.key.quoted) is already in line \(first.line), column \(first.column); remove one of them")
      return false
    }
  }
}

extension SheetNode {
  /// The JSON pointer (RFC 6901) to the innermost value that begins at a place, or whose key does; `nil` if nothing does.
  package func pointer(to place: SheetPlace) -> String? {
    switch self {
    case .scalar(let scalar): return scalar.place == place ? "" : nil
    case .list(let elements, let start):
      for (index, element) in elements.enumerated() {
        if let rest = element.pointer(to: place) { return "/\(index)\(rest)" }
      }
      return start == place ? "" : nil
    case .mapping(let members, let start):
      for member in members {
        let rest = member.value.pointer(to: place) ?? (member.keyPlace == place ? "" : nil)
        if let rest { return "/\(member.key.replacing(["~": "~0", "/": "~1"]))\(rest)" }
      }
      return start == place ? "" : nil
    }
  }
}
