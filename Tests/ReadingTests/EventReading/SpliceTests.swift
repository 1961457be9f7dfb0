import Basics
import EventReading
import EventSchedule
import GameEvents
import ID3
import TestSupport
import Testing
import TransportStream

/// Streams that are joined without a signal: the programme goes on, and what lies behind the splice has the new clock.
@Suite struct SpliceTests {
  private static let length = MediaTime(ticks: 219_600)

  /// A tag before each of some video frames, presented with it.
  private static func sample(_ start: UInt64, _ frames: [Int], _ change: (inout SampleStream) -> Void = { _ in }) throws -> SampleStream {
    var sample = SampleStream()
    sample.start = start
    sample.map.streams.append(.init(type: .metadata, pid: 0x102))
    change(&sample)
    for frame in frames {
      let payload = try ID3Tag(frames: [.text(id: "TIT2", values: ["\(frame)"])]).encode()
      let time = UInt64(Int64(start) + Int64(frame) * 3_600) & 0x1_FFFF_FFFF
      sample.extras[frame] = [.pes(sample.map.streams.last?.pid ?? 0, SamplePacketWriter.pes(presentation: time, payload: payload))]
    }
    return sample
  }

  private static let starts: [UInt64] = [0, 60_000_000, 4_000_000_000, (1 << 33) - 90_000]

  /// The tags of the first video frames behind the splice come before, between and after the frames that show the jump.
  @Test(arguments: starts, [188, 1_000_000]) func tagsHaveTheNewClock(second: UInt64, chunk: Int) throws {
    let frames = [0, 1, 2, 3, 30]
    let (first, next) = (try Self.sample(900_000, [0, 60]), try Self.sample(second, frames))
    let tags = try read(first.bytes + next.bytes, chunk: chunk).tags
    let expected: [Int64] = ([0, 60] + frames.map { 61 + $0 }).map { Int64($0) * 3_600 }
    #expect(tags.map(\.place.time.ticks) == expected)
    #expect(tags.compactMap(\.place.videoTime?.ticks) == expected)
  }

  /// Video frames that are seconds apart show the jump as well.
  @Test func aSlideshowMayJump() throws {
    func slides(_ start: Int64) throws -> [UInt8] {
      var writer = SamplePacketWriter()
      let map = ProgramMapTable(
        programNumber: 1, version: 0, pcrPID: 0x100, streams: [.init(type: .h264, pid: 0x100), .init(type: .metadata, pid: 0x102)])
      let association = ProgramAssociationTable(transportStreamID: 1, version: 0, entries: [.init(number: 1, pmtPID: 0x1000)])
      writer.append(section: association.section, pid: 0)
      writer.append(section: try map.section(), pid: 0x1000)
      for slide in 0..<5 {
        let time = UInt64(start + Int64(slide) * 360_000)
        let tag = try ID3Tag(frames: [.text(id: "TIT2", values: ["x"])]).encode()
        writer.append(SamplePacketWriter.pes(presentation: time, payload: [0, 0, 1, 0x65, 0x88]), pid: 0x100)
        writer.append(SamplePacketWriter.pes(presentation: time, payload: tag), pid: 0x102)
      }
      return writer.bytes
    }
    let tags = try read(slides(900_000) + slides(90_000_000)).tags
    // The frame of the last slide lasts as long as the ones before are known to: one of 25 a second.
    let times: [Int64] = [0, 360_000, 720_000, 1_080_000, 1_440_000]
    #expect(tags.map(\.place.time.ticks) == times + times.map { $0 + 1_440_000 + 3_600 })
  }

  /// The streams behind the splice lie on other PIDs, and in a program of another number.
  @Test(arguments: [false, true]) func otherStreamsMayFollow(isOtherProgram: Bool) throws {
    let next = try Self.sample(400_000_000, [0, 5, 30]) { sample in
      let number: UInt16 = isOtherProgram ? 9 : 1
      sample.map = ProgramMapTable(
        programNumber: number, version: 4, pcrPID: 0x200,
        streams: [.init(type: .h264, pid: 0x200), .init(type: .aac, pid: 0x201), .init(type: .metadata, pid: 0x202)])
    }
    let tags = try read(Self.sample(900_000, [0, 60]).bytes + next.bytes).tags
    #expect(tags.map(\.place.time.ticks) == [0, 60, 61, 66, 91].map { $0 * 3_600 })
  }

  /// A game that starts again behind the splice: its first copy waits for the second, and none is left out.
  @Test func aGameMayStartAgain() throws {
    let (stamped, _) = try stamp(SampleStream().bytes, with: SampleGame.plan())
    let once = try read(stamped)
    // Ten minutes lie between.
    let (later, _) = try stamp(try Self.sample(60_000_000, []).bytes, with: SampleGame.plan())
    let items = try read(stamped + later)
    #expect(items.damages == [])
    #expect(items.copies.map(\.copy) == once.copies.map(\.copy) + once.copies.map(\.copy))
    #expect(items.copies.allSatisfy { $0.place.time == $0.copy.programmeTime })
  }

  @Test func aFragmentedFileMayStartAgain() throws {
    var sample = FragmentedSample(zero: 0)
    sample.add(FragmentedSample.ftyp + FragmentedSample.moov())
    // Twenty seconds, and again from the start.
    for round in 0..<2 {
      for part in 0..<2 {
        try sample.add(ID3Tag(frames: [.text(id: "TIT2", values: ["\(round)\(part)"])]), at: Int64(part) * 900_000 + 9_000)
        sample.addFragment(track: 1, decodeTicks: UInt64(part) * 128_000, samples: 250)
      }
    }
    let tags = try read(sample.bytes).tags
    #expect(tags.map(\.place.time.ticks) == [9_000, 909_000, 1_809_000, 2_709_000])
    for chunk in [1, 100] { #expect(try read(sample.bytes, chunk: chunk).tags.map(\.place) == tags.map(\.place)) }
  }

  @Test func packedAudioMayStartAgain() throws {
    let frame = PackedAudioTests.sounds[0].frame
    var bytes: [UInt8] = []
    for start in [2_000_000, 2_001_920, 90_000] as [UInt64] {
      bytes += try PackedAudioTests.timestamp(start).encode() + frame + (try PackedAudioTests.tag("x").encode())
    }
    #expect(try read(bytes).tags.map(\.place.time.ticks) == [1_920, 3_840, 5_760])
  }
}
