import Basics
import GameEvents
import ID3
import TransportStream

/// Reads the timed metadata of one program, and follows its timeline.
struct ProgramReader: FollowedProgram {
  /// A tag whose programme time is not known yet.
  private struct Held: Sendable {
    var tag: TimedTag
    /// The presentation time as written, in 33 bits.
    var timestamp: UInt64
    /// The number of access units that have come since the tag.
    var unitsWaited = 0
  }

  private(set) var map: ProgramMapTable
  private(set) var timeline: ProgrammeTimeline
  private var tracker: AccessUnitTracker?
  private var carriages = ProgramCarriages()
  /// If the program has several carriages, each tag comes more than once.
  private var pairs = TagPairs()
  private var copyParser: CopyParser
  /// Unwraps the timestamps of tags until an access unit tells where the stream's clock is.
  private var tagUnwrapper = TimestampUnwrapper()
  private var held: [Held] = []
  /// The latest tag, for which another one in the same PES packet may be a repeat.
  private var latest: CarriedTag?

  /// A tag whose time is far from the stream's clock waits for this number of access units: the clock may restart with one of them.
  private static let mostUnitsToNewClock = 3
  /// The first copy waits for this number of access units for a second one that confirms the timeline origin.
  static let mostUnitsToSecondCopy = 250
  /// The maximum number of tags that are held while the timeline origin is unknown.
  static let mostHeld = 256
  /// The maximum number of bytes of these tags, without the last one.
  static let mostHeldBytes = 1 << 20

  init(_ map: ProgramMapTable, startingAt start: ProgrammeTimeline.Start, _ parser: CopyParser) {
    self.map = map
    copyParser = parser
    timeline = ProgrammeTimeline(startingAt: start)
    update(map)
  }

  /// Replaces the PMT. Streams that it still lists continue.
  mutating func update(_ map: ProgramMapTable) {
    self.map = map
    carriages.update(map)
    if let reference = map.referenceStream, tracker?.pid != reference.pid || tracker?.type != reference.type {
      tracker = AccessUnitTracker(reference, following: tracker)
      carriages.follow(reference)
    }
  }

  /// The packets of each PID that the program needs.
  var interests: [PID: PacketFilter.Interest] {
    var interests = carriages.interests
    if let tracker { interests[tracker.pid] = carriages.referenceInterest }
    return interests
  }

  /// The packets that are needed of a PID from now on; `nil` if that has not changed.
  ///
  /// - Parameter before: The packets that were needed before.
  func changedInterest(in pid: PID, _ before: PacketFilter.Interest) -> PacketFilter.Interest? {
    pid == tracker?.pid && before != carriages.referenceInterest ? carriages.referenceInterest : nil
  }

  mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int, into items: inout [StreamItem]) {
    guard tracker?.pid == header.pid else { return receive(carriages.push(header, payload: payload, offset: offset), &items) }
    let found = carriages.pushReference(header, payload: payload, offset: offset)
    follow(header, payload, &items)
    receive(found, &items)
  }

  /// Receives a packet of the stream that tells the time.
  private mutating func follow(_ header: TransportPacket, _ payload: Span<UInt8>, _ items: inout [StreamItem]) {
    guard let unit = tracker?.push(header, payload: payload) else { return }
    if let jump = tracker?.lastJump { timeline.shift(by: jump) }
    for index in held.indices { held[index].unitsWaited += 1 }
    if unit.isRandomAccess { timeline.startVideo(at: unit.presentationTime) }
    timeline.extend(from: unit.presentationTime, to: unit.presentationTime + unit.frameDuration)
    release(&items)
  }

  /// Records that about `duration` of the stream is missing here. An incomplete tag is damage.
  mutating func skip(_ duration: MediaTime, into items: inout [StreamItem]) {
    receive(carriages.interrupt(), &items)
    timeline.skip(duration)
    tracker?.skip(duration)
    tagUnwrapper.skip(duration)
  }

  mutating func finish(into items: inout [StreamItem]) {
    receive(carriages.finish(), &items)
    for index in held.indices { held[index].unitsWaited = Self.mostUnitsToSecondCopy }
    startAtFirstTag()
    release(&items)
  }

  private mutating func receive(_ found: [CarriedItem], _ items: inout [StreamItem]) {
    for item in found {
      switch item {
      case .tag(let tag) where !pairs.isSecond(tag.bytes.view, in: tag.carriage): hold(tag, &items)
      case .tag: break
      case .damage(let damage): items.append(.damage(damage))
      }
    }
  }

  /// Holds a tag until its programme time is known.
  private mutating func hold(_ carried: CarriedTag, _ items: inout [StreamItem]) {
    do throws(ParseError) {
      let tag = try TimedTag(
        decoding: carried.bytes.view, isRestored: carried.isRestored, carriage: carried.carriage, offset: carried.offset, &copyParser)
      // A PES packet should have one tag: the same event after it is no further copy.
      let isRepeat =
        latest.map { $0.offset == carried.offset && $0.carriage == carried.carriage && $0.bytes == carried.bytes } ?? false
      latest = carried
      guard !isRepeat || !tag.hasEvents else { return }
      held.append(Held(tag: tag, timestamp: carried.timestamp))
    } catch {
      return items.append(.damage(Damage(brokenTag: error, offset: carried.offset)))
    }
    // In a program without video and audio the tags themselves tell where the clock is.
    if tracker == nil, tagUnwrapper.reference == nil { _ = tagUnwrapper.unwrap(carried.timestamp) }
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

  /// Uses the first tag's time as the start of the stream, unless the video, the audio or a copy has told it.
  private mutating func startAtFirstTag() {
    guard let first = held.first else { return }
    if unwrapper.reference == nil { _ = tagUnwrapper.unwrap(first.timestamp) }
    presentTags()
    if let time = held[0].tag.presentationTime { timeline.assumeStart(at: time) }
  }

  /// Unwraps the times of the held tags, and derives the timeline origin from the copies among them.
  private mutating func presentTags() {
    let unwrapper = unwrapper
    guard let reference = unwrapper.reference else { return }
    for index in held.indices where held[index].tag.presentationTime == nil {
      let time = unwrapper.peek(held[index].timestamp)
      // Announced video may be missing. Then the tags themselves tell where the clock is.
      let isFar = tracker?.unwrapper.reference != nil && (time - reference).magnitude > ProgrammeClock.longestLead
      guard !isFar || held[index].unitsWaited >= Self.mostUnitsToNewClock else { return }
      held[index].tag.present(at: time, on: &timeline)
    }
  }

  /// Returns the held tags in order, as far as their times are known.
  private mutating func release(_ items: inout [StreamItem]) {
    guard !held.isEmpty else { return }
    presentTags()
    guard timeline.origin != nil, timeline.isSettled || held[0].unitsWaited >= Self.mostUnitsToSecondCopy else { return }
    let known = held.prefix { $0.tag.presentationTime != nil }
    for held in known { held.tag.append(to: &items, on: timeline) }
    held.removeFirst(known.count)
  }
}
