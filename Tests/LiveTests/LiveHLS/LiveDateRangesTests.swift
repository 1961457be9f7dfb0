import Basics
import HLSPlaylist
import LiveHLS
import Testing

@Suite struct LiveDateRangesTests {
  /// A range of seconds of the programme, whose time 0 has the date 1,000 seconds after 1970.
  private func range(
    _ id: String, _ start: Int, _ end: Int?, _ attributes: [Attribute] = [], duration: PlaylistDecimal? = nil
  ) -> LiveDateRange {
    LiveDateRange(
      DateRange(
        id: id, rangeClass: "c", startDate: PlaylistDate(milliseconds: Int64(1_000 + start) * 1_000), duration: duration,
        attributes: AttributeList(attributes)), start: MediaTime(seconds: start), end: end.map { MediaTime(seconds: $0) })
  }

  private func ids(_ ranges: LiveDateRanges) -> [String] { ranges.listed.map(\.id) }

  @Test func listsRangesUntilTheyOverlapNoSegment() {
    var ranges = LiveDateRanges()
    #expect(ranges.set(range("b", 10, 20)))
    #expect(ranges.set(range("a", 5, 12)))
    #expect(ranges.set(range("open", 6, nil)))
    #expect(ids(ranges) == ["a", "open", "b"])
    ranges.retire(before: MediaTime(seconds: 11))
    #expect(ids(ranges) == ["a", "open", "b"])
    ranges.retire(before: MediaTime(seconds: 12))
    #expect(ids(ranges) == ["open", "b"])
    ranges.retire(before: MediaTime(seconds: 100))
    #expect(ids(ranges) == ["open"])
  }

  @Test func addsAttributesAndChangesNone() {
    var ranges = LiveDateRanges()
    let out = Attribute("X-OUT", .quoted("1"))
    ranges.set(range("a", 5, nil, [out]))
    #expect(!ranges.set(range("a", 5, nil, [out])))
    #expect(!ranges.set(range("a", 5, 9, [Attribute("X-OUT", .quoted("2"))])))
    #expect(!ranges.set(range("a", 6, 9)))
    #expect(ranges.set(range("a", 5, 9, [Attribute("X-IN", .quoted("3"))], duration: PlaylistDecimal(billionths: 4_000_000_000))))
    let both = range("a", 5, 9, [out, Attribute("X-IN", .quoted("3"))], duration: PlaylistDecimal(billionths: 4_000_000_000))
    #expect(ranges.listed == [both.range])
    ranges.retire(before: MediaTime(seconds: 9))
    #expect(ranges.isEmpty)
  }

  @Test func deltasTellWhatClientsMayNotKnow() {
    var ranges = LiveDateRanges()
    let boundary = MediaTime(seconds: 24)
    ranges.set(range("old", 0, 100))
    ranges.set(range("changed", 1, 100))
    ranges.set(range("short", 2, 4))
    ranges.advance(to: .seconds(10))
    ranges.retire(before: MediaTime(seconds: 4))
    ranges.advance(to: .seconds(24))
    ranges.set(range("changed", 1, 100, [Attribute("X-A", .quoted("1"))]))
    #expect(ranges.delta(boundary: boundary) == .init(known: [], removed: ["short"]))
    ranges.advance(to: .seconds(34))
    #expect(ranges.delta(boundary: boundary) == .init(known: ["old"], removed: ["short"]))
    ranges.advance(to: .seconds(35))
    // Time does not go back.
    ranges.advance(to: .seconds(3))
    #expect(ranges.delta(boundary: boundary) == .init(known: ["old"], removed: []))
    ranges.advance(to: .seconds(49))
    #expect(ranges.delta(boundary: boundary) == .init(known: ["old", "changed"], removed: []))
  }

  @Test func resumesTheRangesOfAnEarlierSession() {
    var ranges = LiveDateRanges()
    ranges.resume(
      [range("gone", 0, 10), range("lately", 20, 30), range("listed", 30, 50), range("open", 1, nil)], window: MediaTime(seconds: 40),
      boundary: MediaTime(seconds: 24))
    #expect(ids(ranges) == ["open", "listed"])
    #expect(ranges.delta(boundary: MediaTime(seconds: 24)) == .init(known: [], removed: ["lately"]))
  }

  @Test(arguments: ["a\"b", "a\tb", "{$a}", "a\nb"])
  func refusesWhatAPlaylistCannotHold(id: String) {
    var ranges = LiveDateRanges()
    #expect(!ranges.set(range(id, 0, 10)))
    #expect(ranges.isEmpty)
  }
}
