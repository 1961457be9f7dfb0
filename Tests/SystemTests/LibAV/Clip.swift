import Foundation
import TestSupport
import Testing

/// Short files of several containers, made by FFmpeg when the first test asks for one.
enum Clip: String, CaseIterable, CustomTestStringConvertible, FFmpegClip {
  case mp4
  case matroska
  case flash
  case hevc
  case mpeg4
  case audioOnly
  case coverPicture
  case twoLanguages
  case variableRate
  case lateStart
  case vp9
  case subtitles
  case trimmed
  case groups
  case groupsMatroska
  case groupsTransport
  case hevcGroups
  case openGroups

  var testDescription: String { rawValue }

  /// The clips that can be copied and whose packets are all shown.
  static let copied: [Clip] = [
    .mp4, .matroska, .flash, .hevc, .mpeg4, .audioOnly, .coverPicture, .twoLanguages, .variableRate, .lateStart,
  ]

  static let table = "libav"

  /// Skips a test where FFmpeg was built without the encoder, which is an option for some codecs.
  func requireEncoder() throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    try Test.cancel("this ffmpeg cannot encode the clip \(rawValue)")
  }

  var fileExtension: String {
    switch self {
    case .mp4, .mpeg4, .variableRate, .trimmed, .groups, .hevcGroups: "mp4"
    case .matroska, .hevc, .twoLanguages, .lateStart, .groupsMatroska: "mkv"
    case .groupsTransport, .openGroups: "ts"
    case .flash: "flv"
    case .audioOnly: "m4a"
    case .coverPicture: "mp3"
    case .vp9: "webm"
    case .subtitles: "srt"
    }
  }

  /// FFmpeg's arguments before the output's path.
  var arguments: String {
    let picture = "testsrc2=size=160x120:rate=25:duration=2"
    let sound = "sine=frequency=440:sample_rate=48000:duration=2"
    let x264 = "-c:v libx264 -preset ultrafast -bf 2 -g 25 -threads 1"
    return
      switch self
    {
    case .mp4, .matroska: "-f lavfi -i \(picture) -f lavfi -i \(sound) \(x264) -c:a aac"
    case .flash: "-f lavfi -i \(picture) -f lavfi -i sine=sample_rate=44100:duration=2 \(x264) -c:a libmp3lame"
    case .hevc:
      "-f lavfi -i \(picture) -f lavfi -i \(sound) -c:v libx265 -preset ultrafast -x265-params bframes=2:pools=1:log-level=none -c:a ac3"
    case .mpeg4: "-f lavfi -i \(picture) -c:v mpeg4 -bf 2"
    case .audioOnly: "-f lavfi -i \(sound) -c:a aac"
    case .coverPicture:
      "-f lavfi -i \(sound) -f lavfi -i color=red:size=16x16:duration=0.04 -map 0 -map 1 -c:a libmp3lame -c:v mjpeg -frames:v 1 "
        + "-disposition:v attached_pic"
    case .twoLanguages:
      "-f lavfi -i \(sound) -f lavfi -i \(picture) -f lavfi -i \(sound) -map 0 -map 1 -map 2 \(x264) -c:a aac "
        + "-metadata:s:a:0 language=eng -metadata:s:a:1 language=deu"
    case .variableRate: "-f lavfi -i \(picture) -vf setpts=(N+N*N/20)/25/TB -vsync vfr \(x264)"
    case .lateStart: "-f lavfi -i \(picture) -f lavfi -i \(sound) \(x264) -c:a aac -output_ts_offset 5000"
    case .vp9: "-f lavfi -i \(picture) -c:v libvpx-vp9 -cpu-used 8 -deadline realtime"
    case .subtitles: "-i \(Self.subtitleText)"
    case .groups:
      "-f lavfi -i \(picture) -f lavfi -i sine=sample_rate=44100:duration=2 \(x264) -g 10 -c:a aac"
    case .groupsMatroska, .groupsTransport: "-i \(Clip.groups.path) -c copy"
    case .hevcGroups:
      "-f lavfi -i \(picture) -f lavfi -i \(sound) -c:v libx265 -preset ultrafast -c:a aac "
        + "-x265-params bframes=2:keyint=10:open-gop=0:pools=1:log-level=none"
    case .openGroups: "-f lavfi -i \(picture) \(x264) -g 11 -x264-params open-gop=1:b-adapt=0"
    case .trimmed: "-ss 0.5 -i \(Clip.mp4.path) -c copy"
    }
  }

  /// A file of subtitles, which FFmpeg copies.
  private static let subtitleText: String = {
    let text = Array("1\n00:00:00,000 --> 00:00:01,000\nHello\n".utf8)
    return (try? Workshop.write(text, to: "subtitles.srt")) ?? ""
  }()
}

extension Workshop {
  /// Why no clip can be made.
  static let reason: Comment = "ffmpeg is not installed: apt-get install ffmpeg"

  /// The hash of each decoded frame of a file's first stream of a kind (`v` or `a`), also of those that an edit list hides.
  static func frameHashes(_ path: String, of kind: String) throws -> [String] {
    let list = self.path("frames-\(UUID().uuidString)")
    let shown = path.hasSuffix(".mp4") ? ["-ignore_editlist", "1"] : []
    #expect(Programs.ffmpeg(shown + ["-i", path, "-map", "0:\(kind):0", "-f", "framemd5", list]))
    let lines = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
    return lines.compactMap { $0.split(separator: ",").last?.trimmingCharacters(in: .whitespaces) }
  }
}
