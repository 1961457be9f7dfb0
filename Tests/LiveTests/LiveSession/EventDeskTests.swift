import Basics
import CueSheet
import EventSchedule
import Files
import GameEvents
import LiveGame
import PacketStamping
import Synchronization
import TestSupport
import Testing

@testable import LiveSession

/// A desk without a stream: which observers are notified, and when.
@Suite struct EventDeskTests {
  private static func desk(journal: consuming sending JournalFile? = nil) -> EventDesk {
    EventDesk(
      LiveGame(LiveGame.Settings(game: "friday", title: "T", policy: CopyPolicy(), answers: .open)), arrivals: [], journal: journal,
      after: JournalText.Chain(), feed: LiveFeed()
    ) { $0.object(at: "") }
  }

  /// A desk that has started, whose programme is at a time, to its end.
  private static func run(at seconds: Double?, _ body: sending (EventDesk) async throws -> Void) async throws {
    let desk = desk()
    desk.start()
    if let seconds { advance(desk, to: seconds) }
    try await TestThread.run { try await body(desk) }
    desk.close(.over)
  }

  private static func advance(_ desk: EventDesk, to seconds: Double) {
    desk.advance(to: MediaTime(seconds: seconds), dates: DateAnchor(time: .zero, wallClock: 4_102_444_700_000))
  }

  private static func post(_ name: String, _ keys: String = "", to desk: EventDesk) async throws {
    let request = try LiveRequest(json: #"{"event":"poll","guid":"\#(name)"\#(keys)}"#)
    _ = try await desk.change { (game, now) throws(LiveProblem) in try game.accept(request, newGUID: SampleGame.guid("none"), now: now) }
  }

  /// Puts one of two copies of an event into the stream.
  private static func place(_ arrival: LiveGame.Arrival, copy number: Int = 1, _ desk: EventDesk) {
    let time = MediaTime(seconds: 10)
    var event = arrival.planned.event
    event.at = time
    let copy = EventCopy(of: event, copy: number, copies: 2)
    desk.place([PlacedCopy(copy: .init(time: time, copy: copy, tag: []), presentationTime: time)]) { _ in 11_000 }
  }

  /// Observers are notified of each change of an event, and of each further copy.
  @Test func observers() async throws {
    try await Self.run(at: 10) { desk in
      let notes = Notes()
      desk.changes.observe {
        notes.add(desk.read { game, _ in game.statuses.map { "\($0.guid.text) \($0.state) \($0.copies)" }.joined(separator: ", ") })
      }
      try await Self.post("a", to: desk)
      await notes.wait(for: "a accepted 0")
      let arrival = try #require(desk.takeArrivals().first)
      Self.place(arrival, desk)
      await notes.wait(for: "a placed 1")
      Self.place(arrival, copy: 2, desk)
      let segment = JournalRecord.SegmentRecord(
        name: "1.ts", mediaSequence: 1, discontinuitySequence: 0, isDiscontinuous: false, targetDuration: 2, start: .zero,
        duration: MediaTime(seconds: 2), wallClock: 1_000)
      desk.record(segment, with: [SampleGame.guid("a")], nil) {}
      await notes.wait(for: "a published 2")
      try await Self.post("b", #","at":100"#, to: desk)
      await notes.wait(for: "a published 2, b scheduled 0")
      _ = try await desk.change { (game, _) throws(LiveProblem) in ((), try game.cancel(SampleGame.guid("b"))) }
      await notes.wait(for: "a published 2, b cancelled 0")
      try await Self.post("c", to: desk)
      await notes.wait(for: "a published 2, b cancelled 0, c accepted 0")
      desk.lose(SampleGame.guid("c"), "reason")
      #expect(
        notes.all == [
          "a accepted 0", "a placed 1", "a placed 2", "a published 2", "a published 2, b scheduled 0", "a published 2, b cancelled 0",
          "a published 2, b cancelled 0, c accepted 0", "a published 2, b cancelled 0, c lost 0",
        ])
    }
  }

  /// The place of an event is told when the journal has it.
  @Test func places() async throws {
    let path = try Workshop.newFolder() + "/journal"
    let desk = Self.desk(journal: try JournalFile(path: path))
    desk.start()
    let notes = Notes()
    desk.changes.observe {
      let isWritten = (try? Workshop.bytes(path)).map { String(decoding: $0, as: UTF8.self).contains(#""placed""#) }
      notes.add(desk.read { game, _ in game.statuses.map { "\($0.state), \(isWritten ?? false)" }.joined() })
    }
    Self.advance(desk, to: 10)
    try await Self.post("a", to: desk)
    await notes.wait(for: "accepted, false")
    Self.place(try #require(desk.takeArrivals().first), desk)
    await notes.wait(for: "placed, true")
    #expect(notes.all == ["accepted, false", "placed, true"])
    try await TestThread.run { desk.close(.over) }
  }

  /// An event is released a quarter of a second before its time: when the programme says so, or the clock between two access units.
  @Test(arguments: [#","at":100"#, #","at":11.2"#, #","in":90"#, #","wallClock":"2100-01-01T00:00:00Z""#]) func dueEvents(when: String)
    async throws
  {
    try await Self.run(at: 10) { desk in
      let notes = Notes()
      desk.changes.observe { notes.add(desk.read { game, _ in game.statuses.map { "\($0.state)" }.joined() }) }
      try await Self.post("a", when, to: desk)
      if !when.contains("11.2") {
        Self.advance(desk, to: 50)
        Self.advance(desk, to: 99.9)
      }
      await notes.wait(for: "accepted")
      #expect(notes.all == ["scheduled", "accepted"] && desk.takeArrivals().map(\.planned.event.guid.text) == ["a"])
    }
  }

  /// A caller that waits for a time is called once, when the programme is there: by its access units, or by the clock between two of them.
  @Test func times() async throws {
    let notes = Notes()
    try await Self.run(at: nil) { desk in
      let wait: @Sendable (Double) -> Void = { seconds in
        desk.wake(at: MediaTime(seconds: seconds)) {
          let isThere = desk.read { _, now in now.time.map { $0 >= MediaTime(seconds: seconds) } ?? false }
          notes.add("\(seconds) \(isThere)")
        }
      }
      wait(10)
      wait(20)
      #expect(notes.all == [])
      Self.advance(desk, to: 10)
      await notes.wait(for: "10.0 true")
      // The programme goes on for a second at most.
      wait(10.1)
      await notes.wait(for: "10.1 true")
      wait(10)
      Self.advance(desk, to: 19)
      Self.advance(desk, to: 19.9)
      await notes.wait(for: "20.0 true")
      wait(3_000)
    }
    // At the end all are called.
    #expect(notes.all == ["10.0 true", "10.1 true", "10.0 true", "20.0 true", "3000.0 false"])
  }

  /// Not more than a number wait: others are called at once. So is everybody after the end.
  @Test func many() {
    let count = Mutex(0)
    let desk = Self.desk()
    Self.advance(desk, to: 10)
    for _ in 0..<EventDesk.mostWaiting { desk.wake(at: MediaTime(seconds: 100)) { count.withLock { $0 += 1 } } }
    #expect(count.withLock { $0 } == 0)
    desk.wake(at: MediaTime(seconds: 100)) { count.withLock { $0 += 1_000_000 } }
    #expect(count.withLock { $0 } == 1_000_000)
    desk.close(.over)
    #expect(count.withLock { $0 } == 1_000_000 + EventDesk.mostWaiting)
    desk.wake(at: MediaTime(seconds: 100)) { count.withLock { $0 = 0 } }
    #expect(count.withLock { $0 } == 0)
  }
}
