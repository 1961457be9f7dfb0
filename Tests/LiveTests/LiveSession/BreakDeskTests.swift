import Basics
import DASH
import HLSPlaylist
import HLSReading
import LiveHLS
import SCTE35
import Testing

@testable import LiveSession

@Suite struct BreakDeskTests {
  private func splice(_ isOut: Bool, _ id: UInt32, time: UInt64?, duration: UInt64? = nil, at place: Int) throws -> FoundSplice {
    let splice = SpliceInsert.Splice(isOut: isOut, at: time.map { $0 * 90_000 }, duration: duration.map { $0 * 90_000 })
    let section = SpliceSection(command: .insert(SpliceInsert(eventID: id, splice)))
    return FoundSplice(bytes: try section.encode(), place: MediaTime(seconds: place), clock: UInt64(place) * 90_000)
  }

  private func date(_ time: MediaTime) -> Int64 { 1_000_000 + time.milliseconds }

  private func listing(_ out: FoundSplice, start: Int, end: Int?, planned: Int?, back: FoundSplice? = nil) -> LiveDateRange {
    let start = MediaTime(seconds: start)
    let end = end.map { MediaTime(seconds: $0) }
    let range = DateRange(
      id: "splice-77-0", startDate: PlaylistDate(milliseconds: date(start)), duration: end.map { PlaylistDecimal($0 - start) },
      plannedDuration: planned.map { PlaylistDecimal(MediaTime(seconds: $0)) }, scte35Out: out.bytes, scte35In: back?.bytes)
    var events = [event(out.bytes, at: start, planned.map { MediaTime(seconds: $0) })]
    if let back, let end { events.append(event(back.bytes, at: end, nil)) }
    return LiveDateRange(range, start: start, end: end, events: events)
  }

  /// An event's id is the checksum of the section and of its time.
  private func event(_ section: [UInt8], at time: MediaTime, _ duration: MediaTime?) -> EventStream.Event {
    let ticks = (0..<8).reversed().map { UInt8(truncatingIfNeeded: time.ticks >> (8 * Int64($0))) }
    return EventStream.Event(time: time, duration: duration, id: CRC32MPEG2.checksum((section + ticks).span), .splice(section))
  }

  @Test func aBreakIsOneDateRange() throws {
    var desk = BreakDesk()
    let out = try splice(true, 77, time: 10, duration: 30, at: 5)
    let back = try splice(false, 77, time: nil, at: 38)
    let announced = desk.follow([out], to: MediaTime(seconds: 5), date: date)
    #expect(announced.ranges == [listing(out, start: 10, end: nil, planned: 30)])
    #expect(announced.breaks.map(\.state) == [.announced])
    #expect(desk.follow([out], to: MediaTime(seconds: 6), date: date) == BreakDesk.Changes())
    #expect(desk.follow([], to: MediaTime(seconds: 10), date: date).begun == 1)
    let ended = desk.follow([back], to: MediaTime(seconds: 38), date: date)
    #expect(ended.ranges == [listing(out, start: 10, end: 38, planned: 30, back: back)])
  }

  @Test func aBreakThatMovesGetsAnotherID() throws {
    var desk = BreakDesk()
    _ = desk.follow([try splice(true, 77, time: 10, duration: 30, at: 5)], to: MediaTime(seconds: 5), date: date)
    let moved = desk.follow([try splice(true, 77, time: 12, duration: 30, at: 6)], to: MediaTime(seconds: 6), date: date)
    #expect(moved.withdrawn == ["splice-77-0"])
    #expect(moved.ranges.map(\.range.id) == ["splice-77-0-1"])
  }

  @Test func aBreakOfAnEarlierSessionGetsItsEnd() throws {
    var earlier = BreakDesk()
    let out = try splice(true, 77, time: 10, duration: 30, at: 5)
    let back = try splice(false, 77, time: 38, at: 35)
    _ = earlier.follow([out], to: MediaTime(seconds: 5), date: date)
    let known = earlier.follow([back], to: MediaTime(seconds: 36), date: date).breaks
    #expect(known.map(\.state) == [.open, .open])
    // The node that goes on hears of the stream for the first time when the break is over.
    var desk = BreakDesk(known.suffix(1), count: 1)
    let changes = desk.follow([], to: MediaTime(seconds: 39), date: date)
    let listed = listing(out, start: 10, end: nil, planned: 30).range
    #expect(changes.ranges.map(\.range) == [listed, listing(out, start: 10, end: 38, planned: 30, back: back).range])
    #expect(changes.ranges.map(\.end) == [nil, MediaTime(seconds: 38)])
    #expect(changes.breaks.map(\.state) == [.ended])
    #expect(desk.follow([], to: MediaTime(seconds: 40), date: date) == BreakDesk.Changes())
  }

  @Test func damagedSectionsAreCounted() {
    var desk = BreakDesk()
    let changes = desk.follow([FoundSplice(bytes: [0xFC, 0], place: .zero, clock: 0)], to: .zero, date: date)
    #expect(changes.damages.count == 1)
    #expect(changes.breaks == [])
  }
}
