import Basics
import CMAF
import NALUnits
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
    for coding: AudioFormat.Coding in [.aac, .mp3, .ac3, .eac3, .opus] {
      // Whether the bytes come at once or one by one.
      let whole = frames(coding, bytes, chunk: max(bytes.count, 1))
      try require(frames(coding, bytes, chunk: 1), equals: whole, "the frames of \(coding)")
      for frame in whole {
        try require(frame.sampleCount > 0 && !frame.bytes.isEmpty && frame.format.sampleRate > 0, "\(frame)")
        _ = try MovieWriter(timescale: UInt32(frame.format.sampleRate), .audio(frame.format)).encoded()
      }
    }
    var units: [[UInt8]] = []
    ByteStream.forEachUnit(in: bytes.span) { units.append(Array(bytes[$0])) }
    for codec: NALUnitCodec in [.h264, .hevc] {
      if let coding = VideoCoding(codec, units) { _ = try MovieWriter(timescale: 90_000, .video(coding)).encoded() }
    }
    for codec: NALUnitCodec in [.h264, .hevc] {
      let whole = timecode(codec, bytes, chunk: max(bytes.count, 1))
      try require(timecode(codec, bytes, chunk: 1), equals: whole, "the timecode in \(codec)")
      try require(whole.map { $0.frames < 512 && $0.seconds ?? 60 < 60 } ?? true, "\(whole as Any)")
    }
    for type: StreamType in [.h264, .hevc, .mpeg2Video, .mpeg4Video] { _ = RandomAccess.isLikely(bytes.span, type: type) }
  }

  private static func timecode(_ codec: NALUnitCodec, _ bytes: [UInt8], chunk: Int) -> ClockTimestamp? {
    var head = AccessUnitHead(codec, .startCodes)
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      if head.push(bytes.span.extracting(start..<min(start + chunk, bytes.count))) != .incomplete { break }
    }
    var reader = TimecodeReader(codec)
    return reader.push(head)
  }

  private static func frames(_ coding: AudioFormat.Coding, _ bytes: [UInt8], chunk: Int) -> [AudioFrames.Frame] {
    var reader = AudioFrames(coding, channels: 3)
    var frames: [AudioFrames.Frame] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      reader.push(bytes.span.extracting(start..<min(start + chunk, bytes.count)))
      while let frame = reader.next() { frames.append(frame) }
    }
    if let frame = reader.finish() { frames.append(frame) }
    return frames
  }
}
