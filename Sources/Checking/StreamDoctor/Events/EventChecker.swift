import Basics
import EventReading
import GameEvents

/// Checks the events of one rendition: their copies, their times, and the refreshes at the start of segments.
struct EventChecker: Sendable {
  /// The stream time of each event, by its first copy; in bounded memory.
  private(set) var times: [GUID: MediaTime] = [:]
  /// The number of tags.
  private(set) var tagCount = 0
  /// The events that should lie outside of ad breaks, in bounded memory.
  private(set) var timed: [TimedEvent] = []

  /// The events that the playlist's date ranges have and the tags have not contradicted; in bounded memory.
  private var ranges: [GUID: GameEvent] = [:]

  private var clock = ProgrammeClock()
  private var copies = EventLog()
  /// The event of the latest copy that is not a refresh.
  private var lastEvent: GUID?
  /// The times of the latest tags, at most as many as a platform accepts in a second.
  private var recent: [MediaTime] = []
  private var active: [GameEvent] = []
  private var activeAtStart: [GameEvent] = []
  /// The events with copies in the current segment; `nil` in a stream without segments.
  private var inSegment: [GUID: GameEvent]?

  /// The maximum number of remembered events; more than a show has.
  private static let mostEvents = 65_536
  /// The maximum number of active events; a game has four.
  private static let mostActive = 256
  /// The maximum distance between the times of copies (20 ms).
  private static let tolerance = MediaTime(ticks: 1_800)
  /// The maximum number of tags that Amazon IVS accepts in a second.
  private static let mostTagsInASecond = 5

  /// Receives the events of a playlist's date ranges.
  mutating func receive(ranges events: [GameEvent]) {
    for event in events where ranges.count < Self.mostEvents && times[event.guid] == nil { ranges[event.guid] = event }
  }

  /// Checks that the tags have each event of a date range.
  mutating func finishRanges(_ log: inout FindingLog) {
    guard tagCount > 0 else { return }
    for event in ranges.values.sorted(by: { $0.guid.text < $1.guid.text }) where times[event.guid] == nil {
      log.add(.carriages, "\(event.type.text) \(event.guid.text) is in a date range and in no tag")
    }
  }

  /// Starts a segment.
  mutating func startSegment(isContinuous: Bool) {
    if !isContinuous { clock = ProgrammeClock() }
    activeAtStart = active
    inSegment = [:]
  }

  /// Ends a segment whose first access unit is presented at the stream time `start`.
  mutating func endSegment(at start: MediaTime?, _ log: inout FindingLog) {
    guard let start, let origin = clock.origin, let inSegment else { return }
    let time = start - origin
    for event in activeAtStart where inSegment[event.guid] == nil {
      let isOver = inSegment.values.contains { other in
        other.at.map { $0 <= time } ?? false && event.isBefore(other) && other.endsActiveSpan(of: event)
      }
      if !isOver { log.add(.refresh, "no copy of \(event.type.text) \(event.guid.text), which is active") }
    }
  }

  /// Checks the next tag.
  mutating func check(_ tag: TagObservation, _ log: inout FindingLog) {
    guard !tag.isTimestamp else { return }
    tagCount += 1
    if let jump = tag.clockJump { clock.shift(by: jump) }
    if tag.byteCount > TagLimit.standard {
      log.add(.playersTagLimit, at: tag.offset, "a tag of \(tag.byteCount) bytes")
    } else if tag.byteCount > TagLimit.ivs {
      log.add(.tagLimit, at: tag.offset, "a tag of \(tag.byteCount) bytes")
    }
    // Copies are made here, after the check of the limit.
    var isNew = tag.copies.isEmpty
    for copy in tag.copies {
      if times[copy.event.guid] == nil { isNew = true }
      check(copy, at: tag.offset, tag.time, &log)
    }
    if isNew { checkRate(tag, &log) }
  }

  private mutating func checkRate(_ tag: TagObservation, _ log: inout FindingLog) {
    guard let time = tag.time else { return }
    if recent.count == Self.mostTagsInASecond {
      let distance = time - recent.removeFirst()
      if distance >= .zero, distance < MediaTime(seconds: 1) {
        log.add(.rateLimit, at: tag.offset, "\(Self.mostTagsInASecond + 1) tags in \(distance.shortestDecimalSeconds) s")
      }
    }
    recent.append(time)
  }

  private mutating func check(_ copy: EventCopy, at offset: Int, _ time: MediaTime?, _ log: inout FindingLog) {
    let event = copy.event
    if let time, copy.isVerified, let at = event.at {
      clock.accept(copy, presentationTime: time)
      let apart = (time - copy.age - at - (clock.origin ?? .zero)).magnitude
      if apart > Self.tolerance {
        log.add(.time, at: offset, "\(event.type.text) \(event.guid.text) \(apart.shortestDecimalSeconds) s off")
      }
    }
    if let range = ranges[event.guid], range != event {
      ranges[event.guid] = nil
      log.add(.carriages, at: offset, "\(event.type.text) \(event.guid.text) says something else in its date range")
    }
    let programmeTime = copy.programmeTime ?? (time ?? .zero) - (clock.origin ?? .zero)
    switch copies.accept(copy, at: programmeTime) {
    case .conflict: log.add(.conflict, at: offset, "another event with the GUID \(event.guid.text)")
    case .sequenceConflict(let other):
      log.add(.conflict, at: offset, "event \(event.guid.text) with the sequence number of \(other.text)")
    case .duplicate:
      // Refreshes repeat older events by design.
      if !copy.isRefresh, let lastEvent, lastEvent != event.guid {
        log.add(.interleaved, at: offset, "\(event.type.text) \(event.guid.text) again, after \(lastEvent.text)")
      }
    case .new, .recovered, .corrected: activate(event)
    }
    if times[event.guid] == nil { record(event, at: event.at ?? programmeTime, log.place(at: offset, "")) }
    if !copy.isRefresh { lastEvent = event.guid }
    if let count = inSegment?.count, count < Self.mostEvents { inSegment?[event.guid] = event }
    if let time, times[event.guid] == nil, times.count < Self.mostEvents { times[event.guid] = time - copy.age }
  }

  /// Records an event that should not meet an ad break. Results and the end of a game may.
  private mutating func record(_ event: GameEvent, at time: MediaTime, _ place: FindingPlace) {
    guard timed.count < Self.mostEvents, case .byte(let offset)? = place.position else { return }
    var new = TimedEvent(name: event.type.text, time: time, duration: .zero, resource: place.resource, offset: offset)
    switch event.content {
    case .askQuestion(let content):
      new.name = "question \(content.questionNumber)"
      new.duration = content.allottedTime
    case .startGame, .adjustTime, .custom: break
    case .periodicInfo, .showResults, .endGame: return
    }
    timed.append(new)
  }

  /// Makes a new event active. It may be over already, because the event that ended it arrived earlier.
  private mutating func activate(_ event: GameEvent) {
    let isOver = active.contains { !$0.isBefore(event) && $0.endsActiveSpan(of: event) }
    active.removeAll { $0.isBefore(event) && event.endsActiveSpan(of: $0) }
    if !isOver, EventType.known.contains(event.type), active.count < Self.mostActive { active.append(event) }
  }
}

extension GameEvent {
  /// Whether the event precedes another one that arrived later, by time or sequence number; `true` if these do not decide it.
  fileprivate func isBefore(_ other: GameEvent) -> Bool {
    if let at, let otherTime = other.at, at != otherTime { return at < otherTime }
    guard gameID == other.gameID, let sequence, let otherSequence = other.sequence else { return true }
    return sequence < otherSequence
  }
}
