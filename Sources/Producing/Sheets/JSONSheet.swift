import Basics

/// Reads JSON (RFC 8259) with the places of its values.
///
/// JSON is nearly YAML, but YAML readers refuse surrogate pairs in escapes and read some characters in strings as line breaks.
package struct JSONSheet {
  private let bytes: [UInt8]
  private var index = 0
  private var place = SheetPlace.start
  private var depth = 0
  private var problems = [SheetProblem]()

  /// The tree of a text that is a JSON object or list, and its repeated keys; `nil` if it is anything else.
  package static func parse(_ text: String) -> (root: SheetNode, problems: [SheetProblem])? {
    var sheet = JSONSheet(bytes: Array(text.utf8))
    sheet.skipSpace()
    guard sheet.next == UInt8(ascii: "{") || sheet.next == UInt8(ascii: "["), let root = sheet.readValue() else { return nil }
    sheet.skipSpace()
    return sheet.next == nil ? (root, sheet.problems) : nil
  }

  /// Where and why a text is not JSON; `nil` if it is JSON.
  package static func failure(of text: String) -> SheetError? {
    let bytes = Array(text.utf8)
    do throws(ParseError) {
      _ = try JSONValue(parsing: bytes.span, limits: JSONLimits(bytes: SheetLimits.bytes, members: SheetLimits.bytes))
      return nil
    } catch {
      var counter = PlaceCounter()
      for scalar in String(decoding: bytes.prefix(error.offset), as: UTF8.self).unicodeScalars { counter.advance(past: scalar) }
      return SheetError(at: counter.place, "this is no JSON: \(error.reason)")
    }
  }

  /// What ends a value without quotation marks.
  private static let endsPlain = Array(" \t\n\r,:]}[{\"".utf8)

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func advance() {
    switch bytes[index] {
    case UInt8(ascii: "\n"): place = SheetPlace(line: place.line + 1, column: 1)
    case UInt8(ascii: "\r"):
      if index + 1 >= bytes.count || bytes[index + 1] != UInt8(ascii: "\n") { place = SheetPlace(line: place.line + 1, column: 1) }
    // A continuation byte belongs to the character before it.
    case 0x80..<0xC0: break
    default: place.column += 1
    }
    index += 1
  }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { advance() }
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    advance()
    return true
  }

  private mutating func readValue() -> SheetNode? {
    skipSpace()
    guard let first = next, depth < SheetLimits.depth else { return nil }
    depth += 1
    defer { depth -= 1 }
    switch first {
    case UInt8(ascii: "{"): return readMapping()
    case UInt8(ascii: "["): return readList()
    case UInt8(ascii: "\""): return readString().map { .scalar($0) }
    default: return readPlain().map { .scalar($0) }
    }
  }

  private mutating func readMapping() -> SheetNode? {
    let start = place
    advance()
    var members: [SheetMember] = []
    if skip("}") { return .mapping([], start) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\""), let key = readString(), skip(":"), let value = readValue() else { return nil }
      members.append(SheetMember(key: key.text, keyPlace: key.place, value: value))
    } while skip(",")
    return skip("}") ? .mapping(members.withoutRepeatedKeys(&problems), start) : nil
  }

  private mutating func readList() -> SheetNode? {
    let start = place
    advance()
    var elements: [SheetNode] = []
    if skip("]") { return .list([], start) }
    repeat {
      guard let element = readValue() else { return nil }
      elements.append(element)
    } while skip(",")
    return skip("]") ? .list(elements, start) : nil
  }

  private mutating func readString() -> SheetScalar? {
    let (start, first) = (place, index)
    advance()
    while let byte = next, byte != UInt8(ascii: "\"") {
      advance()
      if byte == UInt8(ascii: "\\"), next != nil { advance() }
    }
    guard next != nil else { return nil }
    advance()
    return value(from: first)?.string.map { SheetScalar(text: $0, isPlain: false, place: start) }
  }

  private mutating func readPlain() -> SheetScalar? {
    let (start, first) = (place, index)
    while let byte = next, !Self.endsPlain.contains(byte) { advance() }
    guard value(from: first) != nil else { return nil }
    return SheetScalar(text: String(decoding: bytes[first..<index], as: UTF8.self), isPlain: true, place: start)
  }

  /// The JSON value from `first` to here.
  private func value(from first: Int) -> JSONValue? {
    try? JSONValue(parsing: bytes.span.extracting(first..<index), limits: JSONLimits(bytes: SheetLimits.bytes))
  }
}
