internal import CLibAV

/// How a stream is coded, as far as playlists and players need it.
package struct CodecParameters: Hashable, Sendable {
  /// What the decoder needs before the first packet, in the container's own form: for H.264 from MP4 an AVCDecoderConfigurationRecord
  /// (ISO/IEC 14496-15, 5.3.3.1), from MPEG-TS parameter sets in Annex B form. Empty if the container has it in the packets.
  package var extradata: [UInt8] = []
  /// libavcodec's number of the profile, for H.264 `profile_idc` and its constraint flags in bits 9 and 11, for HEVC `general_profile_idc`,
  /// for AAC the audio object type minus 1; `nil` if it is not known.
  package var profile: Int?
  /// The level, for H.264 `level_idc`, for HEVC `general_level_idc`; `nil` if it is not known.
  package var level: Int?
  /// The video frame's width in pixels; `nil` for other streams.
  package var width: Int?
  /// The video frame's height in pixels; `nil` for other streams.
  package var height: Int?
  /// Video frames per second, the highest for a variable rate; `nil` for other streams and if it is not known.
  package var frameRate: FrameRate?
  /// How many channels the audio has; `nil` for other streams and if it is not known.
  package var channelCount: Int?
  /// Samples per second; `nil` for other streams than audio.
  package var sampleRate: Int?
  /// How the picture is transformed before it is shown: the nine values that `tkhd` has (ISO/IEC 14496-12, 8.3.2); `nil` if it is shown as it is.
  package var displayMatrix: [Int32]?
  /// Bits per second as the container states them; `nil` if it does not.
  package var bitRate: Int?

  /// A stream about which nothing is known.
  package init() {}

  /// Video frames per second as an exact fraction, for example 30,000 / 1,001.
  package struct FrameRate: Hashable, Sendable {
    /// The video frames in `denominator` seconds, above 0.
    package var numerator: Int
    /// The seconds in which there are `numerator` video frames, above 0.
    package var denominator: Int
  }
}

extension MediaInput {
  /// How a stream is coded; `nil` if there is no such stream.
  package func codecParameters(of stream: Int) -> CodecParameters? {
    // Unsafe: the input's streams and their parameters stay until it is closed, and are only read here.
    guard let pointer = unsafe self.stream(stream) else { return nil }
    var parameters = unsafe CodecParameters(pointer.pointee)
    // Unsafe: nine values of the stream's, which are copied at once.
    if parameters.width != nil, let matrix = unsafe cuelight_display_matrix(pointer) {
      parameters.displayMatrix = (0..<9).map { unsafe matrix[$0] }
    }
    return parameters
  }

  /// Skips the packets of all other streams, without reading them if the container allows that.
  mutating func readOnly(_ stream: Int) {
    for other in streams where other.index != stream {
      if let pointer = unsafe self.stream(other.index) { unsafe pointer.pointee.discard = AVDISCARD_ALL }
    }
  }
}

extension CodecParameters {
  init(_ stream: borrowing AVStream) {
    // Unsafe: an AVStream of an open context has its codec parameters until the context is closed; their extradata is of the size they say.
    var parameters = unsafe stream.codecpar.pointee
    if let start = unsafe parameters.extradata {
      extradata = unsafe Array(UnsafeBufferPointer(start: start, count: Int(max(parameters.extradata_size, 0))))
    }
    profile = unsafe parameters.profile == cuelight_unknown_profile ? nil : Int(parameters.profile)
    level = unsafe parameters.level == cuelight_unknown_level ? nil : Int(parameters.level)
    bitRate = unsafe parameters.bit_rate > 0 ? Int(parameters.bit_rate) : nil
    switch unsafe parameters.codec_type {
    case AVMEDIA_TYPE_VIDEO:
      width = unsafe Int(parameters.width)
      height = unsafe Int(parameters.height)
      // For interlaced video, libavformat's base rate counts fields instead of frames.
      let isInterlaced = unsafe ![AV_FIELD_UNKNOWN, AV_FIELD_PROGRESSIVE].contains(parameters.field_order)
      frameRate = unsafe Self.frameRate(
        average: stream.avg_frame_rate, base: isInterlaced ? stream.avg_frame_rate : stream.r_frame_rate)
    case AVMEDIA_TYPE_AUDIO:
      sampleRate = unsafe Int(parameters.sample_rate)
      let channels = unsafe cuelight_channel_count(&parameters)
      channelCount = channels > 0 ? Int(channels) : nil
    default:
      break
    }
  }

  /// The average rate, or libavformat's base rate (the lowest one at which all timestamps can be exact) if that is higher, but not above 240
  /// frames a second, since no camera is that fast.
  private static func frameRate(average: AVRational, base: AVRational) -> FrameRate? {
    guard let first = FrameRate(average) ?? FrameRate(base), let last = FrameRate(base) ?? FrameRate(average) else { return nil }
    let (firstRate, lastRate) = (first.numerator * last.denominator, last.numerator * first.denominator)
    // The average is measured, and differs a little from a constant rate: only 5 % more count as higher.
    return lastRate * 20 > firstRate * 21 && last.numerator <= 240 * last.denominator ? last : first
  }
}

extension CodecParameters.FrameRate {
  /// A rate of libav's; `nil` if it is not known.
  fileprivate init?(_ rate: AVRational) {
    guard rate.num > 0, rate.den > 0 else { return nil }
    self.init(numerator: Int(rate.num), denominator: Int(rate.den))
  }
}
