import Basics
import CMAF
import EventReading
import EventSchedule
import GameEvents
import HLSPlaylist
import ID3
import PacketStamping
import Stamping
import TestSupport
import Testing
import TransportStream

@testable import LiveHLS

/// A stamped stream, cut into segments of fragmented MP4.
@Suite struct FragmentSegmenterTests {
  /// Parameter sets as x264 has written them, each after a start code: 640 x 360, and 1920 x 1080.
  private static let small = [0, 0, 1] + hex("6764001eacd940a02ff97011000003000100000300320f162d96") + [0, 0, 1] + hex("68ebe3cb22c0")
  private static let large = [0, 0, 1] + hex("6742c028da01e0089f97011000000300100000030320f1832a") + [0, 0, 1] + hex("68ce3c80")

  private static let start = SampleGame.event("friday", "s", 1, at: 3_600, .startGame(StartGame(title: "Friday", totalQuestions: 1)))

  private static var sample: SampleStream {
    var sample = SampleStream()
    sample.parameterSets = [0: small]
    return sample
  }

  /// What one track has of a segment or a part.
  private struct Fragments: Equatable {
    var (sampleCount, duration, byteCount) = (Int64(0), Int64(0), Int64(0))
    /// When the first sample is decoded, in ticks of the track.
    var start: Int64?
    var messages: [(copy: Int, guid: String, time: MediaTime)] = []

    static func == (left: Fragments, right: Fragments) -> Bool {
      (left.sampleCount, left.duration, left.start) == (right.sampleCount, right.duration, right.start)
    }
  }

  private func fragments(_ initialization: [UInt8], _ bytes: [UInt8]) throws -> Fragments {
    var reader = FragmentReader()
    var found = Fragments()
    for item in reader.push((initialization + bytes).span) {
      switch item {
      case .fragment(let fragment, offset: _):
        let track = try #require(fragment.tracks.first)
        found.start = found.start ?? track.decodeTicks
        found.sampleCount += track.sampleCount
        found.duration += track.durationTicks ?? 0
        found.byteCount += track.byteCount ?? 0
      case .eventMessage(let message, let time, offset: _):
        let tag = try ID3Tag.decode(message.messageData.span)
        let copy = try #require(EventCopy.copies(in: tag).compactMap { try? $0.get() }.first)
        found.messages.append((copy.copy, copy.event.guid.text, time - LiveSegmenter.fragmentOrigin))
      default: break
      }
    }
    return found
  }

  /// Segments have all pictures and all frames of audio, each one once, and each track goes on where it has ended.
  @Test(arguments: [nil, MediaTime(seconds: 0.25)]) func segments(partDuration: MediaTime?) throws {
    var cutting = LiveSegmenterTests.Cutting(partDuration: partDuration, type: .fragmentedMP4)
    cutting.push(Self.sample.bytes)
    cutting.finish()
    #expect(cutting.segments.map { $0.start.ticks / 3_600 } == [0, 27, 51])
    #expect(cutting.segments.map { $0.duration.ticks / 3_600 } == [27, 24, 10])
    let program = try #require(cutting.segments[0].program)
    #expect(cutting.segments.map { $0.program == nil } == [false, true, true])
    #expect(program.codecs == "avc1.64001E,mp4a.40.2" && program.resolution == .init(width: 640, height: 360))
    #expect(program.frameRate == PlaylistDecimal(billionths: 25_000_000_000))
    #expect(program.audio.map(\.channelCount) == [2])
    let main = try cutting.segments.map { try fragments(program.initialization, $0.bytes) }
    // The first picture is decoded a frame before it is presented.
    // Pictures in front of a key frame in the order of presentation come after it in the stream.
    #expect(main.map(\.sampleCount) == [25, 24, 12])
    #expect(main.map(\.start) == [896_400, 986_400, 1_072_800] as [Int64?])
    let audio = try cutting.segments.map { try fragments(program.audio[0].initialization, try #require($0.audio[0])) }
    #expect(audio.reduce(0) { $0 + $1.sampleCount } == 115 && audio[0].start == 480_000)
    for (one, next) in zip(audio, audio.dropFirst()) { #expect(one.start.map { $0 + one.duration } == next.start) }
    // A frame of audio belongs to the segment that presents it.
    for (segment, audio) in zip(cutting.segments, audio) {
      let start = try #require(audio.start)
      #expect((0..<1_024).contains(start - (segment.start + LiveSegmenter.fragmentOrigin).ticks * 48 / 90))
    }
  }

  /// A segmenter that begins in the middle of a stream has all audio of its first segment, though some arrives before the first picture, and none of
  /// the segment before it.
  @Test func beginningInTheMiddle() throws {
    var whole = LiveSegmenterTests.Cutting(type: .fragmentedMP4)
    whole.push(Self.sample.bytes)
    whole.finish()
    let packets = SamplePacket.all(in: Self.sample.bytes)
    let pictures = packets.indices.filter { packets[$0].pid == 0x100 && packets[$0].bytes[1] & 0x40 != 0 }
    var rest = LiveSegmenterTests.Cutting(type: .fragmentedMP4)
    // The first segment has 25 pictures.
    for (index, packet) in packets.enumerated() where index >= pictures[25] || packet.pid != 0x100 { rest.push(packet.bytes) }
    rest.finish()
    #expect(rest.segments.map(\.duration) == whole.segments.dropFirst().map(\.duration))
    func audio(_ segments: ArraySlice<LiveSegment>, _ program: LiveProgram?) throws -> [Fragments] {
      let initialization = try #require(program).audio[0].initialization
      return try segments.map { try fragments(initialization, try #require($0.audio[0])) }
    }
    var found = try audio(rest.segments[...], rest.segments[0].program)
    // Its timeline begins where that of the whole stream is at 27 pictures.
    for index in found.indices { found[index].start? += 27 * 1_920 }
    #expect(try found == audio(whole.segments.dropFirst(), whole.segments[0].program))
  }

  /// Put one after another, the parts of a segment are the segment.
  @Test func parts() throws {
    var cutting = LiveSegmenterTests.Cutting(
      [SampleGame.short("a", at: 30 * 3_600)], partDuration: MediaTime(seconds: 0.25), type: .fragmentedMP4)
    cutting.push(Self.sample.bytes)
    // Those of the first segment come with it, since its initialization segment does.
    #expect(cutting.parts.contains { $0.segmentStart == .zero } && cutting.segments[0].parts.count == 5)
    cutting.finish()
    for segment in cutting.segments {
      let parts = cutting.parts.filter { $0.segmentStart == segment.start }
      #expect(parts.map(\.number) == Array(parts.indices) && parts.flatMap(\.bytes) == segment.bytes)
      #expect(parts.compactMap { $0.audio.first ?? nil }.flatMap(\.self) == segment.audio[0])
      #expect(parts.reduce(MediaTime.zero) { $0 + $1.duration } == segment.duration)
      #expect(parts.dropLast().allSatisfy { $0.duration == $0.target } && parts[0].isIndependent)
    }
    let program = try #require(cutting.segments[0].program)
    let told = try cutting.parts.filter { try !fragments(program.initialization, $0.bytes).messages.isEmpty }
    // It is in the part that begins with its picture, and again at the start of the segment after that.
    #expect(told.map(\.segmentStart) == [MediaTime(ticks: 97_200), MediaTime(ticks: 183_600)])
    #expect(told.map(\.number) == [0, 0])
  }

  /// An event has one message in the segment that presents it, and one that repeats it in those after it.
  @Test func messages() throws {
    var cutting = LiveSegmenterTests.Cutting([Self.start, SampleGame.short("a", at: 40 * 3_600)], type: .fragmentedMP4)
    cutting.push(Self.sample.bytes)
    cutting.finish()
    let program = try #require(cutting.segments[0].program)
    let found = try cutting.segments.map { try fragments(program.initialization, $0.bytes).messages }
    #expect(found.map { $0.map(\.guid) }.map { $0.count } == cutting.segments.map(\.guids.count))
    #expect(found[0].map(\.copy) == [1] && found[0].map(\.time) == [MediaTime(ticks: 3_600)])
    #expect(found[1].map(\.copy) == [2, 1] && found[1].map(\.time) == [MediaTime(ticks: 27 * 3_600), MediaTime(ticks: 40 * 3_600)])
    #expect(found[2].allSatisfy { $0.copy > 1 } && found[2].contains { $0.guid == "friday-s" })
  }

  /// Audio that stops delays one segment or part by half a second, and those after it not at all.
  @Test func audioThatStops() throws {
    var cutting = LiveSegmenterTests.Cutting(partDuration: MediaTime(seconds: 0.25), type: .fragmentedMP4)
    var sample = Self.sample
    sample.pictureCount = 121
    let packets = SamplePacket.all(in: sample.bytes)
    var (pictures, audio, latest): (Int, Int, Int) = (0, 0, 0)
    for packet in packets {
      if packet.pid == 0x100, packet.bytes[1] & 0x40 != 0 { pictures += 1 }
      if packet.pid == 0x101 {
        audio += 1
        if audio > 60 { continue }
      }
      cutting.push(packet.bytes)
      let known = Int(cutting.parts.last.map { ($0.segmentStart + $0.duration).ticks / 3_600 } ?? 0)
      if pictures > 80 {
        latest = max(latest, pictures - max(known, Int(cutting.segments.last.map { ($0.start + $0.duration).ticks / 3_600 } ?? 0)))
      }
    }
    cutting.finish()
    // Once it is known to be away, a part comes with the picture that starts the next one.
    #expect(cutting.segments.map { $0.duration.ticks / 3_600 }.reduce(0, +) == 121 && latest <= 27)
    let program = try #require(cutting.segments[0].program)
    let main = try cutting.segments.map { try fragments(program.initialization, $0.bytes).sampleCount }
    #expect(main.reduce(0, +) == 121 && cutting.segments.last?.audio == [nil])
  }

  /// Pictures of another size begin a segment that is discontinuous and has an initialization segment of its own.
  @Test func otherPictures() throws {
    var sample = Self.sample
    sample.parameterSets[40] = Self.large
    var cutting = LiveSegmenterTests.Cutting(type: .fragmentedMP4)
    cutting.push(sample.bytes)
    cutting.finish()
    #expect(cutting.segments.map(\.boundary) == [.randomAccess, .randomAccess, .discontinuity])
    #expect(cutting.segments.map { $0.program?.mainCodecs } == ["avc1.64001E", nil, "avc1.42C028"])
    #expect(cutting.segments[2].program?.resolution == .init(width: 1_920, height: 1_080))
  }

  /// What cannot be carried is left out and told; without anything else there are no segments.
  @Test func leftOut() throws {
    var sample = Self.sample
    sample.map.streams[1].type = .dts
    var cutting = LiveSegmenterTests.Cutting(type: .fragmentedMP4)
    cutting.push(sample.bytes)
    cutting.finish()
    #expect(cutting.segments.map(\.audio) == [[], [], []] && cutting.notices == ["DTS audio (PID 257) is not in the segments"])
    sample.map.streams[0].type = .mpeg2Video
    var nothing = LiveSegmenterTests.Cutting(type: .fragmentedMP4)
    nothing.push(sample.bytes)
    nothing.finish()
    #expect(nothing.segments.isEmpty && nothing.notices.count == 2)
  }

  /// What is announced as a kind that is known, and is none, is told as well, and delays nothing.
  @Test func unknownFrames() throws {
    var sample = Self.sample
    // Layer II is announced as layer III is.
    sample.map.streams[1].type = .mpeg2Audio
    sample.pictureCount = 301
    var cutting = LiveSegmenterTests.Cutting(type: .fragmentedMP4)
    cutting.push(sample.bytes)
    cutting.finish()
    let program = try #require(cutting.segments[0].program)
    let main = try cutting.segments.map { try fragments(program.initialization, $0.bytes).sampleCount }
    #expect(cutting.segments.allSatisfy { $0.audio.isEmpty } && main.reduce(0, +) == 301)
    #expect(cutting.notices == ["MPEG audio (PID 257) is not in the segments"])
  }

  /// Where a stretch begins without parameter sets, its first segment is left out, and the next one is discontinuous and brings its initialization segment.
  @Test func withoutParameterSets() throws {
    var later = Self.sample
    later.start = 900_000 + 90_000 * 500
    later.parameterSets = [0: [0, 0, 1, 0x67], 20: Self.small]
    var cutting = LiveSegmenterTests.Cutting(
      [SampleGame.short("a", at: 75 * 3_600)], partDuration: MediaTime(seconds: 0.25), type: .fragmentedMP4)
    cutting.push(Self.sample.bytes + later.bytes)
    cutting.finish()
    #expect(cutting.segments.map { $0.program == nil } == [false, true, true, false, true])
    #expect(cutting.segments.map(\.boundary) == [.randomAccess, .randomAccess, .randomAccess, .discontinuity, .randomAccess])
    let program = try #require(cutting.segments[3].program)
    // An event in front of pictures that are left out comes with the next ones, which also begin with its repetition.
    #expect(try fragments(program.initialization, cutting.segments[3].bytes).messages.map(\.copy) == [1, 2])
    let parts = cutting.parts.filter { $0.segmentStart == cutting.segments[3].start }
    #expect(!parts.isEmpty && parts.allSatisfy { $0.audio.count == 1 && $0.boundary == .discontinuity })
  }

  /// Another stream in a program whose clock goes on begins a stretch of its own.
  @Test func otherStreams() throws {
    var sample = Self.sample
    var map = sample.map
    map.version = 4
    map.streams[0].pid = 0x110
    map.pcrPID = 0x110
    sample.laterMaps = [37: map]
    var cutting = LiveSegmenterTests.Cutting(type: .fragmentedMP4)
    cutting.push(sample.bytes)
    cutting.finish()
    #expect(cutting.segments.filter { $0.program != nil }.map(\.boundary) == [.randomAccess, .discontinuity])
    var (program, count): (LiveProgram?, Int64) = (nil, 0)
    for segment in cutting.segments {
      program = segment.program ?? program
      count += try fragments(try #require(program).initialization, segment.bytes).sampleCount
    }
    #expect(count == 61)
  }

  /// Audio of another clock in front of a jump is in none of the stretches.
  @Test func audioOfAnotherClock() throws {
    var later = Self.sample
    later.start = 900_000 + 90_000 * 3
    let first = SamplePacket.all(in: Self.sample.bytes).map(\.bytes)
    // Some of the new audio comes before the first picture of the new clock, and some of the old after it.
    let second = SamplePacket.all(in: later.bytes)
    let audio = second.filter { $0.pid == 0x101 }.prefix(4).map(\.bytes)
    var cutting = LiveSegmenterTests.Cutting(type: .fragmentedMP4)
    var packets = first.dropLast(6) + audio
    packets += second.prefix(8).map(\.bytes)
    packets += first.suffix(6)
    cutting.push(packets.flatMap(\.self))
    cutting.push(second.dropFirst(8).flatMap(\.bytes))
    cutting.finish()
    let program = try #require(cutting.segments[0].program)
    for segment in cutting.segments {
      guard let bytes = segment.audio.first ?? nil else { continue }
      let found = try fragments(program.audio[0].initialization, bytes)
      let start = (segment.start + LiveSegmenter.fragmentOrigin).ticks * 48 / 90
      #expect(try #require(found.start) >= start - 4_800 && found.duration <= segment.duration.ticks * 48 / 90 + 28_800)
    }
  }

  /// Audio alone has one track, and other renditions none besides their video.
  @Test func otherTracks() throws {
    var sample = Self.sample
    sample.map = SampleStream.soundAlone
    var cutting = LiveSegmenterTests.Cutting(partDuration: MediaTime(seconds: 0.25), type: .fragmentedMP4)
    cutting.push(sample.bytes)
    cutting.finish()
    let program = try #require(cutting.segments[0].program)
    #expect(program.codecs == "mp4a.40.2" && program.audio.isEmpty && program.resolution == nil)
    let samples = try cutting.segments.map { try fragments(program.initialization, $0.bytes).sampleCount }
    #expect(samples.reduce(0, +) == 115 && cutting.segments.allSatisfy { $0.audio.isEmpty })
    var alone = LiveSegmenterTests.Cutting(type: .fragmentedMP4, hasAudio: false)
    alone.push(Self.sample.bytes)
    alone.finish()
    #expect(alone.segments.allSatisfy { $0.audio.isEmpty } && alone.segments[0].program?.codecs == "avc1.64001E")
  }

  /// After a jump of the clock everything that has come is there, and the tracks begin anew.
  @Test func jumps() throws {
    var later = Self.sample
    later.start = 900_000 + 90_000 * 500
    var cutting = LiveSegmenterTests.Cutting(type: .fragmentedMP4)
    cutting.push(Self.sample.bytes + later.bytes)
    cutting.finish()
    let starts = cutting.segments.filter { $0.program != nil }
    #expect(starts.map(\.boundary) == [.randomAccess, .discontinuity])
    let program = try #require(starts.last?.program)
    #expect(try cutting.segments.map { try fragments(program.initialization, $0.bytes).sampleCount }.reduce(0, +) == 122)
  }

  /// Whatever a stream has lost or has twice, nothing traps, and what comes out can be read.
  @Test func damage() throws {
    var random = SeededNumbers(seed: 9)
    let packets = SamplePacket.all(in: Self.sample.bytes)
    for partDuration in [nil, MediaTime(seconds: 0.25)] {
      for _ in 0..<40 {
        var cutting = LiveSegmenterTests.Cutting(partDuration: partDuration, type: .fragmentedMP4)
        for packet in packets {
          var bytes = packet.bytes
          switch Int.random(in: 0..<60, using: &random) {
          case 0: continue
          case 1: cutting.push(bytes)
          case 2: bytes[Int.random(in: 4..<188, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
          default: break
          }
          cutting.push(bytes)
        }
        cutting.finish()
        for segment in cutting.segments {
          var reader = FragmentReader()
          _ = reader.push(segment.bytes.span)
          #expect(reader.finish().isEmpty)
        }
      }
    }
  }
}
