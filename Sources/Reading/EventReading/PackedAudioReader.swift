import Basics
import GameEvents
import ID3
import TransportStream

/// Reads the ID3 tags between the frames of packed audio (RFC 8216, 3.4), one segment or several one behind the other.
///
/// The tag at the start of a segment tells the time of the first frame, and the frames that follow how far it has gone on.
struct PackedAudioReader: Sendable {
  private enum State: Sendable {
    /// The header of the next tag or frame is being read.
    case header
    /// A tag of `size` bytes is kept until it is whole.
    case tag(size: Int)
    /// This number of bytes is skipped.
    case skipping(Int)
  }

  private(set) var timeline: ProgrammeTimeline
  /// The number of bytes that were pushed.
  private(set) var byteCount = 0
  private var state = State.header
  private var kept: [UInt8] = []
  /// Bytes that belong to no frame and no tag: where they start, and how many.
  private var lost: (offset: Int, count: Int)?
  private var unwrapper = TimestampUnwrapper()
  private var copyParser = CopyParser()
  private var elapsed = SampleClock()

  init(startingAt start: ProgrammeTimeline.Start) { timeline = ProgrammeTimeline(startingAt: start) }

  /// Receives the next bytes.
  mutating func push(_ chunk: Span<UInt8>) -> [StreamItem] {
    var items: [StreamItem] = []
    var position = 0
    while position < chunk.count {
      let available = chunk.count - position
      var count = 1
      switch state {
      case .header:
        kept.append(chunk[position])
        advance(by: 1)
        readHeader(&items)
      case .tag(let size):
        count = min(size - kept.count, available)
        for index in position..<position + count { kept.append(chunk[index]) }
        advance(by: count)
        if kept.count == size { readTag(&items) }
      case .skipping(let rest):
        count = min(rest, available)
        advance(by: count)
        state = count == rest ? .header : .skipping(rest - count)
      }
      position += count
    }
    return items
  }

  /// Starts a segment: the next byte starts a tag or a frame, and a tag or a frame that has begun is damage.
  mutating func startSegment() -> [StreamItem] {
    let items = finish()
    state = .header
    kept = []
    return items
  }

  /// Records that about `duration` of the stream is missing here.
  mutating func skip(_ duration: MediaTime) -> [StreamItem] {
    let items = startSegment()
    timeline.skip(duration)
    return items
  }

  /// Ends the stream. A tag or a frame that has begun is damage.
  mutating func finish() -> [StreamItem] {
    var items: [StreamItem] = []
    switch state {
    case .header:
      for _ in kept { skipByte() }
    case .tag(let size):
      items.append(.damage(Damage(cutOffTagAt: byteCount - kept.count, size: size, count: kept.count)))
    case .skipping(let count): items.append(.damage(Damage(offset: byteCount, reason: "\(count) bytes of a frame of sound are missing")))
    }
    reportLost(&items)
    return items
  }

  private mutating func advance(by count: Int) {
    let (sum, overflows) = byteCount.addingReportingOverflow(count)
    byteCount = overflows ? .max : sum
  }

  /// Reads the header at the first of the bytes kept. Bytes at which no tag and no frame starts are skipped.
  private mutating func readHeader(_ items: inout [StreamItem]) {
    while !kept.isEmpty {
      switch PackedAudioHeader(kept.span) {
      case .incomplete: return
      case .none: skipByte()
      case .tag(let size):
        reportLost(&items)
        guard size <= TimedMetadataAssembler.largestTag else {
          items.append(.damage(Damage(largeTagAt: byteCount - kept.count)))
          return skipElement(size)
        }
        state = .tag(size: size)
        if size == kept.count { readTag(&items) }
        return
      case .frame(let frame):
        reportLost(&items)
        elapsed.add(samples: frame.sampleCount, rate: frame.sampleRate)
        timeline.extend(to: elapsed.time)
        return skipElement(frame.size)
      }
    }
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

  private mutating func reportLost(_ items: inout [StreamItem]) {
    guard let bytes = lost else { return }
    items.append(.damage(Damage(offset: bytes.offset, reason: "\(bytes.count) bytes that belong to no frame and no tag")))
    lost = nil
  }

  private mutating func readTag(_ items: inout [StreamItem]) {
    let bytes = kept
    let offset = byteCount - bytes.count
    kept = []
    state = .header
    do throws(ParseError) {
      var tag = try TimedTag(decoding: bytes.span, carriage: .packedAudio, offset: offset, &copyParser)
      if let timestamp = tag.tag.transportStreamTimestamp {
        elapsed = SampleClock(start: unwrapper.unwrap(timestamp))
        timeline.startVideo(at: elapsed.time)
        timeline.extend(from: elapsed.time, to: nil)
        guard tag.tag.frames.count > 1 else { return }
      }
      tag.present(at: elapsed.time, on: &timeline)
      tag.append(to: &items, on: timeline)
    } catch {
      items.append(.damage(Damage(brokenTag: error, offset: offset)))
    }
  }
}

/// A time that advances by audio samples, without rounding from frame to frame.
private struct SampleClock: Sendable {
  private var start: MediaTime
  /// Samples since `start`, less than a second of them.
  private var samples = 0
  private var rate = 1

  init(start: MediaTime = .zero) { self.start = start }

  /// The time to the tick below.
  var time: MediaTime { start + MediaTime(ticks: Int64(samples) * MediaTime.ticksPerSecond / Int64(rate)) }

  /// Advances by a number of samples (at most 8,192) at a sample rate.
  mutating func add(samples count: Int, rate newRate: Int) {
    if rate != newRate { (start, samples, rate) = (time, 0, max(newRate, 1)) }
    samples += count
    start = start + MediaTime(seconds: samples / rate)
    samples %= rate
  }
}
