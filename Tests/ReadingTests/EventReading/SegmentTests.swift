import Basics
import EventReading
import GameEvents
import ID3
import TestSupport
import Testing
import TransportStream

/// Streams that come in segments, go on with a programme, or lack something on the way.
@Suite struct SegmentTests {
  private static func tag(_ text: String) -> ID3Tag { ID3Tag(frames: [.text(id: "TIT2", values: [text])]) }

  /// A transport stream with a tag 0.4 s after its first video frame.
  private static func stream(_ start: UInt64) throws -> [UInt8] {
    var sample = SampleStream()
    sample.start = start
    sample.map.streams.append(.init(type: .metadata, pid: 0x102))
    sample.extras[10] = [.pes(0x102, SamplePacketWriter.pes(presentation: start + 36_000, payload: try tag("x").encode()))]
    return sample.bytes
  }

  @Test func aStreamGoesOnWithAProgramme() throws {
    let bytes = try Self.stream(900_000)
    var reader = EventReader(startingAt: MediaTime(seconds: 60), videoTime: MediaTime(seconds: 50))
    let items = try reader.push(bytes.span) + reader.finish()
    #expect(items.tags.map(\.place.time) == [MediaTime(ticks: 5_436_000)])
    #expect(items.tags.map(\.place.videoTime) == [MediaTime(ticks: 4_536_000)])
    #expect(reader.start == MediaTime(seconds: 60) && reader.end == MediaTime(ticks: 5_400_000 + 219_600))
    #expect(reader.timelineOrigin == MediaTime(ticks: 900_000 - 5_400_000) && reader.videoOrigin == MediaTime(ticks: 900_000 - 4_500_000))
  }

  @Test func copiesTellTheTimeAllTheSame() throws {
    let (stamped, _) = try stamp(SampleStream().bytes, with: SampleGame.plan())
    var reader = EventReader(startingAt: MediaTime(seconds: 60), videoTime: MediaTime(seconds: 60))
    let items = try reader.push(stamped.span) + reader.finish()
    #expect(items.copies.allSatisfy { $0.copy.programmeTime == $0.place.time })
    #expect(items.copies.allSatisfy { $0.place.videoTime == $0.place.time + MediaTime(seconds: 60) })
  }

  /// Without `skip` an hour is a jump of the clock, over which the programme goes on.
  @Test func anHourIsMissing() throws {
    let hour = MediaTime(seconds: 3_600)
    let (first, second) = (try Self.stream(900_000), try Self.stream(900_000 + 219_600 + 324_000_000))
    var reader = EventReader()
    _ = try reader.push(first.span)
    var jumping = reader
    let items = try reader.skip(hour) + reader.push(second.span) + reader.finish()
    #expect(items.tags.map(\.place.time) == [MediaTime(ticks: 219_600 + 36_000) + hour])
    #expect(items.damages == [] && reader.end == MediaTime(ticks: 2 * 219_600) + hour)
    _ = try jumping.push(second.span) + jumping.finish()
    // A jump is believed from the second video frame on, and counts from the first.
    #expect(jumping.end == MediaTime(ticks: 2 * 219_600))
  }

  /// The clock jumps by far more than what is missing: the programme goes on behind the gap.
  @Test func aJumpBehindAGapIsAJump() throws {
    let (first, second) = (try Self.stream(900_000), try Self.stream(900_000 + 324_000_000))
    var reader = EventReader()
    _ = try reader.push(first.span)
    _ = try reader.skip(MediaTime(seconds: 60)) + reader.push(second.span) + reader.finish()
    #expect(reader.end == MediaTime(ticks: 2 * 219_600) + MediaTime(seconds: 60))
  }

  /// What is missing before the first video frame counts as well.
  @Test func theBeginningIsMissing() throws {
    let bytes = try Self.stream(900_000)
    var reader = EventReader()
    _ = try reader.push(bytes.span.extracting(..<940))
    let tables = reader.timelineOrigin
    _ = try reader.skip(MediaTime(seconds: 4)) + reader.push(bytes.span.extracting(940...)) + reader.finish()
    #expect(tables == MediaTime(ticks: 900_000))
    var empty = EventReader()
    _ = try empty.push(bytes.span.extracting(..<376)) + empty.startSegment() + empty.skip(MediaTime(seconds: 4))
    let items = try empty.push(bytes.span) + empty.finish()
    #expect(items.tags.map(\.place.time) == [MediaTime(ticks: 360_000 + 36_000)])
    #expect(items.tags.map(\.place.videoTime) == [MediaTime(ticks: 360_000 + 36_000)])
  }

  /// A frame that the segment before cut off does not swallow the next segment's timestamp.
  @Test func soundThatIsCutOff() throws {
    let segment = try PackedAudioTests.timestamp(900_000).encode() + PackedAudioTests.sounds[0].frame
    let next = try PackedAudioTests.timestamp(990_000, [.text(id: "TIT2", values: ["x"])]).encode() + PackedAudioTests.sounds[0].frame
    var reader = EventReader()
    _ = try reader.push(segment.span.extracting(..<(segment.count - 40)))
    let items = try reader.startSegment() + reader.push(next.span) + reader.finish()
    #expect(items.damages == [Damage(offset: segment.count - 40, reason: "40 bytes of a frame of sound are missing")])
    #expect(items.tags.map(\.place.time) == [MediaTime(seconds: 1)])
    #expect(items.tags.map(\.place.offset) == [segment.count - 40])
  }

  /// A box that the segment before cut off does not swallow the next segment.
  @Test func aFragmentThatIsCutOff() throws {
    var sample = FragmentedSample()
    sample.add(FragmentedSample.ftyp + FragmentedSample.moov())
    sample.addFragment(track: 1, decodeTicks: 0, samples: 25)
    let first = Array(sample.bytes.dropLast(8))
    var second = FragmentedSample()
    try second.add(Self.tag("x"), at: 135_000)
    second.addFragment(track: 1, decodeTicks: 12_800, samples: 25)
    let bytes = second.bytes
    var reader = EventReader()
    _ = try reader.push(first.span)
    let items = try reader.startSegment() + reader.push(bytes.span) + reader.finish()
    #expect(items.damages.map(\.reason) == ["box mdat is cut off: 8 bytes are missing"])
    #expect(items.tags.map(\.place.offset) == [first.count] && items.tags.map(\.place.time) == [MediaTime(ticks: 135_000)])
  }
}
