/// A codec whose access units consist of NAL units (ISO/IEC 14496-10, 7.3.1; ISO/IEC 23008-2, 7.3.1).
package enum NALUnitCodec: Equatable, Sendable {
  /// H.264 (Advanced Video Coding).
  case h264
  /// H.265 (High Efficiency Video Coding).
  case hevc

  /// The size of the header of a NAL unit in bytes.
  package var headerSize: Int { self == .h264 ? 1 : 2 }

  /// nal_unit_type, as the first byte of a NAL unit has it (ISO/IEC 14496-10, table 7-1; ISO/IEC 23008-2, table 7-1).
  package func type(_ header: UInt8) -> UInt8 { self == .h264 ? header & 0x1F : header >> 1 & 0x3F }

  /// Whether a NAL unit belongs to a picture, or directly precedes one. SEI messages about the picture must come before it.
  package func isSlice(_ header: UInt8) -> Bool {
    switch self {
    // 14, 20 and 21 are the prefix and the slices of layers (Annexes F to H).
    case .h264: (1...5).contains(type(header)) || [14, 20, 21].contains(type(header))
    case .hevc: type(header) <= 31
    }
  }

  /// Whether a NAL unit contains SEI messages that precede a picture.
  package func isMessage(_ header: UInt8) -> Bool { type(header) == (self == .h264 ? 6 : 39) }

  /// Whether a NAL unit is an access unit delimiter.
  package func isDelimiter(_ header: UInt8) -> Bool { type(header) == (self == .h264 ? 9 : 35) }

  /// Whether a NAL unit is a parameter set.
  package func isParameterSet(_ header: UInt8) -> Bool {
    self == .h264 ? [7, 8].contains(type(header)) : (32...34).contains(type(header))
  }

  /// Whether a NAL unit is a sequence parameter set, which says how large pictures are.
  package func isSequenceParameterSet(_ header: UInt8) -> Bool { type(header) == (self == .h264 ? 7 : 33) }

  /// Whether a slice belongs to a picture after which, in decoding order, no picture refers to one before it: an IDR picture, or a BLA picture
  /// without RASL pictures. After a recovery point of H.264 or a CRA picture of HEVC, pictures may do that.
  package func startsClosedGroup(_ header: UInt8) -> Bool { self == .h264 ? type(header) == 5 : (17...20).contains(type(header)) }

  /// Whether a slice is the first of its picture, by the byte after the header of its NAL unit: first_mb_in_slice is 0, or
  /// first_slice_segment_in_pic_flag is set.
  func isFirstSlice(_ header: UInt8, _ next: UInt8) -> Bool { self == .h264 && type(header) > 5 || next & 0x80 != 0 }

  /// The header of a NAL unit of SEI messages in front of a picture, of the base layer.
  var messageHeader: [UInt8] { self == .h264 ? [6] : [39 << 1, 1] }
}
