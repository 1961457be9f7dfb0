import Basics
import NALUnits

extension VideoParameters {
  /// The transfer characteristic that the first sequence parameter set of a decoder configuration record states (ISO/IEC 14496-15, 5.3.3.1 and
  /// 8.3.3.1); `nil` if there is none, or if it cannot be read.
  static func transfer(_ codec: NALUnitCodec, configuration: Span<UInt8>) -> UInt8? {
    guard let unit = sequenceParameterSet(codec, in: configuration), !unit.isEmpty else { return nil }
    return (try? VideoParameters(codec, sequenceParameterSet: configuration.extracting(unit)))?.colour?.transfer
  }

  /// Where the first sequence parameter set of a record lies.
  private static func sequenceParameterSet(_ codec: NALUnitCodec, in record: Span<UInt8>) -> Range<Int>? {
    // In AVC the sets follow their number; in HEVC there are arrays of units of one type each.
    guard codec == .hevc else { return unit(at: 6, in: record) }
    guard record.count > 22 else { return nil }
    var position = 23
    for _ in 0..<record[22] {
      guard position + 3 <= record.count else { return nil }
      let isWanted = record[position] & 0x3F == 33
      let count = Int(record[position + 1]) << 8 | Int(record[position + 2])
      position += 3
      for _ in 0..<count {
        guard let unit = unit(at: position, in: record) else { return nil }
        if isWanted { return unit }
        position = unit.upperBound
      }
    }
    return nil
  }

  /// Where the unit after a length of two bytes lies.
  private static func unit(at position: Int, in record: Span<UInt8>) -> Range<Int>? {
    guard position + 2 <= record.count else { return nil }
    let end = position + 2 + (Int(record[position]) << 8 | Int(record[position + 1]))
    return end <= record.count ? position + 2..<end : nil
  }
}
