import Basics
import CMAF
import GameEvents
import ID3
import NALUnits

/// Reads the ID3 tags in the event messages of fragmented MP4, or else those in SEI messages of its video, and follows the programme's timeline.
struct FragmentedReader: Sendable {
  private(set) var timeline: ProgrammeTimeline
  private var reader = FragmentReader(samples: .untilEventMessages)
  private var copyParser: CopyParser
  /// The track that tells the time.
  private var referenceTrack: Track?
  /// Whether tags wait for the next fragment of the reference track, which tells where the stream is. They do so before the first fragment, and if a
  /// tag's time does not match the fragments before it, because some are missing or the next one is long.
  private var waitsForFragment = true
  /// Whether anything was found that only fragmented MP4 has.
  private var isRecognised = false
  private var held: [TimedTag] = []
  /// Tags whose times are so far before the preceding fragments that the clock may have restarted, and all tags after them. The next fragment tells.
  private var ahead: [(tag: TimedTag, time: MediaTime)] = []
  /// The duration that is known to be missing before the next fragment.
  private var missing = MediaTime.zero

  init(startingAt start: ProgrammeTimeline.Start, _ parser: CopyParser) {
    timeline = ProgrammeTimeline(startingAt: start)
    copyParser = parser
  }

  /// The number of bytes that were pushed or skipped.
  var byteCount: Int { reader.offset }

  /// The number of next bytes that are not needed; `Int.max` if no more bytes are needed.
  var skippable: Int { reader.skippable }

  /// Skips bytes that are not pushed, at most `skippable`.
  mutating func skipBytes(_ count: Int) { reader.skip(count) }

  /// Receives the next bytes.
  ///
  /// - Throws: `plainMP4` if a movie states that no fragments follow.
  mutating func push(_ chunk: Span<UInt8>) throws(ReadingError) -> [StreamItem] { try receive(reader.push(chunk)) }

  /// Starts a segment: the next byte starts a box, and an incomplete box is damage.
  ///
  /// - Throws: `plainMP4` as `push` does.
  mutating func startSegment() throws(ReadingError) -> [StreamItem] {
    try receive(reader.startSegment(at: reader.offset))
  }

  /// Records that about `duration` of the stream is missing here.
  ///
  /// - Throws: `plainMP4` as `push` does.
  mutating func skip(_ duration: MediaTime) throws(ReadingError) -> [StreamItem] {
    let items = try startSegment()
    timeline.skip(duration)
    missing += max(duration, .zero)
    return items
  }

  /// Ends the stream.
  ///
  /// - Throws: `plainMP4` as `push` does, `noFragments` if no part of fragmented MP4 was found.
  mutating func finish() throws(ReadingError) -> [StreamItem] {
    var items = try receive(reader.finish())
    guard isRecognised else { throw ReadingError.noFragments }
    startAtFirstTag()
    release(&items, isLast: true)
    return items
  }

  private mutating func receive(_ found: [FragmentItem]) throws(ReadingError) -> [StreamItem] {
    var items: [StreamItem] = []
    for item in found {
      switch item {
      case .initialisation(let movie):
        guard movie.isFragmented else { throw ReadingError.plainMP4 }
        isRecognised = true
        referenceTrack = movie.tracks.first { $0.handler == .vide } ?? movie.tracks.first { $0.handler == .soun }
      case .eventMessage(let message, let time, let offset):
        isRecognised = true
        if message.isID3 { receive(message, time: time, offset: offset, &items) }
      case .fragment(let fragment, _):
        isRecognised = true
        extendTimeline(by: fragment)
        release(&items)
      case .tags(let tags, let time, let offset):
        for tag in tags { receive(tag, ofSampleAt: time, offset: offset, &items) }
      case .userData: break
      case .damage(let offset, let reason): items.append(.damage(Damage(offset: offset, reason: reason)))
      }
    }
    return items
  }

  /// Receives a message. It should be one tag, but padding or further tags may follow; a tag that repeats the one in front of it is not read again.
  private mutating func receive(_ message: EventMessageBox, time: MediaTime, offset: Int, _ items: inout [StreamItem]) {
    let data = message.messageData
    let payload = ID3Payload(data.view)
    for part in payload.tags where !part.isRepeat {
      receive(part.bytes, isRestored: part.isRestored, of: message, time: time, offset: offset, &items)
    }
    if payload.tags.isEmpty {
      receive(data, isRestored: false, of: message, time: time, offset: offset, &items)
    } else if let size = payload.cutLength {
      items.append(.damage(Damage(cutOffTagAt: offset, size: size, count: payload.rest.count)))
    } else if !payload.isStuffed {
      items.append(.damage(Damage(offset: offset, reason: "no ID3 tag where one should start")))
    }
    releaseWaiting(&items)
  }

  /// Receives a tag of a message.
  private mutating func receive(
    _ bytes: [UInt8], isRestored: Bool, of message: EventMessageBox, time: MediaTime, offset: Int, _ items: inout [StreamItem]
  ) {
    do throws(ParseError) {
      let carriage = Carriage.eventMessage(id: message.id)
      let tag = try TimedTag(decoding: bytes.view, isRestored: isRestored, carriage: carriage, offset: offset, &copyParser)
      if referenceTrack != nil, !ahead.isEmpty || timeline.isBehind(time) { ahead.append((tag, time)) } else { hold(tag, time) }
    } catch {
      items.append(.damage(Damage(brokenTag: error, offset: offset)))
    }
  }

  /// Receives a tag of a sample, which comes after the fragment that tells where the stream is.
  private mutating func receive(_ message: TagMessage, ofSampleAt time: MediaTime, offset: Int, _ items: inout [StreamItem]) {
    do throws(ParseError) {
      var tag = try TimedTag(decoding: message.tag.view, carriage: .sei(pid: nil), offset: offset, &copyParser)
      tag.present(at: time + MediaTime(ticks: Int64(message.delay)), on: &timeline)
      tag.stand(at: time...time)
      held.append(tag)
    } catch {
      return items.append(.damage(Damage(brokenTag: error, offset: offset)))
    }
    releaseWaiting(&items)
  }

  /// Returns the waiting tags that are ready, or all of them if too many wait.
  private mutating func releaseWaiting(_ items: inout [StreamItem]) {
    let waiting = held + ahead.map { $0.tag }
    if waiting.count >= ProgramReader.mostHeld || waiting.reduce(0, { $0 + $1.byteCount }) > ProgramReader.mostHeldBytes {
      startAtFirstTag()
      release(&items, isLast: true)
    } else {
      release(&items)
    }
  }

  private mutating func hold(_ tag: TimedTag, _ time: MediaTime) {
    var tag = tag
    tag.present(at: time, on: &timeline)
    if tag.isForeign(on: timeline) { waitsForFragment = true }
    held.append(tag)
  }

  private mutating func holdAhead() {
    for (tag, time) in ahead { hold(tag, time) }
    ahead = []
  }

  /// Extends the timeline by the reference track's part of a fragment.
  private mutating func extendTimeline(by fragment: Fragment) {
    guard let track = referenceTrack else { return }
    for part in fragment.tracks where part.trackID == track.id {
      waitsForFragment = false
      guard let start = part.earliestPresentationTime else { continue }
      timeline.followClock(to: start, missing: missing)
      missing = .zero
      // Audio starts anywhere; video can be shown from a sync sample on.
      if track.handler != .vide || part.startsWithSyncSample != false { timeline.startVideo(at: start) }
      let end = part.duration.map { start + $0 }
      holdAhead()
      waitsForFragment = false
      timeline.extend(from: start, to: end)
      for index in held.indices where held[index].isForeign(on: timeline) { held[index].stand(at: start...max(start, end ?? start)) }
    }
  }

  /// Stops waiting, and uses the first tag's time as the start of the stream, unless the video, the audio or a copy has told it.
  private mutating func startAtFirstTag() {
    holdAhead()
    waitsForFragment = false
    if let time = held.first?.presentationTime { timeline.assumeStart(at: time) }
  }

  /// Returns the held tags in order, once the timeline origin is known and is either reliable or no longer waited for.
  private mutating func release(_ items: inout [StreamItem], isLast: Bool = false) {
    guard let first = held.first?.presentationTime, timeline.origin != nil, !waitsForFragment || referenceTrack == nil else { return }
    let hasWaited = timeline.position.map { $0 - first >= ProgrammeClock.longestLead } ?? true
    guard isLast || hasWaited || timeline.isSettled else { return }
    for tag in held { tag.append(to: &items, on: timeline) }
    held = []
  }
}
