package import Basics
import NALUnits

/// What a sequence parameter set says of the video that it belongs to.
package struct VideoParameters: Equatable, Sendable {
  /// The codec as RFC 6381 and ISO/IEC 14496-15, Annex E write it, for example `avc1.64001F`.
  package var codec: String
  /// The size of the pictures, after cropping.
  package var size: PictureSize

  /// The longest side of a picture that levels allow, with room: 16,888 luma samples in HEVC's level 6.2.
  private static let longestSide = 32_768
  /// The most elements of a list that a sequence parameter set may have: num_ref_frames_in_pic_order_cnt_cycle.
  private static let mostElements = 255

  /// Reads a sequence parameter set of H.264 (ISO/IEC 14496-10, 7.3.2.1.1).
  ///
  /// - Parameter unit: The NAL unit with its header, as it is in the stream.
  /// - Throws: `ParseError` where it is cut off, or has values that are not allowed.
  package init(h264SequenceParameterSet unit: Span<UInt8>) throws(ParseError) {
    let bytes = EmulationPrevention.removed(from: unit)
    var bits = BitReader(bytes.view, baseOffset: 0)
    try bits.skip(8)
    let profile = H264Profile(profile: try bits.readUInt8(), constraints: try bits.readUInt8(), level: try bits.readUInt8())
    codec = profile.codec()
    _ = try bits.readExponentialGolomb()  // seq_parameter_set_id
    var chroma = 1
    if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile.profile) {
      chroma = try bits.readExponentialGolomb(atMost: 3)
      if chroma == 3, try bits.readFlag() { chroma = 0 }  // separate_colour_plane_flag
      _ = try bits.readExponentialGolomb()  // bit_depth_luma_minus8
      _ = try bits.readExponentialGolomb()  // bit_depth_chroma_minus8
      try bits.skip(1)  // qpprime_y_zero_transform_bypass_flag
      if try bits.readFlag() {
        for list in 0..<(chroma == 3 ? 12 : 8) where try bits.readFlag() { try Self.skipScalingList(list < 6 ? 16 : 64, &bits) }
      }
    }
    _ = try bits.readExponentialGolomb()  // log2_max_frame_num_minus4
    switch try bits.readExponentialGolomb(atMost: 2) {  // pic_order_cnt_type
    case 0: _ = try bits.readExponentialGolomb()
    case 1:
      try bits.skip(1)
      for _ in 0..<2 { _ = try bits.readExponentialGolomb() }
      for _ in 0..<(try bits.readExponentialGolomb(atMost: Self.mostElements)) { _ = try bits.readExponentialGolomb() }
    default: break
    }
    _ = try bits.readExponentialGolomb()  // max_num_ref_frames
    try bits.skip(1)
    let columns = try bits.readExponentialGolomb(atMost: Self.longestSide / 16) + 1
    let rows = try bits.readExponentialGolomb(atMost: Self.longestSide / 16) + 1
    let isProgressive = try bits.readFlag()  // frame_mbs_only_flag
    if !isProgressive { try bits.skip(1) }
    try bits.skip(1)
    let fields = isProgressive ? 1 : 2
    size = try Self.cropped(
      PictureSize(width: columns * 16, height: rows * 16 * fields), unit: (Self.columnUnit(chroma), Self.rowUnit(chroma) * fields), &bits)
  }

  /// Reads a sequence parameter set of HEVC (ISO/IEC 23008-2, 7.3.2.2).
  ///
  /// - Parameter unit: The NAL unit with its header, as it is in the stream.
  /// - Throws: `ParseError` where it is cut off, or has values that are not allowed.
  package init(hevcSequenceParameterSet unit: Span<UInt8>) throws(ParseError) {
    let bytes = EmulationPrevention.removed(from: unit)
    var bits = BitReader(bytes.view, baseOffset: 0)
    try bits.skip(16 + 4)
    let layers = Int(try bits.readUInt8(3))
    try bits.skip(1)
    codec = try HEVCProfile(reading: &bits).codec()
    var sizes = 0
    for _ in 0..<layers {
      if try bits.readFlag() { sizes += 88 }
      if try bits.readFlag() { sizes += 8 }
    }
    if layers > 0 { try bits.skip(2 * (8 - layers)) }
    try bits.skip(sizes)
    _ = try bits.readExponentialGolomb()  // sps_seq_parameter_set_id
    var chroma = try bits.readExponentialGolomb(atMost: 3)
    if chroma == 3, try bits.readFlag() { chroma = 0 }
    let coded = PictureSize(
      width: try bits.readExponentialGolomb(atMost: Self.longestSide), height: try bits.readExponentialGolomb(atMost: Self.longestSide))
    size = try Self.cropped(coded, unit: (Self.columnUnit(chroma), Self.rowUnit(chroma)), &bits)
  }

  /// Reads how much of the coded picture is not shown: left, right, top and bottom.
  private static func cropped(
    _ coded: PictureSize, unit: (width: Int, height: Int), _ bits: inout BitReader
  ) throws(ParseError) -> PictureSize {
    var size = coded
    if try bits.readFlag() {
      for _ in 0..<2 { size.width -= try bits.readExponentialGolomb(atMost: longestSide) * unit.width }
      for _ in 0..<2 { size.height -= try bits.readExponentialGolomb(atMost: longestSide) * unit.height }
    }
    guard size.width > 0, size.height > 0 else { throw bits.error("a picture of \(size.width) x \(size.height)") }
    return size
  }

  /// How many luma samples one step of cropping has, by chroma_format_idc: 0 for monochrome, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
  private static func columnUnit(_ chroma: Int) -> Int { chroma == 1 || chroma == 2 ? 2 : 1 }
  private static func rowUnit(_ chroma: Int) -> Int { chroma == 1 ? 2 : 1 }

  /// Skips a scaling_list (ISO/IEC 14496-10, 7.3.2.1.1.1).
  private static func skipScalingList(_ count: Int, _ bits: inout BitReader) throws(ParseError) {
    var (last, next) = (8, 8)
    for _ in 0..<count {
      if next != 0 { next = (last + (try bits.readSignedExponentialGolomb())) & 0xFF }
      if next != 0 { last = next }
    }
  }
}
