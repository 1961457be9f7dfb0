package import Basics

/// A value in AMF 0, the format of commands and metadata in RTMP (Action Message Format, AMF 0).
package indirect enum AMF0Value: Equatable, Sendable {
  /// A number.
  case number(Double)
  /// A truth value.
  case boolean(Bool)
  /// A text, short or long, or an XML document.
  case string(String)
  /// An object with named members, with or without a class.
  case object([Member])
  /// Null.
  case null
  /// Undefined or unsupported.
  case undefined
  /// An associative array.
  case array([Member])
  /// Values in order.
  case list([AMF0Value])
  /// Milliseconds since 1970.
  case date(Double)

  /// A name and its value.
  package struct Member: Equatable, Sendable {
    /// The name.
    package var name: String
    /// The value.
    package var value: AMF0Value

    /// A name and its value.
    package init(_ name: String, _ value: AMF0Value) { (self.name, self.value) = (name, value) }
  }

  /// The text, if the value is one.
  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The number, if the value is one.
  package var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// The members, if the value is an object or an associative array.
  package var members: [Member]? {
    switch self {
    case .object(let members), .array(let members): members
    default: nil
    }
  }

  /// The value of a member.
  package subscript(name: String) -> AMF0Value? { members?.first { $0.name.hasSameBytes(as: name) }?.value }
}

extension AMF0Value {
  /// How much is accepted, so that no message can exhaust memory or stack.
  package enum Limits {
    /// How deep objects and arrays may be nested.
    package static let depth = 16
    /// The maximum number of values in a message, members and elements included.
    package static let values = 4_096
  }

  /// The marker in front of a value.
  private enum Marker {
    static let number: UInt8 = 0
    static let boolean: UInt8 = 1
    static let string: UInt8 = 2
    static let object: UInt8 = 3
    static let null: UInt8 = 5
    static let undefined: UInt8 = 6
    static let array: UInt8 = 8
    static let objectEnd: UInt8 = 9
    static let list: UInt8 = 10
    static let date: UInt8 = 11
    static let longString: UInt8 = 12
    static let unsupported: UInt8 = 13
    static let xml: UInt8 = 15
    static let typedObject: UInt8 = 16
  }

  /// Reads values to the end of `bytes`.
  ///
  /// - Throws: `ParseError` if a value is cut off, of a type that only players send, or beyond ``Limits``.
  package static func values(_ bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) -> [AMF0Value] {
    var reader = ByteReader(bytes, baseOffset: baseOffset)
    var left = Limits.values
    var values: [AMF0Value] = []
    while reader.remaining > 0 { values.append(try read(&reader, depth: 0, &left)) }
    return values
  }

  private static func read(_ reader: inout ByteReader, depth: Int, _ left: inout Int) throws(ParseError) -> AMF0Value {
    guard left > 0 else { throw reader.error(.aboveLimit(what: "the number of values of AMF", limit: Limits.values)) }
    guard depth < Limits.depth else { throw reader.error(.aboveLimit(what: "the depth of AMF", limit: Limits.depth)) }
    left -= 1
    let start = reader.offset
    switch try reader.readUInt8() {
    case Marker.number: return .number(try readDouble(&reader))
    case Marker.boolean: return .boolean(try reader.readUInt8() != 0)
    case Marker.string: return .string(try readText(&reader, lengthBytes: 2))
    case Marker.longString, Marker.xml: return .string(try readText(&reader, lengthBytes: 4))
    case Marker.object: return .object(try readMembers(&reader, depth: depth, &left))
    case Marker.typedObject:
      _ = try readText(&reader, lengthBytes: 2)
      return .object(try readMembers(&reader, depth: depth, &left))
    case Marker.array:
      // The stated count is only a hint: an end marker follows anyway.
      _ = try reader.readUInt32()
      return .array(try readMembers(&reader, depth: depth, &left))
    case Marker.list:
      let count = try reader.readUInt32()
      var elements: [AMF0Value] = []
      for _ in 0..<count { elements.append(try read(&reader, depth: depth + 1, &left)) }
      return .list(elements)
    case Marker.null: return .null
    case Marker.undefined, Marker.unsupported: return .undefined
    case Marker.date:
      let time = try readDouble(&reader)
      // The time zone is reserved, and to be ignored.
      _ = try reader.readUInt16()
      return .date(time)
    case let marker: throw ParseError(.invalid("AMF of the type \(marker) is not supported"), at: start)
    }
  }

  private static func readDouble(_ reader: inout ByteReader) throws(ParseError) -> Double {
    Double(bitPattern: try reader.readInteger(byteCount: 8))
  }

  private static func readText(_ reader: inout ByteReader, lengthBytes: Int) throws(ParseError) -> String {
    String(bytes: try reader.readSpan(Int(try reader.readInteger(byteCount: lengthBytes))))
  }

  private static func readMembers(_ reader: inout ByteReader, depth: Int, _ left: inout Int) throws(ParseError) -> [Member] {
    var members: [Member] = []
    while true {
      let name = try readText(&reader, lengthBytes: 2)
      if name.isEmpty, reader.remaining > 0, reader.bytes[reader.position] == Marker.objectEnd {
        try reader.skip(1)
        return members
      }
      members.append(Member(name, try read(&reader, depth: depth + 1, &left)))
    }
  }

  /// The bytes of values, one after another.
  ///
  /// - Throws: `ParseError` if a name has more than 65,535 bytes.
  package static func encode(_ values: [AMF0Value]) throws(ParseError) -> [UInt8] {
    var writer = ByteWriter()
    for value in values { try value.write(to: &writer) }
    return writer.bytes
  }

  private func write(to writer: inout ByteWriter) throws(ParseError) {
    switch self {
    case .number(let number):
      writer.writeUInt8(Marker.number)
      writer.writeInteger(number.bitPattern, byteCount: 8)
    case .boolean(let isTrue):
      writer.writeUInt8(Marker.boolean)
      writer.writeUInt8(isTrue ? 1 : 0)
    case .string(let text):
      let isLong = text.utf8.count > 0xFFFF
      writer.writeUInt8(isLong ? Marker.longString : Marker.string)
      try writer.writeLengthPrefixed(bits: isLong ? 32 : 16) { $0.write(text) }
    case .object(let members):
      writer.writeUInt8(Marker.object)
      try Self.write(members, to: &writer)
    case .array(let members):
      writer.writeUInt8(Marker.array)
      writer.writeUInt32(UInt32(truncatingIfNeeded: members.count))
      try Self.write(members, to: &writer)
    case .list(let elements):
      writer.writeUInt8(Marker.list)
      writer.writeUInt32(UInt32(truncatingIfNeeded: elements.count))
      for element in elements { try element.write(to: &writer) }
    case .null: writer.writeUInt8(Marker.null)
    case .undefined: writer.writeUInt8(Marker.undefined)
    case .date(let milliseconds):
      writer.writeUInt8(Marker.date)
      writer.writeInteger(milliseconds.bitPattern, byteCount: 8)
      writer.writeUInt16(0)
    }
  }

  private static func write(_ members: [Member], to writer: inout ByteWriter) throws(ParseError) {
    for member in members {
      try writer.writeLengthPrefixed(bits: 16) { $0.write(member.name) }
      try member.value.write(to: &writer)
    }
    writer.writeUInt16(0)
    writer.writeUInt8(Marker.objectEnd)
  }
}
