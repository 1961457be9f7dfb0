import Basics
import EventSchedule
import GameEvents
import TestSupport
import Testing

@testable import OtherInjectors

/// How an injector's limits are kept.
@Suite struct CopyQueueTests {
  private func copy(_ guid: String, _ number: Int) -> EventCopy {
    EventCopy(
      of: GameEvent(guid: SampleGame.guid(guid), at: .zero, content: .custom(EventType("t"), JSONObject())), copy: number, copies: 3)
  }

  private func names(_ queue: inout CopyQueue, until end: Int64) -> [String] {
    var names: [String] = []
    for now in stride(from: Int64(0), through: end, by: 10) {
      while let copy = queue.next(at: now) { names.append("\(now):\(copy.event.guid.text)\(copy.copy)") }
    }
    return names
  }

  /// No second has more requests than it may.
  @Test func requestsPerSecond() {
    var queue = CopyQueue(requestsPerSecond: 2)
    queue.add((0..<5).map { copy("e\($0)-", 1) })
    #expect(names(&queue, until: 3_000) == ["0:e0-1", "0:e1-1", "1100:e2-1", "1100:e3-1", "2200:e4-1"])
    #expect(queue.isEmpty && queue.nextMoment == nil)
  }

  /// A request that was on its way for long may have arrived just before its answer.
  @Test func requestsPerSecondOfSlowAnswers() {
    var queue = CopyQueue(requestsPerSecond: 2)
    queue.add((0..<4).map { copy("e\($0)-", 1) })
    var sent: [Int64] = []
    var now: Int64 = 0
    // The first answer comes after 300 ms, the others after 10 ms.
    for delay in [300, 10, 10, 10] as [Int64] {
      while queue.next(at: now) == nil, now < 5_000 { now += 10 }
      sent.append(now)
      now += delay
      queue.noteAnswer(at: now)
    }
    #expect(sent == [0, 300, 1_400, 1_410])
  }

  /// Refreshes go first, then repeats, and first copies never.
  @Test func dropping() {
    var queue = CopyQueue(requestsPerSecond: 3)
    queue.add([copy("a", 4), copy("b", 4), copy("a", 5), copy("c", 2), copy("d", 3)])
    // The two refreshes of one event are one.
    #expect(queue.droppedRefreshes == 2 && queue.droppedRepeats == 0)
    queue.add([copy("e", 1), copy("f", 1)])
    #expect(queue.droppedRefreshes == 3 && queue.droppedRepeats == 1)
    queue.add([copy("g", 1), copy("h", 1)])
    #expect(names(&queue, until: 2_000) == ["0:e1", "0:f1", "0:g1", "1100:h1"])
    #expect(queue.droppedRefreshes == 3 && queue.droppedRepeats == 2)
  }

  /// Processes that hand over one event each, one process after the other, keep the limit together.
  @Test(arguments: [1, 2, 3, 5]) func severalProcesses(copies: Int) {
    var (start, sent) = (Int64(0), [Int64]())
    for process in 0..<6 {
      var queue = CopyQueue(requestsPerSecond: 5)
      #expect(queue.restMoment == nil)
      for number in 0..<copies {
        queue.add([copy("e\(process)-", number + 1)])
        // A copy each access unit.
        let moment = start + Int64(200 * number)
        #expect(queue.next(at: moment) != nil)
        sent.append(moment)
      }
      start = queue.restMoment ?? 0
    }
    for moment in sent { #expect(sent.count { $0 >= moment && $0 < moment + 1_000 } <= 5) }
  }

  @Test func pauses() {
    var queue = CopyQueue(requestsPerSecond: 5)
    queue.add([copy("a", 1), copy("b", 2), copy("c", 4)])
    let first = queue.next(at: 0)
    #expect(first == copy("a", 1))
    queue.putBack(copy("a", 1), until: 500)
    queue.putBack(copy("x", 2), until: 400)
    queue.putBack(copy("x", 4), until: 400)
    #expect(queue.nextMoment == 500 && queue.droppedRepeats == 1 && queue.droppedRefreshes == 1)
    #expect(names(&queue, until: 600) == ["500:a1", "500:b2", "500:c4"])
  }

  /// Events wait elsewhere when there are enough here.
  @Test func room() {
    var queue = CopyQueue(requestsPerSecond: 1)
    queue.add((0..<63).map { copy("e\($0)-", 1) })
    #expect(queue.hasRoom)
    queue.add([copy("last", 1)])
    #expect(!queue.hasRoom)
  }
}

/// What is handed over when, and what answers mean.
@Suite struct OutboundStreamTests {
  private func planned(
    _ guid: String, at seconds: Double? = nil, _ content: EventContent = .startGame(StartGame(title: "T", totalQuestions: 1))
  )
    -> PlannedEvent
  {
    PlannedEvent(
      GameEvent(guid: SampleGame.guid(guid), game: "g", sequence: 1, at: seconds.map { MediaTime(seconds: $0) }, content: content))
  }

  /// Everything that a stream hands over until a time, where the injector takes it.
  private func run(_ stream: inout OutboundStream, from: Int64 = 0, until end: Int64) throws -> [String] {
    var lines: [String] = []
    for now in stride(from: from, to: end, by: 20) {
      let time = MediaTime(milliseconds: now)
      try stream.advance(to: time)
      while let copy = stream.next(at: now, time) {
        lines.append("\(now) \(copy.event.guid.text) \(copy.copy) \(copy.age.milliseconds)")
        _ = stream.receive(.taken, to: copy, at: now)
      }
    }
    return lines
  }

  @Test func burstAndRefreshes() throws {
    var stream = OutboundStream(CopyPolicy(), requestsPerSecond: 5)
    #expect(stream.queue.hasRoom)
    try stream.add(planned("a"), at: .zero)
    #expect(try run(&stream, until: 5_000) == ["0 a 1 0", "200 a 2 200", "400 a 3 400", "2000 a 4 2000", "4000 a 5 4000"])
    #expect(
      stream.queue.droppedRefreshes == 0 && stream.queue.droppedRepeats == 0 && !stream.isIdle && stream.nextTime == MediaTime(seconds: 6))
  }

  @Test func withoutRefreshes() throws {
    var stream = OutboundStream(CopyPolicy(refreshInterval: nil), requestsPerSecond: 5)
    try stream.add(planned("a", at: 0.3), at: .zero)
    #expect(!stream.isIdle && stream.nextTime == MediaTime(seconds: 0.3))
    #expect(try run(&stream, until: 3_000) == ["400 a 1 100", "600 a 2 300", "800 a 3 500"])
    #expect(stream.isIdle && stream.nextTime == nil)
  }

  @Test func anotherTry() throws {
    var stream = OutboundStream(CopyPolicy(copies: 1, refreshInterval: nil), requestsPerSecond: 5)
    try stream.add(planned("a"), at: .zero)
    try stream.advance(to: .zero)
    let next = stream.next(at: 0, .zero)
    let copy = try #require(next)
    #expect(stream.nextTime == nil)
    #expect(stream.receive(.later("busy"), to: copy, at: 0) == .waiting("busy"))
    #expect(stream.queue.nextMoment == 1_000)
    #expect(stream.next(at: 999, MediaTime(milliseconds: 999)) == nil)
    // It says how late it is.
    let second = stream.next(at: 1_000, MediaTime(seconds: 1))
    let again = try #require(second)
    #expect(again.age == MediaTime(seconds: 1))
    #expect(stream.receive(.unreachable(status: 404, "none"), to: again, at: 1_000) == .waiting("none"))
    #expect(stream.queue.nextMoment == 4_000 && !stream.isIdle)
  }

  @Test func refusedEventsAreLost() throws {
    var stream = OutboundStream(CopyPolicy(), requestsPerSecond: 5)
    try stream.add(planned("a"), at: .zero)
    try stream.advance(to: .zero)
    let next = stream.next(at: 0, .zero)
    let copy = try #require(next)
    #expect(stream.receive(.refused(status: 400, "no"), to: copy, at: 0) == .lost(SampleGame.guid("a"), "no"))
    #expect(try run(&stream, from: 20, until: 5_000) == [])
    #expect(stream.receive(.refused(status: 400, "no"), to: EventCopy(of: copy.event, copy: 2, copies: 3), at: 0) == .waiting("no"))
  }

  /// An event that is known a moment late says when it has happened, in all its copies.
  @Test func knownLate() throws {
    var stream = OutboundStream(CopyPolicy(copies: 2, refreshInterval: nil), requestsPerSecond: 5)
    try stream.advance(to: MediaTime(seconds: 1))
    try stream.add(planned("a", at: 0.5), at: .zero)
    #expect(try run(&stream, from: 1_000, until: 2_000) == ["1200 a 1 700", "1400 a 2 900"])
  }

  /// Whoever comes late after a restart sees what is active.
  @Test func resumed() throws {
    var stream = OutboundStream(CopyPolicy(), requestsPerSecond: 5)
    stream.resume([planned("a", at: 1)])
    #expect(try run(&stream, from: 10_000, until: 12_500) == ["10000 a 4 9000", "12000 a 5 11000"])
  }

  /// What an earlier process sent within the last second counts for the injector, too. Where nothing is refreshed, as by `post`, new events do not wait.
  @Test(arguments: [true, false]) func resumedAtOnce(refreshes: Bool) throws {
    var stream = OutboundStream(CopyPolicy(copies: 1, refreshInterval: refreshes ? MediaTime(seconds: 2) : nil), requestsPerSecond: 5)
    stream.resume([planned("a", at: 9)], at: 10_000)
    try stream.add(planned("b"), at: MediaTime(seconds: 10))
    let sent = try run(&stream, from: 10_000, until: 11_200)
    #expect(sent == (refreshes ? ["11100 b 1 1100", "11100 a 2 2100"] : ["10000 b 1 0"]))
  }

  /// An event whose tag cannot be written is refused when it is added, and holds up no other one.
  @Test func unwritable() throws {
    var stream = OutboundStream(CopyPolicy(copies: 1, refreshInterval: nil), requestsPerSecond: 5)
    let content = EventContent.custom(EventType("a\0b"), JSONObject())
    #expect(throws: EventError.self) { try stream.add(planned("a", content), at: .zero) }
    #expect(stream.isIdle)
    try stream.add(planned("b"), at: .zero)
    #expect(try run(&stream, until: 1_000) == ["0 b 1 0"])
  }

  /// Five events a second with all their copies are more than an injector takes: every event is there all the same, within its limits.
  @Test func storm() throws {
    var stream = OutboundStream(CopyPolicy(), requestsPerSecond: 5)
    var sent: [Int64] = []
    var first: Set<String> = []
    for now in stride(from: Int64(0), to: 30_000, by: 20) {
      let time = MediaTime(milliseconds: now)
      if now.isMultiple(of: 200), now < 20_000 { try stream.add(planned("e\(now)", .custom(EventType("t"), JSONObject())), at: time) }
      try stream.advance(to: time)
      while let copy = stream.next(at: now, time) {
        sent.append(now)
        if copy.copy == 1 { first.insert(copy.event.guid.text) }
      }
    }
    #expect(first.count == 100)
    #expect(sent.indices.dropFirst(5).allSatisfy { sent[$0] - sent[$0 - 5] >= 1_000 })
    #expect(stream.queue.droppedRepeats > 0)
  }
}
