/// Where the content lies in the bytes of an answer's body, and where the body ends (RFC 9112, 6 and 7.1).
struct BodyFraming: Equatable {
  private enum State: Equatable {
    /// Content to the end of the connection.
    case open
    /// So many more bytes of content.
    case length(Int)
    /// The size of a chunk, of which so much was read.
    case chunkSize(Int?)
    /// What may follow the size up to the end of the line.
    case chunkExtension(Int)
    /// The line feed behind a chunk's size.
    case chunkSizeEnd(Int)
    /// So many more bytes of a chunk.
    case chunk(Int)
    /// The carriage return behind a chunk.
    case chunkReturn
    /// The line feed behind a chunk.
    case chunkEnd
    /// A line behind the last chunk, of which so many bytes were read.
    case trailer(Int)
    /// The line feed of such a line; the empty one is the last.
    case trailerEnd(isLast: Bool)
    case complete
  }

  private var state: State
  /// How many bytes of extensions and trailers came since the last content.
  private var overhead = 0

  /// How many bytes of extensions or trailers may come in a row.
  static let overheadLimit = 16 << 10

  /// How the body of an answer is framed.
  init(_ head: AnswerHead) {
    state = if head.isChunked { .chunkSize(nil) } else if let length = head.contentLength { .length(length) } else { .open }
    if state == .length(0) { state = .complete }
  }

  /// Whether the body has ended.
  var isComplete: Bool { state == .complete }

  /// Whether the body may end where the connection does.
  var endsWithConnection: Bool { state == .open || state == .complete }

  /// Takes the next content out of the body's bytes.
  ///
  /// - Returns: Where the content lies. What is before it was framing and is done with; so is all of it where the range is empty. What is behind it
  ///   is for the next call.
  /// - Throws: `malformed` where the chunks are not in order.
  mutating func take(from bytes: Span<UInt8>) throws(NetworkInputError.Reason) -> Range<Int> {
    var index = 0
    while index < bytes.count {
      let rest = bytes.count - index
      switch state {
      case .open:
        return index..<bytes.count
      case .length(let left):
        let count = min(left, rest)
        state = count == left ? .complete : .length(left - count)
        return index..<(index + count)
      case .chunk(let left):
        overhead = 0
        let count = min(left, rest)
        state = count == left ? .chunkReturn : .chunk(left - count)
        return index..<(index + count)
      case .complete:
        return bytes.count..<bytes.count
      default:
        state = try next(bytes[index])
        index += 1
      }
    }
    return index..<index
  }

  /// What comes after a byte of framing.
  private mutating func next(_ byte: UInt8) throws(NetworkInputError.Reason) -> State {
    overhead += 1
    guard overhead <= Self.overheadLimit else { throw .malformed(.chunk) }
    let isReturn = byte == UInt8(ascii: "\r")
    let isLineFeed = byte == UInt8(ascii: "\n")
    switch state {
    case .chunkSize(let size):
      if let digit = Hexadecimal.digit(byte) {
        // Sixteen terabytes are beyond every limit.
        guard size ?? 0 < 1 << 40 else { throw .malformed(.chunk) }
        return .chunkSize((size ?? 0) << 4 | digit)
      }
      guard let size else { throw .malformed(.chunk) }
      if isReturn { return .chunkSizeEnd(size) }
      guard byte == UInt8(ascii: ";") || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") else { throw .malformed(.chunk) }
      return .chunkExtension(size)
    case .chunkExtension(let size):
      guard !isLineFeed else { throw .malformed(.chunk) }
      return isReturn ? .chunkSizeEnd(size) : state
    case .chunkSizeEnd(let size) where isLineFeed:
      return size > 0 ? .chunk(size) : .trailer(0)
    case .chunkReturn where isReturn:
      return .chunkEnd
    case .chunkEnd where isLineFeed:
      return .chunkSize(nil)
    case .trailer(let count):
      guard !isLineFeed else { throw .malformed(.chunk) }
      return isReturn ? .trailerEnd(isLast: count == 0) : .trailer(count + 1)
    case .trailerEnd(let isLast) where isLineFeed:
      return isLast ? .complete : .trailer(0)
    default:
      throw .malformed(.chunk)
    }
  }
}
