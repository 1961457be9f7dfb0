import Basics

/// A value of a dictionary of structured fields (RFC 8941 and RFC 9651), without its parameters.
enum StructuredField: Equatable, Sendable {
  case integer(Int64)
  case decimal(Double)
  case string(String)
  case token(String)
  case boolean(Bool)
  /// A list, a byte sequence, a date or a display string: no report of this project has one.
  case other

  /// The members of a dictionary by their keys; of a repeated key the last one counts.
  ///
  /// - Returns: `nil` if the bytes are no dictionary.
  static func dictionary(_ bytes: ArraySlice<UInt8>) -> [String: StructuredField]? {
    var rest = bytes
    var members: [String: StructuredField] = [:]
    skip(&rest, " ")
    while !rest.isEmpty {
      guard let key = key(&rest) else { return nil }
      var value = StructuredField.boolean(true)
      if rest.popFirst("=") {
        guard let read = item(&rest) else { return nil }
        value = read
      }
      guard skipParameters(&rest) else { return nil }
      members[key] = value
      skipBlanks(&rest)
      guard !rest.isEmpty else { return members }
      guard rest.popFirst(",") else { return nil }
      skipBlanks(&rest)
      // A comma has a member after it (RFC 8941, 4.2.2).
      guard !rest.isEmpty else { return nil }
    }
    return members
  }

  /// The number of milliseconds, or of anything else that is counted.
  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  /// The text of a string.
  var string: String? { if case .string(let text) = self { text } else { nil } }
  /// The text of a token.
  var token: String? { if case .token(let text) = self { text } else { nil } }

  private static func skip(_ rest: inout ArraySlice<UInt8>, _ character: Unicode.Scalar) {
    while rest.popFirst(character) {}
  }

  private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
    while rest.popFirst(" ") || rest.popFirst("\t") {}
  }

  private static func key(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let first = rest.first, isSmall(first) || first == UInt8(ascii: "*") else { return nil }
    let key = rest.prefix { isSmall($0) || $0.isASCIIDigit || "_-.*".utf8.contains($0) }
    rest = rest.dropFirst(key.count)
    return String(decoding: key, as: UTF8.self)
  }

  private static func isSmall(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }

  private static func skipParameters(_ rest: inout ArraySlice<UInt8>) -> Bool {
    while rest.popFirst(";") {
      skip(&rest, " ")
      guard key(&rest) != nil else { return false }
      if rest.popFirst("="), bareItem(&rest) == nil { return false }
    }
    return true
  }

  private static func item(_ rest: inout ArraySlice<UInt8>) -> StructuredField? {
    guard rest.popFirst("(") else { return bareItem(&rest) }
    while true {
      skip(&rest, " ")
      if rest.popFirst(")") { return .other }
      guard bareItem(&rest) != nil, skipParameters(&rest), let next = rest.first, next == UInt8(ascii: " ") || next == UInt8(ascii: ")")
      else { return nil }
    }
  }

  private static func bareItem(_ rest: inout ArraySlice<UInt8>) -> StructuredField? {
    guard let first = rest.first else { return nil }
    switch first {
    case UInt8(ascii: "\""):
      rest.removeFirst()
      return quoted(&rest).map { .string($0) }
    case UInt8(ascii: "?"):
      rest.removeFirst()
      if rest.popFirst("1") { return .boolean(true) }
      return rest.popFirst("0") ? .boolean(false) : nil
    case UInt8(ascii: "@"):
      rest.removeFirst()
      guard case .integer = number(&rest) else { return nil }
      return .other
    case UInt8(ascii: ":"): return bytes(&rest)
    case UInt8(ascii: "%"):
      rest.removeFirst()
      return isDisplayString(&rest) ? .other : nil
    case UInt8(ascii: "-"): return number(&rest)
    case _ where first.isASCIIDigit: return number(&rest)
    case _ where first.isASCIILetter || first == UInt8(ascii: "*"):
      let text = rest.prefix { $0.isASCIILetter || $0.isASCIIDigit || "!#$%&'*+-.^_`|~:/".utf8.contains($0) }
      rest = rest.dropFirst(text.count)
      return .token(String(decoding: text, as: UTF8.self))
    default: return nil
    }
  }

  private static func bytes(_ rest: inout ArraySlice<UInt8>) -> StructuredField? {
    rest.removeFirst()
    let text = rest.prefix { $0.isASCIILetter || $0.isASCIIDigit || "+/=".utf8.contains($0) }
    rest = rest.dropFirst(text.count)
    let content = text.prefix { $0 != UInt8(ascii: "=") }
    // Six bits are no byte, and padding is at the end. Without padding it is read all the same.
    guard rest.popFirst(":"), content.count % 4 != 1, text[content.endIndex...].allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
    return .other
  }

  /// Reads a display string after its sign (RFC 9651, 4.2.10): UTF-8, of which `%` and two small hexadecimal digits are a byte.
  private static func isDisplayString(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.popFirst("\"") else { return false }
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self) != nil
      case UInt8(ascii: "%"):
        guard let high = smallDigit(rest.popFirst()), let low = smallDigit(rest.popFirst()) else { return false }
        text.append(high << 4 | low)
      case 0x20...0x7E: text.append(byte)
      default: return false
      }
    }
    return false
  }

  /// The value of a hexadecimal digit that is no capital letter.
  private static func smallDigit(_ byte: UInt8?) -> UInt8? {
    byte.flatMap { $0.isASCIIDigit || isSmall($0) ? $0.hexadecimalDigit : nil }
  }

  /// A string after its first quotation mark.
  private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst(), next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") else { return nil }
        text.append(next)
      case 0x20...0x7E: text.append(byte)
      default: return nil
      }
    }
    return nil
  }

  /// An integer of at most 15 digits, or a decimal of at most 12 and three more (RFC 8941, 4.2.4).
  private static func number(_ rest: inout ArraySlice<UInt8>) -> StructuredField? {
    let isNegative = rest.popFirst("-")
    guard let whole = digits(&rest, atMost: 15) else { return nil }
    let sign: Int64 = isNegative ? -1 : 1
    guard rest.popFirst(".") else { return .integer(sign * whole.value) }
    guard whole.count <= 12, let part = digits(&rest, atMost: 3) else { return nil }
    let scale = [10.0, 100, 1_000][part.count - 1]
    return .decimal(Double(sign) * (Double(whole.value) + Double(part.value) / scale))
  }

  private static func digits(_ rest: inout ArraySlice<UInt8>, atMost most: Int) -> (value: Int64, count: Int)? {
    var (value, count) = (Int64(0), 0)
    while let digit = rest.first?.decimalDigit {
      guard count < most else { return nil }
      (value, count) = (value * 10 + Int64(digit), count + 1)
      rest.removeFirst()
    }
    return count > 0 ? (value, count) : nil
  }
}
