package import Basics

/// Assembles messages from the chunks of a connection (RTMP 1.0, section 5.3).
///
/// Bytes may arrive in pieces of any size. Memory is bounded by ``Limits``.
package struct ChunkReader: Sendable {
  /// How much is accepted, so that no peer can exhaust memory.
  package enum Limits {
    /// The largest message in bytes: a key frame of 4K video is smaller.
    package static let message = 8 << 20
    /// The largest message that is neither video nor audio.
    package static let control = 1 << 20
    /// The maximum number of chunk streams in a connection.
    package static let chunkStreams = 64
    /// The maximum number of bytes in incomplete messages.
    package static let incomplete = 16 << 20
  }

  private struct ChunkStream {
    var message = RTMPMessage(kind: 0, payload: [])
    var length = 0
    /// The timestamp field of the latest header: a time or a delta.
    var step: UInt32 = 0
    var isExtended = false
    /// Whether a message has begun and is incomplete.
    var isOpen = false
  }

  private var chunkStreams: [UInt32: ChunkStream] = [:]
  /// The incomplete header.
  private var header: [UInt8] = []
  /// The chunk that is being received, and how many of its bytes are missing.
  private var current: (id: UInt32, missing: Int)?
  private var incompleteCount = 0
  /// The size of the peer's chunks without their headers.
  private var chunkSize = 128
  /// The number of bytes that were received.
  package private(set) var byteCount = 0

  /// The largest chunk size that may be announced (5.4.1).
  private static let largestChunkSize = 0x7FFF_FFFF
  private static let extended: UInt32 = 0xFF_FFFF

  /// The start of a connection, after the handshake.
  package init() {}

  /// Receives the next bytes.
  ///
  /// - Returns: The messages that these bytes complete. Those about chunks have been applied already.
  /// - Throws: `ParseError` if they are not chunks, or exceed ``Limits``. The rest of the connection cannot be read then.
  package mutating func push(_ bytes: Span<UInt8>) throws(ParseError) -> [RTMPMessage] {
    var messages: [RTMPMessage] = []
    var index = 0
    while index < bytes.count {
      if let (id, missing) = current {
        let count = min(missing, bytes.count - index)
        chunkStreams[id]?.message.payload.append(copying: bytes.extracting(index..<index + count))
        incompleteCount += count
        byteCount += count
        index += count
        current = (id, missing - count)
        if count == missing { try endChunk(id, &messages) }
      } else {
        header.append(bytes[index])
        byteCount += 1
        index += 1
        if header.count >= headerSize { try beginChunk(&messages) }
      }
    }
    return messages
  }

  // MARK: Headers

  /// The sizes of message headers by their type.
  private static let messageHeaderSizes = [11, 7, 3, 0]

  private var basicHeaderSize: Int {
    switch header.first.map({ $0 & 0x3F }) {
    case 0: 2
    case 1: 3
    default: 1
    }
  }

  private var chunkStreamID: UInt32 {
    switch header[0] & 0x3F {
    case 0: 64 + UInt32(header[1])
    case 1: 64 + UInt32(header[1]) + UInt32(header[2]) << 8
    case let id: UInt32(id)
    }
  }

  /// The size of the incomplete header as far as it is known; it may turn out to be longer.
  private var headerSize: Int {
    let basic = basicHeaderSize
    guard header.count >= basic else { return basic }
    let format = Int(header[0] >> 6)
    let size = basic + Self.messageHeaderSizes[format]
    guard header.count >= size else { return size }
    let isExtended = format == 3 ? chunkStreams[chunkStreamID]?.isExtended ?? false : field(at: basic, 3) == Self.extended
    return size + (isExtended ? 4 : 0)
  }

  private func field(at start: Int, _ count: Int) -> UInt32 {
    header[start..<start + count].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private mutating func beginChunk(_ messages: inout [RTMPMessage]) throws(ParseError) {
    defer { header.removeAll(keepingCapacity: true) }
    let start = byteCount - header.count
    let (id, basic, format) = (chunkStreamID, basicHeaderSize, header[0] >> 6)
    guard var stream = chunkStreams[id] ?? (format == 0 ? ChunkStream() : nil) else {
      throw ParseError(.invalid("the first chunk of a chunk stream has no whole header"), at: start)
    }
    guard chunkStreams[id] != nil || chunkStreams.count < Limits.chunkStreams else {
      throw ParseError(.aboveLimit(what: "the number of chunk streams", limit: Limits.chunkStreams), at: start)
    }
    // A chunk that continues a message has a header of type 3; any other header starts a new message.
    if format < 3, stream.isOpen { discard(&stream) }
    if format < 3 { stream.step = field(at: basic, 3) }
    if format < 2 {
      stream.length = Int(field(at: basic + 3, 3))
      stream.message.kind = header[basic + 6]
    }
    // The only field of the protocol whose last byte is its highest.
    if format == 0 { stream.message.streamID = (0..<4).reduce(0) { $0 | UInt32(header[basic + 7 + $1]) << UInt32(8 * $1) } }
    if format < 3 { stream.isExtended = stream.step == Self.extended }
    if stream.isExtended { stream.step = field(at: header.count - 4, 4) }
    if !stream.isOpen {
      try checkLength(stream, at: start)
      stream.message.timestamp = format == 0 ? stream.step : stream.message.timestamp &+ stream.step
      stream.isOpen = true
    }
    let missing = min(stream.length - stream.message.payload.count, chunkSize)
    guard incompleteCount + missing <= Limits.incomplete else {
      throw ParseError(.aboveLimit(what: "the size of incomplete messages", limit: Limits.incomplete), at: start)
    }
    chunkStreams[id] = stream
    current = (id, missing)
    if missing == 0 { try endChunk(id, &messages) }
  }

  private func checkLength(_ stream: ChunkStream, at offset: Int) throws(ParseError) {
    let isMedia = [RTMPMessage.Kind.audio, RTMPMessage.Kind.video].contains(stream.message.kind)
    let limit = isMedia ? Limits.message : Limits.control
    guard stream.length <= limit else { throw ParseError(.aboveLimit(what: "the size of a message", limit: limit), at: offset) }
  }

  private mutating func discard(_ stream: inout ChunkStream) {
    incompleteCount -= stream.message.payload.count
    stream.message.payload = []
    stream.isOpen = false
  }

  // MARK: Messages

  private mutating func endChunk(_ id: UInt32, _ messages: inout [RTMPMessage]) throws(ParseError) {
    current = nil
    guard var stream = chunkStreams[id], stream.message.payload.count >= stream.length else { return }
    let message = stream.message
    discard(&stream)
    chunkStreams[id] = stream
    switch message.kind {
    case RTMPMessage.Kind.setChunkSize: try setChunkSize(message.payload)
    case RTMPMessage.Kind.abort: try abort(message.payload)
    default: messages.append(message)
    }
  }

  private mutating func setChunkSize(_ payload: [UInt8]) throws(ParseError) {
    let size = try Self.number(payload, endingAt: byteCount)
    guard (1...Self.largestChunkSize).contains(size) else {
      throw ParseError(.invalid("a chunk size of \(size)"), at: byteCount - payload.count)
    }
    chunkSize = size
  }

  private mutating func abort(_ payload: [UInt8]) throws(ParseError) {
    let id = UInt32(truncatingIfNeeded: try Self.number(payload, endingAt: byteCount))
    guard var stream = chunkStreams[id] else { return }
    discard(&stream)
    chunkStreams[id] = stream
  }

  private static func number(_ payload: [UInt8], endingAt end: Int) throws(ParseError) -> Int {
    guard payload.count >= 4 else {
      throw ParseError(.truncated(needed: 4, available: payload.count), at: end - payload.count)
    }
    return Int(payload.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
  }
}
