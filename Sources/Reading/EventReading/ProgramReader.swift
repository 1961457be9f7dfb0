import Basics
import GameEvents
import ID3
import TransportStream

/// Reads the timed metadata of one program, and follows its timeline.
struct ProgramReader: Sendable {
  /// A tag whose programme time is not known yet.
  private struct Held: Sendable {
    var tag: TimedTag
    /// The presentation time as it is written, 33 bits.
    var timestamp: UInt64
    /// The number of access units that have come since the tag.
    var unitsWaited = 0
  }

  private(set) var map: ProgramMapTable
  private(set) var timeline: ProgrammeTimeline
  private var tracker: AccessUnitTracker?
  private var assemblers: [PID: TimedMetadataAssembler] = [:]
  private var copyParser: CopyParser
  /// Unwraps the timestamps of tags as long as no access unit has told where the stream's clock is.
  private var tagUnwrapper = TimestampUnwrapper()
  private var held: [Held] = []

  /// A tag whose time is far from the stream's clock waits for this number of access units: the clock may start anew with one of them.
  private static let mostUnitsToNewClock = 3
  /// The first copy waits for this number of access units for a second one that confirms the timeline origin.
  static let mostUnitsToSecondCopy = 250
  /// The most tags that are held while the timeline origin is not known.
  static let mostHeld = 256
  /// The most bytes of these tags, besides the last one.
  static let mostHeldBytes = 1 << 20

  /// The number of timed ID3 streams that are read of a program, the first ones: each may hold a tag that has begun. Players read one.
  static let mostStreams = 4

  init(_ map: ProgramMapTable, startingAt start: ProgrammeTimeline.Start, _ parser: CopyParser) {
    self.map = map
    copyParser = parser
    timeline = ProgrammeTimeline(startingAt: start)
    update(map)
  }

  /// Replaces the PMT: streams that stay are read on.
  mutating func update(_ map: ProgramMapTable) {
    self.map = map
    let pids = map.timedID3Streams.prefix(Self.mostStreams).map { $0.pid }
    assemblers = assemblers.filter { pids.contains($0.key) }
    for pid in pids where assemblers[pid] == nil { assemblers[pid] = TimedMetadataAssembler() }
    if let reference = map.referenceStream, tracker?.pid != reference.pid || tracker?.type != reference.type {
      tracker = AccessUnitTracker(reference, following: tracker)
    }
  }

  /// The packets of each PID that the program needs.
  var interests: [PID: PacketFilter.Interest] {
    var interests = assemblers.mapValues { _ in PacketFilter.Interest.all }
    if let tracker { interests[tracker.pid] = .unitStarts }
    return interests
  }

  mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int, into items: inout [StreamItem]) {
    if tracker?.pid == header.pid {
      guard let unit = tracker?.push(header, payload: payload) else { return }
      if let jump = tracker?.lastJump { timeline.shift(by: jump) }
      for index in held.indices { held[index].unitsWaited += 1 }
      if unit.isRandomAccess { timeline.startVideo(at: unit.presentationTime) }
      timeline.extend(from: unit.presentationTime, to: unit.presentationTime + unit.frameDuration)
      release(&items)
    } else if let events = assemblers[header.pid]?.push(header, payload: payload, offset: offset) {
      for event in events { receive(event, pid: header.pid, &items) }
    }
  }

  /// Records that about `duration` of the stream is missing here. A tag that has begun is damage.
  mutating func skip(_ duration: MediaTime, into items: inout [StreamItem]) {
    for pid in assemblers.keys.sorted() {
      for event in assemblers[pid]?.interrupt() ?? [] { receive(event, pid: pid, &items) }
    }
    timeline.skip(duration)
    tracker?.skip(duration)
    tagUnwrapper.skip(duration)
  }

  mutating func finish(into items: inout [StreamItem]) {
    for pid in assemblers.keys.sorted() {
      for event in assemblers[pid]?.finish() ?? [] { receive(event, pid: pid, &items) }
    }
    for index in held.indices { held[index].unitsWaited = Self.mostUnitsToSecondCopy }
    startAtFirstTag()
    release(&items)
  }

  private mutating func receive(_ event: TimedMetadataAssembler.Event, pid: PID, _ items: inout [StreamItem]) {
    guard case .tag(let found) = event, let timestamp = found.header.presentationTime else {
      if let damage = Damage(event) { items.append(.damage(damage)) }
      return
    }
    do throws(ParseError) {
      let tag = try TimedTag(
        decoding: found.bytes.view, isRestored: found.isRestored, carriage: .transportStream(pid: pid), offset: found.offset, &copyParser)
      held.append(Held(tag: tag, timestamp: timestamp))
    } catch {
      return items.append(.damage(Damage(brokenTag: error, offset: found.offset)))
    }
    // In a program without video and audio the tags themselves tell where the clock is.
    if tracker == nil, tagUnwrapper.reference == nil { _ = tagUnwrapper.unwrap(timestamp) }
    if held.count >= Self.mostHeld || held.reduce(0, { $0 + $1.tag.byteCount }) > Self.mostHeldBytes {
      held[0].unitsWaited = Self.mostUnitsToSecondCopy
      startAtFirstTag()
    }
    release(&items)
  }

  /// Where the stream's clock is: at the latest access unit, or else at the first tag.
  private var unwrapper: TimestampUnwrapper {
    guard let tracker, tracker.unwrapper.reference != nil else { return tagUnwrapper }
    return tracker.unwrapper
  }

  /// Uses the first tag's time as that of the stream's start, unless the video, the audio or a copy have told it.
  private mutating func startAtFirstTag() {
    guard let first = held.first else { return }
    if unwrapper.reference == nil { _ = tagUnwrapper.unwrap(first.timestamp) }
    presentTags()
    if let time = held[0].tag.presentationTime { timeline.assumeStart(at: time) }
  }

  /// Unwraps the times of the tags that are held, and lets the copies among them tell the timeline origin.
  private mutating func presentTags() {
    let unwrapper = unwrapper
    guard let reference = unwrapper.reference else { return }
    for index in held.indices where held[index].tag.presentationTime == nil {
      let time = unwrapper.peek(held[index].timestamp)
      // Video that is announced may not come: then the tags themselves tell where the clock is.
      let isFar = tracker?.unwrapper.reference != nil && (time - reference).magnitude > ProgrammeClock.longestLead
      guard !isFar || held[index].unitsWaited >= Self.mostUnitsToNewClock else { return }
      held[index].tag.present(at: time, on: &timeline)
    }
  }

  /// Hands over what was held, in order, as far as the times are known.
  private mutating func release(_ items: inout [StreamItem]) {
    guard !held.isEmpty else { return }
    presentTags()
    guard timeline.origin != nil, timeline.isSettled || held[0].unitsWaited >= Self.mostUnitsToSecondCopy else { return }
    let known = held.prefix { $0.tag.presentationTime != nil }
    for held in known { held.tag.append(to: &items, on: timeline) }
    held.removeFirst(known.count)
  }
}
