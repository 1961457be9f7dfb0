import Basics

/// Finds out which sequence numbers of one game are missing, and which of those are lost.
struct SequenceGaps: Equatable, Sendable {
  /// Numbers between two that have been seen.
  struct Gap: Equatable, Sendable {
    var numbers: ClosedRange<Int>
    /// When they are lost, if they have not arrived by then.
    var deadline: MediaTime
  }

  /// How many gaps are kept, missing and lost each.
  static let largestCount = 4_096

  /// The gaps whose events may still arrive in time, in ascending order.
  private(set) var missing: [Gap] = []
  /// Whether their deadlines are ascending, too, which is so unless time goes back.
  private var deadlinesAscend = true
  /// The numbers that have been declared lost and have not arrived since.
  private(set) var lost = SequenceSet()
  /// The time of the reader's first copy. Earlier events are not missing.
  private var joined: MediaTime
  private var highest: Int?
  /// Whether the reader moved and has seen no number since.
  private var hasMoved = false

  init(joined: MediaTime) { self.joined = joined }

  /// Records the number of an event that is seen for the first time; returns whether it had been declared lost.
  mutating func see(_ number: Int, eventTime: MediaTime, now: MediaTime, delay: MediaTime) -> Bool {
    // Events that a reader skips when it joins or moves are not missing.
    let isReading = highest != nil && !hasMoved
    hasMoved = false
    let highest = highest ?? number
    self.highest = max(highest, number)
    if number <= highest {
      fill(number, eventTime: eventTime)
    } else if isReading, number > highest + 1, eventTime > joined {
      let deadline = now + delay
      if let last = missing.last, last.deadline > deadline { deadlinesAscend = false }
      missing.append(Gap(numbers: (highest + 1)...(number - 1), deadline: deadline))
    }
    let wasLost = lost.remove(number)
    limitCount(now: now)
    return wasLost
  }

  /// Records an event that was seen before.
  mutating func seeAgain() { hasMoved = false }

  /// With more gaps than this within the delay, the oldest are declared lost at once.
  private mutating func limitCount(now: MediaTime) {
    lost.dropLowest(keeping: Self.largestCount)
    guard missing.count > Self.largestCount else { return }
    let index = missing.count - 1 - Self.largestCount
    missing[index].deadline = now
    if index > 0, missing[index - 1].deadline > now { deadlinesAscend = false }
    if missing[index + 1].deadline < now { deadlinesAscend = false }
    // The caller does not ask for losses: the oldest gaps are recorded as lost, and `lose(upTo:)` will not return them.
    guard missing.count > 2 * Self.largestCount else { return }
    recordLost(missing.prefix(Self.largestCount).map { $0.numbers })
    missing.removeFirst(Self.largestCount)
  }

  private mutating func recordLost(_ ranges: [ClosedRange<Int>]) {
    for numbers in ranges { lost.insert(numbers) }
    lost.dropLowest(keeping: Self.largestCount)
  }

  private mutating func fill(_ number: Int, eventTime: MediaTime) {
    let index = firstGap(endingAtOrAfter: number)
    guard index < missing.count, missing[index].numbers.contains(number) else { return }
    let gap = missing[index]
    var rest: [Gap] = []
    // If this event is from before the reader joined, those with smaller numbers are, too, and are not missing.
    if gap.numbers.lowerBound < number, eventTime > joined {
      rest.append(Gap(numbers: gap.numbers.lowerBound...(number - 1), deadline: gap.deadline))
    }
    if number < gap.numbers.upperBound { rest.append(Gap(numbers: (number + 1)...gap.numbers.upperBound, deadline: gap.deadline)) }
    missing.replaceSubrange(index...index, with: rest)
  }

  /// The index of the first gap that ends at `number` or later.
  private func firstGap(endingAtOrAfter number: Int) -> Int { missing.partitionIndex { $0.numbers.upperBound >= number } }

  /// The earliest time at which a missing event is lost.
  var nextDeadline: MediaTime? {
    deadlinesAscend ? missing.first?.deadline : missing.lazy.map { $0.deadline }.min()
  }

  /// Declares lost the events that have not arrived by `time`.
  mutating func lose(upTo time: MediaTime) -> [ClosedRange<Int>] {
    let late: [ClosedRange<Int>]
    if deadlinesAscend {
      let count = missing.partitionIndex { $0.deadline > time }
      late = missing.prefix(count).map { $0.numbers }
      missing.removeFirst(count)
    } else {
      late = missing.filter { $0.deadline <= time }.map { $0.numbers }
      missing.removeAll { $0.deadline <= time }
    }
    if missing.isEmpty { deadlinesAscend = true }
    recordLost(late)
    return late
  }

  /// Skips the events before `time`, because the reader has moved there.
  mutating func rejoin(at time: MediaTime) {
    joined = time
    missing = []
    deadlinesAscend = true
    hasMoved = true
  }

  /// Forgets all numbers, as if the reader had just joined.
  mutating func restart() { self = SequenceGaps(joined: joined) }
}
