import Basics
import GameEvents
import Testing

/// The bounds of the log's memory, against streams that want to fill it.
@Suite struct EventLogMemoryTests {
  private static let friday = GameID("friday")
  private static let limits = EventLog.Limits(entries: 40, games: 3)

  private enum Flood: CaseIterable {
    case infos, starts, questions, results, polls, withHoles, backwards, sameNumber, unnumbered, future, unverified, unverifiedAlone
  }

  private static func event(_ flood: Flood, _ index: Int) -> GameEvent {
    let (guid, number) = ("f\(index)", index + 10)
    return switch flood {
    case .infos: Sample.info(guid, sequence: number, at: 10)
    case .starts: Sample.start(guid, sequence: number, at: 10)
    case .questions: Sample.ask(guid, sequence: number, at: 10)
    case .results: Sample.show(guid, of: "q", sequence: number, at: 10)
    case .polls: Sample.poll(guid, sequence: number, at: 10)
    case .withHoles: Sample.info(guid, sequence: 3 * number, at: 10)
    case .backwards: Sample.info(guid, sequence: 1_000_000 - 2 * number, at: 10)
    case .sameNumber: Sample.info(guid, sequence: 10, at: 10)
    case .unnumbered: Sample.info(guid, at: 10)
    case .future: Sample.ask(guid, sequence: number, at: 1_000_000 - index)
    case .unverified, .unverifiedAlone: Sample.info(guid, sequence: index % 2 == 0 ? number : nil, at: 10)
    }
  }

  @Test(arguments: Flood.allCases) private func hostileEventsAreBounded(_ flood: Flood) {
    var log = EventLog()
    _ = log.accept(Sample.start(sequence: 1, at: 2), isVerified: flood != .unverifiedAlone)
    // All floods run the same code of the log, so it is enough that one of them is long.
    for index in 0..<(flood == .withHoles ? 100_000 : 15_000) {
      _ = log.accept(Self.event(flood, index), seenAt: 10 + index / 1_000, isVerified: flood != .unverified && flood != .unverifiedAlone)
      if index % 1_000 == 0 { #expect(log.entries.count <= 5_120 + 20) }
    }
    // Of two events with one number the first is kept.
    #expect(flood == .sameNumber ? log.guids() == ["start", "f0"] : (4_096...5_140).contains(log.entries.count))
    #expect(log.lost(of: Self.friday).ranges.count <= 4_096)
    #expect(log.finish().count <= 2 * 4_096)
    #expect(log.lost(of: Self.friday).ranges.count <= 4_096)
  }

  @Test func gapsFromTheInsideAreBounded() {
    var log = EventLog()
    _ = log.accept(Sample.info("a", sequence: 1, at: 1))
    _ = log.accept(Sample.info("b", sequence: 1_000_000, at: 2))
    for index in 1...30_000 { _ = log.accept(Sample.info("f\(index)", sequence: 2 * index, at: 3)) }
    #expect(log.lost(of: Self.friday).ranges.count <= 4_096)
    #expect(log.finish().count <= 2 * 4_096)
  }

  @Test func whatTheStateIsMadeOfNeverLeaves() {
    var log = EventLog(limits: Self.limits)
    _ = log.accept(Sample.start(sequence: 1, at: 2))
    _ = log.accept(Sample.info("old info", sequence: 2, at: 3))
    _ = log.accept(Sample.info("info", sequence: 3, at: 4))
    _ = log.accept(Sample.ask("old question", sequence: 4, at: 5))
    _ = log.accept(Sample.show("old result", of: "old question", sequence: 5, at: 6))
    _ = log.accept(Sample.ask("question", sequence: 6, at: 7))
    _ = log.accept(Sample.show("result", of: "question", sequence: 7, at: 8))
    for index in 0..<1_000 { _ = log.accept(Sample.poll("p\(index)", sequence: 10 + index, at: 9 + index)) }
    #expect(log.guids().prefix(5) == ["start", "info", "question", "result", log.guids()[4]])
    #expect(log.guids().count <= 50)
    #expect(log.guids().last == "p999")
    // An end closes the question, and what comes after it moves nothing.
    _ = log.accept(Sample.end(sequence: 2_000, at: 1_100))
    for index in 0..<100 { _ = log.accept(Sample.ask("late\(index)", sequence: 2_001 + index, at: 1_101 + index)) }
    #expect(log.guids().prefix(3) == ["start", "info", "end"])
    #expect(log.guids().count <= 50)
  }

  @Test func whatWasSeenLongestAgoLeavesFirst() {
    var log = EventLog(limits: Self.limits)
    for index in 0..<50 { _ = log.accept(Sample.poll("p\(index)", sequence: 1 + index, at: index)) }
    // The first ones are repeated and stay.
    for index in 0..<10 { _ = log.accept(Sample.poll("p\(index)", sequence: 1 + index, at: index), seenAt: 60) }
    _ = log.accept(Sample.poll("p50", sequence: 51, at: 61))
    #expect(log.guids() == (Array(0..<10) + Array(21...50)).map { "p\($0)" })
  }

  @Test func anEventThatHasLeftIsStillKnown() {
    var log = EventLog(limits: Self.limits)
    for index in 0..<500 { _ = log.accept(Sample.poll("p\(index)", sequence: 1 + index, at: index)) }
    #expect(log.entry(.of("p3"), of: Self.friday) == nil)
    #expect(log.accept(Sample.poll("p3", sequence: 4, at: 3), seenAt: 501) == .duplicate)
    #expect(log.finish().isEmpty)
    #expect(log.entry(.of("p3"), of: Self.friday) == nil)
  }

  @Test func anEntryThatLeavesChangesTheOrderBack() {
    var log = EventLog(limits: Self.limits)
    _ = log.accept(Sample.poll("unnumbered", at: 0))
    // The last ten have their numbers the other way round.
    let events = (0..<60).map { Sample.poll("p\($0)", sequence: $0 < 50 ? 100 + $0 : 209 - $0, at: 1 + $0) }
    for event in events[..<40] { _ = log.accept(event) }
    #expect(log.guids().first == "unnumbered")
    for event in events[40...] { _ = log.accept(event) }
    #expect(log.guids().suffix(12) == ["p48", "p49", "p59", "p58", "p57", "p56", "p55", "p54", "p53", "p52", "p51", "p50"])
    for event in events[40...] { #expect(log.accept(event) == .duplicate) }
  }

  // MARK: Bytes

  /// An event whose footprint is about `size` bytes.
  private static func large(_ guid: String, game: String = "friday", sequence: Int? = nil, at seconds: Int, size: Int = 10_000) -> GameEvent
  {
    let keys = JSONObject([JSONObject.Member(key: "text", value: .string(String(repeating: "x", count: size)))])
    return Sample.event(guid, .custom(EventType("poll"), keys), game: game, sequence: sequence, at: seconds)
  }

  private static func footprint(_ log: EventLog) -> Int { log.entries.reduce(0) { $0 + $1.event.footprint } }

  @Test func largeEventsLeaveEarlier() {
    var log = EventLog(limits: .init(bytes: 200_000))
    _ = log.accept(Sample.start(sequence: 1, at: 2))
    for index in 0..<1_000 {
      #expect(log.accept(Self.large("p\(index)", sequence: 2 + index, at: 3 + index)) == .new)
      #expect(Self.footprint(log) <= 250_000)
    }
    #expect(log.guids().first == "start")
    #expect((18...26).contains(log.guids().count))
    #expect(log.accept(Self.large("p7", sequence: 9, at: 10)) == .duplicate)
  }

  @Test func correctionsAreBounded() {
    var log = EventLog(limits: .init(bytes: 200_000))
    for index in 0..<500 { _ = log.accept(Sample.poll("p\(index)", sequence: 1 + index, at: 3 + index), isVerified: false) }
    for index in 0..<500 {
      #expect(log.accept(Self.large("p\(index)", sequence: 1 + index, at: 3 + index)) != .conflict)
      #expect(Self.footprint(log) <= 250_000)
    }
  }

  @Test func largeGamesLeaveButNotTheRunningOne() {
    var log = EventLog(limits: .init(bytes: 100_000))
    _ = log.accept(Sample.start(sequence: 1, at: 2))
    for index in 0..<100 {
      _ = log.accept(Self.large("p", game: "junk\(index)", at: 3 + index, size: 40_000))
      #expect(Self.footprint(log) <= 125_000)
      #expect(log.guids() == ["start"])
    }
    // What the state is made of stays, however large it is.
    let keys = JSONObject([JSONObject.Member(key: "text", value: .string(String(repeating: "x", count: 300_000)))])
    var start = Sample.start("large", sequence: 2, at: 200)
    start.unknownKeys = keys
    _ = log.accept(start)
    _ = log.accept(Self.large("p", game: "junk", at: 201))
    #expect(log.guids() == ["start", "large"])
    #expect(log.games == [Self.friday])
  }

  @Test func everythingThatCanBeLargeCounts() {
    let text = String(repeating: "x", count: 1_000)
    let unknown = JSONObject([JSONObject.Member(key: "k", value: .array([.string(text), .object(JSONObject()), .null]))])
    let entry = LeaderboardEntry(nickname: text, score: 1, unknownKeys: unknown)
    let ask = AskQuestion(question: text, answers: [text, text], questionNumber: 1, allottedTime: .seconds(1), category: text)
    let show = ShowResults(
      questionGuid: .of("q"), questionNumber: 1, correctAnswer: 0, counts: Array(repeating: 0, count: 100), explanation: text,
      leaderboard: [entry])
    let contents: [(EventContent, ClosedRange<Int>)] = [
      (.startGame(StartGame(title: text, totalQuestions: 1)), 1_000...1_500),
      (.askQuestion(ask), 4_000...4_500),
      (.periodicInfo(PeriodicInfo(viewers: 1)), 0...500),
      (.showResults(show), 3_800...4_500),
      (.endGame(EndGame(totalQuestions: 1, winners: [text], leaderboard: [entry])), 3_000...3_700),
      (.custom(EventType("poll"), unknown), 1_000...1_600),
    ]
    for (content, range) in contents { #expect(range.contains(Sample.event("g", content).footprint), "\(content.type)") }
  }

  // MARK: Games

  @Test func junkGamesDoNotDriveOutTheRunningOne() {
    var log = EventLog(limits: Self.limits)
    _ = log.accept(Sample.start(sequence: 1, at: 2))
    for index in 0..<300 {
      let event = [Sample.poll, Sample.ask, Sample.info][index % 3]("x", "junk\(index)", 1, 3 + index)
      #expect(log.accept(event) == .new)
      #expect(log.games.count <= 3)
      #expect(log.guids() == ["start"])
    }
    // One that says it starts in the future does not run yet.
    for index in 0..<10 {
      _ = log.accept(Sample.start("x", game: "later\(index)", sequence: 1, at: 1_000_000), seenAt: 2_000)
    }
    #expect(log.guids() == ["start"])
  }

  @Test func theGameThatStartedLastRuns() {
    var log = EventLog(limits: Self.limits)
    for (index, game) in ["a", "b", "c", "d", "e"].enumerated() { _ = log.accept(Sample.start(game: game, sequence: 1, at: index)) }
    #expect(log.games.map { $0.text } == ["c", "d", "e"])
    // Copies of others do not make them run.
    for second in 10..<20 { _ = log.accept(Sample.info("i\(second)", game: "x\(second)", at: second)) }
    #expect(log.games.contains(GameID("e")))
  }

  @Test func withoutAStartTheGameSeenFirstRuns() {
    var log = EventLog(limits: Self.limits)
    _ = log.accept(Sample.ask("q", sequence: 7, at: 5))
    for second in 10..<20 { _ = log.accept(Sample.ask("q", game: "x\(second)", at: second)) }
    #expect(log.guids() == ["q"])
  }

  @Test func afterTheEndTheGameThatGoesOnRuns() {
    var log = EventLog(limits: Self.limits)
    _ = log.accept(Sample.start(sequence: 1, at: 1))
    _ = log.accept(Sample.end(sequence: 2, at: 5))
    _ = log.accept(Sample.ask("q", game: "next", sequence: 3, at: 6))
    for second in 10..<20 { _ = log.accept(Sample.ask("q", game: "x\(second)", at: second)) }
    #expect(log.guids(of: "next") == ["q"])
    _ = log.accept(Sample.end(game: "next", sequence: 4, at: 21))
    for second in 22..<30 { _ = log.accept(Sample.ask("q", game: "y\(second)", at: second)) }
    #expect(log.guids(of: "next").isEmpty)
    #expect(log.games.count == 3)
  }

  @Test func oneGameIsEnough() {
    var log = EventLog(limits: .init(games: 1))
    _ = log.accept(Sample.start(sequence: 1, at: 1))
    #expect(log.accept(Sample.ask("q", game: "junk", at: 2)) == .new)
    #expect(log.games == [Self.friday])
    _ = log.accept(Sample.start(game: "saturday", sequence: 1, at: 3))
    #expect(log.games == [GameID("saturday")])
  }

  @Test func limitsAreAtLeastOne() {
    var log = EventLog(limits: .init(entries: -5, games: 0))
    for index in 0..<10 { _ = log.accept(Sample.poll("p\(index)", sequence: 1 + index, at: index)) }
    #expect(log.guids() == ["p9"])
    var endless = EventLog(limits: .init(entries: .max))
    #expect(endless.accept(Sample.start()) == .new)
  }
}
