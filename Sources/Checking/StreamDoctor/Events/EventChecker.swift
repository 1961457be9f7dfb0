import Basics
import EventReading
import GameEvents

/// Looks at the events of one rendition: their copies, their times, and what is current where segments start.
struct EventChecker: Sendable {
  /// When each event happened, in stream time, as its first copy tells it; in bounded memory.
  private(set) var times: [GUID: MediaTime] = [:]
  /// How many tags there are.
  private(set) var tagCount = 0

  private var clock = ProgrammeClock()
  private var copies = EventLog()
  private var lastEvent: GUID?
  /// The times of the latest tags, at most as many as a platform takes in a second.
  private var recent: [MediaTime] = []
  private var current: [GameEvent] = []
  private var currentAtStart: [GameEvent] = []
  /// The events with copies in the current segment; `nil` in a stream that is not segmented.
  private var inSegment: [GUID: GameEvent]?

  /// So many events are remembered; more than a show has.
  private static let mostEvents = 65_536
  /// So many are current at most; a game has four.
  private static let mostCurrent = 256
  /// How far the times of copies may be apart (20 ms).
  private static let tolerance = MediaTime(ticks: 1_800)
  /// Limits of Amazon IVS.
  private static let largestTag = 1_024
  private static let mostTagsInASecond = 5

  /// Takes note that a segment starts.
  mutating func startSegment(goesOn: Bool) {
    if !goesOn { clock = ProgrammeClock() }
    currentAtStart = current
    inSegment = [:]
  }

  /// Ends a segment that starts, in stream time, at `start`.
  mutating func endSegment(at start: MediaTime?, _ log: inout FindingLog) {
    guard let start, let zero = clock.origin, let inSegment else { return }
    let time = start - zero
    for event in currentAtStart {
      let isThere = inSegment[event.guid] != nil
      let isOver = inSegment.values.contains { other in other.at.map { $0 <= time } ?? false && other.endsActiveSpan(of: event) }
      if !isThere, !isOver {
        log.add(
          .refresh,
          FindingPlace(resource: log.resource, position: nil, found: "no copy of \(event.type.text) \(event.guid.text), which is current"))
      }
    }
  }

  /// Takes a tag.
  mutating func take(_ sighting: TagObservation, _ log: inout FindingLog) {
    tagCount += 1
    if sighting.byteCount > Self.largestTag { log.add(.tagLimit, at: sighting.offset, "a tag of \(sighting.byteCount) bytes") }
    checkRate(sighting, &log)
    for copy in sighting.copies { take(copy, at: sighting.offset, sighting.time, &log) }
  }

  private mutating func checkRate(_ sighting: TagObservation, _ log: inout FindingLog) {
    guard let time = sighting.time else { return }
    if recent.count == Self.mostTagsInASecond {
      let distance = time - recent.removeFirst()
      if distance >= .zero, distance < MediaTime(seconds: 1) {
        log.add(.rateLimit, at: sighting.offset, "\(Self.mostTagsInASecond + 1) tags in \(distance.decimalSeconds) s")
      }
    }
    recent.append(time)
  }

  private mutating func take(_ copy: EventCopy, at offset: Int, _ time: MediaTime?, _ log: inout FindingLog) {
    let event = copy.event
    if let time, copy.isVerified, let at = event.at {
      clock.accept(copy, presentationTime: time)
      let apart = (time - copy.age - at - (clock.origin ?? .zero)).magnitude
      if apart > Self.tolerance { log.add(.time, at: offset, "\(event.type.text) \(event.guid.text) \(apart.decimalSeconds) s off") }
    }
    let programmeTime = copy.programmeTime ?? (time ?? .zero) - (clock.origin ?? .zero)
    let outcome = copies.accept(copy, at: programmeTime)
    switch outcome {
    case .conflict: log.add(.conflict, at: offset, "another event with the GUID \(event.guid.text)")
    case .duplicate:
      if let lastEvent, lastEvent != event.guid {
        log.add(.interleaved, at: offset, "\(event.type.text) \(event.guid.text) again, behind \(lastEvent.text)")
      }
    case .new, .recovered, .corrected: takeNew(event)
    }
    lastEvent = event.guid
    if let count = inSegment?.count, count < Self.mostEvents { inSegment?[event.guid] = event }
    remember(copy, time.map { $0 - copy.age })
  }

  private mutating func takeNew(_ event: GameEvent) {
    current = current.filter { !event.endsActiveSpan(of: $0) }
    if EventType.known.contains(event.type), current.count < Self.mostCurrent { current.append(event) }
  }

  private mutating func remember(_ copy: EventCopy, _ time: MediaTime?) {
    guard let time, times[copy.event.guid] == nil, times.count < Self.mostEvents else { return }
    times[copy.event.guid] = time
  }
}
