import NIOCore

/// Reads the responses of a connection, however their bytes are cut into pieces.
struct ResponseParser {
  /// A part of a response.
  enum Piece: Sendable {
    case head(ResponseHead)
    case body(ByteBuffer)
    case end
  }

  /// How many bytes of the body are to come; `nil` before the head.
  private var left: Int?

  /// Takes the next part from the bytes that have come; `nil` where more are needed.
  ///
  /// - Throws: where the bytes are no response.
  mutating func next(_ bytes: inout ByteBuffer) throws(ResponseMistake) -> Piece? {
    guard let left else {
      guard bytes.readableBytes > 0, let head = try ResponseHead(bytes.readableBytesUInt8Span) else { return nil }
      bytes.moveReaderIndex(forwardBy: head.size)
      self.left = head.bodyLength
      return .head(head)
    }
    guard left > 0 else {
      self.left = nil
      return .end
    }
    guard let slice = bytes.readSlice(length: min(left, bytes.readableBytes)), slice.readableBytes > 0 else { return nil }
    self.left = left - slice.readableBytes
    return .body(slice)
  }
}
