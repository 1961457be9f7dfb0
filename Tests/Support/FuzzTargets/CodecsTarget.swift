import Basics
import CMAF
import TransportStream

extension FuzzTarget {
  /// What codecs say of themselves: configurations of AAC, pictures that decoding can start with.
  static let codecs = FuzzTarget("codecs") { bytes in
    if let sound = try? AACConfiguration(audioSpecificConfig: bytes.span) { try require(sound.sampleRate >= 0, "\(sound)") }
    if let sound = try? AACConfiguration(adtsHeader: bytes.span) { try require(sound.sampleRate > 0, "\(sound)") }
    for type: StreamType in [.h264, .hevc, .mpeg2Video, .mpeg4Video] { _ = RandomAccess.isLikely(bytes.span, type: type) }
  }
}
