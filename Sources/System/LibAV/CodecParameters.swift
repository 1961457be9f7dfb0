internal import CLibAV

/// How a stream is coded, as far as playlists and players need it.
package struct CodecParameters: Hashable, Sendable {
  /// What the decoder needs before the first packet, in the container's own form: for H.264 from MP4 an AVCDecoderConfigurationRecord
  /// (ISO/IEC 14496-15, 5.3.3.1), from MPEG-TS parameter sets in Annex B form. Empty if the container has it in the packets.
  package var extradata: [UInt8] = []
  /// Video frames per second, the highest for a variable rate; `nil` for other streams and if it is not known.
  package var frameRate: FrameRate?
  /// How many channels the audio has; `nil` for other streams and if it is not known.
  package var channelCount: Int?
  /// How the picture is transformed before it is shown: the nine values that `tkhd` has (ISO/IEC 14496-12, 8.3.2); `nil` if it is shown as it is.
  package var displayMatrix: [Int32]?

  /// The transfer characteristics of the video, a code point of ISO/IEC 23091-2; `nil` for other streams and if it is not known.
  package var transferCharacteristics: Int?

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
    guard let stream = unsafe self.stream(stream) else { return nil }
    let described = unsafe stream.parameters
    var found = CodecParameters()
    found.extradata = unsafe described.extradata
    switch unsafe described.kind {
    case AVMEDIA_TYPE_VIDEO:
      // For interlaced video, libavformat's base rate counts fields instead of frames.
      let isInterlaced = unsafe ![AV_FIELD_UNKNOWN, AV_FIELD_PROGRESSIVE].contains(described.fieldOrder)
      let average = unsafe stream.averageFrameRate
      found.frameRate = unsafe CodecParameters.frameRate(average: average, base: isInterlaced ? average : stream.baseFrameRate)
      // 0 and 3 are reserved, 2 is unspecified.
      let transfer = unsafe Int(described.transferCharacteristics)
      found.transferCharacteristics = [0, 2, 3].contains(transfer) ? nil : transfer
      found.displayMatrix = unsafe stream.displayMatrix
    case AVMEDIA_TYPE_AUDIO:
      let channels = unsafe described.channelCount
      found.channelCount = channels > 0 ? Int(channels) : nil
    default: break
    }
    return found
  }

  /// Skips the packets of all other streams, without reading them if the container allows that.
  mutating func readOnly(_ stream: Int) {
    for other in streams where other.index != stream {
      if let pointer = unsafe self.stream(other.index) { unsafe pointer.discard = AVDISCARD_ALL }
    }
  }
}

extension CodecParameters {
  /// The average rate, or libavformat's base rate (the lowest one at which all timestamps can be exact) if that is higher, but not above 240
  /// frames a second, since no camera is that fast.
  fileprivate static func frameRate(average: AVRational, base: AVRational) -> FrameRate? {
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
