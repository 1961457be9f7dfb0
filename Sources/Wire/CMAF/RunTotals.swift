import Basics

/// Sums up the samples of a track's runs (`trun`, ISO/IEC 14496-12, 8.8.8) without keeping them.
struct RunTotals {
  let defaults: SampleDefaults
  private(set) var sampleCount: Int64 = 0
  private(set) var duration: Int64? = 0
  private(set) var byteCount: Int64? = 0
  private(set) var startsWithSyncSample: Bool?
  /// The earliest composition time, from the first sample's decode time on.
  private var earliest: Int64?

  /// sample_is_non_sync_sample in sample_flags (8.8.3.1).
  private static let isNoSyncSample: UInt32 = 0x1_0000

  init(defaults: SampleDefaults) { self.defaults = defaults }

  /// Adds a run.
  mutating func add(_ box: borrowing Box) throws(ParseError) {
    var run = try RunReader(box)
    let isFirst = sampleCount == 0
    sampleCount = try Self.sum(sampleCount, Int64(run.count), at: box.offset)
    guard let first = try run.next() else { return }
    if isFirst { startsWithSyncSample = (first.flags ?? defaults.flags).map { $0 & Self.isNoSyncSample == 0 } }
    guard run.hasFields else { return try addUniform(run.count, at: box.offset) }
    try add(first, at: box.offset)
    while let sample = try run.next() { try add(sample, at: box.offset) }
  }

  private mutating func add(_ sample: RunReader.Sample, at offset: Int) throws(ParseError) {
    try present(compositionOffset: sample.compositionOffset, at: offset)
    duration = try Self.sum(duration, sample.duration ?? defaults.duration, at: offset)
    byteCount = try Self.sum(byteCount, sample.size ?? defaults.size, at: offset)
  }

  /// When the earliest sample is presented; `nil` if that is not known.
  func earliestPresentation(_ decodeTicks: Int64?, shift: Int64, at offset: Int) throws(ParseError) -> Int64? {
    guard let decodeTicks, let earliest else { return nil }
    return try Self.sum(try Self.sum(decodeTicks, earliest, at: offset), shift, at: offset)
  }

  /// Adds samples that have only default values, without reading each of them.
  private mutating func addUniform(_ count: UInt32, at offset: Int) throws(ParseError) {
    try present(compositionOffset: 0, at: offset)
    duration = try Self.sum(duration, defaults.duration, times: count, at: offset)
    byteCount = try Self.sum(byteCount, defaults.size, times: count, at: offset)
  }

  /// Adds the composition time of a sample that is decoded after the duration so far.
  private mutating func present(compositionOffset: Int64, at offset: Int) throws(ParseError) {
    guard let duration else {
      earliest = nil
      return
    }
    let time = try Self.sum(duration, compositionOffset, at: offset)
    earliest = min(earliest ?? time, time)
  }

  private static func sum(_ total: Int64?, _ value: UInt32?, times count: UInt32 = 1, at offset: Int) throws(ParseError) -> Int64? {
    guard let total, let value else { return nil }
    // A product of two 32-bit numbers fits 64 bits without a sign.
    guard let product = Int64(exactly: UInt64(value) * UInt64(count)) else { throw tooLong(at: offset) }
    return try sum(total, product, at: offset)
  }

  private static func sum(_ left: Int64, _ right: Int64, at offset: Int) throws(ParseError) -> Int64 {
    let (sum, overflows) = left.addingReportingOverflow(right)
    guard !overflows else { throw tooLong(at: offset) }
    return sum
  }

  private static func tooLong(at offset: Int) -> ParseError { ParseError(.invalid("times of a fragment above 63 bits"), at: offset) }
}
