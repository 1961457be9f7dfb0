/// How often something took how long, in microseconds, to a sixty-fourth: of fixed size however often that is.
struct LatencyHistogram: Sendable {
  private var counts = [UInt32](repeating: 0, count: 1_984)
  private(set) var count = 0
  private(set) var largest: UInt64 = 0

  /// Everything from here on is counted as this: nineteen hours.
  private static let limit: UInt64 = 1 << 36 - 1

  mutating func add(_ microseconds: UInt64) {
    counts[Self.index(min(microseconds, Self.limit))] += 1
    count += 1
    largest = max(largest, microseconds)
  }

  mutating func add(_ other: LatencyHistogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    count += other.count
    largest = max(largest, other.largest)
  }

  /// What this share of all did not exceed, in microseconds; 0 where there are none.
  func percentile(_ share: Double) -> UInt64 {
    let rank = max(Int((Double(count) * share).rounded(.up)), 1)
    var seen = 0
    for index in counts.indices where counts[index] > 0 {
      seen += Int(counts[index])
      if seen >= rank { return min(Self.upperBound(index), largest) }
    }
    return largest
  }

  /// Small numbers have an index each; above, each doubling has 64.
  private static func index(_ value: UInt64) -> Int {
    guard value >= 64 else { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount
    return 64 * (exponent - 6) + Int(value >> UInt64(exponent - 6))
  }

  private static func upperBound(_ index: Int) -> UInt64 {
    guard index >= 128 else { return UInt64(index) }
    let shift = UInt64(index / 64 - 1)
    return (UInt64(index % 64 + 65) << shift) - 1
  }
}
