package import Basics
package import NALUnits

/// How a video's access units contain their NAL units, and the parameter sets that they lack (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1).
package struct NALUnitFormat: Equatable, Sendable {
  /// The codec of the video.
  package let codec: NALUnitCodec
  /// The number of bytes of the length in front of a NAL unit.
  package var lengthSize: Int
  /// The parameter sets, each after a start code.
  package var parameterSets: [UInt8]

  private static let startCode: [UInt8] = [0, 0, 0, 1]

  /// Reads an AVCDecoderConfigurationRecord or an HEVCDecoderConfigurationRecord.
  package init(_ codec: NALUnitCodec, configuration bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    let version = try reader.readUInt8()
    let (box, isKnown) = codec == .h264 ? ("avcC", version == 1) : ("hvcC", version <= 1)
    guard isKnown else { throw ParseError(.invalid("\(box) of an unknown version"), at: 0) }
    try reader.skip(codec == .h264 ? 3 : 20)
    self.codec = codec
    lengthSize = Int(try reader.readUInt8() & 3) + 1
    parameterSets = []
    switch codec {
    case .h264:
      for mask: UInt8 in [0x1F, 0xFF] {
        for _ in 0..<(try reader.readUInt8() & mask) { try readParameterSet(&reader) }
      }
    // Profiles with more than 8 bits have further fields here.
    case .hevc:
      for _ in 0..<(try reader.readUInt8()) {
        try reader.skip(1)
        for _ in 0..<(try reader.readUInt16()) { try readParameterSet(&reader) }
      }
    }
  }

  private mutating func readParameterSet(_ reader: inout ByteReader) throws(ParseError) {
    let count = Int(try reader.readUInt16())
    parameterSets += Self.startCode
    parameterSets.append(copying: try reader.readSpan(count))
  }

  // MARK: Access units

  /// An access unit delimiter that allows all kinds of slices.
  private var delimiter: [UInt8] { Self.startCode + (codec == .hevc ? [0x46, 0x01, 0x50] : [0x09, 0xF0]) }

  /// An access unit as transport streams have it (ISO/IEC 14496-10, Annex B): a delimiter in front, start codes, and the parameter sets if it is a
  /// random-access point without any.
  ///
  /// - Throws: `ParseError` if its NAL units are cut off.
  package func accessUnit(_ bytes: Span<UInt8>, isRandomAccess: Bool, baseOffset: Int = 0) throws(ParseError) -> [UInt8] {
    var reader = ByteReader(bytes, baseOffset: baseOffset)
    var units: [UInt8] = []
    units.reserveCapacity(bytes.count + 64)
    var hasParameterSets = false
    while reader.remaining > 0 {
      let count = Int(try reader.readInteger(byteCount: lengthSize))
      let unit = try reader.readSpan(count)
      guard count > 0, !codec.isDelimiter(unit[0]) else { continue }
      hasParameterSets = hasParameterSets || codec.isParameterSet(unit[0])
      units += Self.startCode
      units.append(copying: unit)
    }
    guard !units.isEmpty else { throw ParseError(.invalid("an access unit without NAL units"), at: baseOffset) }
    return delimiter + (isRandomAccess && !hasParameterSets ? parameterSets : []) + units
  }
}
