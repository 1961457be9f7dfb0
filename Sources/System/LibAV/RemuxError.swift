public import Basics

/// Why a file could not be copied into a transport stream or into segments.
public enum RemuxError: Error, Equatable, Sendable {
  /// The file has neither video nor audio.
  case noVideoOrAudio
  /// The file has several programs, of these numbers, which would become one.
  case severalPrograms([Int])
  /// MPEG-TS has no way to carry these streams' codecs, or this program does not know it.
  case codecsNotCarried([MediaStream])
  /// Fragmented MP4 for HLS has no way to carry these streams' codecs.
  case codecsNotFragmented([MediaStream])
  /// The file has only audio, and its sample rate is not known.
  case notDescribed([MediaStream])
  /// A segment was to start at this time, counted from the timeline origin, but the video has no key frame there.
  case noKeyFrame(at: MediaTime)
  /// A packet of the stream has no time at which it is presented or decoded, and none can be inferred.
  case missingTimestamp(stream: Int)
  /// The stream's decoding times go back by more than ten seconds: its clock started again.
  case timestampsStepBack(stream: Int)
  /// The stream's times lie centuries after its start.
  case timestampOutOfRange(stream: Int)
  /// From this time on, counted from the timeline origin, there is no frame of the stream with the clock for more than ten seconds, which
  /// readers of MPEG-TS take for a jump of the clock.
  case framesFarApart(at: MediaTime, distance: MediaTime)
  /// The caller's interrupt check asked for the end of the work.
  case interrupted
  /// libavformat cannot open the file: it is missing, unreadable or of no known format, or FFmpeg's libraries are missing.
  case notOpened(AVError)
  /// libavformat failed.
  case library(AVError)
}

extension RemuxError: CustomStringConvertible {
  /// The error in words.
  public var description: String {
    switch self {
    case .noVideoOrAudio:
      "there is neither video nor audio in it"
    case .severalPrograms(let numbers):
      "it has \(numbers.count) programs (\(Self.list(numbers))), and copying would make one program of them"
    case .codecsNotCarried(let streams):
      streams.contains { Self.carriedElsewhere.contains($0.codecName) }
        ? "\(Self.names(streams)) is not copied into MPEG-TS here" : "MPEG-TS cannot carry \(Self.names(streams))"
    case .codecsNotFragmented(let streams):
      "HLS in fragmented MP4 cannot carry \(Self.names(streams))"
    case .notDescribed(let streams):
      "\(Self.names(streams)) is scrambled or damaged: its sample rate is not known"
    case .noKeyFrame(let time):
      "there is no key frame at \(time.clockText), where a segment is to start"
    case .missingTimestamp(let stream):
      "a packet of stream \(stream) has no timestamp: convert the file to MP4 first"
    case .timestampsStepBack(let stream):
      "the timestamps of stream \(stream) go back by more than 10 s: its clock starts again"
    case .timestampOutOfRange(let stream):
      "the timestamps of stream \(stream) jump by centuries"
    case .framesFarApart(let time, let distance):
      "no frame follows that at \(time.clockText) for \(distance.shortestDecimalSeconds) s, and MPEG-TS allows 10 s: readers would take that for "
        + "a jump of the clock; write HLS with fragmented MP4, or encode it with more frames"
    case .interrupted:
      "interrupted"
    case .notOpened(let error), .library(let error):
      "\(error)"
    }
  }

  /// Codecs that MPEG-TS carries, but that libavformat's muxer, or some version of it, does not write as their specifications say.
  private static let carriedElsewhere: Set<String> = ["vvc", "evc", "av1", "vc1", "cavs", "avs2", "avs3", "dirac", "mpegh_3d_audio", "ac4"]

  /// The first numbers, and how many more follow.
  private static func list(_ numbers: [Int]) -> String {
    let named = numbers.prefix(8).map { "\($0)" }.joined(separator: ", ")
    return numbers.count > 8 ? "\(named) and \(numbers.count - 8) more" : named
  }

  private static func names(_ streams: [MediaStream]) -> String {
    streams.map { "\($0.codecName == "none" ? "an unknown codec" : $0.codecName) (stream \($0.index))" }.joined(separator: ", ")
  }
}
