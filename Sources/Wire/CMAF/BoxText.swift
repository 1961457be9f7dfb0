import Basics

/// Text in a box that ends with a NUL. Two are the same if their bytes are.
package struct BoxText: Hashable, Sendable {
  /// The bytes without the NUL; UTF-8 if the writer kept to the specification.
  package var bytes: [UInt8]

  /// The text; bytes that are not UTF-8 become U+FFFD.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension BoxText: ExpressibleByStringLiteral {
  /// The UTF-8 bytes of a literal.
  package init(stringLiteral text: String) { bytes = Array(text.utf8) }
}

extension BoxText: CustomStringConvertible {
  /// The text.
  package var description: String { text }
}

extension BoxText {
  @_lifetime(reader: copy reader)
  init(reading reader: inout ByteReader) throws(ParseError) {
    guard let end = (reader.position..<reader.bytes.count).first(where: { reader.bytes[$0] == 0 }) else {
      throw reader.error(.invalid("text without its NUL"))
    }
    bytes = try reader.readBytes(end - reader.position)
    try reader.skip(1)
  }

  func write(to writer: inout ByteWriter) throws(ParseError) {
    guard !bytes.contains(0) else { throw ParseError(.invalid("text with a NUL inside"), at: writer.bytes.count) }
    writer.write(bytes)
    writer.writeUInt8(0)
  }
}
