/// Writes compact JSON (RFC 8259) to the end of a growing array of bytes.
///
/// It writes the commas and colons, and escapes only what must be escaped: `"`, `\` and control characters. The caller writes a key
/// before each value of an object, and ends every object and array that it begins.
public struct JSONWriter: Sendable {
  /// What has been written, in UTF-8.
  public private(set) var bytes: [UInt8] = []
  /// Whether the next value follows another one in its array or object, and so needs a comma.
  private var needsComma = false

  /// Starts with nothing written and room for `capacity` bytes.
  public init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// What has been written, as a string.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Begins an object.
  public mutating func beginObject() { begin(UInt8(ascii: "{")) }

  /// Ends the object begun last.
  public mutating func endObject() { end(UInt8(ascii: "}")) }

  /// Begins an array.
  public mutating func beginArray() { begin(UInt8(ascii: "[")) }

  /// Ends the array begun last.
  public mutating func endArray() { end(UInt8(ascii: "]")) }

  /// Writes a key. The caller writes its value next.
  public mutating func key(_ key: String) {
    separate()
    quote(key)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a string.
  public mutating func string(_ string: String) {
    separate()
    quote(string)
  }

  /// Writes the text of a number.
  public mutating func number(_ number: JSONNumber) { raw(number.text) }

  /// Writes an integer.
  public mutating func number(_ value: Int) { raw(String(value)) }

  /// Writes `true` or `false`.
  public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

  /// Writes `null`.
  public mutating func null() { raw("null") }

  /// Writes any value.
  public mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .number(let value): number(value)
    case .string(let value): string(value)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let value): object(value)
    }
  }

  /// Writes an object with its members in order.
  public mutating func object(_ object: JSONObject) {
    beginObject()
    members(object)
    endObject()
  }

  /// Writes the members of an object into the object that was begun, in order.
  public mutating func members(_ object: JSONObject) {
    for member in object.members {
      key(member.key)
      value(member.value)
    }
  }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func raw(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  /// Puts a comma between what was written and what follows.
  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func quote(_ string: String) {
    bytes.append(UInt8(ascii: "\""))
    // A span is read several times faster than the string's own view.
    string.withBytes { text in
      if JSONWriter.needsEscapes(text) {
        for index in text.indices { appendEscaped(text[index]) }
      } else {
        bytes.append(copying: text)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsEscapes(_ text: Span<UInt8>) -> Bool {
    for index in text.indices where mustBeEscaped(text[index]) { return true }
    return false
  }

  private static func mustBeEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    guard JSONWriter.mustBeEscaped(byte) else { return bytes.append(byte) }
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case ..<0x20:
      let low = byte & 0x0F
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(UInt8(ascii: "0") + byte >> 4)
      bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
    default: bytes.append(byte)
    }
  }
}
