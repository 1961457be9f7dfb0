import Basics
import CMAF
import TransportStream

extension FuzzTarget {
  /// What codecs say of themselves: configurations of AAC, parameter sets of video, pictures that decoding can start with.
  static let codecs = FuzzTarget("codecs") { bytes in
    if let sound = try? AACConfiguration(audioSpecificConfig: bytes.span) { try require(sound.sampleRate >= 0, "\(sound)") }
    if let sound = try? AACConfiguration(adtsHeader: bytes.span) { try require(sound.sampleRate > 0, "\(sound)") }
    for video in [
      try? VideoParameters(h264SequenceParameterSet: bytes.span), try? VideoParameters(hevcSequenceParameterSet: bytes.span),
    ].compactMap(\.self) {
      try require(video.size.width > 0 && video.size.height > 0, "\(video)")
    }
    for type: StreamType in [.h264, .hevc, .mpeg2Video, .mpeg4Video] { _ = RandomAccess.isLikely(bytes.span, type: type) }
  }
}
