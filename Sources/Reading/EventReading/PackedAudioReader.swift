import Basics
import GameEvents
import ID3

/// Reads the ID3 tags between the frames of packed audio (RFC 8216, 3.4), in one segment or several consecutive ones.
///
/// The tag at the start of a segment tells the time of the first frame. The durations of the frames add to it.
struct PackedAudioReader: Sendable {
  private(set) var timeline: ProgrammeTimeline
  private var parser = PackedAudioParser()
  private var unwrapper = TimestampUnwrapper()
  private var copyParser: CopyParser
  private var elapsed = SampleClock()
  /// The duration that is known to be missing before the next segment.
  private var missing = MediaTime.zero
  /// The latest tag and where it ends.
  private var latest: (bytes: [UInt8], end: Int)?

  init(startingAt start: ProgrammeTimeline.Start, _ parser: CopyParser) {
    timeline = ProgrammeTimeline(startingAt: start)
    copyParser = parser
  }

  /// The number of bytes that were pushed.
  var byteCount: Int { parser.byteCount }

  /// Receives the next bytes.
  mutating func push(_ chunk: Span<UInt8>) -> [StreamItem] { items(parser.push(chunk)) }

  /// Starts a segment: the next byte starts a tag or a frame, and an incomplete tag or frame is damage.
  mutating func startSegment() -> [StreamItem] { items(parser.finish()) }

  /// Records that about `duration` of the stream is missing here.
  mutating func skip(_ duration: MediaTime) -> [StreamItem] {
    let items = startSegment()
    timeline.skip(duration)
    unwrapper.skip(max(duration, .zero))
    missing += max(duration, .zero)
    return items
  }

  /// Ends the stream. An incomplete tag or frame is damage.
  mutating func finish() -> [StreamItem] { items(parser.finish()) }

  private mutating func items(_ elements: [PackedAudioParser.Element]) -> [StreamItem] {
    var items: [StreamItem] = []
    for element in elements {
      switch element {
      case .tag(let bytes, let offset): readTag(bytes, at: offset, &items)
      case .frame(let frame, _):
        elapsed.add(samples: frame.sampleCount, rate: frame.sampleRate)
        timeline.extend(to: elapsed.time)
      case .damage(let damage): items.append(.damage(damage))
      }
    }
    return items
  }

  private mutating func readTag(_ bytes: [UInt8], at offset: Int, _ items: inout [StreamItem]) {
    do throws(ParseError) {
      var tag = try TimedTag(decoding: bytes.view, carriage: .packedAudio, offset: offset, &copyParser)
      if let timestamp = tag.tag.transportStreamTimestamp {
        elapsed = SampleClock(start: unwrapper.unwrap(timestamp))
        timeline.followClock(to: elapsed.time, missing: missing)
        missing = .zero
        timeline.startVideo(at: elapsed.time)
        timeline.extend(from: elapsed.time, to: elapsed.time)
        guard tag.tag.frames.count > 1 else { return }
      }
      // The same event right after itself is no further copy.
      let isRepeat = latest.map { $0.end == offset && $0.bytes == bytes } ?? false
      latest = (bytes, offset.addingSaturated(bytes.count))
      guard !isRepeat || !tag.hasEvents else { return }
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

  /// The time, rounded down to a tick.
  var time: MediaTime { start + MediaTime(ticks: Int64(samples) * MediaTime.ticksPerSecond / Int64(rate)) }

  /// Advances by a number of samples (at most 8,192) at a sample rate.
  mutating func add(samples count: Int, rate newRate: Int) {
    if rate != newRate { (start, samples, rate) = (time, 0, max(newRate, 1)) }
    samples += count
    start = start + MediaTime(seconds: samples / rate)
    samples %= rate
  }
}
