package import Basics

/// The profile and level of H.264, as a sequence parameter set and `avcC` have them.
package struct H264Profile: Hashable, Sendable {
  /// profile_idc.
  package var profile: UInt8
  /// The byte of constraint flags.
  package var constraints: UInt8
  /// level_idc: ten times the level.
  package var level: UInt8

  /// A profile with its constraints and level.
  package init(profile: UInt8, constraints: UInt8, level: UInt8) {
    self.profile = profile
    self.constraints = constraints
    self.level = level
  }

  /// The codec in the form of RFC 6381, 3.3, for example `avc1.64001F`.
  ///
  /// - Parameter entry: The type of the sample entry; `avc1` for MPEG-TS too.
  package func codec(_ entry: BoxType = .avc1) -> String {
    "\(entry).\(hexadecimal(profile, width: 2))\(hexadecimal(constraints, width: 2))\(hexadecimal(level, width: 2))"
  }

  /// Reads the start of an AVCDecoderConfigurationRecord, the payload of `avcC` (ISO/IEC 14496-15, 5.3.3.1).
  init(configuration reader: consuming ByteReader) throws(ParseError) {
    let start = reader.offset
    guard try reader.readUInt8() == 1 else { throw ParseError(.invalid("avcC of an unknown version"), at: start) }
    profile = try reader.readUInt8()
    constraints = try reader.readUInt8()
    level = try reader.readUInt8()
  }
}

/// The codec and the picture size in a sequence parameter set of H.264 (ISO/IEC 14496-10, 7.3.2.1.1).
package struct H264Parameters: Equatable, Sendable {
  /// Profile and level.
  package var profile: H264Profile
  /// The size of the cropped picture.
  package var pictureSize: PictureSize

  /// The profiles whose parameter sets say how chroma is sampled.
  private static let profilesWithChroma: [UInt8] = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

  /// Reads a NAL unit of type 7 without its start code.
  ///
  /// - Throws: `ParseError` where it is of another type, is cut off, or describes no picture. Offsets leave out emulation prevention bytes.
  package init(nalUnit: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    var bits = BitReader(nalUnit: nalUnit, baseOffset: baseOffset)
    guard try bits.read(8) & 0x1F == 7 else { throw ParseError(.invalid("no sequence parameter set of H.264"), at: baseOffset) }
    profile = H264Profile(profile: try bits.readUInt8(), constraints: try bits.readUInt8(), level: try bits.readUInt8())
    _ = try bits.readUnsigned()  // seq_parameter_set_id
    var chromaFormat: UInt64 = 1
    if Self.profilesWithChroma.contains(profile.profile) {
      chromaFormat = try bits.readUnsigned()
      // Three planes that are coded apart are cropped as if there were no chroma.
      if chromaFormat == 3, try bits.readFlag() { chromaFormat = 0 }
      _ = try bits.readUnsigned()  // bit_depth_luma_minus8
      _ = try bits.readUnsigned()  // bit_depth_chroma_minus8
      try bits.skip(1)  // qpprime_y_zero_transform_bypass_flag
      if try bits.readFlag() { try Self.skipScalingMatrix(&bits, lists: chromaFormat == 3 ? 12 : 8) }
    }
    _ = try bits.readUnsigned()  // log2_max_frame_num_minus4
    try Self.skipPictureOrder(&bits)
    _ = try bits.readUnsigned()  // max_num_ref_frames
    try bits.skip(1)  // gaps_in_frame_num_value_allowed_flag
    let widthInMacroblocks = try bits.readUnsigned() + 1
    let heightInMapUnits = try bits.readUnsigned() + 1
    let isFrameCoded = try bits.readFlag()
    if !isFrameCoded { try bits.skip(1) }  // mb_adaptive_frame_field_flag
    try bits.skip(1)  // direct_8x8_inference_flag
    let cropping = try bits.readFlag() ? Cropping(reading: &bits) : Cropping()
    let fields: UInt64 = isFrameCoded ? 1 : 2
    let unit = chromaSubsampling(chromaFormat)
    pictureSize = try cropping.applied(
      width: widthInMacroblocks * 16, height: heightInMapUnits * 16 * fields, unitX: unit.x, unitY: unit.y * fields, at: bits)
  }

  /// 7.3.2.1.1.1.
  private static func skipScalingMatrix(_ bits: inout BitReader, lists: Int) throws(ParseError) {
    for list in 0..<lists where try bits.readFlag() {
      var last: Int64 = 8
      for _ in 0..<(list < 6 ? 16 : 64) {
        last = (last + (try bits.readSigned())) & 0xFF
        // The rest of the list repeats the value before.
        if last == 0 { break }
      }
    }
  }

  private static func skipPictureOrder(_ bits: inout BitReader) throws(ParseError) {
    switch try bits.readUnsigned() {
    case 0: _ = try bits.readUnsigned()
    case 1:
      try bits.skip(1)
      _ = try bits.readSigned()
      _ = try bits.readSigned()
      let count = try bits.readUnsigned()
      guard count < 256 else { throw bits.error("more than 255 reference frames in a cycle") }
      for _ in 0..<count { _ = try bits.readSigned() }
    default: break
    }
  }
}
