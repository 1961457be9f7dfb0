import NALUnits

/// Finds random-access points by the first bytes of an access unit, for streams without random_access_indicator.
public enum RandomAccess {
  /// Whether `bytes`, the start of an access unit, hold a NAL unit or a start code that only a random-access point has.
  public static func isLikely(_ bytes: Span<UInt8>, type: StreamType) -> Bool {
    var index = 0
    while let code = ByteStream.firstStartCode(in: bytes, from: index), code + 3 < bytes.count {
      let next = code + 4 < bytes.count ? bytes[code + 4] : 0
      if isRandomAccess(startCode: bytes[code + 3], next, type: type) { return true }
      index = code + 4
    }
    return false
  }

  private static func isRandomAccess(startCode: UInt8, _ next: UInt8, type: StreamType) -> Bool {
    switch type {
    // An IDR slice or a sequence parameter set (ISO/IEC 14496-10, table 7-1).
    case .h264: [5, 7].contains(startCode & 0x1F)
    // BLA, IDR, CRA or a video parameter set (ISO/IEC 23008-2, table 7-1).
    case .hevc: (16...23).contains(startCode >> 1 & 0x3F) || startCode >> 1 & 0x3F == 32
    // IDR, CRA, GDR, a video or a sequence parameter set (ISO/IEC 23090-3, table 5).
    case .vvc: (7...10).contains(next >> 3) || (14...15).contains(next >> 3)
    // A sequence header (SMPTE ST 421, Annex E).
    case .vc1: startCode == 0x0F
    // video_sequence_start_code.
    case .avs2, .avs3: startCode == 0xB0
    // sequence_header_code.
    case .mpeg1Video, .mpeg2Video: startCode == 0xB3
    // visual_object_sequence_start_code, video_object_layer_start_code.
    case .mpeg4Video: startCode == 0xB0 || (0x20...0x2F).contains(startCode)
    default: false
    }
  }
}
