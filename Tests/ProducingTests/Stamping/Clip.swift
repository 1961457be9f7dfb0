import Foundation
import TestSupport
import Testing

/// Files of three seconds in several containers, made by FFmpeg when the first test asks for one.
enum Clip: String, CaseIterable, CustomTestStringConvertible, FFmpegClip {
  case mp4, matroska, flash, transportStream, audioOnly, fastStart, vp9, small, rareKeys, short, layerIII, lateSound, openGroups, openSmall,
    trimmed, silent, silentSmall, german, twoLanguages, longSound, quantized, logGamma, standardRange

  /// The clips that can be stamped.
  static let stamped: [Clip] = [.mp4, .matroska, .flash, .transportStream, .audioOnly]

  var testDescription: String { rawValue }

  static let table = "stamping"

  var fileExtension: String {
    switch self {
    case .mp4, .fastStart, .small, .rareKeys, .short, .layerIII, .lateSound, .trimmed, .silent, .silentSmall, .twoLanguages, .quantized,
      .logGamma, .standardRange:
      "mp4"
    case .matroska: "mkv"
    case .flash: "flv"
    case .transportStream, .openGroups, .openSmall: "ts"
    case .audioOnly, .german, .longSound: "m4a"
    case .vp9: "webm"
    }
  }

  /// The first clip, encoded anew.
  private static func encoding(_ options: String) -> String {
    "-i \(Clip.mp4.path) -c:v libx264 -preset ultrafast -bf 2 \(options) -threads 1 -c:a copy"
  }

  /// The first clip, with other transfer characteristics in its sequence parameter set.
  private static func range(_ transfer: String) -> String {
    "-i \(Clip.mp4.path) -c copy -bsf:v h264_metadata=transfer_characteristics=\(transfer):colour_primaries=9:matrix_coefficients=9"
  }

  /// FFmpeg's arguments before the output's path. Most clips are copies of the first.
  var arguments: String {
    switch self {
    case .mp4:
      "-f lavfi -i testsrc2=size=160x120:rate=25:duration=3 -f lavfi -i sine=frequency=440:sample_rate=44100:duration=3 "
        + "-c:v libx264 -preset ultrafast -bf 2 -g 25 -threads 1 -c:a aac"
    case .matroska, .flash, .transportStream: "-i \(Clip.mp4.path) -map 0 -c copy"
    case .audioOnly: "-i \(Clip.mp4.path) -map 0:a -c copy"
    case .fastStart: "-i \(Clip.mp4.path) -c copy -movflags +faststart"
    case .small: Clip.encoding("-vf scale=80:60 -g 5")
    // Key frames at 0, 1.6 and 3.2 seconds.
    case .rareKeys: Clip.encoding("-g 40")
    case .short: "-i \(Clip.mp4.path) -t 2 -c copy"
    case .layerIII: "-i \(Clip.mp4.path) -c:v copy -c:a libmp3lame"
    // The sound starts after 1.5 seconds.
    case .lateSound: "-i \(Clip.mp4.path) -itsoffset 1.5 -i \(Clip.mp4.path) -map 0:v -map 1:a -c copy -t 3"
    // Key frames every 26 frames, which are of open groups but for the first.
    case .openGroups: Clip.encoding("-g 26 -x264-params open-gop=1:b-adapt=0:scenecut=0")
    case .openSmall: Clip.encoding("-vf scale=80:60 -g 26 -x264-params open-gop=1:b-adapt=0:scenecut=0")
    // The first 13 frames are hidden.
    case .trimmed: "-ss 0.5 -i \(Clip.mp4.path) -c copy"
    case .silent: "-i \(Clip.mp4.path) -c copy -an"
    case .silentSmall: "-i \(Clip.small.path) -c copy -an"
    case .german: "-i \(Clip.mp4.path) -map 0:a -c:a aac -b:a 48k -metadata:s:a:0 language=deu"
    case .twoLanguages:
      "-i \(Clip.mp4.path) -i \(Clip.german.path) -map 0 -map 1:a -c copy -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu"
    // It is two seconds longer than the videos.
    case .longSound: "-f lavfi -i sine=frequency=220:sample_rate=48000:duration=5 -c:a aac"
    // The video says what transfer characteristics it has.
    case .quantized: Clip.range("16")
    case .logGamma: Clip.range("18")
    case .standardRange: Clip.range("1")
    case .vp9: "-f lavfi -i testsrc2=size=64x48:rate=25:duration=1 -c:v libvpx-vp9 -cpu-used 8 -deadline realtime"
    }
  }
}

extension Workshop {
  /// Why no clip can be made.
  static let reason: Comment = "ffmpeg is not installed: apt-get install ffmpeg"
}
