import Basics
import EventReading
import EventSchedule
import GameEvents
import HLSPlaylist
import HLSReading
import TestSupport
import Testing

/// Events in date ranges.
@Suite struct DateRangeTests {
  /// A range at a time of the programme in milliseconds. The programme starts at noon.
  private func range(_ id: String, at milliseconds: Int64, _ copy: EventCopy) -> String {
    let date = PlaylistDate(milliseconds: 1_795_780_800_000 + milliseconds)?.text ?? ""
    let value = AttributeValue.hexadecimal(Array(copy.text.utf8)).text
    return "#EXT-X-DATERANGE:ID=\"\(id)\",START-DATE=\"\(date)\",X-COM-CUELIGHT-EVENT=\(value)"
  }

  private static let noon = "#EXT-X-PROGRAM-DATE-TIME:2026-11-27T12:00:00.000Z"

  private func event(_ name: String, at ticks: Int64?, age: Int64 = 0) -> EventCopy {
    var event = SampleGame.short(name, at: ticks ?? 0).event
    if ticks == nil { event.at = nil }
    return EventCopy(of: event, age: MediaTime(ticks: age))
  }

  private func item(_ id: String, _ copy: EventCopy, _ time: Int64, zero: Int64 = 0) -> HLSItem {
    let place = Place(
      time: MediaTime(ticks: time), presentationTime: MediaTime(ticks: time + zero), carriage: .dateRange(id: id), offset: 0,
      byteCount: copy.text.utf8.count)
    return .item(.copy(copy, place), in: nil)
  }

  @Test func noonIsNoon() throws {
    #expect(PlaylistDate("2026-11-27T12:00:00.000Z")?.milliseconds == 1_795_780_800_000)
  }

  /// Each comes before the segment in whose time it lies, wherever it is written in the playlist.
  @Test func betweenTheSegments() throws {
    let sample = try SegmentedSample([])
    let copies = [event("a", at: 9_000, age: 18_000), event("b", at: nil), event("c", at: 180_000), event("d", at: 900_000)]
    var presentation = sample.presentation
    presentation.files["index.m3u8"] = playlist(
      Self.noon, range("d", at: 10_000, copies[3]), range("c", at: 2_000, copies[2]), sample.allLines, range("b", at: 600, copies[1]),
      range("a", at: 300, copies[0]))
    let outcome = try presentation.read()
    #expect(
      outcome.items == [
        item("a", copies[0], 27_000, zero: 900_000), item("b", copies[1], 54_000, zero: 900_000),
        item("c", copies[2], 180_000, zero: 900_000),
        item("d", copies[3], 900_000, zero: 900_000),
      ])
    #expect(outcome.copies.map(\.place.carriage.name) == ["daterange", "daterange", "daterange", "daterange"])
  }

  /// Within a segment, ranges and tags come in the order of their times.
  @Test func amongTheTagsOfASegment() throws {
    let sample = try SegmentedSample()
    let tags = try sample.expected()
    let copy = event("a", at: 45_000)
    var presentation = sample.presentation
    presentation.files["index.m3u8"] = playlist(Self.noon, range("a", at: 500, copy), sample.allLines)
    let items = try presentation.read().items
    let position = try #require(items.firstIndex(of: item("a", copy, 45_000, zero: 900_000)))
    #expect(items.filter { $0 != items[position] } == tags)
    let times = items.compactMap { if case .item(.copy(_, let place), _) = $0 { place.time } else { nil } }
    #expect(times == times.sorted() && position > 0 && position < items.count - 1)
  }

  @Test func withoutDatesTheEventTellsTheTime() throws {
    let sample = try SegmentedSample([])
    let copy = event("a", at: 180_000)
    var presentation = sample.presentation
    presentation.files["index.m3u8"] = playlist(range("a", at: 5, copy), sample.allLines)
    #expect(try presentation.read().items == [item("a", copy, 180_000, zero: 900_000)])
  }

  /// A range is handed on again only where it has changed; one that leaves the playlist before its time is handed on then.
  @Test func onceEach() throws {
    let sample = try SegmentedSample([])
    let (first, changed, late) = (event("a", at: 9_000), event("b", at: 9_000), event("c", at: 9_000_000))
    var presentation = Presentation(files: sample.files())
    let loads = [
      playlist(Self.noon, range("a", at: 100, first), range("l", at: 100_000, late), sample.lines(0), isEnded: false),
      playlist(Self.noon, range("a", at: 100, first), sample.lines(0), sample.lines(1), isEnded: false),
      playlist(Self.noon, range("a", at: 100, changed), sample.lines(0), sample.lines(1), sample.lines(2)),
    ]
    presentation.answers["index.m3u8"] = loads.map { .bytes($0) }
    let outcome = try presentation.read()
    #expect(
      outcome.items == [
        item("a", first, 9_000, zero: 900_000), item("l", late, 9_000_000, zero: 900_000), item("a", changed, 9_000, zero: 900_000),
      ])
  }

  @Test func whatIsNoEventIsSaid() throws {
    let sample = try SegmentedSample([])
    var presentation = sample.presentation
    let start = "START-DATE=\"2026-11-27T12:00:00Z\""
    presentation.files["index.m3u8"] = playlist(
      Self.noon, "#EXT-X-DATERANGE:ID=\"1\",\(start),X-COM-CUELIGHT-EVENT=\"text\"", "#EXT-X-DATERANGE:ID=\"2\",\(start),X-OTHER=\"x\"",
      "#EXT-X-DATERANGE:ID=\"3\",\(start),X-COM-CUELIGHT-EVENT=0x7B7D", sample.allLines)
    #expect(
      try presentation.read().items == [
        .notice(.unusableDateRange(id: "1", .invalid(key: "X-COM-CUELIGHT-EVENT", expected: "a hexadecimal sequence"))),
        .notice(.unusableDateRange(id: "3", .notAnEvent)),
      ])
  }
}
