import Basics
import DASH
import EventSchedule
import GameEvents
import HLSPlaylist
import PacketStamping
import Stamping
import TestSupport
import Testing

@testable import LiveHLS

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
    let result1 = ranges.set(range("b", 10, 20))
    #expect(result1)
    let result2 = ranges.set(range("a", 5, 12))
    #expect(result2)
    let result3 = ranges.set(range("open", 6, nil))
    #expect(result3)
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
    let result4 = ranges.set(range("a", 5, nil, [out]))
    #expect(!result4)
    let result5 = ranges.set(range("a", 5, 9, [Attribute("X-OUT", .quoted("2"))]))
    #expect(!result5)
    let result6 = ranges.set(range("a", 6, 9))
    #expect(!result6)
    let result7 = ranges.set(range("a", 5, 9, [Attribute("X-IN", .quoted("3"))], duration: PlaylistDecimal(billionths: 4_000_000_000)))
    #expect(result7)
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
    let result8 = ranges.set(range(id, 0, 10))
    #expect(!result8)
    #expect(ranges.isEmpty)
  }
}

/// Events as live date ranges.
@Suite struct LiveEventRangeTests {
  /// How long a range lasts: a question as long as it may be answered, another event as its cue says, or a while. It is never empty.
  @Test func spans() throws {
    let question = AskQuestion(question: "?", answers: ["a", "b"], questionNumber: 1, allottedTime: MediaTime(seconds: 12))
    let asked = SampleGame.event("g", "q", 1, at: 90_000, .askQuestion(question))
    let other = SampleGame.short("s", at: 90_000)
    let events: [(event: PlannedEvent, current: MediaTime?)] = [
      (asked, nil), (other, nil), (other, MediaTime(seconds: 3)), (other, .zero),
    ]
    var spans: [MediaTime] = []
    for (event, current) in events {
      let planned = PlannedEvent(event.event, currentFor: current)
      let range = try #require(LiveDateRange(planned, wallClock: 1_795_366_001_000))
      #expect(range.start == MediaTime(seconds: 1) && range.range.startDate?.text == "2026-11-22T16:46:41.000Z")
      let span = try #require(range.end) - range.start
      #expect(range.range.duration == PlaylistDecimal(span))
      spans.append(span)
      // The MPD has the event message of the segments.
      let tag = try EventCopy(of: planned.event, signature: nil).encodedTag()
      let id = CRC32MPEG2.checksum(planned.event.guid.text)
      #expect(range.events == [EventStream.Event(time: MediaTime(seconds: 1), id: id, .message(tag))])
    }
    #expect(spans == [MediaTime(seconds: 12), MediaTime(seconds: 8), MediaTime(seconds: 3), MediaTime(ticks: 90)])
    #expect(LiveDateRange(PlannedEvent(tag: [1], at: .zero, guid: SampleGame.guid("t"), game: "g"), wallClock: 0) == nil)
  }
}

/// Date ranges in the texts of live playlists.
@Suite struct LiveDateRangePlaylistTests {
  private static let range = LiveDateRange(
    DateRange(id: "r", startDate: PlaylistDate(milliseconds: 1_795_366_001_000)), start: MediaTime(seconds: 1), end: MediaTime(seconds: 3))
  private static let tag = "#EXT-X-DATERANGE:ID=\"r\",START-DATE=\"2026-11-22T16:46:41.000Z\""

  /// A playlist of segments of two seconds.
  private func playlist(_ count: Int, window: Int = 40) -> LivePlaylist {
    var playlist = LivePlaylist(.window(MediaTime(seconds: window)), prefix: "p", renditionCount: 1, offersRangeDeltas: true)
    playlist.dateRanges.set(Self.range)
    for index in 0..<count {
      playlist.dateRanges.advance(to: .seconds(2 * index))
      var segment = LiveSegment(
        bytes: [UInt8](repeating: 0x47, count: 188), start: MediaTime(seconds: 2 * index), duration: MediaTime(seconds: 2),
        boundary: .randomAccess, isIndependent: true, guids: [], targetDuration: 2)
      segment.variants = [.init(bytes: [UInt8](repeating: 0x47, count: 188))]
      _ = playlist.append(segment, wallClock: 1_795_366_000_000 + Int64(index) * 2_000)
    }
    return playlist
  }

  private func lines(_ bytes: [UInt8]?) -> [Substring] { String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n") }

  @Test func allPlaylistsHaveTheRanges() throws {
    let files = try playlist(3).playlists().filter { $0.name.hasPrefix("media") }
    #expect(files.map(\.name).sorted() == ["media.m3u8", "media2.m3u8"])
    for file in files { #expect(lines(file.bytes).count { $0 == Self.tag } == 1) }
    // A folder's web server cannot make delta updates.
    for file in files { #expect(!lines(file.bytes).contains { $0.hasPrefix("#EXT-X-SERVER-CONTROL") }) }
  }

  @Test func theUpdates() throws {
    let reloaded = try playlist(9, window: 60).reloadedPlaylists()
    #expect(reloaded.map(\.name) == ["media.m3u8", "media2.m3u8"])
    let main = try #require(reloaded.first)
    #expect(lines(main.bytes).contains("#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=12,CAN-SKIP-DATERANGES=YES"))
    let update = lines(main.update)
    #expect(Array(update.prefix(2)) == ["#EXTM3U", "#EXT-X-VERSION:9"])
    #expect(update.contains("#EXT-X-SKIP:SKIPPED-SEGMENTS=3") && update.contains { $0 == Self.tag })
    let rangeUpdate = lines(main.rangeUpdate)
    #expect(Array(rangeUpdate.prefix(2)) == ["#EXTM3U", "#EXT-X-VERSION:10"])
    #expect(rangeUpdate.contains("#EXT-X-SKIP:SKIPPED-SEGMENTS=3,RECENTLY-REMOVED-DATERANGES=\"\""))
    #expect(!rangeUpdate.contains { $0 == Self.tag })
    #expect(try main.text(for: DeliveryDirectives(query: ["_HLS_skip": "v2"])) == main.rangeUpdate)
    #expect(try main.text(for: DeliveryDirectives(query: ["_HLS_skip": "YES"])) == main.update)
    #expect(try main.text(for: DeliveryDirectives(query: [:])) == main.bytes)
  }

  /// A range leaves with the last segment that it overlaps, and updates tell it for a while.
  @Test func aRangeLeaves() throws {
    // The window of 16 seconds begins at 0, and then at 2 and at 4.
    for (count, isListed) in [(8, true), (9, true), (10, false)] {
      let main = try #require(try playlist(count, window: 16).reloadedPlaylists().first)
      #expect(lines(main.bytes).contains { $0 == Self.tag } == isListed)
      guard !isListed else { continue }
      #expect(lines(main.rangeUpdate).contains { $0.hasSuffix(",RECENTLY-REMOVED-DATERANGES=\"r\"") })
    }
  }
}
