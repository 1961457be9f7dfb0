import Basics
@testable import CMAF
import Foundation
import NALUnits
import TestSupport
import Testing

extension Workshop {
  static let reason: Comment = "ffmpeg is not installed: apt-get install ffmpeg"
  static let picture = "-f lavfi -i testsrc2=size=322x182:rate=25:duration=2"
  static let sound = "-f lavfi -i sine=frequency=440:sample_rate=48000:duration=2"

  /// Makes a file; `nil` where this FFmpeg cannot.
  static func make(_ name: String, _ arguments: String) -> String? {
    let path = file("cmaf-\(name)", arguments)
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }
}

/// A packet as ffprobe shows it.
private struct Packet {
  var stream: Int
  var pts: Int64
  var dts: Int64
  /// `nil` where FFmpeg does not know it, as of a first packet that it cuts off.
  var duration: Int64?
  var size: Int64
  var isKey: Bool

  init?(_ line: Substring) {
    var fields: [Substring: Substring] = [:]
    for field in line.split(separator: "|") {
      let pair = field.split(separator: "=")
      if pair.count == 2 { fields[pair[0]] = pair[1] }
    }
    let number = { (key: Substring) in fields[key].flatMap { Int64($0) } }
    guard let stream = number("stream_index"), let pts = number("pts"), let dts = number("dts"),
      let size = number("size"), let flags = fields["flags"]
    else { return nil }
    (self.stream, self.pts, self.dts, self.size) = (Int(stream), pts, dts, size)
    duration = number("duration")
    isKey = flags.contains("K")
  }

  static func all(_ path: String) -> [Packet] {
    let entries = "packet=stream_index,pts,dts,duration,size,flags"
    let text = Programs.run("ffprobe", ["-v", "error", "-show_entries", entries, "-of", "compact=p=0", path]) ?? ""
    return text.split(separator: "\n").compactMap(Packet.init)
  }
}

@Suite struct RealStreamTests {
  static let h264 = "-c:v libx264 -preset ultrafast -bf 2 -g 25 -threads 1 -pix_fmt yuv420p"

  @Test(
    .enabled(if: Programs.hasFFmpeg, Workshop.reason),
    arguments: ["empty_moov", "delay_moov", "empty_moov+omit_tfhd_offset"])
  func fragmentsHaveTheTimesThatFFprobeShows(flags: String) throws {
    let command = "\(Workshop.picture) \(Workshop.sound) \(Self.h264) -c:a aac -movflags frag_keyframe+default_base_moof+\(flags)"
    let path = try #require(Workshop.make("\(flags).mp4", command))
    let bytes = try Workshop.bytes(path)
    let items = readFragments(bytes, chunk: 4_096)
    #expect(readFragments(bytes, chunk: 100, skips: true) == items)
    var packets = Packet.all(path)
    #expect(packets.count > 100)
    guard case .initialisation(let movie) = items.first else {
      Issue.record("no initialisation")
      return
    }
    for item in items.dropFirst() {
      guard case .fragment(let fragment, _) = item else {
        Issue.record("\(item)")
        continue
      }
      for part in fragment.tracks {
        let stream = Int(part.trackID) - 1
        let samples = packets.filter { $0.stream == stream }.prefix(Int(part.sampleCount))
        let shift = try #require(movie.track(part.trackID)).presentationShift
        #expect(part.decodeTicks.map { $0 + shift } == samples.first?.dts)
        #expect(part.earliestPresentationTicks == samples.map(\.pts).min())
        // FFmpeg gives the last packet of audio a whole frame's duration.
        let durations = samples.compactMap(\.duration)
        if stream == 0, durations.count == samples.count { #expect(part.durationTicks == durations.reduce(0, +)) }
        #expect(part.byteCount == samples.map(\.size).reduce(0, +))
        #expect(part.startsWithSyncSample == samples.first?.isKey)
        var count = Int(part.sampleCount)
        packets.removeAll { packet in
          guard packet.stream == stream, count > 0 else { return false }
          count -= 1
          return true
        }
      }
    }
    #expect(packets.isEmpty)
  }

  /// FFmpeg's own reader shows such video frames late.
  @Test(.enabled(if: Programs.hasFFmpeg, Workshop.reason), arguments: ["delay_moov+cmaf", "delay_moov+negative_cts_offsets"])
  func negativeCompositionOffsetsStartAtZero(flags: String) throws {
    let command = "\(Workshop.picture) \(Self.h264) -movflags frag_keyframe+default_base_moof+\(flags)"
    let path = try #require(Workshop.make("\(flags).mp4", command))
    let fragments = readFragments(try Workshop.bytes(path)).compactMap { item in
      if case .fragment(let fragment, _) = item { fragment } else { nil }
    }
    #expect(fragments.map(\.earliestPresentationTime) == [.zero, MediaTime(seconds: 1)])
    #expect(fragments.map { $0.tracks[0].duration } == [MediaTime(seconds: 1), MediaTime(seconds: 1)])
  }

  @Test(
    .enabled(if: Programs.hasFFmpeg, Workshop.reason),
    arguments: [
      ("aac", "\(Workshop.sound) -ac 2 -c:a aac", SampleEntry(type: .mp4a, codec: "mp4a.40.2", sampleRate: 48_000, channelCount: 2)),
      ("mp3", "\(Workshop.sound) -ac 2 -c:a libmp3lame", SampleEntry(type: .mp4a, codec: "mp4a.6B", sampleRate: 48_000, channelCount: 2)),
      ("ac3", "\(Workshop.sound) -ac 6 -c:a ac3", SampleEntry(type: .ac3, codec: "ac-3", sampleRate: 48_000, channelCount: 6)),
      ("eac3", "\(Workshop.sound) -ac 6 -c:a eac3", SampleEntry(type: .ec3, codec: "ec-3", sampleRate: 48_000, channelCount: 6)),
      ("opus", "\(Workshop.sound) -c:a libopus", SampleEntry(type: .opus, codec: "Opus", sampleRate: 48_000, channelCount: 1)),
      (
        "avc", "\(Workshop.picture) \(h264) -level 3.1",
        SampleEntry(
          type: .avc1, codec: "avc1.4D401F", nalUnits: .init(.h264, lengthSize: 4), pictureSize: PictureSize(width: 322, height: 182))
      ),
      (
        "hevc",
        "\(Workshop.picture) -c:v libx265 -preset ultrafast -x265-params pools=1:level-idc=31:log-level=none -pix_fmt yuv420p -tag:v hvc1",
        SampleEntry(
          type: .hvc1, codec: "hvc1.1.6.L93.90", nalUnits: .init(.hevc, lengthSize: 4), pictureSize: PictureSize(width: 322, height: 182))
      ),
    ])
  func codecsAreTold(name: String, arguments: String, expected: SampleEntry) throws {
    guard let path = Workshop.make("codec-\(name).mp4", "\(arguments) -movflags frag_keyframe+delay_moov+default_base_moof") else {
      try Test.cancel("this ffmpeg cannot encode \(name)")
    }
    guard case .initialisation(let movie) = readFragments(try Workshop.bytes(path)).first else {
      Issue.record("no initialisation")
      return
    }
    #expect(movie.tracks.map(\.sampleEntries) == [[expected]])
  }

  static let streams = ProcessInfo.processInfo.environment["CUELIGHT_STREAMS"]

  @Test(.enabled(if: streams != nil, "CUELIGHT_STREAMS is not set")) func messageOfVersionZeroBeforeTheIndex() throws {
    let bytes = try Workshop.bytes(try #require(Self.streams) + "/cml-emsg.m4s")
    let message = EventMessageBox(
      schemeID: "urn:mpeg:dash:event:2012", value: "1", timescale: timescale(1), time: .afterSegmentStart(1), eventDuration: 0xFFFF, id: 1,
      messageData: Array("2014-06-11T13:06:24".utf8))
    // The initialisation segment is not there; its edit list must have taken the first composition offset away.
    let track = Track(id: 1, handler: .vide, timescale: timescale(12_800), presentationShift: -1_024)
    let items = readFragments(bytes, movie: MovieHeader(tracks: [track]))
    #expect(items.count == 2)
    #expect(items.first == .eventMessage(message, time: MediaTime(seconds: 5), offset: 106))
    guard case .fragment(let fragment, let offset) = items.last else {
      Issue.record("no fragment")
      return
    }
    #expect(offset == 224)
    #expect(fragment.sequenceNumber == 3)
    #expect(fragment.earliestPresentationTime == MediaTime(seconds: 4))
    #expect(fragment.tracks.first?.duration == MediaTime(seconds: 2))
    #expect(try message.encoded() == Array(bytes[106..<180]))
  }
}
