import Basics
import GameEvents

/// Where the programme lies on a player's clock, in intervals: a new interval begins after an ad, or where something was cut out.
struct PlayerTimeline: Sendable {
  /// An interval of the player's clock, up to the start of the next one.
  struct Interval: Equatable, Sendable {
    /// The player's time at which it starts; the first interval has no start.
    var start: MediaTime
    /// The player's time of the timeline origin; `nil` while the programme is paused, until a copy determines it.
    var origin: MediaTime?
    /// Whether the origin is that of a verified copy.
    var isVerified: Bool
    /// The latest player's time at which a copy agreed.
    var confirmed: MediaTime
  }

  /// How a copy relates to the timeline.
  enum Verdict: Equatable {
    /// It agrees, or it determined the origin of an interval.
    case agrees
    /// It contradicts the timeline, and no other copy agrees with it so far.
    case contradicts
    /// It contradicts the timeline, and an earlier copy agrees with it: a new interval begins.
    case moves
  }

  /// How far apart the origins of two copies that agree may be: a little more than a frame.
  private static let tolerance = ProgrammeClock.tolerance
  /// The maximum number of intervals that are kept.
  private static let mostIntervals = 64
  /// The maximum number of contradicting copies that are kept.
  private static let mostContradictions = 8
  private static let always = MediaTime(ticks: .min)

  private(set) var intervals: [Interval] = []
  /// Unconfirmed copies that contradict the intervals: the player's time and the origin.
  private var contradictions: [(time: MediaTime, origin: MediaTime)] = []

  /// Whether no origin is known yet.
  var isUnknown: Bool { intervals.allSatisfy { $0.origin == nil } }

  /// The interval at a time of the player; `nil` while no interval is known.
  private func index(at time: MediaTime) -> Int? {
    intervals.isEmpty ? nil : max(intervals.partitionIndex { $0.start > time }, 1) - 1
  }

  /// The origin of the interval at a time of the player.
  func origin(at time: MediaTime) -> MediaTime? { index(at: time).flatMap { intervals[$0].origin } }

  /// The programme time at a time of the player; `nil` while no origin is known, and before the programme begins.
  func programmeTime(at time: MediaTime) -> MediaTime? { index(at: time).flatMap { programmeTime(at: time, in: $0) } }

  /// The programme time that an interval has reached at a time, which may be its end; `nil` before the programme begins.
  func programmeTime(at time: MediaTime, in index: Int) -> MediaTime? {
    let interval = intervals[index]
    guard let origin = interval.origin else { return index == 0 ? nil : programmeTime(at: interval.start, in: index - 1) }
    return min(time - origin, end(of: index) ?? time - origin)
  }

  /// The programme time at which an interval ends, because there is an ad between its last copy and the next interval. Somewhere there the
  /// programme stops, and the next interval continues from that point. An event at exactly that point happens in the next interval.
  private func end(of index: Int) -> MediaTime? {
    guard let origin = intervals[index].origin,
      let next = intervals.indices.dropFirst(index + 1).first(where: { intervals[$0].origin != nil }),
      let nextOrigin = intervals[next].origin, nextOrigin > origin
    else { return nil }
    let (start, confirmed) = (intervals[next].start, intervals[index].confirmed)
    return nextOrigin - origin <= start - confirmed ? start - nextOrigin - MediaTime(ticks: 1) : nil
  }

  /// The player's time, from `now` on, at which the programme reaches `time`; `nil` if it does so in no known interval.
  func playerTime(of time: MediaTime, from now: MediaTime) -> MediaTime? {
    guard let first = index(at: now) else { return nil }
    for index in first..<intervals.count {
      guard let origin = intervals[index].origin else { continue }
      let reached = max(time + origin, index == first ? now : intervals[index].start)
      guard index + 1 < intervals.count else { return reached }
      if reached < intervals[index + 1].start, let there = programmeTime(at: reached, in: index), there >= time { return reached }
    }
    return nil
  }

  /// The index of the first interval that starts after a time.
  func nextInterval(after time: MediaTime) -> Int? {
    let index = intervals.partitionIndex { $0.start > time }
    return index < intervals.count ? index : nil
  }
}

// MARK: - Copies

extension PlayerTimeline {
  /// Receives the origin of a copy that is presented at a time of the player.
  mutating func accept(origin: MediaTime, isVerified: Bool, presentedAt time: MediaTime) -> Verdict {
    guard let index = index(at: time) else {
      intervals = [Interval(start: Self.always, origin: origin, isVerified: isVerified, confirmed: time)]
      return .agrees
    }
    if agrees(origin, with: index) {
      intervals[index].isVerified = intervals[index].isVerified || isVerified
      intervals[index].confirmed = max(intervals[index].confirmed, time)
      return .agrees
    }
    if intervals[index].origin == nil {
      begin(at: time, origin, isVerified)
      return .agrees
    }
    if isVerified != intervals[index].isVerified {
      guard isVerified else { return .contradicts }
      intervals[index] = Interval(start: intervals[index].start, origin: origin, isVerified: true, confirmed: time)
      return .agrees
    }
    // Tags may arrive in any order: the next interval begins earlier than was known.
    if index + 1 < intervals.count, agrees(origin, with: index + 1) {
      intervals[index + 1].start = time
      return .agrees
    }
    guard let found = contradictions.firstIndex(where: { ($0.origin - origin).magnitude <= Self.tolerance }) else {
      if contradictions.count >= Self.mostContradictions { contradictions.removeFirst() }
      contradictions.append((time, origin))
      return .contradicts
    }
    let start = min(time, contradictions.remove(at: found).time)
    begin(at: start, origin, isVerified)
    return .moves
  }

  /// Pauses the programme from a time of the player on, until a copy determines its time. If no origin is known yet, it does not begin before
  /// that copy is presented.
  ///
  /// - Parameter slack: If an interval begins at most this long before `time` according to a copy, that start is meant, and nothing changes.
  mutating func stop(at time: MediaTime, slack: MediaTime) {
    guard let index = index(at: time) else {
      intervals = [Interval(start: Self.always, origin: nil, isVerified: false, confirmed: time)]
      return
    }
    guard intervals[index].origin != nil else { return }
    if index > 0, time - intervals[index].start <= slack { return }
    // A copy that was received ahead of its time shows that the programme continues where it was, as after an ad at the beginning.
    if intervals[index].confirmed > time { return }
    intervals.insert(Interval(start: time, origin: nil, isVerified: false, confirmed: time), at: index + 1)
    limitCount()
  }

  /// Discards unconfirmed copies, because the viewer has moved.
  mutating func forgetContradictions() { contradictions = [] }

  private func agrees(_ origin: MediaTime, with index: Int) -> Bool {
    intervals[index].origin.map { ($0 - origin).magnitude <= Self.tolerance } ?? false
  }

  private mutating func begin(at start: MediaTime, _ origin: MediaTime, _ isVerified: Bool) {
    let interval = Interval(start: start, origin: origin, isVerified: isVerified, confirmed: start)
    let index = intervals.partitionIndex { $0.start > start }
    if index < intervals.count, agrees(origin, with: index) {
      intervals[index].start = start
    } else {
      intervals.insert(interval, at: index)
    }
    contradictions = []
    limitCount()
  }

  private mutating func limitCount() {
    guard intervals.count > Self.mostIntervals else { return }
    intervals.removeFirst()
    intervals[0].start = Self.always
  }
}
