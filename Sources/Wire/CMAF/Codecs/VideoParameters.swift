package import Basics
package import NALUnits

/// The properties of a video in a sequence parameter set.
package struct VideoParameters: Equatable, Sendable {
  /// The codec as RFC 6381 and ISO/IEC 14496-15, Annex E write it, for example `avc1.64001F`.
  package var codec: String
  /// The size of the pictures, after cropping.
  package var size: PictureSize
  /// chroma_format_idc: 0 for monochrome, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
  var chromaFormat = 1
  /// The number of bits of a sample, 8 to 15.
  var bitDepth = BitDepth()
  /// The pixel aspect ratio, width to height; `nil` if it is 1:1 or not stated.
  var pixelAspectRatio: PictureSize?
  /// The colour description; `nil` if there is none.
  var colour: Colour?
  /// What picture timing SEI messages of H.264 contain; `nil` if they have no timecodes.
  package var pictureTiming: PictureTiming?

  /// The number of bits of the samples.
  struct BitDepth: Equatable, Sendable {
    var luma = 8
    var chroma = 8
  }

  /// The transfer characteristics, a code point of ISO/IEC 23091-2; `nil` if they are not stated.
  package var transfer: UInt8? { colour?.transfer }

  /// The colour description (ISO/IEC 23091-2).
  struct Colour: Equatable, Sendable {
    var primaries: UInt8
    var transfer: UInt8
    var matrix: UInt8
    var isFullRange: Bool
  }

  /// The longest side of a picture, generously above what levels allow: 16,888 luma samples in HEVC's level 6.2.
  private static let longestSide = 32_768
  /// The maximum number of elements in a list of a sequence parameter set: num_ref_frames_in_pic_order_cnt_cycle.
  private static let mostElements = 255

  /// Reads a sequence parameter set of either codec.
  ///
  /// - Throws: `ParseError` if it is cut off, or has values that are not allowed.
  package init(_ codec: NALUnitCodec, sequenceParameterSet unit: Span<UInt8>) throws(ParseError) {
    switch codec {
    case .h264: try self.init(h264SequenceParameterSet: unit)
    case .hevc: try self.init(hevcSequenceParameterSet: unit)
    }
  }

  /// Reads a sequence parameter set of H.264 (ISO/IEC 14496-10, 7.3.2.1.1).
  ///
  /// - Parameter unit: The NAL unit with its header, as it is in the stream.
  /// - Throws: `ParseError` if it is cut off, or has values that are not allowed.
  package init(h264SequenceParameterSet unit: Span<UInt8>) throws(ParseError) {
    let bytes = EmulationPrevention.removed(from: unit)
    var bits = BitReader(bytes.view, baseOffset: 0)
    try bits.skip(8)
    let profile = H264Profile(profile: try bits.readUInt8(), constraints: try bits.readUInt8(), level: try bits.readUInt8())
    codec = profile.codec()
    _ = try bits.readExponentialGolomb()  // seq_parameter_set_id
    var planes = 1
    if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile.profile) {
      chromaFormat = try bits.readExponentialGolomb(atMost: 3)
      planes = chromaFormat
      if chromaFormat == 3, try bits.readFlag() { planes = 0 }  // separate_colour_plane_flag
      bitDepth = try Self.readBitDepth(&bits)
      try bits.skip(1)  // qpprime_y_zero_transform_bypass_flag
      if try bits.readFlag() {
        for list in 0..<(chromaFormat == 3 ? 12 : 8) where try bits.readFlag() { try Self.skipScalingList(list < 6 ? 16 : 64, &bits) }
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
      PictureSize(width: columns * 16, height: rows * 16 * fields), unit: (Self.columnUnit(planes), Self.rowUnit(planes) * fields), &bits)
    // The rest is not needed to show pictures.
    try? readH264Usability(&bits)
  }

  /// Reads a sequence parameter set of HEVC (ISO/IEC 23008-2, 7.3.2.2).
  ///
  /// - Parameter unit: The NAL unit with its header, as it is in the stream.
  /// - Throws: `ParseError` if it is cut off, or has values that are not allowed.
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
    chromaFormat = try bits.readExponentialGolomb(atMost: 3)
    var planes = chromaFormat
    if chromaFormat == 3, try bits.readFlag() { planes = 0 }
    let coded = PictureSize(
      width: try bits.readExponentialGolomb(atMost: Self.longestSide), height: try bits.readExponentialGolomb(atMost: Self.longestSide))
    size = try Self.cropped(coded, unit: (Self.columnUnit(planes), Self.rowUnit(planes)), &bits)
    bitDepth = try Self.readBitDepth(&bits)
    // The rest is not needed to show pictures.
    try? skipHEVCTools(layers: layers, &bits)
  }

  private static func readBitDepth(_ bits: inout BitReader) throws(ParseError) -> BitDepth {
    BitDepth(luma: 8 + (try bits.readExponentialGolomb(atMost: 7)), chroma: 8 + (try bits.readExponentialGolomb(atMost: 7)))
  }

  /// Skips the fields after the bit depths of a sequence parameter set of HEVC, and reads its usability information.
  private mutating func skipHEVCTools(layers: Int, _ bits: inout BitReader) throws(ParseError) {
    let orderBits = try bits.readExponentialGolomb(atMost: 12) + 4  // log2_max_pic_order_cnt_lsb_minus4
    for _ in 0...(try bits.readFlag() ? layers : 0) { for _ in 0..<3 { _ = try bits.readExponentialGolomb() } }
    for _ in 0..<6 { _ = try bits.readExponentialGolomb() }  // sizes of blocks and depths of trees
    if try bits.readFlag(), try bits.readFlag() { try Self.skipHEVCScalingLists(&bits) }
    try bits.skip(2)
    if try bits.readFlag() {  // pcm_enabled_flag
      try bits.skip(8)
      for _ in 0..<2 { _ = try bits.readExponentialGolomb() }
      try bits.skip(1)
    }
    var counts: [Int] = []
    for index in 0..<(try bits.readExponentialGolomb(atMost: 64)) {
      counts.append(try Self.skipReferencePictureSet(after: index == 0 ? nil : counts[index - 1], &bits))
    }
    if try bits.readFlag() {  // long_term_ref_pics_present_flag
      for _ in 0..<(try bits.readExponentialGolomb(atMost: 32)) { try bits.skip(orderBits + 1) }
    }
    try bits.skip(2)
    if try bits.readFlag() { try readUsability(&bits) }
  }

  /// Skips st_ref_pic_set (7.3.7); returns its number of pictures.
  ///
  /// - Parameter count: The number of pictures of the previous set; `nil` for the first one.
  private static func skipReferencePictureSet(after count: Int?, _ bits: inout BitReader) throws(ParseError) -> Int {
    if let count, try bits.readFlag() {
      try bits.skip(1)
      _ = try bits.readExponentialGolomb()
      var kept = 0
      for _ in 0...count {
        var isKept = try bits.readFlag()
        if !isKept { isKept = try bits.readFlag() }
        if isKept { kept += 1 }
      }
      return kept
    }
    let pictures = try bits.readExponentialGolomb(atMost: 16) + bits.readExponentialGolomb(atMost: 16)
    for _ in 0..<pictures {
      _ = try bits.readExponentialGolomb()
      try bits.skip(1)
    }
    return pictures
  }

  /// Skips scaling_list_data (7.3.4).
  private static func skipHEVCScalingLists(_ bits: inout BitReader) throws(ParseError) {
    for size in 0..<4 {
      for _ in 0..<(size == 3 ? 2 : 6) {
        guard try bits.readFlag() else {
          _ = try bits.readExponentialGolomb()
          continue
        }
        for _ in 0..<(min(64, 16 << (2 * size)) + (size > 1 ? 1 : 0)) { _ = try bits.readSignedExponentialGolomb() }
      }
    }
  }

  /// sample_aspect_ratio by aspect_ratio_idc (ISO/IEC 14496-10, table E-1), from 1 on.
  private static let aspectRatios = [
    (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11), (15, 11), (64, 33), (160, 99), (4, 3),
    (3, 2), (2, 1),
  ].map { PictureSize(width: $0, height: $1) }
  private static let extendedAspectRatio = 255

  private mutating func readH264Usability(_ bits: inout BitReader) throws(ParseError) {
    guard try bits.readFlag() else { return }
    try readUsability(&bits)
    pictureTiming = try PictureTiming(&bits)
  }

  /// Reads the start of the video usability information, which is the same in both codecs (ISO/IEC 14496-10, E.1.1; ISO/IEC 23008-2, E.2.1).
  private mutating func readUsability(_ bits: inout BitReader) throws(ParseError) {
    if try bits.readFlag() {
      let index = Int(try bits.readUInt8())
      var ratio = index > 0 && index <= Self.aspectRatios.count ? Self.aspectRatios[index - 1] : nil
      if index == Self.extendedAspectRatio { ratio = PictureSize(width: Int(try bits.read(16)), height: Int(try bits.read(16))) }
      pixelAspectRatio = ratio.flatMap { $0.width > 0 && $0.height > 0 && $0.width != $0.height ? $0 : nil }
    }
    if try bits.readFlag() { try bits.skip(1) }  // overscan
    guard try bits.readFlag() else { return }
    try bits.skip(3)  // video_format
    let isFullRange = try bits.readFlag()
    guard try bits.readFlag() else { return }
    let (primaries, transfer, matrix) = (try bits.readUInt8(), try bits.readUInt8(), try bits.readUInt8())
    // 2 means unspecified.
    if (primaries, transfer, matrix) != (2, 2, 2) {
      colour = Colour(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: isFullRange)
    }
  }

  /// Reads the cropping: left, right, top and bottom.
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

  /// The number of luma samples in one step of cropping, by chroma_format_idc: 0 for monochrome, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
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
