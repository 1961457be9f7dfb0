import Basics
import GameEvents
import Testing

@testable import Reach

@Suite struct ReachBookTests {
  private static let start: Int64 = 1_764_385_200_000

  private static func guid(_ number: Int) throws -> GUID { try #require(GUID("event-\(number)")) }

  private static func other(_ session: String, latency: Int64? = nil, at time: Int64) -> ViewerReport {
    ViewerReport(session: session, event: .other, time: time, latency: latency)
  }

  private static func shown(
    _ guid: GUID, _ session: String, age: Int64? = 0, late: Int64 = 0, ahead: Int64 = 0, at time: Int64, player: String? = nil
  ) -> ViewerReport {
    ViewerReport(session: session, event: .shown(.init(guid: guid, age: age, late: late, ahead: ahead)), time: time, player: player)
  }

  @Test func anEvent() throws {
    let (guid, start) = (try Self.guid(1), Self.start)
    var book = ReachBook(seed: 1)
    for page in ["a", "b", "c"] { #expect(book.take(Self.other(page, at: start), from: page, at: start) == .taken) }
    book.accept(guid, at: start + 1_000)
    book.place(guid, at: start + 1_040)
    book.publish(guid, at: start + 2_000)
    // One shows it after 3 s, which it reports a second later, and once more.
    for _ in 0..<2 {
      let report = Self.shown(guid, "a", age: 1_000, ahead: 2_000, at: 0, player: "hls.js 1.7.1")
      #expect(book.take(report, from: "a", at: start + 5_000) == .taken)
    }
    // One says by its own clock when, and one is there and has not shown it.
    _ = book.take(Self.shown(guid, "b", age: nil, at: start + 11_000), from: "b", at: start + 12_000)
    _ = book.take(Self.other("c", latency: 9_000, at: 0), from: "c", at: start + 12_000)
    // One comes later, and shows what it has missed; one is not there when the event is.
    _ = book.take(Self.shown(guid, "d", late: 15_000, at: 0), from: "d", at: start + 20_000)
    let reach = try #require(book.reach(of: guid))
    let text = """
      {"guid":"event-1","frame":0.04,"part":1,"page":{"count":2,"p50":1,"p95":10,"p99":10},"eye":{"count":2,"p50":3,"p95":10,"p99":10},\
      "sessions":4,"shown":3,"missing":1,"share":1,"players":[{"player":"hls.js 1.7.1","eye":{"count":1,"p50":3,"p95":3,"p99":3}},\
      {"player":"unknown","eye":{"count":1,"p50":10,"p95":10,"p99":10}}]}
      """
    #expect(reach.object(share: book.share).text == text)
    #expect(
      book.audience
        == AudienceDelay(
          sessions: 4, median: MediaTime(milliseconds: 4_000), most: MediaTime(seconds: 10), nearlyAll: MediaTime(seconds: 10)))
    #expect(try AudienceDelay(book.audience.object) == book.audience)
  }

  /// Nobody sees an event that is not in the stream.
  @Test func prophets() throws {
    let guid = try Self.guid(1)
    var book = ReachBook(seed: 1)
    _ = book.take(Self.shown(guid, "a", at: 0), from: "a", at: Self.start)
    book.accept(guid, at: Self.start)
    _ = book.take(Self.shown(guid, "a", at: 0), from: "a", at: Self.start)
    book.place(guid, at: Self.start + 10_000)
    _ = book.take(Self.shown(guid, "a", age: 5_000, at: 0), from: "a", at: Self.start + 11_000)
    _ = book.take(Self.shown(guid, "a", age: nil, at: 5), from: "a", at: Self.start + 11_000)
    #expect(book.reach(of: guid)?.shown == 0 && book.wrongReports == 2 && book.audience.sessions == 0)
  }

  /// However many pages there are, a bounded number is heard, which is a fair sample: the delays of 50,000 pages are estimated well.
  @Test func aSample() {
    var book = ReachBook(seed: 7)
    var silenced = 0
    for number in 0..<50_000 {
      let report = Self.other("page \(number)", latency: Int64(number % 40) * 1_000 + 1_000, at: 0)
      if book.take(report, from: "place \(number)", at: Self.start) == .silenced { silenced += 1 }
    }
    #expect(book.sessionCount <= ReachBook.mostSessions && book.share == 0.125 && (28_000...29_500).contains(silenced))
    #expect((5_900...6_600).contains(book.sessionCount))
    #expect(book.audience.nearlyAll == MediaTime(seconds: 40))
    #expect((MediaTime(seconds: 19)...MediaTime(seconds: 21)).contains(book.audience.median ?? .zero))
  }

  /// One address is never a large part of a large audience.
  @Test func aPlace() {
    var book = ReachBook(seed: 3)
    for number in 0..<200 { _ = book.take(Self.other("liar \(number)", latency: 600_000, at: 0), from: "one", at: Self.start) }
    #expect(book.sessionCount == ReachBook.mostPerPlace)
    for number in 0..<9_000 { _ = book.take(Self.other("\(number)", latency: 3_000, at: 0), from: "place \(number)", at: Self.start) }
    for number in 200..<400 { _ = book.take(Self.other("liar \(number)", latency: 600_000, at: 0), from: "one", at: Self.start) }
    #expect(book.audience.nearlyAll == MediaTime(seconds: 3))
  }

  @Test func silentPagesAreForgotten() {
    var book = ReachBook(seed: 3)
    for number in 0..<10 { _ = book.take(Self.other("\(number)", latency: 3_000, at: 0), from: "one", at: Self.start) }
    _ = book.take(Self.other("new", latency: 1_000, at: 0), from: "two", at: Self.start + ReachBook.patience + 1)
    #expect(
      book.sessionCount == 1
        && book.audience == AudienceDelay(sessions: 1, median: .init(seconds: 1), most: .init(seconds: 1), nearlyAll: .init(seconds: 1)))
  }

  /// The latest events are remembered, and a page may show each of them once.
  @Test func manyEvents() throws {
    var book = ReachBook(seed: 3)
    _ = book.take(Self.other("a", at: 0), from: "one", at: Self.start)
    for number in 0..<(2 * ReachBook.mostEvents + 3) {
      let now = Self.start + Int64(number) * 1_000
      book.accept(try Self.guid(number), at: now)
      book.place(try Self.guid(number), at: now)
      for _ in 0..<2 { _ = book.take(Self.shown(try Self.guid(number), "a", at: 0), from: "one", at: now + 500) }
    }
    #expect(book.reach(of: try Self.guid(ReachBook.mostEvents)) == nil)
    #expect(book.all.map(\.guid.text) == (0..<ReachBook.mostEvents).map { "event-\($0 + ReachBook.mostEvents + 3)" })
    #expect(book.all.allSatisfy { $0.shown == 1 && $0.sessions == 1 })
  }

  @Test func manyPlayers() throws {
    let guid = try Self.guid(1)
    var book = ReachBook(seed: 3)
    book.place(guid, at: Self.start)
    for number in 0..<40 {
      let report = Self.shown(guid, "\(number)", at: 0, player: "player \(number % 20)")
      _ = book.take(report, from: "\(number)", at: Self.start + 1_000)
    }
    let players = try #require(book.reach(of: guid)?.players)
    #expect(players.count == EventReach.mostPlayers + 1 && players.last?.name == EventReach.otherPlayers)
    #expect(players.reduce(0) { $0 + $1.eye.count } == 40)
  }

  /// Whatever the numbers are, nothing overflows.
  @Test func extremes() throws {
    let guid = try Self.guid(1)
    var book = ReachBook(seed: .max)
    book.place(guid, at: Self.start)
    _ = book.take(Self.shown(guid, "a", age: 0, late: 600_000, ahead: 600_000, at: .max), from: "", at: Self.start + 1)
    _ = book.take(Self.shown(guid, "b", age: nil, late: 600_000, ahead: 600_000, at: .max), from: "", at: Self.start + 1)
    _ = book.take(Self.shown(guid, "c", age: nil, at: .max), from: "", at: Self.start + 10_000_000)
    #expect(book.reach(of: guid)?.shown == 3)
  }
}
