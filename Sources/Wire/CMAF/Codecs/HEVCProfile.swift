import Basics

/// The profile, tier and level of HEVC, as parameter sets and `hvcC` have them (ISO/IEC 23008-2, 7.3.3).
package struct HEVCProfile: Hashable, Sendable {
  /// general_profile_space, 0 to 3.
  package var space: UInt8 = 0
  /// general_tier_flag: the high tier instead of the main one.
  package var isHighTier = false
  /// general_profile_idc, 0 to 31.
  package var profile: UInt8
  /// The 32 compatibility flags, the first one most significant.
  package var compatibility: UInt32
  /// The 48 bits of constraint flags, the first one most significant.
  package var constraints: UInt64
  /// general_level_idc: thirty times the level.
  package var level: UInt8

  /// The codec as ISO/IEC 14496-15, Annex E.3 writes it, for example `hvc1.1.6.L93.B0`.
  ///
  /// - Parameter entry: The type of the sample entry; `hvc1` for MPEG-TS too.
  package func codec(_ entry: BoxType = .hvc1) -> String {
    let reversed = (0..<32).reduce(UInt32(0)) { $0 << 1 | compatibility >> UInt32($1) & 1 }
    var constraintBytes = (0..<6).map { UInt8(truncatingIfNeeded: constraints >> UInt64(8 * (5 - $0))) }
    while constraintBytes.last == 0 { constraintBytes.removeLast() }
    let spaceName = ["", "A", "B", "C"][Int(space & 3)]
    let fields = ["\(entry)", "\(spaceName)\(profile)", reversed.digits(1, radix: 16), "\(isHighTier ? "H" : "L")\(level)"]
    return (fields + constraintBytes.map { $0.digits(1, radix: 16) }).joined(separator: ".")
  }
}

extension HEVCProfile {
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
    // Some writers leave the version at 0, as in drafts.
    guard try bits.read(8) <= 1 else { throw ParseError(.invalid("hvcC of an unknown version"), at: baseOffset) }
    try self.init(reading: &bits)
  }
}
