import Basics
import GameEvents
import ID3
import TransportStream

/// Reads the timed metadata of one program, and tells the programme's time.
struct ProgramReader: Sendable {
  /// A tag whose programme time is not known yet.
  private struct Held: Sendable {
    var tag: ID3Tag
    var byteCount: Int
    /// The presentation time as it is written, 33 bits.
    var timestamp: UInt64
    /// Where its first packet lies.
    var offset: Int
    var copies: [Result<EventCopy, EventError>]
    var pid: PID
    /// Unwrapped; `nil` until the pictures (or the sound) tell near which time.
    var presentationTime: MediaTime?
    /// How many access units have passed since it came.
    var unitsWaited = 0
    /// The programme time that its copy tells, where its presentation time leads to another beginning of the programme.
    var toldTime: MediaTime?
  }

  private(set) var map: ProgramMapTable
  private(set) var tracker: AccessUnitTracker?
  private(set) var clock: ProgrammeClock
  private var programmeStart: ProgrammeStart
  private var assemblers: [PID: TimedMetadataAssembler] = [:]
  private var copyParser = CopyParser()
  private var unwrapper = TimestampUnwrapper()
  private var held: [Held] = []

  /// A tag further away from the pictures than this (ten seconds) may belong to a clock that starts anew with the next picture.
  private static let longestLead = MediaTime(ticks: 900_000)
  /// After so many access units it is not waited for any longer.
  private static let patience = 3
  /// So many tags, and so many bytes of them and one more, are held while the programme's zero is not known.
  static let mostHeld = 256
  static let mostHeldBytes = 1 << 20

  /// So many timed ID3 streams of a program are read, the first ones: each may hold a tag that has begun. Players read one.
  static let mostStreams = 4

  init(_ map: ProgramMapTable, startingAt programmeStart: ProgrammeStart) {
    self.map = map
    self.programmeStart = programmeStart
    clock = ProgrammeClock(startingAt: programmeStart.time)
    update(map)
  }

  /// The programme time at which the reference stream ends so far.
  var end: MediaTime? {
    guard let end = tracker?.end, let zero = clock.zero else { return nil }
    return end - zero
  }

  /// The stream time of the programme's zero, as the pictures tell it.
  var videoOrigin: MediaTime? { tracker?.zero.map { $0 - programmeStart.videoTime } }

  /// Takes a changed map: streams that stay are read on.
  mutating func update(_ map: ProgramMapTable) {
    self.map = map
    let pids = map.timedID3Streams.prefix(Self.mostStreams).map { $0.pid }
    assemblers = assemblers.filter { pids.contains($0.key) }
    for pid in pids where assemblers[pid] == nil { assemblers[pid] = TimedMetadataAssembler() }
    if let reference = map.referenceStream, tracker?.pid != reference.pid || tracker?.type != reference.type {
      tracker = AccessUnitTracker(reference, following: tracker)
    }
  }

  /// The programme time at which the reference stream starts.
  var start: MediaTime? {
    guard let start = tracker?.start, let zero = clock.zero else { return nil }
    return start - zero
  }

  /// What the program wants of which PIDs.
  var interests: [PID: PacketFilter.Interest] {
    var interests = assemblers.mapValues { _ in PacketFilter.Interest.all }
    if let tracker { interests[tracker.pid] = .unitStarts }
    return interests
  }

  mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int, into items: inout [StreamItem]) {
    if tracker?.pid == header.pid {
      guard let unit = tracker?.push(header, payload: payload) else { return }
      if let jump = tracker?.lastJump { clock.shift(by: jump) }
      for index in held.indices { held[index].unitsWaited += 1 }
      // A tag's timestamp is taken as the one nearest to where the pictures are.
      _ = unwrapper.unwrap(UInt64(bitPattern: unit.decodingTime.ticks))
      if let zero = tracker?.zero { clock.startsAt(zero) }
      release(&items)
    } else if let events = assemblers[header.pid]?.push(header, payload: payload, offset: offset) {
      for event in events { receive(event, pid: header.pid, &items) }
    }
  }

  /// Takes note that about `duration` of the stream is missing here. What was cut off is damage.
  mutating func skip(_ duration: MediaTime, into items: inout [StreamItem]) {
    for pid in assemblers.keys.sorted() {
      for event in assemblers[pid]?.interrupt() ?? [] { receive(event, pid: pid, &items) }
    }
    if tracker?.zero == nil { programmeStart.videoTime += duration }
    clock.skip(duration)
    tracker?.skip(duration)
    unwrapper.skip(duration)
  }

  mutating func finish(into items: inout [StreamItem]) {
    for pid in assemblers.keys.sorted() {
      for event in assemblers[pid]?.finish() ?? [] { receive(event, pid: pid, &items) }
    }
    for index in held.indices { held[index].unitsWaited = Self.patience }
    startAtFirstTag()
    release(&items)
  }

  private mutating func receive(_ event: TimedMetadataAssembler.Event, pid: PID, _ items: inout [StreamItem]) {
    switch event {
    case .tag(let tag): receive(tag, pid: pid, &items)
    case .packet: break
    default: if let damage = Damage(event) { items.append(.damage(damage)) }
    }
  }

  private mutating func receive(_ found: TimedMetadataAssembler.Tag, pid: PID, _ items: inout [StreamItem]) {
    guard let timestamp = found.header.presentationTime else { return }
    let tag: ID3Tag
    do throws(ParseError) {
      tag = try ID3Tag.decode(found.bytes.span)
    } catch {
      return items.append(.damage(Damage(brokenTag: error, offset: found.offset)))
    }
    held.append(
      Held(
        tag: tag, byteCount: found.bytes.count, timestamp: timestamp, offset: found.offset, copies: copyParser.copies(in: tag), pid: pid))
    // Where no picture and no sound is to come, the tags themselves tell where the clock is.
    if tracker == nil, unwrapper.reference == nil { _ = unwrapper.unwrap(timestamp) }
    if held.count >= Self.mostHeld || held.reduce(0, { $0 + $1.byteCount }) > Self.mostHeldBytes {
      held[0].unitsWaited = Self.patience
      startAtFirstTag()
    }
    release(&items)
  }

  /// Takes the first tag's time for the programme's zero, unless the pictures or a copy have told it.
  private mutating func startAtFirstTag() {
    guard let first = held.first else { return }
    if unwrapper.reference == nil { _ = unwrapper.unwrap(first.timestamp) }
    tellTimes()
    if let time = held[0].presentationTime { clock.startsAt(time) }
  }

  /// Unwraps the times of the tags that are held, and lets the copies among them tell the programme's zero.
  private mutating func tellTimes() {
    guard let reference = unwrapper.reference else { return }
    for index in held.indices where held[index].presentationTime == nil {
      let time = unwrapper.peek(held[index].timestamp)
      let isFar = tracker != nil && (time - reference).magnitude > Self.longestLead
      guard !isFar || held[index].unitsWaited >= Self.patience else { return }
      held[index].presentationTime = time
      for case .success(let copy) in held[index].copies where !clock.accept(copy, presentationTime: time) {
        held[index].toldTime = copy.programmeTime
      }
    }
  }

  /// Hands on what was held, in order, as far as the times are known.
  private mutating func release(_ items: inout [StreamItem]) {
    guard !held.isEmpty else { return }
    tellTimes()
    guard let zero = clock.zero else { return }
    let known = held.prefix { $0.presentationTime != nil }
    for tag in known {
      guard let time = tag.presentationTime else { continue }
      let place = Place(
        time: time - zero, presentationTime: time, videoTime: videoOrigin.map { time - $0 },
        carriage: .transportStream(pid: tag.pid), offset: tag.offset, byteCount: tag.byteCount)
      items.append(tag.tag, tag.copies, at: place, told: tag.toldTime)
    }
    held.removeFirst(known.count)
  }
}
