import AccessTokens
import Basics
import GameHosting
import GameStore
import HTTPTypes
import Questions
import TestSupport
import Testing

@testable import GameServer

/// Tokens that are ended before their time.
@Suite struct HostAccessTests {
  private let folder: String

  init() throws { folder = try Workshop.newFolder() }

  private static let credentials = #"{"name":"Zoe","password":"quite-a-secret"}"#

  /// The owner renews the host's access: all tokens of before are none, also after a restart.
  @Test func renewal() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials).token
    let (game, host) = await served.make(token: account)
    let path = "/v1/games/\(game)/host-token"
    let players = "/v1/games/\(game)/players"
    // A token of before, which was given another time.
    let copy = await served.call("POST", "/v1/sessions", token: host).token
    #expect(await served.call("GET", players, token: copy).status == 200)
    // A host does not lock others out; the operator may, and the account.
    #expect(await served.call("POST", path, token: host).kind == "forbidden")
    #expect(await served.call("POST", path).kind == "unauthorized")
    #expect(await served.call("POST", path, token: served.games.operatorToken()).status == 201)
    let runner = try #require(served.directory.game(game))
    let log = Log()
    #expect(runner.access.lease.listen(HostLease.Console(session: "old"), takesOver: true) { log.add($0.rawValue) } != nil)
    let renewed = await served.call("POST", path, token: account)
    #expect(renewed.status == 201 && renewed.object["expires"]?.string != nil && log.lines == ["access-ended"])
    func check(_ served: ServedGames) async {
      for token in [host, copy] {
        #expect(await served.call("GET", players, token: token).kind == "token-expired")
        #expect(await served.call("POST", "/v1/sessions", token: token).kind == "token-expired")
      }
      #expect(await served.call("GET", players, token: renewed.token).status == 200)
      #expect(await served.call("GET", players, token: account).status == 200)
    }
    await check(served)
    served.end()
    let again = try ServedGames(folder: folder)
    await check(again)
    #expect(try again.store.game(game)?.hostGeneration == 2)
    again.end()
  }

  /// Of two consoles with one token the one that leads commands; the other one may take the lead. A command line of the operator overrules both.
  @Test func consolesOfOneToken() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials).token
    let (game, host) = await served.make(token: account)
    let log = Log()
    @Sendable func command(_ id: String, _ query: String = "", token: String, _ command: String = "next") async -> String? {
      let body = #"{"id":"\#(id)","command":"\#(command)"}"#
      let reply = await served.call("POST", "/v1/games/\(game)/commands\(query)", body, token: token)
      return reply.status == 200 ? nil : reply.kind
    }
    #expect(await served.approve(game).status == 200)
    // Nobody leads: a command line does what it says.
    #expect(await command("a", token: host) == nil)
    let runner = try #require(served.directory.game(game))
    runner.access.lease.end()
    let operatorToken = served.games.operatorToken()
    #expect(await command("b", "?client=one", token: operatorToken, "void") == "not-now")
    for token in [operatorToken, host] { #expect(await command("c", "?client=two", token: token, "end") == "host-busy") }
    #expect(await command("c", token: host, "end") == "host-busy")
    let change = await served.call("PATCH", "/v1/games/\(game)?client=two", #"{"automatic":true}"#, token: operatorToken)
    #expect(change.kind == "host-busy")
    #expect(await command("d", token: operatorToken, "void") == "not-now")
    #expect(await command("d", "?client=one", token: operatorToken, "void") == "not-now")
    let session = try served.api.tokens.token(operatorToken, now: GameAPI.now).session
    #expect(runner.access.lease.listen(.init(session: session, client: "one"), takesOver: false) { log.add($0.rawValue) } != nil)
    #expect(await command("e", "?client=two&takeover", token: operatorToken, "void") == "not-now" && log.lines == ["takeover"])
    #expect(await command("f", "?client=one", token: operatorToken, "void") == "host-busy")
    #expect(await command("g", "?client=\(String(repeating: "x", count: 129))", token: operatorToken) == "invalid")
    served.end()
  }

  /// A second console listens while the first one leads, commands nothing, and is told who leads.
  @Test func aConsoleThatWatches() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let (events, commands) = ("/v1/games/\(game)/events", "/v1/games/\(game)/commands")
    let runner = try #require(served.directory.game(game))
    #expect(runner.access.leader == nil)
    #expect(await served.call("GET", "\(events)?client=two&watch", token: host).status == 200)
    #expect(runner.access.leader == nil)
    #expect(await served.call("GET", "\(events)?client=one", token: host).status == 200)
    #expect(runner.access.leader == "one")
    #expect(await served.call("GET", "\(events)?client=two", token: host).kind == "host-busy")
    #expect(await served.call("GET", "\(events)?client=two&watch", token: host).status == 200)
    #expect(await served.call("POST", "\(commands)?client=two", #"{"id":"a","command":"start"}"#, token: host).kind == "host-busy")
    #expect(
      runner.look { game in GameClock.progress(&game, 3, leader: "one") }
        == JSONObject(fields: ["players": 0, "viewers": 3, "leader": "one"]))
    #expect(await served.call("GET", "\(events)?client=two&watch&takeover", token: host).status == 200)
    #expect(runner.access.leader == "two")
    // What many nodes share holds for consoles of other nodes.
    runner.access.lease.end()
    #expect(runner.access.note(leader: "session Chrome on Linux") && !runner.access.note(leader: "session Chrome on Linux"))
    #expect(runner.access.leader == "Chrome on Linux" && runner.access.note(leader: nil) && runner.access.leader == nil)
    #expect(await served.call("GET", "\(events)?watch", token: await served.join("Ann", 1, game).token).kind == "forbidden")
    served.end()
  }

  /// Who logs out ends all tokens of the session, also those that were renewed, and no others.
  @Test func logOut() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials).token
    let other = await served.call("POST", "/v1/sessions", Self.credentials).token
    let (game, host) = await served.make(token: account)
    let players = "/v1/games/\(game)/players"
    let (accountAgain, hostAgain) = (
      await served.call("POST", "/v1/sessions", token: account).token, await served.call("POST", "/v1/sessions", token: host).token
    )
    for token in [account, host] { #expect(await served.call("DELETE", "/v1/sessions", token: token).status == 204) }
    for token in [account, accountAgain, host, hostAgain] {
      #expect(await served.call("GET", players, token: token).kind == "token-expired")
      #expect(await served.call("POST", "/v1/sessions", token: token).kind == "token-expired")
    }
    #expect(await served.call("GET", players, token: other).status == 200)
    // The operator's, too.
    let (first, second) = (served.games.operatorToken(), served.games.operatorToken())
    #expect(await served.call("DELETE", "/v1/sessions", token: first).status == 204)
    #expect(await served.call("POST", "/v1/games", token: first).kind == "token-expired")
    #expect(await served.call("GET", players, token: first).kind == "token-expired")
    #expect(await served.call("GET", players, token: second).status == 200)
    let player = await served.join("Ann", 0, game).token
    #expect(await served.call("DELETE", "/v1/sessions", token: player).kind == "forbidden")
    served.end()
  }

  /// Games of an account that is deleted end, nobody leads them any more, and they are not the operator's, also after a restart.
  @Test func deletedAccounts() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials).token
    let (running, runningHost) = await served.make(token: account)
    let (waiting, waitingHost) = await served.make(token: account)
    #expect(await served.approve(running).status == 200)
    try await served.ask(running, host: runningHost)
    let (own, ownHost) = await served.make()
    #expect(await served.call("DELETE", "/v1/me", token: account).status == 204)
    try await served.settle()
    func check(_ served: ServedGames) async {
      for (game, host) in [(running, runningHost), (waiting, waitingHost)] {
        #expect(await served.call("GET", "/v1/games/\(game)/players", token: host).kind == "token-expired")
        #expect(await served.call("GET", "/v1/games/\(game)").object["state"]?.string == "ended")
      }
      #expect(await served.call("GET", "/v1/games/\(own)/players", token: ownHost).status == 200)
      #expect(await served.call("GET", "/v1/games?next").object["id"]?.string == own)
    }
    await check(served)
    // The end of the one that has begun is on its way into the stream; then it is the operator's turn.
    served.directory.game(running)?.inject()
    try await served.settle()
    #expect(await served.call("POST", "/v1/games/\(own)/commands", #"{"id":"n","command":"next"}"#, token: ownHost).status == 200)
    served.end()
    let again = try ServedGames(folder: folder)
    await check(again)
    #expect(again.inMemory.contains(own) && again.directory.game(own)?.stored.account == nil)
    #expect(again.directory.game(running)?.stored.account == StoredGame.nobody)
    again.end()
  }

  /// A process that ends right behind the deletion of an account ends the account's games when it is back.
  @Test func deletedAccountsAfterACrash() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials).token
    let (game, _) = await served.make(token: account)
    try served.store.apply([.removeAccount(1)])
    served.end()
    let again = try ServedGames(folder: folder)
    again.directory.start()
    try await until("the game is over") { again.directory.game(game)?.hasEnded == true }
    again.end()
  }

  /// An account has so many games at a time, and does not keep the operator from making more.
  @Test func manyGames() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials).token
    var games: [(id: String, token: String)] = []
    for _ in 0..<GameDirectory.mostOfAccount { games.append(await served.make(token: account)) }
    #expect(games.allSatisfy { !$0.id.isEmpty })
    let body = #"{"quiz":\#(ServedGames.quiz)}"#
    let refused = await served.call("POST", "/v1/games", body, token: account)
    #expect(refused.status == 409 && refused.kind == "not-now")
    let other = await served.call("POST", "/v1/accounts", #"{"name":"Yan","password":"quite-a-secret"}"#).token
    #expect(await served.call("POST", "/v1/games", body, token: other).status == 201)
    for _ in 0...GameDirectory.mostOfAccount { #expect(!(await served.make().id.isEmpty)) }
    // One that is over makes room.
    let path = "/v1/games/\(games[0].id)/commands"
    #expect(await served.call("POST", path, #"{"id":"e","command":"end"}"#, token: games[0].token).status == 200)
    #expect(await served.call("POST", "/v1/games", body, token: account).status == 201)
    served.end()
  }

  /// The operator has results, too: of the games of no account.
  @Test func results() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials).token
    let (own, ownHost) = await served.make()
    let (other, otherHost) = await served.make(token: account)
    for (game, host) in [(own, ownHost), (other, otherHost)] {
      _ = await served.call("POST", "/v1/games/\(game)/commands", #"{"id":"e","command":"end"}"#, token: host)
    }
    func games(_ token: String) async -> [String?] {
      await served.call("GET", "/v1/me/results", token: token).object["results"]?.array?.map { $0.object?["game"]?.string } ?? []
    }
    #expect(await games(served.games.operatorToken()) == [own])
    #expect(await games(account) == [other])
    #expect(await served.call("GET", "/v1/me/results", token: ownHost).kind == "forbidden")
    #expect(await served.call("GET", "/v1/me/results").kind == "unauthorized")
    served.end()
  }

  /// All players are listed, page by page.
  @Test func manyPlayers() async throws {
    let (game, host): (String, String)
    do {
      let served = try ServedGames(folder: folder)
      (game, host) = await served.make()
      served.end()
    }
    let store = try SQLiteStore(folder: folder)
    try store.apply((0..<10_003).map { .player(game: game, StoredPlayer(player: $0, nickname: "P \($0)", key: "\($0)", joinedAt: nil)) })
    let served = try ServedGames(folder: folder)
    let first = await served.call("GET", "/v1/games/\(game)/players", token: host).object
    #expect(first["players"]?.array?.count == 10_000 && first["next"]?.int == 10_000)
    let second = await served.call("GET", "/v1/games/\(game)/players?from=10000", token: host).object
    #expect(second["players"]?.array?.map { $0.object?["nickname"]?.string } == ["P 10000", "P 10001", "P 10002"] && second["next"] == nil)
    #expect(await served.call("GET", "/v1/games/\(game)/players?from=99999999", token: host).object["players"]?.array?.count == 0)
    #expect(await served.call("GET", "/v1/games/\(game)/players?from=-1", token: host).status == 422)
    served.end()
  }

  /// Players who join meanwhile do not keep a host from a change; another change does.
  @Test func changes() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let path = "/v1/games/\(game)"
    func change(_ body: String, _ tag: String?) async -> Int {
      await served.call("PATCH", path, body, token: host, headers: tag.map { [.ifMatch: $0] } ?? [:]).status
    }
    let tag = await served.call("GET", path).tag
    #expect(await served.join("Ann", 0, game).status == 201)
    let later = await served.call("GET", path)
    #expect(later.tag != nil && later.tag != tag)
    #expect(await served.call("GET", path, headers: [.ifNoneMatch: tag ?? ""]).status == 200)
    #expect(await served.call("GET", path, headers: [.ifNoneMatch: later.tag ?? ""]).status == 304)
    #expect(await change(#"{"startsAt":"\#(ServedGames.date(inDays: 9))"}"#, tag) == 200)
    for old in [tag, later.tag, "\"x\"", "", "\"\""] { #expect(await change(#"{"automatic":true}"#, old) == 412) }
    #expect(await change(#"{"automatic":true}"#, "*") == 200)
    #expect(await change(#"{"automatic":false}"#, await served.call("GET", path).tag) == 200)
    served.end()
  }

  /// A start never takes a game of an account for its own, though it is of the same quiz.
  @Test func startsOwnGame() async throws {
    let bank = QuizFile.read(Array(ServedGames.quiz.utf8), format: .json).bank
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials).token
    let (other, _) = await served.make(token: account)
    #expect(served.directory.game(other)?.stored.quiz == bank.json)
    let own = try await served.games.start(bank, title: "Quiz", rules: JSONObject(), startsAt: nil)
    #expect(own.id != other && served.directory.game(own.id)?.stored.account == nil)
    #expect(try await served.games.start(bank, title: "Quiz", rules: JSONObject(), startsAt: nil).id == own.id)
    served.end()
  }

  /// A game with an identifier of its own is there after its end, and for a process that comes later.
  @Test func existsAfterItsEnd() async throws {
    let bank = QuizFile.read(Array(ServedGames.quiz.utf8), format: .json).bank
    let served = try ServedGames(folder: folder)
    #expect(try await !served.games.exists("friday"))
    let game = try await served.games.start(bank, title: "Friday", rules: JSONObject(), startsAt: nil, id: "friday")
    #expect(game.id == "friday" && served.games.invitation(of: "friday")?.code == game.code)
    let ended = await served.call("POST", "/v1/games/friday/commands", #"{"id":"end","command":"end"}"#, token: game.token)
    #expect(ended.status == 200)
    served.end()
    let again = try ServedGames(folder: folder)
    #expect(try await again.games.exists("friday") && again.games.invitation(of: "friday") == nil)
    again.end()
  }

  /// What a start asks for and an earlier start has made otherwise is told.
  @Test func leftOut() async throws {
    func rules(_ text: String) throws -> JSONObject { try #require(try JSONValue(parsing: text).object) }
    let bank = QuizFile.read(Array(ServedGames.quiz.utf8), format: .json).bank
    let served = try ServedGames(folder: folder)
    let first = try await served.games.start(bank, title: "Friday", rules: try rules(#"{"allottedTime":5}"#), startsAt: nil)
    let same = try await served.games.start(bank, title: "Friday", rules: try rules(#"{"allottedTime":5.0}"#), startsAt: nil)
    #expect(first.leftOut == [] && same.leftOut == [] && same.id == first.id)
    served.end()
    let again = try ServedGames(folder: folder)
    let other = try await again.games.start(
      bank, title: "Saturday", rules: try rules(#"{"scoring":"speed:10:5","allottedTime":7,"delay":3}"#),
      startsAt: (GameAPI.now + 30) * 1_000)
    #expect(
      other.leftOut == [
        .init(key: "title", wanted: "Saturday", kept: "Friday"), .init(key: "scoring", wanted: "speed:10:5", kept: "right"),
        .init(key: "allottedTime", wanted: "7", kept: "5"),
        .init(key: "automatic", wanted: "true", kept: "false"),
      ])
    #expect(other.id == first.id && other.code == first.code)
    // What cannot be is found before anything is started.
    func mistake(_ text: String) throws -> String {
      let mistake = Games.mistake(in: try rules(text))
      return mistake.map { "\($0.rule): \($0.message)" } ?? ""
    }
    #expect(try mistake(#"{"scoring":"right","delay":3,"allottedTime":600,"pause":1}"#) == "")
    for value in ["0", "601"] {
      #expect(try mistake(#"{"delay":0,"allottedTime":\#(value)}"#) == "allottedTime: write seconds from 1 to 600")
    }
    #expect(try mistake(#"{"delay":500}"#) == "delay: write seconds from 0 to 120")
    #expect(try mistake(#"{"pause":0}"#) == "pause: write seconds from 1 to 3600")
    await #expect(throws: Games.StartProblem.self) {
      try await again.games.start(bank, title: "Friday", rules: try rules(#"{"delay":-1}"#), startsAt: nil)
    }
    again.end()
  }
}
