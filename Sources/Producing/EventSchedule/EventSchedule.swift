public import GameEvents
public import MediaTime

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
  }

  /// An event whose burst is not over.
  private struct Burst: Sendable {
    var index: Int
    var nextCopy: Int
    var lastTime: MediaTime
  }

  private let events: [PlannedEvent]
  private let policy: CopyPolicy
  private var next = 0
  private var bursts: [Burst] = []
  /// The indices of the events that are current, in the order of their times.
  private var current: [Int] = []
  private var refreshQueue: [Int] = []
  private var refreshes: [Int: Int] = [:]
  private var nextRefresh: MediaTime?
  private var lastTime = MediaTime(ticks: .min)

  /// A schedule for events in the order of their times.
  public init(_ events: [PlannedEvent], policy: CopyPolicy) {
    // A stable sort: events at the same time keep their order.
    self.events = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    self.policy = policy
    nextRefresh = policy.refreshInterval
  }

  /// The events that no access unit has come for yet.
  public var unplaced: ArraySlice<PlannedEvent> { events[next...] }

  /// The copies that go before an access unit, in the order of their presentation times.
  public mutating func copies(before unit: AccessUnit) throws(EventError) -> [TimedCopy] {
    var output: [TimedCopy] = []
    try continueBursts(into: &output) { burst in burst.lastTime + unit.duration }
    try startBursts(into: &output) { $0 <= unit.time }
    queueRefreshes(at: unit.time)
    try refresh(at: unit.time, into: &output)
    return output
  }

  /// The copies that are left when no access unit follows: the stream ends at `end`, before which all of them are presented.
  public mutating func finish(at end: MediaTime, frameDuration: MediaTime) throws(EventError) -> [TimedCopy] {
    var output: [TimedCopy] = []
    try startBursts(into: &output) { $0 < end }
    while !bursts.isEmpty {
      var round: [TimedCopy] = []
      try continueBursts(into: &round) { burst in min(burst.lastTime + frameDuration, end - MediaTime(ticks: 1)) }
      output += round
    }
    return output
  }

  // MARK: Bursts

  private mutating func continueBursts(into output: inout [TimedCopy], desired: (Burst) -> MediaTime) throws(EventError) {
    for position in bursts.indices {
      let burst = bursts[position]
      // Not after the next event's first copy, whose time is fixed.
      let latest = next < events.count ? events[next].time : MediaTime(ticks: .max)
      let time = min(max(desired(burst), lastTime), max(latest, lastTime))
      guard try append(burst.index, copy: burst.nextCopy, at: time, to: &output) else { break }
      bursts[position].nextCopy += 1
      bursts[position].lastTime = time
    }
    bursts.removeAll { $0.nextCopy > policy.copies }
  }

  private mutating func startBursts(into output: inout [TimedCopy], where isDue: (MediaTime) -> Bool) throws(EventError) {
    while next < events.count, isDue(events[next].time) {
      let index = next
      next += 1
      let time = max(events[index].time, lastTime)
      try append(index, copy: 1, at: time, to: &output, regardlessOfSize: true)
      if policy.copies > 1 { bursts.append(Burst(index: index, nextCopy: 2, lastTime: time)) }
      current.removeAll { events[index].event.endsCurrency(of: events[$0].event) }
      if events[index].currentFor != nil || EventType.known.contains(events[index].event.type) { current.append(index) }
    }
  }

  // MARK: Refreshes

  private mutating func queueRefreshes(at time: MediaTime) {
    guard let interval = policy.refreshInterval, let due = nextRefresh, time >= due else { return }
    nextRefresh = MediaTime(ticks: (time.ticks / interval.ticks + 1) * interval.ticks)
    current = current.filter { isCurrent($0, at: time) }
    for index in current where !refreshQueue.contains(index) { refreshQueue.append(index) }
    // What is being repeated anyway needs no refresh.
    refreshQueue.removeAll { index in bursts.contains { $0.index == index } || events[index].time == time }
  }

  private mutating func refresh(at unitTime: MediaTime, into output: inout [TimedCopy]) throws(EventError) {
    let time = max(unitTime, lastTime)
    refreshQueue = refreshQueue.filter { current.contains($0) && isCurrent($0, at: time) }
    // Where the next event happens at this very time, it may end what would be refreshed.
    guard !refreshQueue.isEmpty, next >= events.count || time < events[next].time else { return }
    while let index = refreshQueue.first {
      let copy = refreshes[index, default: policy.copies] + 1
      guard try append(index, copy: copy, at: time, to: &output) else { return }
      refreshes[index] = copy
      refreshQueue.removeFirst()
    }
  }

  private func isCurrent(_ index: Int, at time: MediaTime) -> Bool {
    let age = time - events[index].time
    guard age <= EventCopy.largestAge else { return false }
    return events[index].currentFor.map { age < $0 } ?? true
  }

  // MARK: Output

  /// Appends a copy, unless it would make the tags before this access unit too large; returns whether it did.
  @discardableResult
  private mutating func append(
    _ index: Int, copy: Int, at time: MediaTime, to output: inout [TimedCopy], regardlessOfSize: Bool = false
  ) throws(EventError) -> Bool {
    let event = events[index]
    let copy = EventCopy(of: event.event, copy: copy, copies: policy.copies, age: min(time - event.time, EventCopy.largestAge))
    let tag = try copy.encodedTag()
    let used = output.reduce(0) { $0 + $1.tag.count }
    guard regardlessOfSize || used == 0 || used + tag.count <= CopyPolicy.bytesPerAccessUnit else { return false }
    output.append(TimedCopy(time: time, copy: copy, tag: tag))
    lastTime = max(lastTime, time)
    return true
  }
}
