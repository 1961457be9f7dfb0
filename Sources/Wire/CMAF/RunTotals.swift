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

  /// The bit of sample_flags that says that a sample needs others (8.8.3.1).
  private static let isNoSyncSample: UInt32 = 0x1_0000

  private enum Field {
    static let dataOffset: UInt32 = 0x001
    static let firstSampleFlags: UInt32 = 0x004
    static let duration: UInt32 = 0x100
    static let size: UInt32 = 0x200
    static let flags: UInt32 = 0x400
    static let compositionOffset: UInt32 = 0x800
    static let ofSamples = [duration, size, flags, compositionOffset]
  }

  init(defaults: SampleDefaults) { self.defaults = defaults }

  /// Adds a run.
  mutating func add(_ box: borrowing Box) throws(ParseError) {
    var reader = box.fields
    let header = try FullBoxFields(reading: &reader)
    let count = try reader.readUInt32()
    if header.flags & Field.dataOffset != 0 { try reader.skip(4) }
    let firstFlags = header.flags & Field.firstSampleFlags != 0 ? try reader.readUInt32() : nil
    guard count > 0 else { return }
    let isFirst = sampleCount == 0
    sampleCount = try Self.sum(sampleCount, Int64(count), at: box.offset)
    guard Field.ofSamples.contains(where: { header.flags & $0 != 0 }) else {
      if isFirst { recordFirst(firstFlags ?? defaults.flags) }
      return try addUniform(count, at: box.offset)
    }
    // Each sample has at least one field, so the size of the box bounds the loop.
    for index in 0..<count {
      let ownDuration = header.flags & Field.duration != 0 ? try reader.readUInt32() : nil
      let ownSize = header.flags & Field.size != 0 ? try reader.readUInt32() : nil
      let ownFlags = header.flags & Field.flags != 0 ? try reader.readUInt32() : nil
      let rawOffset = header.flags & Field.compositionOffset != 0 ? try reader.readUInt32() : 0
      if isFirst, index == 0 { recordFirst(firstFlags ?? ownFlags ?? defaults.flags) }
      let offset = header.version == 0 ? Int64(rawOffset) : Int64(Int32(bitPattern: rawOffset))
      try present(compositionOffset: offset, at: box.offset)
      duration = try Self.sum(duration, ownDuration ?? defaults.duration, at: box.offset)
      byteCount = try Self.sum(byteCount, ownSize ?? defaults.size, at: box.offset)
    }
  }

  /// When the earliest sample is presented; `nil` where that is not known.
  func earliestPresentation(_ decodeTicks: Int64?, shift: Int64, at offset: Int) throws(ParseError) -> Int64? {
    guard let decodeTicks, let earliest else { return nil }
    return try Self.sum(try Self.sum(decodeTicks, earliest, at: offset), shift, at: offset)
  }

  /// Adds samples that have only default values: nothing has to be read for each of them.
  private mutating func addUniform(_ count: UInt32, at offset: Int) throws(ParseError) {
    try present(compositionOffset: 0, at: offset)
    duration = try Self.sum(duration, defaults.duration, times: count, at: offset)
    byteCount = try Self.sum(byteCount, defaults.size, times: count, at: offset)
  }

  private mutating func recordFirst(_ flags: UInt32?) {
    startsWithSyncSample = flags.map { $0 & Self.isNoSyncSample == 0 }
  }

  /// Notes a sample that is decoded after the duration so far.
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
