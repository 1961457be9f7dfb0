import AnswerIntake
import Basics
import GameEvents
import GameHosting
import GameStore
import LiveSession
import PublicRecord
import Reach
import Scoring
import Synchronization
import Testing

@testable import GameServer

/// A game that runs: what is told, and put into the stream, is stored before.
@Suite struct GameRunnerTests {
  /// A runner, its store and its stream. The result of a question is decided two seconds behind its end.
  private struct Play: Sendable {
    let store: FakeStore
    let stream = FakeInjector(edge: 5)
    let said = Log()
    let writer: StoreWriter
    let runner: GameRunner

    static let settings = HostedShow.settings { $0.delay = MediaTime(seconds: 2) }

    init(
      _ id: String = "g1", store: FakeStore = FakeStore(), claim: StreamClaim = StreamClaim(), starts: Bool = true,
      recording: Recording? = nil
    ) {
      let said = said
      self.store = store
      writer = StoreWriter(store)
      var settings = Self.settings
      settings.id = id
      settings.recording = recording
      let stored = StoredGame(id: id, code: "CODE", title: "Friday", account: nil, rules: "{}", quiz: "{}", createdAt: 1)
      runner = GameRunner(
        stored, HostedGame(settings), writer, LoneProcess(writer), GameStreams.Stream(stream, claim: claim), say: { said.add($0) })
      if starts { writer.start() }
    }

    func command(_ command: HostedGame.Command, _ id: String) async throws(GameFailure) {
      try await runner.keeper.change { (game, now) throws(HostingProblem) in ((), try game.carryOut(command, id: id, now: now), []) }
    }

    @discardableResult
    func join(_ nickname: String) async throws(GameFailure) -> Int {
      let game = runner.stored.id
      return try await runner.keeper.change { (hosted, now) throws(HostingProblem) in
        let joined = try hosted.join(nickname, key: nickname, now: now)
        let player = StoredPlayer(player: joined.player, nickname: joined.nickname, key: nickname, joinedAt: joined.joinedAt)
        return (joined.player, HostedGame.Change(), joined.isKnown ? [] : [.player(game: game, player)])
      }
    }

    /// Why a player cannot join, in words; empty where it is possible.
    func failure(joining nickname: String) async -> String {
      do throws(GameFailure) {
        try await join(nickname)
        return ""
      } catch {
        return error.words
      }
    }

    /// Why a command is not carried out, in words; empty where it is.
    func failure(of command: HostedGame.Command, _ id: String) async -> String {
      do throws(GameFailure) {
        try await self.command(command, id)
        return ""
      } catch {
        return error.words
      }
    }

    func look<Value: Sendable>(_ body: @Sendable (inout HostedGame) -> Value) -> Value { runner.look { game, _ in body(&game) } }

    func answer(_ answer: Int, by player: Int, at seconds: Double) async -> AnswerDesk.Outcome {
      let last = look { $0.asked.last?.guid }
      let question = last ?? HostedShow.start
      let request = AnswerDesk.Request(question: question, answer: .one(answer), time: MediaTime(seconds: seconds))
      return await withCheckedContinuation { continuation in runner.desk.take([request], of: player) { continuation.resume(returning: $0) }
      }
    }

    /// Puts what is ready into the stream, and waits until that is written down.
    func inject() async throws {
      runner.inject()
      try await settle()
    }

    /// Waits until everything is stored, and what comes of it.
    func settle() async throws {
      for _ in 0..<4 { try await writer.write([]) }
    }

    var records: [HostingRecord] { get throws { try store.records(of: runner.stored.id) } }
    var players: [String] { get throws { try store.players(of: runner.stored.id).map(\.nickname) } }
    var nicknames: [String] { runner.look { game, _ in game.scored.roster.nicknames.map(\.text) } }
    var facts: GameFacts { runner.look { game, now in GameFacts(game, now) } }

    /// What hosts have heard, once nobody says anything any more.
    func messages() async -> [LiveFeed.Message] {
      runner.feed.close()
      var messages: [LiveFeed.Message] = []
      for await message in runner.feed.listen(after: 0) { messages.append(message) }
      return messages
    }
  }

  private static let full = "the store cannot be used: full"
  private static let lost = "the store cannot be used: what it builds on was not stored"

  // MARK: The order

  /// Nothing is told or put into the stream before it is stored.
  @Test func nothingBeforeItIsStored() async throws {
    let play = Play()
    play.store.writing.close()
    let task = Task {
      try await play.command(.next, "n")
      play.said.add("done")
    }
    try await until("it is being written") { play.store.writing.waiting == 1 }
    play.runner.inject()
    #expect(play.said.lines == [] && play.stream.puts == [])
    play.store.writing.open()
    try await task.value
    let (start, asked) = (HostedShow.start, HostedShow.asked[0])
    #expect(try play.records == [.started(start), .asked(asked, question: 0), .command(id: "n")])
    try await play.inject()
    let time = MediaTime(seconds: 5)
    #expect(play.stream.puts.map(\.guid) == [start, asked])
    #expect(try play.records.suffix(2) == [.placed(start, at: time), .placed(asked, at: time)])
    #expect(play.store.transactions.first?.count == 3)
    play.writer.close()
  }

  @Test func aWholeGame() async throws {
    let play = Play()
    let result = HostedShow.results[0]
    for (player, name) in ["Ann", "Ben"].enumerated() { #expect(try await play.join(name) == player) }
    try await play.command(.next, "n")
    // The same again is done, and changes nothing.
    try await play.command(.next, "n")
    try await play.inject()
    play.stream.go(to: 8)
    play.runner.tick()
    #expect(await play.answer(1, by: 0, at: 8) == .judged([nil]))
    #expect(await play.answer(0, by: 1, at: 7) == .judged([nil]))
    #expect(await play.answer(1, by: 2, at: 7) == .unknownPlayer)
    let counts = play.look { $0.counts(0) }
    #expect(counts == [1, 1, 0])
    // It is decided once, however often somebody looks.
    play.stream.go(to: 30)
    for _ in 0..<5 { play.runner.tick() }
    try await play.settle()
    for _ in 0..<5 { play.runner.tick() }
    try await play.settle()
    #expect(await play.answer(2, by: 0, at: 14) == .judged([.revealed]))
    let decisions = try play.records.filter { if case .decided = $0 { true } else { false } }
    let known = play.look { $0.asked[0].resultCue }
    let cue = try #require(known)
    #expect(decisions == [.decided(result, question: 0, cue: cue)] && cue["counts"]?.text == "[1,1,0]")
    let boardCount = play.look { $0.boards.count }
    #expect(boardCount == 0)
    try await play.inject()
    #expect(play.stream.puts.filter { $0.guid == result } == [.init(guid: result, cue: cue)])
    let scores = play.look { $0.boards.last?.leaders.map(\.score) }
    #expect(scores == [1, 0])
    #expect(play.store.results == [] && !play.runner.hasEnded)
    // The end: what came of the game is stored together with the last record.
    try await play.command(.end, "e")
    try await play.inject()
    #expect(play.runner.hasEnded)
    #expect(try play.records.last == .placed(HostedShow.end, at: MediaTime(seconds: 30)))
    let stored = try #require(play.store.results.first)
    #expect(play.store.results.count == 1 && stored.game == "g1" && stored.account == nil && stored.title == "Friday")
    let text = try #require(try JSONValue(parsing: stored.text).object)
    #expect(text["players"]?.int == 2 && text["questions"]?.int == 1 && text["winners"]?.text == "[\"Ann\"]")
    #expect(text["leaders"]?.array?.count == 2)
    for _ in 0..<3 {
      play.runner.tick()
      try await play.inject()
    }
    #expect(play.store.results.count == 1)
    // What the store has makes the same game again.
    let (restored, _) = try GameKeeper.restored(Play.settings, from: play.store)
    let now = play.runner.keeper.now
    let facts = play.look { GameFacts($0, now) }
    #expect(GameFacts(restored, now) == facts)
    let names = await play.messages().map(\.event)
    // Where the time and the delay are up at once, either may be told first.
    let others = names.filter { $0 != "closed" }
    #expect(others == ["started", "asked", "injected", "injected", "decision", "injected", "ended", "injected"])
    #expect(names.count == others.count + 1)
    play.writer.close()
  }

  // MARK: A store that fails

  /// What cannot be stored has not happened: the game is made again of what the store has.
  @Test func whatCannotBeStoredHasNotHappened() async throws {
    let play = Play()
    try await play.join("Ann")
    play.store.fail(.unavailable("full"))
    #expect(await play.failure(joining: "Ben") == Self.full)
    #expect(await play.failure(of: .next, "n") == Self.full)
    let (phase, hasDone) = play.runner.look { game, now in (game.phase(at: now), game.hasDone("n")) }
    #expect(play.nicknames == ["Ann"] && phase == .lobby && !hasDone)
    try await play.inject()
    #expect(play.stream.puts == [] && play.writer.lastFailure == .unavailable("full"))
    play.store.fail(nil)
    // The name is free, and the command may be given again.
    #expect(try await play.join("Ben") == 1)
    try await play.command(.next, "n")
    #expect(try play.players == ["Ann", "Ben"])
    #expect(play.nicknames == ["Ann", "Ben"] && play.writer.lastFailure == nil)
    // Nobody has heard of what did not happen.
    #expect(await play.messages().map(\.event) == ["started", "asked"])
    play.writer.close()
  }

  /// What builds on a change that was lost is lost with it.
  @Test func whatBuildsOnIt() async throws {
    let play = Play()
    play.store.writing.close()
    let first = Task { await play.failure(joining: "Ann") }
    try await until("the first one is being written") { play.store.writing.waiting == 1 }
    let second = Task { await play.failure(joining: "Ben") }
    try await until("both are in the game") { play.nicknames == ["Ann", "Ben"] }
    play.store.fail(.unavailable("full"))
    play.store.writing.open()
    #expect(await first.value == Self.full)
    #expect(await second.value == Self.lost)
    #expect(try play.nicknames == [] && play.players == [])
    play.store.fail(nil)
    #expect(try await play.join("Cem") == 0)
    #expect(try play.nicknames == ["Cem"] && play.players == ["Cem"])
    play.writer.close()
  }

  /// Also where both come into one transaction, and only the first one breaks a rule of the tables.
  @Test func whatBuildsOnABrokenRule() async throws {
    let play = Play()
    play.store.refuse { if case .player(_, let player) = $0 { player.nickname == "Ann" } else { false } }
    play.store.writing.close()
    play.writer.submit([.revoke(session: "s", until: 1)]) { _ in }
    try await until("something is being written") { play.store.writing.waiting == 1 }
    let first = Task { await play.failure(joining: "Ann") }
    try await until("the first one is in the game") { play.nicknames == ["Ann"] }
    let second = Task { await play.failure(joining: "Ben") }
    try await until("both are in the game") { play.nicknames == ["Ann", "Ben"] }
    play.store.writing.open()
    #expect(await first.value == "this is there already")
    #expect(await second.value == Self.lost)
    #expect(try play.nicknames == [] && play.players == [])
    #expect(try await play.join("Ben") == 0)
    #expect(try play.players == ["Ben"])
    play.writer.close()
  }

  /// A public record that cannot be signed: nothing of the change is stored, the operator hears of it once, and the game goes on once it can.
  @Test func aRecordThatCannotBeSigned() async throws {
    let works = StopFlag()
    let secrets = RecordSecrets(secret: Array(0..<32), game: "g1")
    let play = Play(
      recording: Recording(secrets: secrets, publicKey: Array(0..<32)) { (message) throws(RecordSigningError) in
        guard works.isSet else { throw RecordSigningError("no library") }
        return SHA256.hash([1] + message) + SHA256.hash([2] + message)
      })
    let troubles = Log()
    play.runner.keeper.troubles.reach { troubles.add($0 ?? "goes on") }
    try await play.join("Ann")
    for number in 0..<2 {
      #expect(await play.failure(of: .next, "n\(number)") == "overloaded")
      play.runner.tick()
      try await play.settle()
      #expect(try play.records.isEmpty)
    }
    #expect(play.said.lines == ["g1: the public record cannot be signed: no library"])
    #expect(troubles.lines == ["the public record cannot be signed: no library"])
    works.set()
    try await play.command(.next, "n")
    let lines = try play.records.compactMap { if case .recorded(let line) = $0 { line } else { nil } }
    #expect(lines == play.look { $0.publicRecord })
    #expect(lines.map { RecordChain.subject(of: $0)?.kind } == [.begin, .ask])
    play.writer.close()
  }

  /// While the game is made again nobody changes it: what would be lost is refused at once.
  @Test func whileItIsMadeAgain() async throws {
    let play = Play()
    play.store.reading.close()
    play.store.fail(.unavailable("full"))
    let first = Task { await play.failure(joining: "Ann") }
    try await until("it is made again") { play.store.reading.waiting == 1 }
    play.store.fail(nil)
    #expect(await play.failure(joining: "Ben") == "overloaded")
    #expect(await play.failure(of: .next, "n") == "overloaded")
    play.store.reading.open()
    #expect(await first.value == Self.full)
    try await play.settle()
    #expect(try play.nicknames == [] && play.players == [])
    try await play.join("Cem")
    #expect(try play.nicknames == play.players && play.nicknames.last == "Cem")
    play.writer.close()
  }

  /// A store that cannot even be read: nothing happens until it can, and then everything goes on.
  @Test func aStoreThatCannotBeRead() async throws {
    let play = Play()
    try await play.join("Ann")
    try await play.command(.next, "n")
    play.store.fail(.unavailable("full"))
    play.store.failReading(.unavailable("gone"))
    #expect(await play.failure(joining: "Ben") == Self.full)
    play.store.fail(nil)
    #expect(await play.failure(joining: "Ben") == "overloaded")
    #expect(await play.failure(of: .end, "e") == "overloaded")
    play.runner.tick()
    try await play.inject()
    #expect(play.stream.puts == [])
    play.store.failReading(nil)
    play.runner.tick()
    try await play.settle()
    #expect(try await play.join("Ben") == 1)
    try await play.inject()
    #expect(play.stream.puts.map(\.guid) == [HostedShow.start, HostedShow.asked[0]])
    #expect(try play.nicknames == play.players)
    play.writer.close()
  }

  // MARK: The injector

  /// Another process has decided otherwise: its word counts, for this game, too.
  @Test func conflicts() async throws {
    let play = Play()
    let result = HostedShow.results[0]
    try await play.join("Ann")
    try await play.command(.next, "n")
    try await play.inject()
    play.stream.go(to: 8)
    #expect(await play.answer(1, by: 0, at: 8) == .judged([nil]))
    play.stream.go(to: 30)
    play.runner.tick()
    try await play.settle()
    let known = play.look { $0.asked[0].resultCue }
    let own = try #require(known)
    var other = own
    other.append("counts", [7, 8, 9])
    #expect(play.stream.put(result, other) == .placed(MediaTime(seconds: 30)))
    try await until("the result is in the stream") {
      play.runner.inject()
      return play.look { $0.asked[0].phase == .shown }
    }
    try await play.settle()
    let decisions = try play.records.filter { if case .decided = $0 { true } else { false } }
    #expect(decisions == [.decided(result, question: 0, cue: own), .decided(result, question: 0, cue: other)])
    let adopted = play.look { $0.asked[0].resultCue }
    #expect(adopted == other)
    #expect(try play.records.last == .placed(result, at: MediaTime(seconds: 30)))
    play.writer.close()
  }

  /// An injector that cannot be reached: nothing goes in front of what comes before it, the operator hears of it once, and hosts do.
  @Test func unavailable() async throws {
    let play = Play()
    play.stream.answer { $0.guid == HostedShow.start ? .unavailable("nobody answers") : nil }
    try await play.command(.next, "n")
    for _ in 0..<5 { try await play.inject() }
    #expect(Set(play.stream.puts.map(\.guid)) == [HostedShow.start] && play.said.lines.count == 1)
    #expect(play.said.lines.first == "g1: startGame is not in the stream: nobody answers")
    play.stream.answer { _ in nil }
    try await until("both are in the stream") {
      play.runner.inject()
      return play.look { $0.outgoing.isEmpty }
    }
    try await play.settle()
    #expect(play.stream.puts.last?.guid == HostedShow.asked[0])
    #expect(await play.messages().map(\.event) == ["started", "asked", "waiting", "injected", "injected"])
    play.writer.close()
  }

  /// A result is on its way into a stream that stands still: the host can neither void it nor end the game in front of it.
  @Test func aResultOnItsWay() async throws {
    let play = Play()
    try await play.join("Ann")
    try await play.command(.next, "n")
    try await play.inject()
    play.stream.go(to: 8)
    #expect(await play.answer(1, by: 0, at: 8) == .judged([nil]))
    play.stream.go(to: 30)
    play.stream.answer { $0.guid == HostedShow.results[0] ? .accepted : nil }
    try await until("the result is decided") {
      play.runner.tick()
      return play.look { $0.asked[0].phase == .decided }
    }
    try await play.inject()
    #expect(await play.failure(of: .void, "v") == "not-now")
    try await play.command(.end, "e")
    for _ in 0..<3 {
      play.runner.tick()
      try await play.inject()
    }
    #expect(play.stream.puts.last?.guid == HostedShow.results[0])
    // The stream goes on, and has had the result all the time.
    play.stream.answer { _ in nil }
    try await until("the game is over") {
      play.runner.tick()
      play.runner.inject()
      return play.runner.hasEnded
    }
    try await play.settle()
    let scores = play.look { game in game.boards.map { $0.leaders.map(\.score) } }
    #expect(scores == [[1], [1]])
    #expect(play.stream.puts.map(\.guid).suffix(2) == [HostedShow.results[0], HostedShow.end])
    play.writer.close()
  }

  /// What the stream refuses, or has lost, does not keep a game from its end.
  @Test(arguments: [Injection.refused("no"), .lost("gone")]) func eventsThatNeverCome(injection: Injection) async throws {
    let play = Play()
    try await play.join("Ann")
    try await play.runner.keeper.change { (game, _) throws(HostingProblem) in
      ((), try game.plan(automatic: true, startsAt: 1, entryOpensAt: nil), [])
    }
    let gone = [HostedShow.results[0], HostedShow.asked[1], HostedShow.end]
    play.stream.answer { gone.contains($0.guid) ? injection : nil }
    try await until("the game is over") {
      play.runner.tick()
      play.runner.inject()
      // So far that the time of a question, and the delay, are over.
      play.stream.go(to: (play.stream.edge ?? .zero).seconds + 20)
      return play.runner.hasEnded
    }
    try await play.settle()
    let (phases, boards) = play.look { game in (game.asked.map(\.phase), game.boards.count) }
    #expect(phases == [.voided, .voided, .shown] && boards == 2)
    let result = play.stream.puts.first { $0.guid == HostedShow.results[2] }
    #expect(result?.cue["questionNumber"]?.int == 2)
    #expect(
      play.said.lines.map { $0.prefix(28) } == [
        "g1: showResults is not in th", "g1: askQuestion is not in th", "g1: endGame is not in the st",
      ])
    play.writer.close()
  }

  /// What is written down there and not in the stream yet is asked for again, under the same identifier.
  @Test func accepted() async throws {
    let play = Play()
    play.stream.go(to: nil)
    try await play.command(.next, "n")
    for _ in 0..<3 { try await play.inject() }
    let guids = play.look { $0.outgoing.map(\.guid) }
    #expect(guids == [HostedShow.start, HostedShow.asked[0]])
    #expect(play.stream.puts.map(\.guid) == guids + guids + guids)
    play.stream.go(to: 9)
    try await play.inject()
    let opensAt = play.look { $0.asked[0].opensAt }
    #expect(opensAt == MediaTime(seconds: 9))
    let puts = play.stream.puts
    for put in puts { #expect(put == puts.first(where: { $0.guid == put.guid })) }
    play.writer.close()
  }

  /// A stream that has ended takes nothing any more: what is decided counts all the same, and the game ends.
  @Test func theStreamEnds() async throws {
    let play = Play()
    try await play.join("Ann")
    try await play.command(.next, "n")
    try await play.inject()
    play.stream.go(to: 8)
    #expect(await play.answer(1, by: 0, at: 8) == .judged([nil]))
    play.stream.go(to: 30)
    play.stream.end()
    play.stream.answer { _ in .ended }
    try await until("the game is over") {
      play.runner.tick()
      play.runner.inject()
      return play.runner.hasEnded
    }
    try await play.settle()
    let scores = play.look { game in game.boards.map { $0.leaders.map(\.score) } }
    #expect(scores == [[1], [1]])
    #expect(play.store.results.count == 1)
    #expect(try play.records.last == .placed(HostedShow.end, at: MediaTime(seconds: 30)))
    play.writer.close()
  }

  /// How many watch and play, every ten seconds of the programme, is put once and not written down.
  @Test func information() async throws {
    let play = Play()
    try await play.join("Ann")
    try await play.command(.next, "n")
    try await play.inject()
    play.runner.audience.add(.player(0), share: 1)
    let before = try play.records
    for _ in 0..<3 {
      play.runner.tick()
      try await play.inject()
    }
    let infos = play.stream.puts.filter { $0.cue["event"]?.string == "periodicInfo" }
    #expect(infos.map(\.guid) == [HostedShow.guid("0", .periodicInfo)])
    #expect(infos.first?.cue["viewers"]?.int == 1 && infos.first?.cue["players"]?.int == 1)
    #expect(try play.records == before)
    play.writer.close()
  }

  // MARK: Two games

  /// One game at a time is in the stream; the other one begins when it is over.
  @Test func theStreamBelongsToOne() async throws {
    let claim = StreamClaim()
    let (first, second) = (Play("g1", claim: claim), Play("g2", claim: claim))
    try await first.runner.keeper.change { [runner = first.runner] (game, now) throws(HostingProblem) in
      ((), try game.carryOut(.next, id: "n", now: now) { runner.takeStream() }, [])
    }
    for _ in 0..<3 { #expect(!second.runner.takeStream()) }
    #expect(second.said.lines.count == 1 && second.said.lines.first?.contains("another game is in the stream") == true)
    try await first.command(.end, "e")
    #expect(!second.runner.takeStream())
    try await first.inject()
    #expect(first.runner.hasEnded && second.runner.takeStream() && !first.runner.takeStream())
    for play in [first, second] { play.writer.close() }
  }

  @Test func claims() {
    let claim = StreamClaim()
    #expect(claim.take("a") && claim.take("a") && !claim.take("b"))
    claim.leave("b")
    #expect(!claim.take("b"))
    claim.leave("a")
    #expect(claim.take("b") && !claim.take("a"))
  }

  // MARK: Restarts

  /// A runner of what a store has: players may answer, and what was on its way is put.
  @Test func restarted() async throws {
    let play = Play()
    for name in ["Ann", "Ben"] { try await play.join(name) }
    try await play.command(.kick(player: 1), "k")
    try await play.command(.next, "n")
    try await play.inject()
    play.stream.go(to: 8)
    #expect(await play.answer(1, by: 0, at: 8) == .judged([nil]))
    let facts = play.facts
    play.writer.close()
    let (game, _) = try GameKeeper.restored(Play.settings, from: play.store)
    let (writer, stream) = (StoreWriter(play.store), FakeInjector(edge: 9))
    writer.start()
    let runner = GameRunner(play.runner.stored, game, writer, LoneProcess(writer), GameStreams.Stream(stream), say: { _ in })
    let again = runner.look { game, now in GameFacts(game, now) }
    #expect(again.asked.map(\.guid) == facts.asked.map(\.guid) && again.windows == facts.windows && again.counts == [0, 1, 0])
    #expect(
      runner.desk.knows(0, key: PlayerKey.text(PlayerKey.hash("Ann"))) && !runner.desk.knows(0, key: PlayerKey.text(PlayerKey.hash("Ben"))))
    let question = HostedShow.asked[0]
    let expected: [(Int, AnswerDesk.Outcome)] = [(0, .judged([nil])), (1, .judged([.eliminated])), (2, .unknownPlayer)]
    for (player, outcome) in expected {
      let request = AnswerDesk.Request(question: question, answer: .one(2), time: MediaTime(seconds: 9))
      let found = await withCheckedContinuation { continuation in
        runner.desk.take([request], of: player) { continuation.resume(returning: $0) }
      }
      #expect(found == outcome, "player \(player)")
    }
    let counts = runner.look { game, _ in game.counts(0) }
    #expect(counts == [0, 0, 1])
    writer.close()
  }

  @Test func damagedStores() throws {
    func problem(_ changes: [StoreChange]) throws -> StoreError? {
      let store = FakeStore()
      try store.apply(changes)
      do throws(StoreError) {
        _ = try GameKeeper.restored(Play.settings, from: store)
        return nil
      } catch {
        return error
      }
    }
    func player(_ player: Int, _ nickname: String) -> StoreChange {
      .player(game: "g1", StoredPlayer(player: player, nickname: nickname, key: "\(player)", joinedAt: nil))
    }
    #expect(try problem([player(0, "Ann"), player(1, "Ben"), .answers(game: "g1", [1])]) == nil)
    // Names that nobody may have today are those of players all the same.
    #expect(try problem([player(0, "Admin"), player(1, "\u{410}dmin")]) == nil)
    for (index, players) in [
      [player(1, "Ann")], [player(0, "Ann"), player(2, "Ben")], [player(0, "")], [player(0, "Ann"), player(1, "ann")],
    ].enumerated() {
      let damaged = [0, 1, 0, 1][index]
      #expect(try problem(players) == .foreign("the game g1 has a damaged player \(damaged)"), "\(index)")
    }
    for bytes in [[], [2], [1, 0]] as [[UInt8]] {
      guard case .foreign(let reason)? = try problem([.answers(game: "g1", bytes)]) else { return #expect(Bool(false), "\(bytes)") }
      #expect(reason.hasPrefix("the game g1 has damaged answers: "))
    }
  }

  // MARK: What hosts hear

  @Test func messages() {
    let guid = HostedShow.start
    let cases: [(HostMessage, String, String)] = [
      (.started, "started", "{}"), (.asked(guid, number: 2), "asked", "{\"guid\":\"\(guid.text)\",\"number\":2}"),
      (
        .placed(.startGame, guid, at: MediaTime(ticks: 45_000)), "injected",
        "{\"guid\":\"\(guid.text)\",\"event\":\"startGame\",\"at\":0.5}"
      ),
      (.closed(guid), "closed", "{\"guid\":\"\(guid.text)\"}"), (.voided(guid), "voided", "{\"guid\":\"\(guid.text)\"}"),
      (.decision(guid), "decision", "{\"guid\":\"\(guid.text)\"}"), (.ended, "ended", "{}"), (.kicked(7), "kicked", "{\"player\":7}"),
      (.removed(7), "removed", "{\"player\":7}"),
    ]
    for (message, name, text) in cases { #expect(message.name == name && message.object.text == text) }
  }

  @Test func progress() throws {
    var show = HostedShow()
    for name in ["Ann", "Ben"] { try show.join(name) }
    var object = GameClock.progress(&show.game, 9)
    #expect(object.text == #"{"players":2,"viewers":9}"#)
    show.go(to: 10)
    try show.command(.next)
    object = GameClock.progress(&show.game, 9)
    #expect(object.text == #"{"players":2,"viewers":9}"#)
    show.placeAll()
    show.go(to: 12)
    show.answer(2, by: 1)
    object = GameClock.progress(&show.game, 9)
    let guid = HostedShow.asked[0].text
    #expect(object.text == "{\"players\":2,\"viewers\":9,\"question\":\"\(guid)\",\"number\":1,\"answered\":1,\"counts\":[0,0,1]}")
    let injector = FakeInjector()
    #expect(GameClock.withReach(object, injector) == object)
    var reach = EventReach(guid: HostedShow.asked[0], acceptedAt: 0)
    reach.sessions = 7
    injector.set(reach)
    let told = JSONObject(fields: ["shown": 0, "pages": 7])
    #expect(GameClock.withReach(object, injector) == object.with("reach", told))
    #expect(GameClock.withReach(JSONObject(fields: ["players": 2]), injector) == JSONObject(fields: ["players": 2]))
  }

  // MARK: The record

  /// What the players did, as `cuelight replay --answers` reads it, without those who were taken out.
  @Test func theRecord() async throws {
    let play = Play()
    for name in ["Ann", "B\u{E9}n \"", "Cem"] { try await play.join(name) }
    try await play.command(.next, "n")
    try await play.inject()
    play.stream.go(to: 20)
    try await play.join("Dee")
    try await play.command(.kick(player: 2), "k")
    let guid = HostedShow.asked[0]
    let answers = [(0, 1, 45_000), (1, 2, -1), (2, 1, 7), (3, 0, 90_000), (9, 0, 0)].map { player, answer, ticks in
      PackedAnswer(player: UInt32(player), question: 0, answer: UInt32(answer), time: MediaTime(ticks: Int64(ticks)))
    }
    let unknown = AnswerBatch.encode([PackedAnswer(player: 0, question: 5, answer: 0, time: .zero)])
    for batch in [AnswerBatch.encode(answers), unknown] { try play.store.apply([.answers(game: "g1", batch)]) }
    var reader = RecordReader(play.runner)
    let bytes = try reader.next(play.store)
    #expect(try reader.next(play.store) == [])
    let records = try bytes.split(separator: UInt8(ascii: "\n")).map { try AudienceRecord(parsing: Array($0)) }
    #expect(
      records == [
        .join(nickname: "Ann", at: nil), .join(nickname: "B\u{E9}n \"", at: nil), .join(nickname: "Dee", at: MediaTime(seconds: 18)),
        .answer(nickname: "Ann", question: .guid(guid), answer: .one(1), time: MediaTime(ticks: 45_000), arrival: 1),
        .answer(nickname: "B\u{E9}n \"", question: .guid(guid), answer: .one(2), time: MediaTime(ticks: -1), arrival: 2),
        .answer(nickname: "Dee", question: .guid(guid), answer: .one(0), time: MediaTime(seconds: 1), arrival: 4),
      ])
    #expect(bytes.last == UInt8(ascii: "\n"))
    // A record without some of the answers is none.
    try play.store.apply([.answers(game: "g1", [2, 3])])
    #expect(throws: StoreError.foreign("the game g1 has answers that are damaged")) { try RecordReader(play.runner).measured(play.store) }
    play.writer.close()
  }

  /// A long record comes in small pieces of whole lines, and ends where it did when it was measured.
  @Test func aLongRecord() async throws {
    let play = Play()
    try await play.join("Ann")
    try await play.command(.next, "n")
    try await play.inject()
    let lines = RecordLines(play.runner)
    var (whole, arrival): ([UInt8], Int64) = ([], 0)
    lines.appendJoin(of: 0, to: &whole)
    // One batch is longer than a page of the store, and others are much shorter.
    for (number, count) in [1, 5_000, 1, 2, 300, 3_000].enumerated() {
      let answers = (0..<count).map { PackedAnswer(player: 0, question: 0, answer: UInt32(number), time: MediaTime(ticks: Int64($0))) }
      for answer in answers {
        arrival += 1
        lines.append(answer, arrival: arrival, to: &whole)
      }
      try play.store.apply([.answers(game: "g1", AnswerBatch.encode(answers)), .answers(game: "g2", AnswerBatch.encode(answers))])
    }
    let measured = try RecordReader(play.runner).measured(play.store)
    let late = PackedAnswer(player: 0, question: 0, answer: 9, time: .zero)
    try play.store.apply([.answers(game: "g1", AnswerBatch.encode([late]))])
    var (reader, pieces) = (measured.reader, [[UInt8]]())
    while true {
      let piece = try reader.next(play.store)
      guard !piece.isEmpty else { break }
      pieces.append(piece)
    }
    #expect(Array(pieces.joined()) == whole && measured.length == whole.count)
    #expect(pieces.count > 10 && pieces.allSatisfy { $0.count < RecordReader.pieceSize + 4_096 && $0.last == UInt8(ascii: "\n") })
    play.writer.close()
  }
}

extension GameFailure {
  fileprivate var words: String {
    switch self {
    case .hosting(let problem): problem.kind
    case .store(let error): "\(error)"
    }
  }
}
