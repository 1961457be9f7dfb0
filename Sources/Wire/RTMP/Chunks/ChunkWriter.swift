package import Basics

/// Splits messages into chunks (RTMP 1.0, section 5.3), each message with a whole header.
package struct ChunkWriter: Sendable {
  /// The size of chunks without their headers.
  package var chunkSize = 128

  private static let extended: UInt32 = 0xFF_FFFF

  /// The start of a connection, after the handshake.
  package init() {}

  /// The chunks of a message, on a chunk stream with an id from 2 to 63.
  ///
  /// - Throws: `ParseError` if the message is too long for the length field of a header.
  package func chunks(_ message: RTMPMessage, on id: UInt8) throws(ParseError) -> [UInt8] {
    guard message.payload.count <= 0xFF_FFFF else {
      throw ParseError(.aboveLimit(what: "the size of a message", limit: 0xFF_FFFF), at: 0)
    }
    var writer = ByteWriter(capacity: message.payload.count + message.payload.count / max(chunkSize, 1) + 18)
    let isExtended = message.timestamp >= Self.extended
    writer.writeUInt8(id & 0x3F)
    writer.writeInteger(UInt64(min(message.timestamp, Self.extended)), byteCount: 3)
    writer.writeInteger(UInt64(message.payload.count), byteCount: 3)
    writer.writeUInt8(message.kind)
    writer.writeUInt32(message.streamID.byteSwapped)
    if isExtended { writer.writeUInt32(message.timestamp) }
    var start = 0
    repeat {
      if start > 0 {
        writer.writeUInt8(0xC0 | id & 0x3F)
        if isExtended { writer.writeUInt32(message.timestamp) }
      }
      let end = min(start + max(chunkSize, 1), message.payload.count)
      writer.write(message.payload[start..<end])
      start = end
    } while start < message.payload.count
    return writer.bytes
  }
}
