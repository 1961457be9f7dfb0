import Basics
import CMAF
import TransportStream

extension FuzzTarget {
  /// What codecs say of themselves: parameter sets of H.264 and HEVC, configurations of AAC, pictures that decoding can start with.
  static let codecs = FuzzTarget("codecs") { bytes in
    if let parameters = try? H264Parameters(nalUnit: bytes.span) {
      try requirePlausible(parameters.profile.codec(), parameters.pictureSize)
    }
    if let parameters = try? HEVCParameters(nalUnit: bytes.span) {
      try requirePlausible(parameters.profile.codec(), parameters.pictureSize)
    }
    if let profile = try? HEVCProfile(nalUnit: bytes.span) { try require(profile.codec().utf8.starts(with: "hvc1.".utf8), "codec") }
    if let sound = try? AACConfiguration(audioSpecificConfig: bytes.span) { try require(sound.sampleRate >= 0, "\(sound)") }
    if let sound = try? AACConfiguration(adtsHeader: bytes.span) { try require(sound.sampleRate > 0, "\(sound)") }
    for type: StreamType in [.h264, .hevc, .mpeg2Video, .mpeg4Video] { _ = RandomAccess.isLikely(bytes.span, type: type) }
  }

  private static func requirePlausible(_ codec: String, _ size: PictureSize) throws {
    try require(codec.utf8.count >= 11 && size.width > 0 && size.height > 0, "\(codec) of \(size)")
  }
}
