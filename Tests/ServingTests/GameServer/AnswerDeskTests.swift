import AnswerIntake
import Basics
import Dispatch
import GameEvents
import GameStore
import HTTPTypes
import TestSupport
import Testing
import WebSupport

@testable import GameServer

/// Answers are judged at once, and acknowledged when the store has them.
@Suite struct AnswerDeskTests {
  private static let open = SampleGame.guid("open")
  private static let decided = SampleGame.guid("decided")

  /// A question that another process has asked comes to be known here a little later, and answers to it wait for that; not those to none.
  @Test func aQuestionOfAnotherProcess() async {
    let writer = StoreWriter(FakeStore())
    writer.start()
    let desk = AnswerDesk("g", writer, lag: .milliseconds(500), edge: { MediaTime(seconds: 20) }, record: { _ in })
    desk.add(player: 0, joined: MediaTime(ticks: .min), key: 0)
    func take(_ question: GUID, meanwhile: () -> Void = {}) async -> AnswerDesk.Outcome {
      await withCheckedContinuation { continuation in
        desk.take([Self.request(1, to: question)], of: 0) { continuation.resume(returning: $0) }
        meanwhile()
      }
    }
    #expect(await take(Self.open) { desk.apply(Desk.rules) } == .judged([nil]))
    #expect(await take(SampleGame.guid("none")) == .judged([.unknownQuestion]))
    writer.close()
  }

  /// A desk whose stream is at 20 s; a question is open from 10 s to 30 s, another one is decided.
  private struct Desk: Sendable {
    let store = FakeStore()
    let stream = FakeInjector(edge: 20)
    let log = Log()
    let writer: StoreWriter
    let desk: AnswerDesk

    init(players: Int = 3) {
      let (store, stream, log) = (store, stream, log)
      writer = StoreWriter(store)
      desk = AnswerDesk(
        "g", writer, edge: { stream.edge }, record: { log.add("record \($0.map { "\($0.player):\($0.answer)" }.joined(separator: " "))") })
      for player in 0..<players { desk.add(player: player, joined: MediaTime(ticks: .min), key: UInt64(player) * 7) }
      desk.apply(Self.rules)
    }

    static let rules = AnswerDesk.Rules(
      windows: [
        AnswerDeskTests.open: AnswerWindow(
          question: 1, form: .one(of: 3), opensAt: MediaTime(seconds: 10), closesAt: MediaTime(seconds: 30), delay: MediaTime(seconds: 12)),
        AnswerDeskTests.decided: AnswerWindow(
          question: 0, form: .one(of: 2), opensAt: .zero, closesAt: MediaTime(seconds: 60), delay: MediaTime(seconds: 12), isClosed: true),
      ])

    /// The answers that the store has.
    var stored: [PackedAnswer] {
      store.transactions.flatMap { $0 }.flatMap { change -> [PackedAnswer] in
        guard case .answers("g", let batch) = change else { return [] }
        return (try? AnswerBatch.decode(batch.span)) ?? []
      }
    }

    func take(_ requests: [AnswerDesk.Request], of player: Int) async -> AnswerDesk.Outcome {
      await withCheckedContinuation { continuation in desk.take(requests, of: player) { continuation.resume(returning: $0) } }
    }

    /// Sends an answer, and writes down what becomes of it.
    func send(_ answer: Int, of player: Int) {
      desk.take([AnswerDeskTests.request(answer)], of: player) { [log] outcome in
        log.add("\(player):\(answer) \(outcome == .judged([nil]))")
      }
    }
  }

  private static func request(_ answer: Int, at seconds: Double = 15, to question: GUID = AnswerDeskTests.open) -> AnswerDesk.Request {
    AnswerDesk.Request(question: question, answer: .one(answer), time: MediaTime(seconds: seconds))
  }

  private static func packed(_ player: UInt32, _ answer: UInt32, at seconds: Double = 15) -> PackedAnswer {
    PackedAnswer(player: player, question: 1, answer: answer, time: MediaTime(seconds: seconds))
  }

  // MARK: The store

  /// Nobody hears that an answer is recorded before the store has it, and it counts before anybody hears of it.
  @Test func acknowledged() async throws {
    let desk = Desk()
    desk.store.writing.close()
    desk.writer.start()
    desk.send(1, of: 0)
    try await until("it is being written") { desk.store.writing.waiting == 1 }
    #expect(desk.log.lines == [] && desk.desk.counts == (0, 0) && desk.stored == [])
    desk.store.writing.open()
    try await until("it is acknowledged") { desk.log.lines.count == 2 }
    #expect(desk.log.lines == ["record 0:1", "0:1 true"] && desk.stored == [Self.packed(0, 1)] && desk.desk.counts == (1, 0))
    desk.writer.close()
  }

  /// What came while the store was busy comes into it together, and all hear of it.
  @Test func together() async throws {
    let desk = Desk()
    desk.store.writing.close()
    desk.writer.start()
    desk.send(0, of: 0)
    try await until("the first one is being written") { desk.store.writing.waiting == 1 }
    for (answer, player) in [(1, 1), (2, 2), (1, 0)] { desk.send(answer, of: player) }
    desk.store.writing.open()
    try await until("all are acknowledged") { desk.log.lines.count == 6 }
    #expect(desk.log.lines == ["record 0:0", "0:0 true", "record 1:1 2:2 0:1", "1:1 true", "2:2 true", "0:1 true"])
    #expect(desk.store.transactions.count == 2)
    desk.writer.close()
  }

  /// A store that fails has recorded nothing: neither does the game, and the players are told to try again.
  @Test func failures() async throws {
    let desk = Desk()
    desk.writer.start()
    desk.store.fail(.unavailable("full"))
    #expect(await desk.take([Self.request(1)], of: 0) == .overloaded)
    #expect(desk.log.lines == [] && desk.desk.counts == (0, 0) && desk.stored == [])
    desk.store.fail(nil)
    #expect(await desk.take([Self.request(1)], of: 0) == .judged([nil]))
    #expect(desk.log.lines == ["record 0:1"] && desk.desk.counts == (1, 0) && desk.stored == [Self.packed(0, 1)])
    desk.writer.close()
  }

  /// Many at once: every answer that is acknowledged is in the store, once.
  @Test func manyAtOnce() async throws {
    let desk = Desk(players: 300)
    desk.writer.start()
    let outcomes = await withTaskGroup(of: Bool.self, returning: [Bool].self) { group in
      for player in 0..<300 {
        group.addTask { await desk.take([Self.request(player % 3), Self.request(player % 3, at: 16)], of: player) == .judged([nil, nil]) }
      }
      var outcomes: [Bool] = []
      for await outcome in group { outcomes.append(outcome) }
      return outcomes
    }
    #expect(outcomes == [Bool](repeating: true, count: 300) && desk.desk.counts == (600, 0))
    let stored = desk.stored.sorted { ($0.player, $0.time) < ($1.player, $1.time) }
    let expected = (UInt32(0)..<300).flatMap { [Self.packed($0, $0 % 3), Self.packed($0, $0 % 3, at: 16)] }
    #expect(stored == expected)
    desk.writer.close()
  }

  // MARK: What is taken

  /// Each answer of a request is judged for itself, in order, and only those that are taken are stored.
  @Test func everyReason() async throws {
    let desk = Desk()
    desk.writer.start()
    desk.desk.add(player: 3, joined: MediaTime(seconds: 16), key: 0)
    let requests = [
      Self.request(1), Self.request(1, to: SampleGame.guid("other")), Self.request(3), Self.request(1, at: 9), Self.request(1, at: 30),
      Self.request(1, at: 21), Self.request(0, to: Self.decided), Self.request(2, at: 20.5), Self.request(-1), Self.request(300),
    ]
    let results: [AnswerWindow.Refusal?] = [
      nil, .unknownQuestion, .unknownAnswer, .tooEarly, .ahead, .ahead, .revealed, nil, .unknownAnswer, .unknownAnswer,
    ]
    #expect(await desk.take(requests, of: 0) == .judged(results))
    #expect(desk.stored == [Self.packed(0, 1), Self.packed(0, 2, at: 20.5)] && desk.desk.counts == (2, 8))
    // Who joined at 16 s was not there at 15 s.
    #expect(await desk.take([Self.request(1), Self.request(1, at: 16)], of: 3) == .judged([.tooEarly, nil]))
    desk.stream.go(to: 45)
    #expect(await desk.take([Self.request(1, at: 30), Self.request(1, at: 29)], of: 1) == .judged([.tooLate, .tooFarBehind]))
    // Without a stream nobody is anywhere, and nothing has to be stored.
    desk.stream.go(to: nil)
    let before = desk.store.attempts
    #expect(await desk.take([Self.request(1), Self.request(9)], of: 1) == .overloaded)
    #expect(desk.store.attempts == before)
    for player in [-1, 4, 1_000_000] { #expect(await desk.take([Self.request(1)], of: player) == .unknownPlayer) }
    desk.writer.close()
  }

  /// Who is out, or was taken out, answers nothing any more; what the game says of it later holds.
  @Test func barred() async throws {
    let desk = Desk()
    desk.writer.start()
    var rules = Desk.rules
    rules.barred = [false, true]
    desk.desk.apply(rules)
    #expect(
      await desk.take([Self.request(1), Self.request(1, to: SampleGame.guid("other"))], of: 1) == .judged([.eliminated, .unknownQuestion]))
    // Whom the list does not have is in.
    for player in [0, 2] { #expect(await desk.take([Self.request(1)], of: player) == .judged([nil])) }
    rules.barred = []
    desk.desk.apply(rules)
    #expect(await desk.take([Self.request(1)], of: 1) == .judged([nil]))
    desk.desk.apply(AnswerDesk.Rules())
    #expect(await desk.take([Self.request(1)], of: 1) == .judged([.unknownQuestion]))
    desk.writer.close()
  }

  /// Players are known by their places and keys.
  @Test func keys() {
    let desk = Desk(players: 2)
    desk.desk.add(player: 4, joined: .zero, key: PlayerKey.hash("client"))
    #expect(desk.desk.knows(1, key: PlayerKey.text(7)) && desk.desk.knows(4, key: PlayerKey.text(PlayerKey.hash("client"))))
    for (player, key) in [
      (1, PlayerKey.text(8)), (0, PlayerKey.text(7)), (-1, "0"), (5, "0"), (4, ""), (1, "7 "),
      (4, PlayerKey.text(PlayerKey.hash("Client"))),
    ] {
      #expect(!desk.desk.knows(player, key: key), "\(player) \(key)")
    }
  }

  // MARK: How much

  /// A player may send twenty requests at once, and five more a second; others are not held up by it.
  @Test func rateLimit() async throws {
    let desk = Desk()
    let (start, unknown) = (ContinuousClock.now, Self.request(1, to: SampleGame.guid("other")))
    var (taken, refused) = (0, 0)
    for _ in 0..<200 {
      let outcome = await desk.take([unknown], of: 0)
      if outcome == .judged([.unknownQuestion]) { taken += 1 }
      if outcome == .tooMany { refused += 1 }
    }
    // Each second that has begun meanwhile brings five more.
    let seconds = Int((ContinuousClock.now - start).components.seconds) + 1
    #expect(taken >= 20 && taken <= 20 + 5 * seconds && taken + refused == 200 && refused > 0)
    #expect(await desk.take([unknown], of: 1) == .judged([.unknownQuestion]))
    // It comes back.
    try await until("it may send again") { await desk.take([unknown], of: 0) != .tooMany }
  }

  /// A player changes an answer as often as scoring keeps answers; further ones are refused, and another question has its own.
  @Test func tooManyChanges() async throws {
    let desk = Desk()
    desk.writer.start()
    let requests = (0..<16).map { _ in Self.request(1) }
    for number in 1...AnswerDesk.mostChanges / 16 {
      #expect(await desk.take(requests, of: 0) == .judged([AnswerWindow.Refusal?](repeating: nil, count: 16)), "\(number)")
    }
    #expect(await desk.take(requests, of: 0) == .tooManyChanges)
    #expect(desk.stored.count == AnswerDesk.mostChanges / 16 * 16)
    #expect(await desk.take([Self.request(1)], of: 1) == .judged([nil]))
    do throws(Problem) { _ = try AnswerReading.answer(.tooManyChanges) } catch {
      #expect(error.status.code == 429 && error.kind == "rate-limited")
    }
    desk.writer.close()
  }

  /// Where another node has closed a question of a batch, the rest of it comes again before what has arrived meanwhile: of a player's answers the last
  /// one counts.
  @Test func theOrderOfABatchThatComesAgain() async throws {
    let desk = Desk()
    var rules = Desk.rules
    rules.windows[Self.decided]?.isClosed = false
    desk.desk.apply(rules)
    desk.store.writing.close()
    desk.writer.start()
    let log = desk.log
    desk.desk.take([Self.request(1, to: Self.decided), Self.request(1)], of: 0) { log.add("first \($0 == .judged([.revealed, nil]))") }
    try await until("it is being written") { desk.store.writing.waiting == 1 }
    desk.desk.take([Self.request(2)], of: 0) { log.add("second \($0 == .judged([nil]))") }
    desk.store.refuse(with: .closed) { change in
      guard case .answers(_, let batch) = change, let answers = try? AnswerBatch.decode(batch.span) else { return false }
      return answers.contains { $0.question == 0 }
    }
    desk.store.writing.open()
    try await until("both are acknowledged") { log.lines.count { $0.hasSuffix("true") } == 2 }
    #expect(desk.stored.map(\.answer) == [1, 2])
    #expect(log.lines.filter { $0.hasSuffix("true") } == ["first true", "second true"])
    desk.writer.close()
  }

  // MARK: Deciding

  /// A question comes to rest: what was taken is stored and recorded before it may be decided, and nothing is taken any more.
  @Test func closing() async throws {
    let desk = Desk()
    desk.store.writing.close()
    desk.writer.start()
    desk.send(0, of: 0)
    try await until("the first one is being written") { desk.store.writing.waiting == 1 }
    desk.send(1, of: 1)
    let log = desk.log
    desk.desk.close(Self.open) { log.add("at rest") }
    #expect(await desk.take([Self.request(2)], of: 2) == .judged([.revealed]))
    #expect(desk.log.lines == [])
    desk.store.writing.open()
    try await until("it is at rest") { desk.log.lines.contains("at rest") }
    #expect(desk.log.lines == ["record 0:0", "0:0 true", "record 1:1", "1:1 true", "at rest"])
    // Nothing is on its way: at once.
    desk.desk.close(Self.open) { log.add("again") }
    #expect(desk.log.lines.last == "again")
    desk.writer.close()
  }

  /// Also where nothing further waits, what is being written is waited for.
  @Test func closingWhileOneIsWritten() async throws {
    let desk = Desk()
    desk.store.writing.close()
    desk.writer.start()
    desk.send(0, of: 0)
    try await until("it is being written") { desk.store.writing.waiting == 1 }
    let log = desk.log
    desk.desk.close(Self.open) { log.add("at rest") }
    #expect(desk.log.lines == [])
    desk.store.writing.open()
    try await until("it is at rest") { desk.log.lines.contains("at rest") }
    #expect(desk.log.lines == ["record 0:0", "0:0 true", "at rest"])
    desk.writer.close()
  }

  /// A store that fails does not keep a question from being decided on what there is.
  @Test func closingWhileTheStoreFails() async throws {
    let desk = Desk()
    desk.store.fail(.unavailable("full"))
    desk.send(0, of: 0)
    let log = desk.log
    desk.desk.close(Self.open) { log.add("at rest") }
    #expect(desk.log.lines == [])
    desk.writer.start()
    try await until("it is at rest") { desk.log.lines.contains("at rest") }
    #expect(desk.log.lines == ["0:0 false", "at rest"] && desk.desk.counts == (0, 0))
    desk.writer.close()
  }
}
