import MediaTime

/// Finds out which sequence numbers of one game are missing, and which of those are lost.
struct SequenceGaps: Equatable, Sendable {
  /// Numbers between two that have been seen.
  struct Gap: Equatable, Sendable {
    var numbers: ClosedRange<Int>
    /// When they are lost, if they have not come by then.
    var deadline: MediaTime
  }

  /// How many gaps are kept, missing and lost each.
  static let largestCount = 4_096

  /// What may still come in time, in ascending order.
  private(set) var missing: [Gap] = []
  /// What has been declared lost and not come since.
  private(set) var lost = SequenceSet()
  /// The time of the reader's first copy. What happened before it is not missing.
  private var joined: MediaTime
  private var highest: Int?

  init(joined: MediaTime) { self.joined = joined }

  /// Takes the number of an event that is seen for the first time; returns whether it had been declared lost.
  mutating func see(_ number: Int, eventTime: MediaTime, now: MediaTime, delay: MediaTime) -> Bool {
    if let highest, number > highest {
      if number > highest + 1, eventTime > joined {
        missing.append(Gap(numbers: (highest + 1)...(number - 1), deadline: now + delay))
        // So many gaps within the delay are no accident: the oldest are waited for no longer.
        if missing.count > Self.largestCount { missing[missing.count - 1 - Self.largestCount].deadline = now }
      }
      self.highest = number
      return false
    }
    if highest == nil { highest = number }
    if let index = missing.firstIndex(where: { $0.numbers.contains(number) }) {
      fill(number, ofGapAt: index, eventTime: eventTime)
    }
    return lost.remove(number)
  }

  private mutating func fill(_ number: Int, ofGapAt index: Int, eventTime: MediaTime) {
    let gap = missing[index]
    var rest: [Gap] = []
    // What comes before an event from before the reader joined happened before that, too.
    if gap.numbers.lowerBound < number, eventTime > joined {
      rest.append(Gap(numbers: gap.numbers.lowerBound...(number - 1), deadline: gap.deadline))
    }
    if number < gap.numbers.upperBound { rest.append(Gap(numbers: (number + 1)...gap.numbers.upperBound, deadline: gap.deadline)) }
    missing.replaceSubrange(index...index, with: rest)
  }

  /// The earliest time at which something missing is lost.
  var nextDeadline: MediaTime? { missing.map(\.deadline).min() }

  /// Declares lost what has not come by `time`.
  mutating func lose(upTo time: MediaTime) -> [ClosedRange<Int>] {
    let late = missing.filter { $0.deadline <= time }.map(\.numbers)
    guard !late.isEmpty else { return [] }
    missing.removeAll { $0.deadline <= time }
    for numbers in late { lost.insert(numbers) }
    lost.dropLowest(keeping: Self.largestCount)
    return late
  }

  /// Passes over what lies before `time`: the reader moved there by itself.
  mutating func rejoin(at time: MediaTime) {
    joined = time
    missing = []
  }
}
