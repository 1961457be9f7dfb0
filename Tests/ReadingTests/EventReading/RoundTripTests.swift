import Basics
import EventReading
import EventSchedule
import GameEvents
import ID3
import TestSupport
import Testing
import TransportStream

/// What was stamped is read: the same copies, at the same times, where they lie.
@Suite struct RoundTripTests {
  /// Where and when the reader must find each copy that was scheduled.
  static func expectedItems(_ sample: SampleStream, _ stamped: [UInt8], _ events: [PlannedEvent]) throws -> [StreamItem] {
    let offsets = SamplePacket.all(in: stamped).filter { $0.pid == 0x102 && $0.header.startsUnit }.map(\.offset)
    let copies = try sample.scheduledCopies(events)
    #expect(offsets.count == copies.count)
    return zip(copies, offsets).map { copy, offset in
      let place = Place(
        time: copy.time, presentationTime: MediaTime(ticks: Int64(sample.start) + copy.time.ticks), videoTime: copy.time,
        carriage: .id3(pid: 0x102), offset: offset, byteCount: copy.tag.count)
      return .copy(copy.copy, place)
    }
  }

  /// 33-bit times at which the video may begin; from some the clock wraps on the way, or just before the first video frame.
  @Test(arguments: [3_600, 900_000, 1 << 32, (1 << 33) - 100_000, (1 << 33) - 3_600] as [UInt64])
  func everyCopyAtItsTime(start: UInt64) throws {
    var sample = SampleStream()
    sample.start = start
    let (stamped, _) = try stamp(sample.bytes, with: SampleGame.plan())
    #expect(try read(stamped) == Self.expectedItems(sample, stamped, SampleGame.plan()))
  }

  /// The first event lies in the stream before the first video frame, which is decoded before the clock wraps and presented after it.
  @Test func theClockWrapsBetweenDecodingAndPresentation() throws {
    var sample = SampleStream()
    sample.start = 0
    let (stamped, _) = try stamp(sample.bytes, with: SampleGame.plan())
    var reader = EventReader()
    let items = try reader.push(stamped.span) + reader.finish()
    sample.start = 1 << 33
    #expect(items == (try Self.expectedItems(sample, stamped, SampleGame.plan())))
    #expect(reader.timelineOrigin == MediaTime(ticks: 1 << 33))
    #expect(reader.videoOrigin == reader.timelineOrigin)
    #expect(reader.end == MediaTime(ticks: sample.end))
  }

  @Test func chunksOfAnySizeGiveTheSame() throws {
    let sample = SampleStream()
    let (stamped, _) = try stamp(sample.bytes, with: SampleGame.plan())
    let expected = try Self.expectedItems(sample, stamped, SampleGame.plan())
    for chunk in [1, 7, 188, 1_000] { #expect(try read(stamped, chunk: chunk) == expected, "chunks of \(chunk)") }
  }

  @Test(arguments: PacketFramer.Framing.allCases, [1_000, 1 << 20]) func everyFraming(framing: PacketFramer.Framing, chunk: Int) throws {
    let sample = SampleStream()
    let (stamped, _) = try stamp(sample.bytes, with: SampleGame.plan())
    let expected = try Self.expectedItems(sample, stamped, SampleGame.plan()).map { item -> StreamItem in
      guard case .copy(let copy, var place) = item else { return item }
      place.offset = place.offset / 188 * framing.stride + framing.packetStart
      return .copy(copy, place)
    }
    #expect(try read(SamplePacket.reframed(stamped, framing), chunk: chunk) == expected)
  }

  /// Cut after any packet, and at odd places, the stream gives what is complete up to there.
  @Test func cutAtEveryLength() throws {
    var sample = SampleStream()
    sample.pictureCount = 31
    let events = [SampleGame.short("a", at: 3_600), SampleGame.plan()[1]]
    let (stamped, _) = try stamp(sample.bytes, with: events)
    let whole = try read(stamped).copies
    var reader = EventReader()
    var before: [StreamItem] = []
    for start in stride(from: 0, to: stamped.count, by: 188) {
      for odd in [0, 1, 94, 187] {
        let cut = Array(stamped[start..<min(start + odd, stamped.count)])
        var copy = reader
        guard let items = try? before + copy.push(cut.span) + copy.finish() else {
          // Too little to tell what it is: nothing but the first association, or not even that.
          #expect(start <= 188)
          continue
        }
        let copies = items.copies
        #expect(copies.map(\.copy) == whole.prefix(copies.count).map(\.copy))
        #expect(copies.map(\.place) == whole.prefix(copies.count).map(\.place))
        #expect(items.damages.allSatisfy { $0.offset <= start })
        #expect(items.damages.count <= 2)
      }
      before += try reader.push(stamped.span.extracting(start..<start + 188))
    }
    #expect(try (before + reader.finish()).copies.count == whole.count)
  }

  @Test func soundAloneIsRead() throws {
    var sample = SampleStream()
    sample.map = SampleStream.soundAlone
    let (stamped, _) = try stamp(sample.bytes, with: SampleGame.plan())
    #expect(try read(stamped) == Self.expectedItems(sample, stamped, SampleGame.plan()))
  }

  /// A reader that comes in the middle knows the programme's time from the first copy it meets.
  @Test func joiningLate() throws {
    let sample = SampleStream()
    let (stamped, _) = try stamp(sample.bytes, with: SampleGame.plan())
    let expected = try Self.expectedItems(sample, stamped, SampleGame.plan())
    let tables = try #require(SamplePacket.all(in: stamped).last { $0.pid == 0 && $0.offset < stamped.count / 2 }?.offset)
    let items = try read(Array(stamped[tables...]))
    let later = expected.copiesAndPlaces(from: tables)
    // The video's times count from where the reader came in.
    #expect(items.withoutPictureTimes == later.withoutPictureTimes)
    #expect(!later.isEmpty)
  }
}

extension [StreamItem] {
  fileprivate var withoutPictureTimes: [StreamItem] {
    map { item in
      guard case .copy(let copy, var place) = item else { return item }
      place.videoTime = nil
      return .copy(copy, place)
    }
  }

  /// The copies that lie at an offset or behind it, with their places counted from it.
  fileprivate func copiesAndPlaces(from offset: Int) -> [StreamItem] {
    copies.filter { $0.place.offset >= offset }.map { copy, place in
      var place = place
      place.offset -= offset
      return .copy(copy, place)
    }
  }
}
