import Basics
import GameEvents
import ID3
import TransportStream

/// Reads the ID3 tags between the frames of packed audio (RFC 8216, 3.4), one segment or several one behind the other.
///
/// The tag at the start of a segment tells the time of the first frame, and the frames that follow how far it has gone on.
struct PackedAudioReader: Sendable {
  private enum State: Sendable {
    /// What comes next is not known until its header is there.
    case header
    /// A tag of so many bytes is kept until it is whole.
    case tag(size: Int)
    /// So many bytes are passed over.
    case passing(Int)
  }

  /// How many bytes were pushed.
  private(set) var byteCount = 0
  /// The stream time of the first sound.
  private var firstSound: MediaTime?
  private var state = State.header
  private var kept: [UInt8] = []
  /// Bytes that belong to no frame and no tag: where they start, and how many.
  private var lost: (offset: Int, count: Int)?
  private var unwrapper = TimestampUnwrapper()
  private var clock: ProgrammeClock
  private var copyParser = CopyParser()
  private var programmeStart: ProgrammeStart
  private var elapsed = SampleClock()
  private var latestEnd: MediaTime?

  init(startingAt programmeStart: ProgrammeStart) {
    self.programmeStart = programmeStart
    clock = ProgrammeClock(startingAt: programmeStart.time)
  }

  /// The stream time of the programme's zero.
  var zero: MediaTime? { clock.zero }

  /// The stream time of the programme's zero, as the sound tells it.
  var audioOrigin: MediaTime? { firstSound.map { $0 - programmeStart.videoTime } }

  /// The programme time at which the sound ends so far.
  var end: MediaTime? {
    guard let latestEnd, let zero = clock.zero else { return nil }
    return latestEnd - zero
  }

  /// The programme time at which the sound starts.
  var start: MediaTime? {
    guard let firstSound, let zero = clock.zero else { return nil }
    return firstSound - zero
  }

  /// Takes the next bytes.
  mutating func push(_ chunk: Span<UInt8>) -> [StreamItem] {
    var items: [StreamItem] = []
    var position = 0
    while position < chunk.count {
      let available = chunk.count - position
      var taken = 1
      switch state {
      case .header:
        kept.append(chunk[position])
        advance(by: 1)
        readHeader(&items)
      case .tag(let size):
        taken = min(size - kept.count, available)
        for index in position..<position + taken { kept.append(chunk[index]) }
        advance(by: taken)
        if kept.count == size { readTag(&items) }
      case .passing(let count):
        taken = min(count, available)
        advance(by: taken)
        state = taken == count ? .header : .passing(count - taken)
      }
      position += taken
    }
    return items
  }

  /// Starts a segment: the next byte starts a tag or a frame, and what was cut off is damage.
  mutating func startSegment() -> [StreamItem] {
    let items = finish()
    state = .header
    kept = []
    return items
  }

  /// Takes note that about `duration` of the stream is missing here.
  mutating func skip(_ duration: MediaTime) -> [StreamItem] {
    let items = startSegment()
    if firstSound == nil { programmeStart.videoTime += duration }
    clock.skip(duration)
    return items
  }

  /// Ends the stream. What was cut off is damage.
  mutating func finish() -> [StreamItem] {
    var items: [StreamItem] = []
    switch state {
    case .header:
      for _ in kept { lose() }
    case .tag(let size):
      items.append(.damage(Damage(cutOffTagAt: byteCount - kept.count, size: size, count: kept.count)))
    case .passing(let count): items.append(.damage(Damage(offset: byteCount, reason: "\(count) bytes of a frame of sound are missing")))
    }
    noteLost(&items)
    return items
  }

  private mutating func advance(by count: Int) {
    let (sum, overflows) = byteCount.addingReportingOverflow(count)
    byteCount = overflows ? .max : sum
  }

  /// Decides about what starts at the first of the bytes kept; those that start nothing are lost.
  private mutating func readHeader(_ items: inout [StreamItem]) {
    while !kept.isEmpty {
      switch PackedAudioHeader(kept.span) {
      case .incomplete: return
      case .none: lose()
      case .tag(let size):
        noteLost(&items)
        guard size <= TimedMetadataAssembler.largestTag else {
          items.append(.damage(Damage(largeTagAt: byteCount - kept.count)))
          return pass(size)
        }
        state = .tag(size: size)
        if size == kept.count { readTag(&items) }
        return
      case .frame(let frame):
        noteLost(&items)
        elapsed.add(samples: frame.sampleCount, rate: frame.sampleRate)
        latestEnd = max(latestEnd ?? elapsed.time, elapsed.time)
        return pass(frame.size)
      }
    }
  }

  /// Passes over what starts with the bytes kept.
  private mutating func pass(_ size: Int) {
    let rest = max(0, size - kept.count)
    kept = []
    state = rest == 0 ? .header : .passing(rest)
  }

  private mutating func lose() {
    lost = (lost?.offset ?? byteCount - kept.count, (lost?.count ?? 0) + 1)
    kept.removeFirst()
  }

  private mutating func noteLost(_ items: inout [StreamItem]) {
    guard let bytes = lost else { return }
    items.append(.damage(Damage(offset: bytes.offset, reason: "\(bytes.count) bytes that belong to no frame and no tag")))
    lost = nil
  }

  private mutating func readTag(_ items: inout [StreamItem]) {
    let bytes = kept
    let offset = byteCount - bytes.count
    kept = []
    state = .header
    let tag: ID3Tag
    do throws(ParseError) {
      tag = try ID3Tag.decode(bytes.span)
    } catch {
      items.append(.damage(Damage(brokenTag: error, offset: offset)))
      return
    }
    if let timestamp = tag.transportStreamTimestamp {
      elapsed = SampleClock(start: unwrapper.unwrap(timestamp))
      firstSound = firstSound ?? elapsed.time
      clock.startsAt(elapsed.time)
      guard tag.frames.count > 1 else { return }
    }
    let copies = copyParser.copies(in: tag)
    var toldTime: MediaTime?
    for case .success(let copy) in copies where !clock.accept(copy, presentationTime: elapsed.time) {
      toldTime = copy.programmeTime
    }
    guard let zero = clock.zero else { return }
    let place = Place(
      time: elapsed.time - zero, presentationTime: elapsed.time, videoTime: audioOrigin.map { elapsed.time - $0 }, carriage: .packedAudio,
      offset: offset, byteCount: bytes.count)
    items.append(tag, copies, at: place, told: toldTime)
  }
}

/// A time that goes on by samples of sound, without rounding from frame to frame.
private struct SampleClock: Sendable {
  private var start: MediaTime
  /// Samples since `start`, less than a second of them.
  private var samples = 0
  private var rate = 1

  init(start: MediaTime = .zero) { self.start = start }

  /// The time to the tick below.
  var time: MediaTime { start + MediaTime(ticks: Int64(samples) * MediaTime.ticksPerSecond / Int64(rate)) }

  /// Goes on by so many samples (at most 8,192) of so many a second.
  mutating func add(samples count: Int, rate newRate: Int) {
    if rate != newRate { (start, samples, rate) = (time, 0, max(newRate, 1)) }
    samples += count
    start = start + MediaTime(seconds: samples / rate)
    samples %= rate
  }
}
