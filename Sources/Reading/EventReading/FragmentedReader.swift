import Basics
import CMAF
import GameEvents
import ID3

/// Reads the ID3 tags in the event messages of fragmented MP4, and tells the programme's time.
struct FragmentedReader: Sendable {
  /// A tag whose programme time is not known yet.
  private struct Held: Sendable {
    var tag: ID3Tag
    var copies: [Result<EventCopy, EventError>]
    var presentationTime: MediaTime
    var id: UInt32
    var offset: Int
    var byteCount: Int
    /// The programme time that its copy tells, where its presentation time leads to another beginning of the programme.
    var toldTime: MediaTime?
  }

  /// The stream time of the programme's zero as the pictures (or the sound) tell it.
  private(set) var videoOrigin: MediaTime?
  private var reader = FragmentReader()
  private var clock: ProgrammeClock
  private var copyParser = CopyParser()
  private var programmeStart: ProgrammeStart
  /// The track by which the time is told.
  private var referenceTrack: Track?
  private var earliestStart: MediaTime?
  private var latestEnd: MediaTime?
  /// Whether tags wait for the first fragment of the reference track, which stands behind them and tells the pictures' time.
  private var waitsForFragment = true
  /// Whether anything came that only fragmented MP4 has.
  private var isRecognised = false
  private var held: [Held] = []

  init(startingAt programmeStart: ProgrammeStart) {
    self.programmeStart = programmeStart
    clock = ProgrammeClock(startingAt: programmeStart.time)
  }

  /// How many bytes were pushed.
  var byteCount: Int { reader.offset }

  /// How many of the next bytes mean nothing; `Int.max` where all that follow do.
  var skippable: Int { reader.skippable }

  /// Passes over bytes that are not pushed, at most `skippable`.
  mutating func pass(_ count: Int) { reader.skip(count) }

  /// The stream time of the programme's zero.
  var zero: MediaTime? { clock.zero }

  /// The programme time at which the reference track ends so far.
  var end: MediaTime? {
    guard let latestEnd, let zero = clock.zero else { return nil }
    return latestEnd - zero
  }

  /// The programme time at which the reference track starts.
  var start: MediaTime? {
    guard let earliestStart, let zero = clock.zero else { return nil }
    return earliestStart - zero
  }

  /// Takes the next bytes.
  ///
  /// - Throws: `plainMP4` where a movie says that no fragments follow.
  mutating func push(_ chunk: Span<UInt8>) throws(ReadingError) -> [StreamItem] {
    try take(reader.push(chunk))
  }

  /// Starts a segment: the next byte starts a box, and a box that was cut off is damage.
  ///
  /// - Throws: `plainMP4` as `push` does.
  mutating func startSegment() throws(ReadingError) -> [StreamItem] {
    try take(reader.startSegment(at: reader.offset))
  }

  /// Takes note that about `duration` of the stream is missing here.
  ///
  /// - Throws: `plainMP4` as `push` does.
  mutating func skip(_ duration: MediaTime) throws(ReadingError) -> [StreamItem] {
    let items = try startSegment()
    if videoOrigin == nil { programmeStart.videoTime += duration }
    clock.skip(duration)
    return items
  }

  /// Ends the stream.
  ///
  /// - Throws: `plainMP4` as `push` does, `noFragments` where nothing came that fragmented MP4 consists of.
  mutating func finish() throws(ReadingError) -> [StreamItem] {
    var items = try take(reader.finish())
    guard isRecognised else { throw ReadingError.noFragments }
    startAtFirstTag()
    release(&items)
    return items
  }

  private mutating func take(_ found: [FragmentItem]) throws(ReadingError) -> [StreamItem] {
    var items: [StreamItem] = []
    for item in found {
      switch item {
      case .initialisation(let movie):
        guard movie.isFragmented else { throw ReadingError.plainMP4 }
        isRecognised = true
        referenceTrack = movie.tracks.first { $0.handler == .vide } ?? movie.tracks.first { $0.handler == .soun }
      case .eventMessage(let message, let time, let offset):
        isRecognised = true
        if message.isID3 { take(message, time: time, offset: offset, &items) }
      case .fragment(let fragment, _):
        isRecognised = true
        tellTime(by: fragment)
        release(&items)
      case .damage(let offset, let reason): items.append(.damage(Damage(offset: offset, reason: reason)))
      }
    }
    return items
  }

  private mutating func take(_ message: EventMessageBox, time: MediaTime, offset: Int, _ items: inout [StreamItem]) {
    let tag: ID3Tag
    do throws(ParseError) {
      tag = try ID3Tag.decode(message.messageData.span)
    } catch {
      items.append(.damage(Damage(brokenTag: error, offset: offset)))
      return
    }
    var new = Held(
      tag: tag, copies: copyParser.copies(in: tag), presentationTime: time, id: message.id, offset: offset,
      byteCount: message.messageData.count)
    for case .success(let copy) in new.copies where !clock.accept(copy, presentationTime: time) {
      new.toldTime = copy.programmeTime
    }
    held.append(new)
    if held.count >= ProgramReader.mostHeld || held.reduce(0, { $0 + $1.byteCount }) > ProgramReader.mostHeldBytes { startAtFirstTag() }
    release(&items)
  }

  /// Takes the programme's zero and its end so far from the reference track's part of a fragment.
  private mutating func tellTime(by fragment: Fragment) {
    guard let track = referenceTrack else { return }
    for part in fragment.tracks where part.trackID == track.id {
      waitsForFragment = false
      guard let start = part.earliestPresentationTime else { continue }
      earliestStart = earliestStart ?? start
      // Sound starts anywhere; pictures can be shown from a sync sample on.
      if videoOrigin == nil, track.handler != .vide || part.startsWithSyncSample != false {
        videoOrigin = start - programmeStart.videoTime
        clock.startsAt(start)
      }
      guard let duration = part.duration else { continue }
      latestEnd = max(latestEnd ?? start, start + duration)
    }
  }

  /// Waits no longer: takes the first tag's time for the programme's zero, unless the pictures or a copy have told it.
  private mutating func startAtFirstTag() {
    waitsForFragment = false
    if let first = held.first { clock.startsAt(first.presentationTime) }
  }

  /// Hands on what was held, in order, once the programme's zero is known.
  private mutating func release(_ items: inout [StreamItem]) {
    guard let zero = clock.zero, !waitsForFragment || referenceTrack == nil else { return }
    for tag in held {
      let place = Place(
        time: tag.presentationTime - zero, presentationTime: tag.presentationTime,
        videoTime: videoOrigin.map { tag.presentationTime - $0 },
        carriage: .eventMessage(id: tag.id), offset: tag.offset, byteCount: tag.byteCount)
      items.append(tag.tag, tag.copies, at: place, told: tag.toldTime)
    }
    held = []
  }
}
