package import Basics

/// The configuration of AAC in an AudioSpecificConfig or an ADTS header (ISO/IEC 14496-3, 1.6.2.1 and 1.A.3.2).
package struct AACConfiguration: Equatable, Sendable {
  /// The outermost audio object type: 2 for AAC-LC, 5 with SBR (HE-AAC), 29 with parametric stereo too, 34 for MP3 and so on.
  package var objectType: UInt8
  /// Samples per second of the decoder's output.
  package var sampleRate: Int
  /// The number of coded channels; `nil` if a program_config_element describes them instead of the channelConfiguration.
  package var channelCount: Int?
}

extension AACConfiguration {
  private static let sampleRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350]
  /// By channelConfiguration (table 1.19); 0 if there is none or the stream itself describes the channels.
  private static let channelCounts = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8]
  private static let (sbr, parametricStereo): (UInt8, UInt8) = (5, 29)

  /// Reads an AudioSpecificConfig. SBR and parametric stereo are found whether they are signalled first or after the configuration of AAC-LC.
  ///
  /// - Throws: `ParseError` if it is cut off or its sample rate is reserved.
  package init(audioSpecificConfig bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    var bits = BitReader(bytes, baseOffset: baseOffset)
    objectType = try Self.readObjectType(&bits)
    sampleRate = try Self.readSampleRate(&bits)
    let channels = Int(try bits.read(4))
    channelCount = Self.channelCount(channels)
    if objectType == Self.sbr || objectType == Self.parametricStereo {
      sampleRate = try Self.readSampleRate(&bits)
    } else if objectType == 2, channels > 0 {
      try readExtension(&bits)
    }
  }

  /// Reads an ADTS header. It cannot state whether SBR is used: if it is, `objectType` is still that of the AAC inside.
  ///
  /// - Throws: `ParseError` if there is no sync word, the header is cut off, or its sample rate is reserved.
  package init(adtsHeader bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    var bits = BitReader(bytes, baseOffset: baseOffset)
    guard try bits.read(12) == 0xFFF else { throw ParseError(.invalid("no sync word of ADTS"), at: baseOffset) }
    try bits.skip(1)  // ID
    guard try bits.read(2) == 0 else { throw ParseError(.invalid("layer of ADTS is not 0"), at: baseOffset + 1) }
    try bits.skip(1)  // protection_absent
    objectType = try bits.readUInt8(2) + 1
    let index = Int(try bits.read(4))
    guard index < Self.sampleRates.count else { throw bits.error("reserved sample rate") }
    sampleRate = Self.sampleRates[index]
    try bits.skip(1)  // private_bit
    channelCount = Self.channelCount(Int(try bits.read(3)))
  }

  /// Reads the extension after the configuration of AAC-LC that signals SBR and parametric stereo (1.6.6.1, backward compatible signalling). Other
  /// bytes there are ignored.
  private mutating func readExtension(_ bits: inout BitReader) throws(ParseError) {
    guard bits.remaining >= 2 else { return }
    try bits.skip(1)  // frameLengthFlag
    // dependsOnCoreCoder, then extensionFlag. AAC-LC sets neither in practice; if one is set, the extension is ignored.
    guard try !bits.readFlag(), bits.remaining >= 18, try !bits.readFlag() else { return }
    guard try bits.read(11) == 0x2B7, try Self.readObjectType(&bits) == Self.sbr, try bits.readFlag() else { return }
    objectType = Self.sbr
    sampleRate = try Self.readSampleRate(&bits)
    guard bits.remaining >= 12, try bits.read(11) == 0x548, try bits.readFlag() else { return }
    objectType = Self.parametricStereo
  }

  private static func readObjectType(_ bits: inout BitReader) throws(ParseError) -> UInt8 {
    let type = try bits.readUInt8(5)
    return type == 31 ? 32 + (try bits.readUInt8(6)) : type
  }

  private static func readSampleRate(_ bits: inout BitReader) throws(ParseError) -> Int {
    let index = Int(try bits.read(4))
    if index == 15 { return Int(truncatingIfNeeded: try bits.read(24)) }
    guard index < sampleRates.count else { throw bits.error("reserved sample rate") }
    return sampleRates[index]
  }

  private static func channelCount(_ configuration: Int) -> Int? {
    guard configuration < channelCounts.count, channelCounts[configuration] > 0 else { return nil }
    return channelCounts[configuration]
  }
}
