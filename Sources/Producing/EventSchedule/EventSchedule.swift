public import Basics
public import GameEvents

/// Decides which copy of which event goes before which access unit.
///
/// It is told of the access units in decoding order. The first copy of an event carries the event's exact tick and goes before the first
/// access unit that is presented at or after it; the rest of the burst goes before the access units that follow, one frame duration later each.
/// Refreshes of what is current follow every ``CopyPolicy/refreshInterval``. Presentation times of copies never go backwards.
public struct EventSchedule: Sendable {
  /// What the schedule has to know of an access unit.
  public struct AccessUnit: Equatable, Sendable {
    /// When it is presented, on the programme's timeline.
    public var time: MediaTime
    /// How long a frame lasts here.
    public var duration: MediaTime

    /// An access unit.
    public init(time: MediaTime, duration: MediaTime) {
      self.time = time
      self.duration = duration
    }
  }

  /// A copy with its place.
  public struct TimedCopy: Equatable, Sendable {
    /// The copy's presentation time, on the programme's timeline.
    public var time: MediaTime
    /// The copy.
    public var copy: EventCopy
    /// The bytes of its ID3 tag.
    public var tag: [UInt8]

    /// A repeat of an event at a time.
    init(_ template: CopyTemplate, happening eventTime: MediaTime, copy: Int, copies: Int, at time: MediaTime) throws(EventError) {
      let age = min(time - eventTime, EventCopy.largestAge)
      self.time = time
      self.copy = EventCopy(of: template.event, copy: copy, copies: copies, age: age)
      tag = try template.encodedTag(copy: copy, copies: copies, age: age)
    }
  }

  /// An event whose burst is not over.
  private struct Burst: Sendable {
    var index: Int
    var nextCopy: Int
    var lastTime: MediaTime
  }

  /// The copies before one access unit.
  private struct Batch {
    var copies: [TimedCopy] = []
    /// The indices of their events.
    var indices: [Int] = []
    /// The bytes of their tags, and of the first copies that are still to come.
    var size = 0
    var reserved = 0
  }

  /// The events, in the order of their times.
  public let events: [PlannedEvent]
  let policy: CopyPolicy
  private var next = 0
  /// In the order of their indices. Those at the front leave first, which costs a slice nothing.
  private var bursts: ArraySlice<Burst> = []
  private var current = ActiveEvents()
  /// The indices of those whose refresh is due.
  private var refreshQueue: [Int] = []
  /// Those among them that end so soon that the next access unit may be too late for them.
  private var urgent: Set<Int> = []
  private var nextRefresh: MediaTime?
  private var lastTime = MediaTime(ticks: .min)
  private var segment: Segment?
  /// What the copies of events are written with, by the events' indices.
  private var templates: [Int: CopyTemplate] = [:]

  /// There are no more: those of events that are over are given up, as at each refresh, and where too many are left, all.
  private static let mostTemplates = 64

  /// The segment that the next access unit lies in.
  private struct Segment: Sendable {
    /// The first time that it presents.
    var start: MediaTime
    /// The latest time that it presents so far.
    var latest: MediaTime
    /// Whether what is current has still to be refreshed at its start.
    var isStarting = true
    /// Whether some of that is still to come. It goes before repeats of bursts, for which a short segment of sound may leave no room.
    var owesRefresh = true
  }

  /// A schedule for events in the order of their times.
  public init(_ events: [PlannedEvent], policy: CopyPolicy) {
    // A stable sort: events at the same time keep their order.
    self.events = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    self.policy = policy
    nextRefresh = policy.refreshInterval
  }

  /// The games that the events belong to.
  public var games: Set<GameID> { Set(events.map { $0.event.gameID }) }

  /// The events that no access unit has come for yet.
  public var unplaced: ArraySlice<PlannedEvent> { events[next...] }

  /// The earliest time of an access unit that a copy may go before, which is any where some are waiting; `nil` where no copy is to come.
  public var nextTime: MediaTime? {
    guard bursts.isEmpty, refreshQueue.isEmpty else { return MediaTime(ticks: .min) }
    let event = next < events.count ? events[next].time : nil
    guard let refresh = nextRefresh else { return event }
    return event.map { min($0, refresh) } ?? refresh
  }

  /// Starts a segment with the next access unit, which is the first one that it presents, at `time`.
  ///
  /// From then on no copy has a time outside of what its segment presents: the first copy of an event that happened before the segment, and
  /// was placed neither there nor by ``endSegment(at:)``, takes the segment's start and says so in its age. What is current is refreshed at the
  /// segment's start.
  public mutating func startSegment(at time: MediaTime) {
    segment = Segment(start: time, latest: time)
  }

  /// The first copies of events that happen before a segment's end, at `end`, and after its last access unit: no access unit is to come that they
  /// could go before. What is left of their bursts goes into the next segment.
  ///
  /// - Throws: what ``GameEvents/EventCopy/encodedTag()`` throws.
  public mutating func endSegment(at end: MediaTime) throws(EventError) -> [TimedCopy] {
    var batch = Batch()
    try startBursts(into: &batch) { $0 < end }
    return batch.copies
  }

  /// Takes note of a tag of others at `time`: repeats that follow do not go back behind it. First copies keep their ticks.
  public mutating func pass(_ time: MediaTime) {
    let nextTime = next < events.count ? events[next].time : time
    lastTime = max(lastTime, min(time, nextTime))
  }

  /// The copies that go before an access unit, in the order of their presentation times.
  ///
  /// - Throws: what ``GameEvents/EventCopy/encodedTag()`` throws.
  public mutating func copies(before unit: AccessUnit) throws(EventError) -> [TimedCopy] {
    var batch = Batch()
    if let latest = segment?.latest { segment?.latest = max(latest, unit.time) }
    let owesRefresh = segment?.owesRefresh ?? false
    if !owesRefresh {
      batch.reserved = try sizeOfFirstCopies { $0 <= unit.time }
      try continueBursts(into: &batch) { burst in burst.lastTime + unit.duration }
      batch.reserved = 0
    }
    try startBursts(into: &batch) { $0 <= unit.time }
    queueRefreshes(at: unit.time, besides: batch)
    try refresh(at: unit.time, into: &batch)
    if owesRefresh {
      segment?.owesRefresh = !refreshQueue.isEmpty
      try continueBursts(into: &batch, besides: batch.indices) { burst in burst.lastTime + unit.duration }
    }
    return batch.copies
  }

  /// The copies that are left when no access unit follows: the stream ends at `end`, before which all of them are presented.
  ///
  /// - Throws: what ``GameEvents/EventCopy/encodedTag()`` throws.
  public mutating func finish(at end: MediaTime, frameDuration: MediaTime) throws(EventError) -> [TimedCopy] {
    var batch = Batch()
    try startBursts(into: &batch) { $0 < end }
    var output = batch.copies
    while !bursts.isEmpty {
      var round = Batch()
      try continueBursts(into: &round) { burst in min(burst.lastTime + frameDuration, end - MediaTime(ticks: 1)) }
      output += round.copies
    }
    return output
  }

  // MARK: Bursts

  private mutating func continueBursts(
    into batch: inout Batch, besides indices: [Int] = [], desired: (Burst) -> MediaTime
  ) throws(EventError) {
    var visitedEnd = bursts.startIndex
    for position in bursts.indices where !indices.contains(bursts[position].index) {
      let burst = bursts[position]
      // Not after the next event's first copy, whose time is fixed.
      let nextTime = next < events.count ? events[next].time : MediaTime(ticks: .max)
      // Nor outside of the segment.
      let latest = min(nextTime, segment?.latest ?? nextTime)
      let time = min(max(desired(burst), lastTime), max(latest, lastTime))
      guard try append(burst.index, copy: burst.nextCopy, at: time, to: &batch) else { break }
      bursts[position].nextCopy += 1
      bursts[position].lastTime = time
      visitedEnd = position + 1
    }
    removeFinishedBursts(before: visitedEnd)
  }

  /// Removes the bursts that are over, all of which lie before a place. The others stay where they are, for there may be many.
  private mutating func removeFinishedBursts(before end: Int) {
    var start = end
    for position in bursts[..<end].indices.reversed() where bursts[position].nextCopy <= policy.copies {
      start -= 1
      bursts[start] = bursts[position]
    }
    bursts = bursts[start...]
  }

  private func isBursting(_ index: Int) -> Bool { bursts.place(of: index) { $0.index } != nil }

  /// How many bytes the tags of the first copies have that are due: room is left for them.
  private func sizeOfFirstCopies(where isDue: (MediaTime) -> Bool) throws(EventError) -> Int {
    guard !bursts.isEmpty else { return 0 }
    var size = 0
    for event in events[next...] {
      guard isDue(event.time) else { break }
      size += try EventCopy(of: event.event, copies: policy.copies).encodedTag().count
    }
    return size
  }

  private mutating func startBursts(into batch: inout Batch, where isDue: (MediaTime) -> Bool) throws(EventError) {
    while next < events.count, isDue(events[next].time) {
      let index = next
      next += 1
      let time = max(events[index].time, lastTime, segment?.start ?? lastTime)
      try append(index, copy: 1, at: time, to: &batch, regardlessOfSize: true)
      if policy.copies > 1 { bursts.append(Burst(index: index, nextCopy: 2, lastTime: time)) }
      guard policy.refreshInterval != nil else { continue }
      current.start(index, of: events, firstRefresh: policy.copies + 1)
    }
  }

  // MARK: Refreshes

  private mutating func queueRefreshes(at time: MediaTime, besides batch: Batch) {
    guard let interval = policy.refreshInterval, let due = nextRefresh else { return }
    let isSegmentStarting = segment?.isStarting ?? false
    guard time >= due || isSegmentStarting else { return }
    segment?.isStarting = false
    forgetTemplates()
    if time >= due { nextRefresh = time + MediaTime(ticks: interval.ticks - time.ticks % interval.ticks) }
    // What is being repeated anyway needs no refresh.
    let waiting = refreshQueue.filter { !isBursting($0) && !batch.indices.contains($0) }
    if isSegmentStarting {
      // Whoever starts here, or has lost the segment before, has seen none of it, not even the beginning of a burst.
      let starting = current.soonestFirst(at: time, of: events, next: next).filter { !batch.indices.contains($0.index) }
      refreshQueue = starting.map { $0.index }
      urgent = Set(starting.filter { $0.isUrgent }.map { $0.index })
    } else {
      let known = Set(waiting + batch.indices)
      refreshQueue = waiting + current.indices(at: time, of: events).filter { !known.contains($0) && !isBursting($0) }
    }
  }

  private mutating func refresh(at unitTime: MediaTime, into batch: inout Batch) throws(EventError) {
    let time = max(unitTime, lastTime)
    refreshQueue = refreshQueue.filter { index in current.contains(index, at: time, of: events) }
    // Where the next event happens at this very time, it may end what would be refreshed.
    guard next >= events.count || time < events[next].time else { return }
    while let index = refreshQueue.first, let copy = current.nextCopy(of: index) {
      guard try append(index, copy: copy, at: time, to: &batch, regardlessOfSize: urgent.contains(index)) else { return }
      current.didRefresh(index)
      refreshQueue.removeFirst()
    }
  }

  // MARK: Output

  /// What the copies of an event are written with, kept as long as more of them may come.
  private mutating func template(of index: Int) -> CopyTemplate {
    if let known = templates[index] { return known }
    let template = CopyTemplate(events[index].event)
    if templates.count >= Self.mostTemplates { forgetTemplates() }
    templates[index] = template
    return template
  }

  /// Gives up the templates of events that are over. Where more events go on than there may be templates, looking for those that are over would
  /// take longer than making templates anew.
  private mutating func forgetTemplates() {
    templates = templates.filter { isBursting($0.key) || current.nextCopy(of: $0.key) != nil }
    if templates.count > Self.mostTemplates / 2 { templates = [:] }
  }

  /// Appends a copy, unless it would make the tags before this access unit too large; returns whether it did.
  @discardableResult
  private mutating func append(
    _ index: Int, copy: Int, at time: MediaTime, to batch: inout Batch, regardlessOfSize: Bool = false
  ) throws(EventError) -> Bool {
    let timed = try TimedCopy(template(of: index), happening: events[index].time, copy: copy, copies: policy.copies, at: time)
    let used = batch.size + batch.reserved
    guard regardlessOfSize || used == 0 || used + timed.tag.count <= CopyPolicy.bytesPerAccessUnit else { return false }
    batch.copies.append(timed)
    batch.indices.append(index)
    batch.size += timed.tag.count
    lastTime = max(lastTime, time)
    return true
  }
}
