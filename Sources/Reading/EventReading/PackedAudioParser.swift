import Basics
import TransportStream

/// Splits packed audio (RFC 8216, 3.4) into tags and frames, in one segment or several consecutive ones.
package struct PackedAudioParser: Sendable {
  /// A part of packed audio, with the offset of its first byte.
  package enum Element: Sendable {
    /// A whole ID3 tag.
    case tag([UInt8], offset: Int)
    /// The start of a frame; its bytes are skipped.
    case frame(PackedAudioHeader.Frame, offset: Int)
    /// Something that cannot be read.
    case damage(Damage)
  }

  private enum State: Sendable {
    /// The header of the next tag or frame is being read.
    case header
    /// A tag of `size` bytes is kept until it is complete.
    case tag(size: Int)
    /// This number of bytes is skipped.
    case skipping(Int)
  }

  /// The number of bytes that were pushed.
  private(set) var byteCount = 0
  private var state = State.header
  private var kept: [UInt8] = []
  /// Bytes that belong to no frame and no tag: their start and their number.
  private var lost: (offset: Int, count: Int)?

  /// A parser at the start of a segment.
  package init() {}

  /// Receives the next bytes.
  package mutating func push(_ chunk: Span<UInt8>) -> [Element] {
    var elements: [Element] = []
    var position = 0
    while position < chunk.count {
      let available = chunk.count - position
      var count = 1
      switch state {
      case .header:
        kept.append(chunk[position])
        advance(by: 1)
        readHeader(&elements)
      case .tag(let size):
        count = min(size - kept.count, available)
        kept.append(copying: chunk.extracting(position..<position + count))
        advance(by: count)
        if kept.count == size { finishTag(&elements) }
      case .skipping(let rest):
        count = min(rest, available)
        advance(by: count)
        state = count == rest ? .header : .skipping(rest - count)
      }
      position += count
    }
    return elements
  }

  /// Ends a segment: an incomplete tag or frame is damage. The next byte starts a tag or a frame.
  mutating func finish() -> [Element] {
    var elements: [Element] = []
    switch state {
    case .header:
      for _ in kept { skipByte() }
    case .tag(let size):
      elements.append(.damage(Damage(cutOffTagAt: byteCount - kept.count, size: size, count: kept.count)))
    case .skipping(let count): elements.append(.damage(Damage(offset: byteCount, reason: "\(count) bytes of a frame of sound are missing")))
    }
    reportLost(&elements)
    (state, kept) = (.header, [])
    return elements
  }

  private mutating func advance(by count: Int) { byteCount = byteCount.addingSaturated(count) }

  /// Reads the header at the first of the bytes kept. Bytes at which no tag and no frame starts are skipped.
  private mutating func readHeader(_ elements: inout [Element]) {
    while !kept.isEmpty {
      let header = PackedAudioHeader(kept.view)
      let offset = byteCount - kept.count
      switch header {
      case .incomplete: return
      case .none: skipByte()
      case .tag(let size):
        reportLost(&elements)
        guard size <= TimedMetadataAssembler.largestTag else {
          elements.append(.damage(Damage(largeTagAt: offset)))
          return skipElement(size)
        }
        state = .tag(size: size)
        if size == kept.count { finishTag(&elements) }
        return
      case .frame(let frame):
        reportLost(&elements)
        elements.append(.frame(frame, offset: offset))
        return skipElement(frame.size)
      }
    }
  }

  private mutating func finishTag(_ elements: inout [Element]) {
    elements.append(.tag(kept, offset: byteCount - kept.count))
    (state, kept) = (.header, [])
  }

  /// Skips a tag or a frame that starts with the bytes kept.
  private mutating func skipElement(_ size: Int) {
    let rest = max(0, size - kept.count)
    kept = []
    state = rest == 0 ? .header : .skipping(rest)
  }

  private mutating func skipByte() {
    lost = (lost?.offset ?? byteCount - kept.count, (lost?.count ?? 0) + 1)
    kept.removeFirst()
  }

  private mutating func reportLost(_ elements: inout [Element]) {
    guard let bytes = lost else { return }
    elements.append(.damage(Damage(offset: bytes.offset, reason: "\(bytes.count) bytes that belong to no frame and no tag")))
    lost = nil
  }
}
