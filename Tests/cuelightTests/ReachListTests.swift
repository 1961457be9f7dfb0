import Basics
import DeliveryWatch
import GameEvents
import Testing

@testable import Reach
@testable import cuelight

/// What `cuelight watch --reach` says, and when.
@Suite struct ReachListTests {
  private static let start: Int64 = 1_764_385_200_000

  private static func event(_ number: Int, type: String = "askQuestion", after seconds: Int64 = 0) throws -> DeliveryWatch.Expected {
    let guid = try #require(GUID("event-\(number)"))
    return DeliveryWatch.Expected(guid: guid, type: type, sequence: number, at: nil, date: start + seconds * 1_000)
  }

  /// An event is due once, a minute after viewers see it; counters never are, and the others at the end.
  @Test func whenEventsAreDue() throws {
    let (first, second) = (try Self.event(1), try Self.event(2, after: 10))
    let placed = [first, second, try Self.event(3, type: "periodicInfo")]
    var list = ReachList(isWanted: true)
    #expect(list.takeDue(placed, at: Self.start + 59_999) == [])
    #expect(list.takeDue(placed, at: Self.start + 60_000) == [first])
    #expect(list.takeDue(placed, at: Self.start + 60_000) == [])
    #expect(list.takeRest() == [second] && list.takeRest() == [])
    #expect(list.takeDue(placed, at: Self.start + 600_000) == [])
    var silent = ReachList(isWanted: false)
    #expect(silent.takeDue(placed, at: Self.start + 600_000) == [] && silent.takeRest() == [])
  }

  /// Of too many events that wait the latest ones are told.
  @Test func tooManyEvents() throws {
    let placed = try (0..<300).map { try Self.event($0) }
    var list = ReachList(isWanted: true)
    #expect(list.takeDue(placed, at: Self.start) == [])
    #expect(list.takeRest() == Array(placed.suffix(256)))
  }

  /// The words, and the line of JSON, of what a live server answers.
  @Test func whatIsSaid() throws {
    let event = try Self.event(1)
    var book = ReachBook(seed: 1)
    let page = ViewerReport(session: "a", event: .other, time: 0, latency: nil)
    _ = book.take(page, from: "a", at: Self.start)
    book.accept(event.guid, at: Self.start)
    let accepted = try #require(book.reach(of: event.guid)).object(share: 1)
    #expect(ReachList.line(event, accepted).hasPrefix("reach: askQuestion event-1: 0 of 0 pages"))
    book.place(event.guid, at: Self.start + 40)
    book.publish(event.guid, at: Self.start + 1_000)
    let shown = ViewerReport.Shown(guid: event.guid, age: 0, late: 0, ahead: 2_000)
    _ = book.take(ViewerReport(session: "a", event: .shown(shown), time: 0), from: "a", at: Self.start + 4_000)
    let reach = try #require(book.reach(of: event.guid)).object(share: 1)
    #expect(
      ReachList.line(event, reach)
        == "reach: askQuestion event-1: 1 of 1 pages; frame 0.04 s, part 1 s, page 2 / 2 / 2 s, eye 4 / 4 / 4 s")
    let members = ReachList.object(event, reach).members
    #expect(members.prefix(2).map(\.key) == ["type", "event"] && members.first?.value == .string("reach"))
    #expect(Array(members.dropFirst(2)).map(\.key) == reach.members.map(\.key))
  }
}
