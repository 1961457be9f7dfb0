import Basics

/// A set of sequence numbers, kept as ranges: adjacent numbers cost no more than one number.
public struct SequenceSet: Equatable, Sendable {
  /// The ranges: ascending, neither overlapping nor adjacent.
  public private(set) var ranges: [ClosedRange<Int>] = []

  /// An empty set.
  public init() {}

  /// Whether the set is empty.
  public var isEmpty: Bool { ranges.isEmpty }

  /// How many numbers it holds, saturating.
  public var count: Int {
    ranges.reduce(0) { count, range in
      let (distance, tooFar) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
      let (sum, overflow) = count.addingReportingOverflow(distance)
      return tooFar || overflow || sum == .max ? .max : sum + 1
    }
  }

  /// Whether it holds `number`.
  public func contains(_ number: Int) -> Bool {
    let index = firstRange(endingAtOrAfter: number)
    return index < ranges.count && ranges[index].contains(number)
  }

  /// Adds a range.
  public mutating func insert(_ range: ClosedRange<Int>) {
    // Adjacent ranges are joined, so a range that ends just before this one counts too.
    let first = firstRange(endingAtOrAfter: range.lowerBound == .min ? .min : range.lowerBound - 1)
    var end = first
    var joined = range
    while end < ranges.count, ranges[end].lowerBound <= range.upperBound || ranges[end].lowerBound - 1 == range.upperBound {
      joined = min(joined.lowerBound, ranges[end].lowerBound)...max(joined.upperBound, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: [joined])
  }

  /// Removes `number`; returns whether it was there.
  @discardableResult
  public mutating func remove(_ number: Int) -> Bool {
    let index = firstRange(endingAtOrAfter: number)
    guard index < ranges.count, ranges[index].contains(number) else { return false }
    let range = ranges[index]
    var rest: [ClosedRange<Int>] = []
    if range.lowerBound < number { rest.append(range.lowerBound...(number - 1)) }
    if number < range.upperBound { rest.append((number + 1)...range.upperBound) }
    ranges.replaceSubrange(index...index, with: rest)
    return true
  }

  /// Drops the lowest numbers until at most `count` ranges are left, so that scattered numbers cannot fill the memory.
  public mutating func dropLowest(keeping count: Int) {
    let excess = ranges.count - max(count, 0)
    if excess > 0 { ranges.removeFirst(excess) }
  }

  /// The index of the first range that ends at `number` or later.
  private func firstRange(endingAtOrAfter number: Int) -> Int { ranges.partitionIndex { $0.upperBound >= number } }
}
