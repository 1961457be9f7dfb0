internal import Basics

/// The video frames that follow a key frame in decoding order and are presented before it.
enum LeadingPictures {
  /// Whether those of a key frame may need frames before it, so that they cannot be decoded if the key frame is the first.
  ///
  /// For H.264, key frames that are no IDR pictures have such leading pictures (ITU-T H.264, 7.4.1.2.4), for HEVC those of CRA and BLA pictures
  /// (ITU-T H.265, 7.4.2.2), for MPEG video those of a group that does not say that it is closed (ISO/IEC 13818-2, 6.3.8).
  ///
  /// - Parameters:
  ///   - codec: libavcodec's name of the codec.
  ///   - extradata: As ``CodecParameters/extradata``.
  ///   - keyFrame: The key frame's packet.
  /// - Returns: `false` for codecs that have none, too.
  static func needFramesBefore(_ keyFrame: Span<UInt8>, codec: String, extradata: [UInt8]) -> Bool {
    let lengthSize = lengthSize(codec: codec, extradata: extradata)
    switch codec {
    case "h264":
      return firstUnit(of: keyFrame, lengthSize) { byte in
        let type = byte & 0x1F
        return type == 1 || type == 5 ? type != 5 : nil
      } ?? false
    case "hevc":
      return firstUnit(of: keyFrame, lengthSize) { byte in
        let type = byte >> 1 & 0x3F
        return type < 32 ? type == 16 || type == 21 : nil
      } ?? false
    case "mpeg1video", "mpeg2video":
      guard let start = startCode(in: keyFrame, from: 0, where: { $0 == 0xB8 }), start + 4 < keyFrame.count else { return true }
      return keyFrame[start + 4] & 0x40 == 0
    default:
      return false
    }
  }

  /// The size of the lengths in front of NAL units (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1); `nil` if start codes separate them.
  private static func lengthSize(codec: String, extradata: [UInt8]) -> Int? {
    let place = codec == "h264" ? 4 : 21
    guard extradata.first == 1, place < extradata.count else { return nil }
    return Int(extradata[place] & 3) + 1
  }

  /// The first result of `decide` that is not `nil`. It receives the first byte of each NAL unit.
  private static func firstUnit(of packet: Span<UInt8>, _ lengthSize: Int?, _ decide: (UInt8) -> Bool?) -> Bool? {
    var position = 0
    guard let lengthSize else {
      while let code = startCode(in: packet, from: position, where: { _ in true }) {
        if let decision = decide(packet[code]) { return decision }
        position = code
      }
      return nil
    }
    while packet.count - position > lengthSize {
      var length = 0
      for index in position..<position + lengthSize { length = length << 8 | Int(packet[index]) }
      if let decision = decide(packet[position + lengthSize]) { return decision }
      guard length <= packet.count - position - lengthSize else { return nil }
      position += lengthSize + length
    }
    return nil
  }

  /// The index of the byte that follows the next start code.
  private static func startCode(in packet: Span<UInt8>, from start: Int, where isWanted: (UInt8) -> Bool) -> Int? {
    var position = start
    while position + 3 < packet.count {
      if packet[position] == 0, packet[position + 1] == 0, packet[position + 2] == 1, isWanted(packet[position + 3]) { return position + 3 }
      position += 1
    }
    return nil
  }
}
