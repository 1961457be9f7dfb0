import AccessTokens
import AnswerIntake
import Basics
import GameEvents
import GameHosting
import GameStore
import HTTPTypes
import Scoring
import Synchronization
import TestSupport
import Testing

@testable import GameServer

/// What players may know of themselves, and delete.
@Suite struct PlayerAPITests {
  private let folder: String

  init() throws { folder = try Workshop.newFolder() }

  private func path(_ game: String, _ number: Int) -> String { "/v1/games/\(game)/players/\(ServedGames.uuid(number))" }

  /// Everything that is kept, for the player alone.
  @Test func export() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let (ann, ben) = (await served.join("Ann", 0, game).token, await served.join("Ben", 1, game).token)
    try await served.ask(game, host: host)
    let guid = served.directory.game(game)?.look { game, _ in game.asked[0].guid.text } ?? ""
    for answer in [0, 1] { #expect(await served.answer(answer, game, token: ann).status == 202) }
    try await served.finish(game, host: host)
    let contact = #"{"consent":true,"email":"ann@example.org"}"#
    #expect(await served.call("POST", "/v1/games/\(game)/contacts", contact, token: ann).status == 204)
    let reply = await served.call("GET", path(game, 0), token: ann)
    var object = reply.object
    var left = object["contact"]?.object ?? JSONObject()
    #expect(left.removeValue(for: "leftAt")?.string != nil && left.text == #"{"email":"ann@example.org"}"#)
    object.removeValue(for: "contact")
    #expect(
      reply.status == 200
        && object.text == #"{"player":0,"nickname":"Ann","uuid":"\#(ServedGames.uuid(0))","joinedAt":null,"kicked":false,"#
          + #""standing":{"rank":1,"score":1,"right":1,"answers":1,"outAt":null},"#
          + #""answers":[{"question":"\#(guid)","answer":0,"at":8},{"question":"\#(guid)","answer":1,"at":8}]}"#
    )
    #expect(await served.call("GET", path(game, 1), token: ben).object["contact"] == .null)
    // Another player's is nobody's business.
    #expect(await served.call("GET", path(game, 0), token: ben).kind == "forbidden")
    #expect(await served.call("GET", path(game, 0), token: host).kind == "forbidden")
    #expect(await served.call("DELETE", path(game, 0), token: ben).kind == "forbidden")
    #expect(await served.call("DELETE", path(game, 0)).kind == "unauthorized")
    served.end()
  }

  /// Another nickname and another team are on the disk when they are answered, and cannot be had once the show has begun.
  @Test func changes() async throws {
    let served = try ServedGames(folder: folder)
    let made = await served.call(
      "POST", "/v1/games", #"{"rules":{"delay":2,"teams":"free"},"quiz":\#(ServedGames.quiz)}"#, token: served.games.operatorToken())
    let (game, host) = (made.object["id"]?.string ?? "", made.token)
    let first = await served.join("Ann", 0, game, team: "Reds")
    #expect(first.status == 201)
    let changed = await served.join("Anna", 0, game, team: "Blues")
    #expect(changed.status == 200 && changed.object["player"]?.int == 0 && changed.object["team"]?.string == "Blues")
    #expect(try served.store.players(of: game).map { "\($0.nickname) \($0.team ?? "")" } == ["Anna Blues"])
    #expect(await served.join("Ann", 1, game, team: "blues").object["team"]?.string == "Blues")
    #expect(await served.join("Ann a", 1, game).kind == "nickname-taken")
    #expect(await served.call("PUT", path(game, 2), #"{"nickname":"Cem","team":7}"#).kind == "invalid")
    // The token of the player stays valid.
    #expect(await served.call("GET", "/v1/games/\(game)/me", token: first.token).object["nickname"]?.string == "Anna")
    served.end()
    let again = try ServedGames(folder: folder)
    #expect(again.directory.game(game)?.look { game, _ in game.team(of: 0) } == "Blues")
    try await again.ask(game, host: host)
    for (name, team) in [("Anne", "Blues"), ("Anna", "Reds")] {
      let refused = await again.join(name, 0, game, team: team)
      #expect(refused.kind == "joined-otherwise" && refused.object["nickname"]?.string == "Anna")
    }
    #expect(await again.join("Anna", 0, game).status == 200)
    again.end()
  }

  /// What is kept and cannot be read is not left out as if it were not there.
  @Test func exportOfDamage() async throws {
    let served = try ServedGames(folder: folder)
    let (game, _) = await served.make()
    let ann = await served.join("Ann", 0, game).token
    func export() async -> ServedGames.Reply { await served.call("GET", path(game, 0), token: ann) }
    #expect(await export().status == 200)
    try served.store.apply([.contact(StoredContact(game: game, player: 0, text: "{", at: 1))])
    #expect(await export().status == 503)
    try served.store.apply([.removeContacts(game: game)])
    #expect(await export().status == 200)
    try served.store.apply([.answers(game: game, [2, 3])])
    #expect(await export().status == 503)
    served.end()
  }

  /// Who deletes everything is nowhere any more, now and after a restart; the same call again is answered the same.
  @Test func deletion() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let (ann, ben) = (await served.join("Ann", 0, game).token, await served.join("Ben", 1, game).token)
    try await served.play(game, host: host, [(ann, 1), (ben, 0)])
    let contact = #"{"consent":true,"email":"ann@example.org"}"#
    for token in [ann, ben] { _ = await served.call("POST", "/v1/games/\(game)/contacts", contact, token: token) }
    let before = await served.call("GET", "/v1/games/\(game)/board/1")
    #expect(await served.call("DELETE", path(game, 0), token: ann).status == 204)
    func check(_ served: ServedGames) async throws {
      for name in ["board", "board/1", "board/2", "state", "record", "players", "contacts"] {
        let reply = await served.call("GET", "/v1/games/\(game)/\(name)", token: host)
        #expect(reply.status == 200 && !reply.text.contains("Ann") && reply.text.contains("Ben"), "\(name)")
      }
      #expect(await served.call("GET", "/v1/games/\(game)/me", token: ann).kind == "unauthorized")
      #expect(await served.call("GET", path(game, 0), token: ann).kind == "unauthorized")
      #expect(await served.call("POST", "/v1/games/\(game)/contacts", contact, token: ann).kind == "unauthorized")
      #expect(await served.call("DELETE", path(game, 0), token: ann).status == 204)
      let me = await served.call("GET", "/v1/games/\(game)/me", token: ben)
      #expect(me.object["rank"]?.int == 1 && me.object["player"]?.int == 1)
      let players = try served.store.players(of: game).map { "\($0.nickname) \($0.key)" }
      #expect(players == [". .", "Ben \(ServedGames.uuid(1))"])
      #expect(try served.store.contacts(of: game, after: nil, size: .max).elements.map { $0.player } == [1])
      var answers: [PackedAnswer] = []
      try served.store.batches(of: game) { batch in answers += (try? AnswerBatch.decode(batch.answers.span)) ?? [] }
      #expect(answers.map { $0.player } == [1])
    }
    try await check(served)
    let board = await served.call("GET", "/v1/games/\(game)/board/1")
    #expect(board != before && board.tag != before.tag)
    served.end()
    let again = try ServedGames(folder: folder)
    again.stream.go(to: 30)
    try await check(again)
    #expect(await again.call("GET", "/v1/games/\(game)/board/1") == board)
    again.end()
  }

  /// In the middle of a question, too; what was said before does not count, and the same client is somebody new.
  @Test func deletionWhileAQuestionTakesAnswers() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let ann = await served.join("Ann", 0, game).token
    try await served.ask(game, host: host)
    #expect(await served.answer(1, game, token: ann).status == 202)
    #expect(await served.call("DELETE", path(game, 0), token: ann).status == 204)
    #expect(await served.answer(1, game, token: ann).kind == "unauthorized")
    let again = await served.join("Ann", 0, game)
    #expect(again.status == 201 && again.object["player"]?.int == 1)
    try await served.finish(game, host: host)
    let board = await served.call("GET", "/v1/games/\(game)/board/1").object["scoreboard"]?.object
    #expect(board?["counts"]?.text == "[0,0]" && board?["players"]?.int == 1)
    served.end()
  }

  /// Who is out does not come back as somebody else, also when the server has started again; who has joined before still does.
  @Test func entryEndsWhereSomebodyMayBeOut() async throws {
    let served = try ServedGames(folder: folder)
    let body = #"{"rules":{"delay":2,"scoring":"elimination"},"quiz":\#(ServedGames.quiz)}"#
    let reply = await served.call("POST", "/v1/games", body, token: served.games.operatorToken())
    let (game, host) = (reply.object["id"]?.string ?? "", reply.token)
    #expect(await served.join("Ann", 0, game).status == 201)
    let ben = await served.join("Ben", 1, game).token
    try await served.ask(game, host: host)
    #expect(await served.answer(0, game, token: ben).status == 202)
    #expect(await served.call("DELETE", path(game, 1), token: ben).status == 204)
    func check(_ served: ServedGames) async {
      served.stream.go(to: 40)
      for (name, number) in [("Ben", 1), ("Bob", 1), ("Ben", 2)] {
        let late = await served.join(name, number, game)
        #expect(late.status == 409 && late.kind == "entry-closed")
      }
      #expect(await served.join("Ann", 0, game).status == 200)
    }
    await check(served)
    served.end()
    let again = try ServedGames(folder: folder)
    await check(again)
    again.end()
  }

  /// A contact has texts that may be shown, and an e-mail address that a form would take.
  @Test func contacts() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let ann = await served.join("Ann", 0, game).token
    try await served.play(game, host: host, [(ann, 1)])
    let contacts = "/v1/games/\(game)/contacts"
    for (member, pointer) in [
      (#""email":"nonsense""#, "/email"), (#""name":"A\u202Enn""#, "/name"), (#""message":"a\u001B[2J""#, "/message"),
      (#""name":"a\nb""#, "/name"),
    ] {
      let reply = await served.call("POST", contacts, #"{"consent":true,\#(member)}"#, token: ann)
      #expect(reply.status == 422 && reply.object["pointer"]?.string == pointer, "\(reply)")
    }
    let good = #"{"consent":true,"email":"ann@example.org","message":"Two\nlines"}"#
    #expect(await served.call("POST", contacts, good, token: ann).status == 204)
    served.end()
  }

  /// A viewer with a player's token is one, whatever it says and however often; one without a token is somebody at an address.
  @Test func presence() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let (other, _) = await served.make()
    let (ann, ben) = (await served.join("Ann", 0, game).token, await served.join("Ben", 0, other).token)
    let audience = try #require(served.directory.game(game)).audience
    for _ in 0..<30 { #expect(await served.call("POST", "/v1/games/\(game)/presence", token: ann).status == 204) }
    #expect((1...2).contains(audience.viewers(at: .now)))
    for token in [nil, host, ben] {
      for _ in 0..<30 { #expect(await served.call("POST", "/v1/games/\(game)/presence", token: token).status == 204) }
    }
    #expect(audience.viewers(at: .now) <= 2 + 2 * AudienceCount.mostOfAddress)
    served.end()
  }

  /// A title is a text that people see: it has no character that steers a terminal or turns its neighbours.
  @Test func titles() async throws {
    let served = try ServedGames(folder: folder)
    for title in ["a\\u001B[31m", "a\\u202Eb", "\\u200B", "a\\nb"] {
      let body = #"{"title":"\#(title)","quiz":\#(ServedGames.quiz)}"#
      let reply = await served.call("POST", "/v1/games", body, token: served.games.operatorToken())
      #expect(reply.status == 422 && reply.object["pointer"]?.string == "/title", "\(reply)")
    }
    served.end()
  }

  /// Where the store fails, the player stays, and may answer.
  @Test func deletionThatCannotBeStored() async throws {
    let (store, stream) = (FakeStore(), FakeInjector(edge: 5))
    let writer = StoreWriter(store)
    let stored = StoredGame(id: "g1", code: "CODE", title: "Friday", account: nil, rules: "{}", quiz: "{}", createdAt: 1)
    let runner = GameRunner(
      stored, HostedGame(HostedShow.settings()), writer, LoneProcess(writer), GameStreams.Stream(stream), say: { _ in })
    writer.start()
    try await runner.keeper.change { (game, now) throws(HostingProblem) in
      let joined = try game.join("Ann", key: "a", now: now)
      return ((), HostedGame.Change(), [.player(game: "g1", StoredPlayer(player: joined.player, nickname: "Ann", key: "a", joinedAt: nil))])
    }
    store.fail(.unavailable("full"))
    await #expect(throws: GameFailure.self) { try await runner.carryOut(.remove(player: 0)) }
    store.fail(nil)
    let isRemoved = runner.look { game, _ in game.isRemoved(0) }
    #expect(!isRemoved && runner.desk.knows(0, key: PlayerKey.text(PlayerKey.hash("a"))))
    let request = AnswerDesk.Request(question: HostedShow.asked[0], answer: .one(1), time: MediaTime(seconds: 5))
    let outcome = await withCheckedContinuation { continuation in
      runner.desk.take([request], of: 0) { continuation.resume(returning: $0) }
    }
    #expect(outcome == .judged([.unknownQuestion]))
    writer.close()
  }

  /// While others answer, a player who goes leaves the boards that were shown, and the others move up when the question is over.
  @Test func boardsWhileAQuestionTakesAnswers() async throws {
    var show = HostedShow()
    for name in ["Ann", "Ben", "Cem"] { try show.join(name) }
    func board(_ number: Int) -> [String] { show.game.board(number)?.leaders.map { "\($0.rank) \($0.nickname)" } ?? [] }
    try show.ask()
    for (player, answer) in [1, 1, 0].enumerated() { show.answer(answer, by: player) }
    show.finishQuestion()
    #expect(board(1) == ["1 Ann", "1 Ben", "3 Cem"])
    try show.ask()
    try show.command(.kick(player: 0))
    try show.remove(1)
    #expect(board(1) == ["3 Cem"] && show.game.playerCount == 1)
    show.answer(1, by: 2)
    show.finishQuestion()
    show.advance()
    #expect(board(1) == ["1 Cem"] && board(2) == ["1 Cem"] && board(3) == [])
    // Nobody answers: at once.
    try show.join("Dee")
    try show.command(.kick(player: 2))
    #expect(board(1) == [])
  }

  /// While nothing is heard of the stream answers may be sent again, and the server says that it is not ready.
  @Test func withoutTheStream() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let ann = await served.join("Ann", 0, game).token
    try await served.ask(game, host: host)
    #expect(await served.call("GET", "/readyz").status == 200)
    served.stream.goAway(true)
    #expect(await served.answer(1, game, token: ann).status == 503)
    #expect(await served.call("GET", "/readyz").kind == "notReady")
    served.stream.goAway(false)
    #expect(await served.answer(1, game, token: ann).status == 202)
    served.end()
  }

  /// A token of a player holds until an hour after the end by the clock, whatever the programme does, and through a show that is far away.
  @Test func howLongTokensHold() async throws {
    let served = try ServedGames(folder: folder)
    let start = (GameAPI.now + 300 * 86_400) * 1_000
    let (game, host) = await served.make(#","startsAt":"\#(GameAPI.date(start) ?? "")""#)
    let joined = await served.join("Ann", 0, game)
    #expect(joined.object["expires"]?.string == GameAPI.date(start + 2 * 86_400_000))
    let runner = try #require(served.directory.game(game))
    let token = try served.api.tokens.token(joined.token, now: GameAPI.now)
    #expect(try served.api.player(token, runner) == 0)
    try await served.play(game, host: host, [(joined.token, 1)])
    // Two hours of the programme later, at once.
    served.stream.go(to: 7_200)
    #expect(await served.call("GET", "/v1/games/\(game)/me", token: joined.token).status == 200)
    let ended = runner.look { game, _ in game.finishedAt }
    #expect(ended.map { abs($0 - SteadyClock.now) < 600_000 } == true)
    _ = runner.look { game, _ in game.restore(.finished(at: SteadyClock.now - 3_601_000)) }
    #expect(await served.call("GET", "/v1/games/\(game)/me", token: joined.token).kind == "token-expired")
    served.end()
  }

  /// Who says where the stream is says it as a number, or not at all.
  @Test func joiningSomewhere() async throws {
    let served = try ServedGames(folder: folder)
    let (game, _) = await served.make()
    for (number, at) in ["\"5\"", "true", "[]", "{}"].enumerated() {
      let reply = await served.call("PUT", path(game, number), #"{"nickname":"P\#(number)","at":\#(at)}"#)
      #expect(reply.status == 422 && reply.object["pointer"]?.string == "/at", "\(at)")
    }
    for (number, at) in ["5", "null", "0.5"].enumerated() {
      #expect(await served.call("PUT", path(game, number), #"{"nickname":"P\#(number)","at":\#(at)}"#).status == 201, "\(at)")
    }
    served.end()
  }

  /// Boards may be kept for a moment, and one that has not changed is not sent again.
  @Test func boardsHaveTags() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let ann = await served.join("Ann", 0, game).token
    try await served.play(game, host: host, [(ann, 1)])
    let board = await served.call("GET", "/v1/games/\(game)/board/1")
    #expect(board.status == 200 && board.tag != nil)
    let same = await served.call("GET", "/v1/games/\(game)/board/1", headers: [.ifNoneMatch: board.tag ?? ""])
    #expect(same == ServedGames.Reply(status: 304, text: "", tag: board.tag))
    served.end()
  }
}
