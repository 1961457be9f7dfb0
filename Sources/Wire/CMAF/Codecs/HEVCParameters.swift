package import Basics

/// The profile, tier and level of HEVC, as parameter sets and `hvcC` have them (ISO/IEC 23008-2, 7.3.3).
package struct HEVCProfile: Hashable, Sendable {
  /// general_profile_space, 0 to 3.
  package var space: UInt8
  /// general_tier_flag: the high tier instead of the main one.
  package var isHighTier: Bool
  /// general_profile_idc, 0 to 31.
  package var profile: UInt8
  /// The 32 compatibility flags, the first in the highest place.
  package var compatibility: UInt32
  /// The 48 bits of constraint flags, the first in the highest of these places.
  package var constraints: UInt64
  /// general_level_idc: thirty times the level.
  package var level: UInt8

  /// A profile with its tier, constraints and level.
  package init(space: UInt8 = 0, isHighTier: Bool = false, profile: UInt8, compatibility: UInt32, constraints: UInt64, level: UInt8) {
    self.space = space
    self.isHighTier = isHighTier
    self.profile = profile
    self.compatibility = compatibility
    self.constraints = constraints
    self.level = level
  }

  /// The codec as ISO/IEC 14496-15, Annex E.3 writes it, for example `hvc1.1.6.L93.B0`.
  ///
  /// - Parameter entry: The type of the sample entry; `hvc1` for MPEG-TS too.
  package func codec(_ entry: BoxType = .hvc1) -> String {
    let reversed = (0..<32).reduce(UInt32(0)) { $0 << 1 | compatibility >> UInt32($1) & 1 }
    var constraintBytes = (0..<6).map { UInt8(truncatingIfNeeded: constraints >> UInt64(8 * (5 - $0))) }
    while constraintBytes.last == 0 { constraintBytes.removeLast() }
    let spaceName = ["", "A", "B", "C"][Int(space & 3)]
    let fields = ["\(entry)", "\(spaceName)\(profile)", hexadecimal(reversed), "\(isHighTier ? "H" : "L")\(level)"]
    return (fields + constraintBytes.map { hexadecimal($0) }).joined(separator: ".")
  }

  /// Reads the general fields of profile_tier_level; those of sub-layers follow.
  init(reading bits: inout BitReader) throws(ParseError) {
    space = try bits.readUInt8(2)
    isHighTier = try bits.readFlag()
    profile = try bits.readUInt8(5)
    compatibility = UInt32(truncatingIfNeeded: try bits.read(32))
    constraints = try bits.read(48)
    level = try bits.readUInt8()
  }

  /// Reads the start of an HEVCDecoderConfigurationRecord, the payload of `hvcC` (ISO/IEC 14496-15, 8.3.3.1).
  init(configuration bytes: Span<UInt8>, baseOffset: Int) throws(ParseError) {
    var bits = BitReader(bytes, baseOffset: baseOffset)
    // Some writers left the version at 0, as drafts had it.
    guard try bits.read(8) <= 1 else { throw ParseError(.invalid("hvcC of an unknown version"), at: baseOffset) }
    try self.init(reading: &bits)
  }

  /// Reads a video parameter set (NAL unit of type 32) or a sequence parameter set (33) without its start code.
  ///
  /// - Throws: `ParseError` where it is of another type or is cut off. Offsets leave out emulation prevention bytes.
  package init(nalUnit: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    var bits = BitReader(nalUnit: nalUnit, baseOffset: baseOffset)
    let type = try bits.read(16) >> 9 & 0x3F
    switch type {
    case 32: try bits.skip(32)
    case 33: try bits.skip(8)
    default: throw ParseError(.invalid("no video or sequence parameter set of HEVC"), at: baseOffset)
    }
    try self.init(reading: &bits)
  }
}

/// The codec and the picture size in a sequence parameter set of HEVC (ISO/IEC 23008-2, 7.3.2.2).
package struct HEVCParameters: Equatable, Sendable {
  /// Profile, tier and level.
  package var profile: HEVCProfile
  /// The size of the picture within its conformance window.
  package var pictureSize: PictureSize

  /// Reads a NAL unit of type 33 without its start code.
  ///
  /// - Throws: `ParseError` where it is of another type, is cut off, or describes no picture. Offsets leave out emulation prevention bytes.
  package init(nalUnit: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    var bits = BitReader(nalUnit: nalUnit, baseOffset: baseOffset)
    guard try bits.read(16) >> 9 & 0x3F == 33 else { throw ParseError(.invalid("no sequence parameter set of HEVC"), at: baseOffset) }
    try bits.skip(4)  // sps_video_parameter_set_id
    let subLayers = Int(try bits.read(3))
    try bits.skip(1)  // sps_temporal_id_nesting_flag
    profile = try HEVCProfile(reading: &bits)
    try Self.skipSubLayers(&bits, count: subLayers)
    _ = try bits.readUnsigned()  // sps_seq_parameter_set_id
    var chromaFormat = try bits.readUnsigned()
    if chromaFormat == 3, try bits.readFlag() { chromaFormat = 0 }
    let width = try bits.readUnsigned()
    let height = try bits.readUnsigned()
    let window = try bits.readFlag() ? Cropping(reading: &bits) : Cropping()
    let unit = chromaSubsampling(chromaFormat)
    pictureSize = try window.applied(width: width, height: height, unitX: unit.x, unitY: unit.y, at: bits)
  }

  private static func skipSubLayers(_ bits: inout BitReader, count: Int) throws(ParseError) {
    guard count > 0 else { return }
    var size = 0
    for _ in 0..<count {
      if try bits.readFlag() { size += 88 }
      if try bits.readFlag() { size += 8 }
    }
    // The flags are filled up to eight sub-layers.
    try bits.skip(2 * (8 - count) + size)
  }
}
