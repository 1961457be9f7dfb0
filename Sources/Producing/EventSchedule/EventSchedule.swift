public import Basics
public import GameEvents

/// Decides which copy of which event goes before which access unit.
///
/// It is told of the access units in decoding order. The first copy of an event carries the event's exact tick and goes before the first
/// access unit that is presented at or after it; the rest of the burst goes before the access units that follow, one frame duration later each.
/// Refreshes of active events follow every ``CopyPolicy/refreshInterval``, and go on for a while after the event is over. Presentation times of
/// copies never go backwards.
///
/// Events may be inserted while the stream is made. Those that are finished are dropped, so that a stream without an end needs no more memory
/// than its pending and active events.
public struct EventSchedule: Sendable {
  /// The copies before one access unit.
  private struct Batch {
    var copies: [TimedCopy] = []
    /// The ids of their events.
    var ids: Set<Int> = []
    /// The bytes of their tags, and of the first copies that are still due.
    var size = 0
    var reserved = 0
  }

  /// The segment of the next access unit.
  private struct Segment: Sendable {
    /// The first time that it presents.
    var start: MediaTime
    /// The latest time that it presents so far.
    var latest: MediaTime
    /// Events that were over by this time are no longer refreshed.
    var horizon: MediaTime
    /// Whether the active events have still to be refreshed at its start.
    var isStarting = true
    /// Whether some of these refreshes are still due. They go before repeats of bursts, which would leave them no room in a short audio segment.
    var owesRefresh = true
  }

  /// How long events are refreshed after they are over, in a stream without segments: as long as two of the segments that it may be cut into later.
  private static let usualSegments = MediaTime(seconds: 8)

  let policy: CopyPolicy
  private(set) var upcoming: PendingEvents
  private var bursts = Bursts()
  private var active = ActiveEvents()
  /// The ids of the events whose refresh is due.
  private var refreshQueue: [Int] = []
  /// Those among them that end so soon that the next access unit may be too late for them.
  private var urgent: Set<Int> = []
  private var nextRefresh: MediaTime?
  /// The latest time of a copy.
  private var lastTime = MediaTime(ticks: .min)
  private var segment: Segment?
  private var segmentStarts = SegmentStarts()
  private var writer: CopyWriter

  /// A schedule of events, which may be in any order.
  public init(_ events: [PlannedEvent], policy: CopyPolicy) { self.init(events, policy: policy, encode: nil) }

  /// A schedule of events whose copies `encode` writes; if it is `nil`, they are ID3 tags.
  package init(_ events: [PlannedEvent], policy: CopyPolicy, encode: CopyEncoder?) {
    upcoming = PendingEvents(events)
    self.policy = policy
    nextRefresh = policy.refreshInterval
    writer = CopyWriter(copies: policy.copies, encode: encode)
  }

  /// The events for which no access unit has come yet, in the order of their times.
  public var pending: ArraySlice<PlannedEvent> { upcoming.events }

  /// The earliest time of an event that is inserted now.
  package var earliestTime: MediaTime { max(lastTime, upcoming.time) + MediaTime(ticks: 1) }

  /// The games that pending events belong to.
  package var games: Set<GameID> { Set(pending.lazy.filter { $0.tag == nil }.map { $0.event.gameID }) }

  /// The number of events that are held. An event that several parts of the schedule hold is counted more than once.
  package var heldCount: Int { pending.count + bursts.count + active.count + writer.heldCount }

  /// Before this time no copy is due: `.min` ticks while copies wait, `nil` if no more copies are due.
  package var nextTime: MediaTime? {
    guard bursts.isEmpty, refreshQueue.isEmpty else { return MediaTime(ticks: .min) }
    guard let event = upcoming.nextTime, let refresh = nextRefresh else { return upcoming.nextTime ?? nextRefresh }
    return min(event, refresh)
  }

  /// Inserts an event into a live stream, after other events of the same time.
  ///
  /// The copies are the same as if the event had been there from the start, except that the order in which the active events are refreshed at a
  /// segment's start depends on the events known by then.
  ///
  /// - Throws: `tooLate` if the event is not after all access units and copies so far.
  package mutating func insert(_ event: PlannedEvent) throws(ScheduleError) {
    upcoming.advance(to: lastTime)
    try upcoming.insert(event)
  }

  /// The schedule with the tags of an input, none of whose copies has been placed yet.
  package func adding(_ tags: [PlannedEvent]) -> EventSchedule {
    guard !tags.isEmpty else { return self }
    var schedule = self
    schedule.upcoming = PendingEvents(Array(pending) + tags)
    return schedule
  }

  /// Resumes an event whose first copies another schedule has placed, before the process that made the stream ended. Its active span continues: it is
  /// refreshed with the next access unit.
  ///
  /// Events are resumed in the order of their times.
  ///
  /// - Parameter copies: The number of copies of its burst so far, if the rest goes before the next access units; `nil` if the burst does not
  ///   continue.
  package mutating func resume(_ event: PlannedEvent, copies: Int? = nil) {
    let goesOn = copies.map { (1..<policy.copies).contains($0) } ?? false
    guard policy.refreshInterval != nil || goesOn else { return }
    let started = upcoming.start(event)
    upcoming.advance(to: event.time)
    if let copies, goesOn { bursts.append(started, at: event.time, nextCopy: copies + 1) }
    guard policy.refreshInterval != nil else { return }
    active.start(started, firstRefresh: policy.copies + 1)
    nextRefresh = MediaTime(ticks: .min)
  }

  /// Continues at a time, up to which another schedule has placed its copies. Earlier events that are still pending get their first copies from here
  /// on, which state their age.
  package mutating func begin(at time: MediaTime) { lastTime = max(lastTime, time) }

  /// Starts a segment with the next access unit, which is the first access unit of the segment, at `time`.
  ///
  /// From then on, no copy has a time outside its segment: the first copy of an event that happened before the segment, and was placed neither there
  /// nor by ``endSegment(at:)``, takes the segment's start and states its age. Active events are refreshed at the segment's start, and so are those
  /// that were active in the two segments before.
  public mutating func startSegment(at time: MediaTime) {
    segment = Segment(start: time, latest: time, horizon: segmentStarts.start(at: time))
  }

  /// The first copies of events that happen before a segment's end, at `end`, and after its last access unit: there are no more access units to carry
  /// them. The rest of their bursts goes into the next segment.
  ///
  /// - Throws: What ``GameEvents/EventCopy/encodedTag()`` throws.
  public mutating func endSegment(at end: MediaTime) throws(EventError) -> [TimedCopy] {
    var batch = Batch()
    try startBursts(into: &batch) { $0 < end }
    upcoming.advance(to: end - MediaTime(ticks: 1))
    return batch.copies
  }

  /// Records a third-party tag at `time`: later repeats do not get earlier times. First copies keep their ticks.
  package mutating func recordThirdPartyTag(at time: MediaTime) {
    lastTime = max(lastTime, min(time, upcoming.nextTime ?? time))
  }

  /// The copies that go before an access unit, in the order of their presentation times.
  ///
  /// - Throws: What ``GameEvents/EventCopy/encodedTag()`` throws.
  public mutating func copies(before unit: AccessUnit) throws(EventError) -> [TimedCopy] {
    var batch = Batch()
    upcoming.advance(to: unit.time)
    if let latest = segment?.latest { segment?.latest = max(latest, unit.time) }
    let owesRefresh = segment?.owesRefresh ?? false
    if !owesRefresh {
      batch.reserved = try sizeOfFirstCopies { $0 <= unit.time }
      try continueBursts(into: &batch) { burst in burst.lastTime + unit.duration }
      batch.reserved = 0
    }
    try startBursts(into: &batch) { $0 <= unit.time }
    queueRefreshes(at: unit.time, besides: batch.ids)
    try refresh(at: unit.time, into: &batch)
    if owesRefresh {
      segment?.owesRefresh = !refreshQueue.isEmpty
      try continueBursts(into: &batch, besides: batch.ids) { burst in burst.lastTime + unit.duration }
    }
    return batch.copies
  }

  /// The copies that are left when no access unit follows: the stream ends at `end`, before which all of them are presented.
  ///
  /// - Throws: What ``GameEvents/EventCopy/encodedTag()`` throws.
  public mutating func finish(at end: MediaTime, frameDuration: MediaTime) throws(EventError) -> [TimedCopy] {
    var output = try endSegment(at: end)
    while !bursts.isEmpty {
      var round = Batch()
      try continueBursts(into: &round) { burst in min(burst.lastTime + frameDuration, end - MediaTime(ticks: 1)) }
      output += round.copies
    }
    return output
  }

  // MARK: Bursts

  private mutating func continueBursts(
    into batch: inout Batch, besides ids: Set<Int> = [], desired: (Bursts.Burst) -> MediaTime
  ) throws(EventError) {
    var visitedEnd = bursts.indices.lowerBound
    for position in bursts.indices where !ids.contains(bursts[position].event.id) {
      let burst = bursts[position]
      // A repeat must not come after the next event's first copy, whose time is fixed.
      let nextTime = upcoming.nextTime ?? MediaTime(ticks: .max)
      // Nor may it be outside the segment.
      let latest = min(nextTime, segment?.latest ?? nextTime)
      let time = min(max(desired(burst), lastTime), max(latest, lastTime))
      guard try append(burst.nextCopy, of: burst.event, at: time, to: &batch) else { break }
      bursts[position].nextCopy += 1
      bursts[position].lastTime = time
      visitedEnd = position + 1
    }
    bursts.removeFinished(before: visitedEnd, policy)
  }

  /// The number of bytes in the first copies that are due: room is left for them.
  private func sizeOfFirstCopies(where isDue: (MediaTime) -> Bool) throws(EventError) -> Int {
    guard !bursts.isEmpty else { return 0 }
    var size = 0
    for event in pending {
      guard isDue(event.time) else { break }
      size += try writer.sizeOfFirstCopy(event)
    }
    return size
  }

  private mutating func startBursts(into batch: inout Batch, where isDue: (MediaTime) -> Bool) throws(EventError) {
    while let event = upcoming.startNext(where: isDue) {
      let time = max(event.time, lastTime, segment?.start ?? lastTime)
      try append(1, of: event, at: time, to: &batch, regardlessOfSize: true)
      let count = event.copyCount(policy)
      if count > 1 { bursts.append(event, at: time) }
      if policy.refreshInterval != nil { active.start(event, firstRefresh: count + 1) }
    }
  }

  // MARK: Refreshes

  private mutating func queueRefreshes(at time: MediaTime, besides ids: Set<Int>) {
    guard let interval = policy.refreshInterval, let due = nextRefresh else { return }
    let isSegmentStarting = segment?.isStarting ?? false
    guard time >= due || isSegmentStarting else { return }
    segment?.isStarting = false
    if time >= due { nextRefresh = time + MediaTime(ticks: interval.ticks - time.ticks % interval.ticks) }
    if isSegmentStarting {
      // A viewer who starts here, or has lost the previous segment, has seen none of the active events, not even the start of a burst.
      let starting = active.soonestFirst(at: time, pending: pending).filter { !ids.contains($0.id) }
      let horizon = segment?.horizon ?? time
      refreshQueue = starting.map { $0.id } + active.ids(overSince: horizon, at: time).filter { !ids.contains($0) }
      urgent = Set(starting.filter { $0.isUrgent }.map { $0.id })
    } else {
      // An event whose burst continues needs no refresh.
      refreshQueue = refreshQueue.filter { !bursts.contains($0) && !ids.contains($0) }
      let known = ids.union(refreshQueue)
      var due = active.entries(at: time).map { $0.event.id }
      // Active events come first: a viewer who joins here must not mistake an event that is over for a current one.
      if segment == nil { due += active.ids(overSince: time - max(Self.usualSegments, interval), at: time) }
      refreshQueue += due.filter { !known.contains($0) && !bursts.contains($0) }
    }
  }

  private mutating func refresh(at unitTime: MediaTime, into batch: inout Batch) throws(EventError) {
    let time = max(unitTime, lastTime)
    refreshQueue = refreshQueue.filter { active.entry($0, at: time) != nil }
    // If the next event happens at this time, it may end an event that would be refreshed.
    guard upcoming.nextTime.map({ time < $0 }) ?? true else { return }
    while let id = refreshQueue.first, let entry = active.entry(id, at: time) {
      guard try append(entry.nextCopy, of: entry.event, at: time, to: &batch, regardlessOfSize: urgent.contains(id)) else { return }
      active.countRefresh(of: id)
      refreshQueue.removeFirst()
    }
  }

  /// Appends a copy, unless it would make the tags before this access unit too large; returns whether it did.
  @discardableResult
  private mutating func append(
    _ number: Int, of event: StartedEvent, at time: MediaTime, to batch: inout Batch, regardlessOfSize: Bool = false
  ) throws(EventError) -> Bool {
    let timed = try writer.copy(number, of: event, at: time)
    let used = batch.size + batch.reserved
    guard regardlessOfSize || used == 0 || used + timed.tag.count <= CopyPolicy.bytesPerAccessUnit else { return false }
    batch.copies.append(timed)
    batch.ids.insert(event.id)
    batch.size += timed.tag.count
    lastTime = max(lastTime, time)
    return true
  }
}
