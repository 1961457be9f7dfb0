import AccessTokens
import Basics
import GameHosting
import GameStore
import HTTPTypes
import TestSupport
import Testing

@testable import GameServer

/// What accounts may do, and what the operator says of it.
@Suite struct AccountTests {
  private let folder: String

  init() throws { folder = try Workshop.newFolder() }

  private static func credentials(_ name: String) -> String { #"{"name":"\#(name)","password":"quite-a-secret"}"# }

  private func next(_ served: ServedGames) async -> String? { await served.call("GET", "/v1/games?next").object["id"]?.string }

  private func command(_ served: ServedGames, _ command: String, _ game: String, token: String) async -> ServedGames.Reply {
    await served.call("POST", "/v1/games/\(game)/commands", #"{"id":"\#(command)","command":"\#(command)"}"#, token: token)
  }

  /// A game of an account is in the stream only when the operator has approved it, also after a restart.
  @Test func approval() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials("Zoe")).token
    let (game, host) = await served.make(token: account)
    // It can be joined, and nothing more.
    #expect(await served.join("Ann", 0, game).status == 201)
    #expect(await next(served) == nil)
    let refused = await command(served, "next", game, token: host)
    #expect(refused.kind == "not-now" && refused.text.contains("approved"))
    #expect(await served.call("GET", "/v1/games/\(game)").object["approved"]?.bool == false)
    for token in [account, host] {
      #expect(await served.call("POST", "/v1/games/\(game)/approval", token: token).kind == "forbidden")
    }
    // By itself it does not begin either.
    let (automatic, _) = await served.make(#","automatic":true,"startsAt":"2020-01-01T00:00:00Z""#, token: account)
    served.directory.game(automatic)?.tick()
    try await served.settle()
    #expect(served.directory.game(automatic)?.look { game, _ in game.start != nil } == false)
    let approved = await served.approve(game)
    #expect(approved.status == 200 && approved.object["approved"]?.bool == true)
    #expect(await next(served) == game)
    served.end()
    let again = try ServedGames(folder: folder)
    #expect(await next(again) == game)
    #expect(await command(again, "next", game, token: host).status == 200)
    // What is taken back ends, and is not approved a second time.
    #expect(await again.approve(game, "DELETE").status == 200)
    try await again.settle()
    #expect(await again.call("GET", "/v1/games/\(game)").object["state"]?.string == "ended")
    #expect(await next(again) == nil)
    #expect(await again.approve(game).kind == "game-over")
    // Before it has begun it may change to and fro.
    for (method, id) in [("POST", automatic), ("DELETE", nil), ("POST", automatic)] {
      #expect(await again.approve(automatic, method).status == 200)
      #expect(await next(again) == id)
    }
    let (own, _) = await again.make()
    #expect(await again.approve(own).kind == "not-now")
    again.end()
  }

  /// The operator overrules whoever leads a game, and takes no lead for it.
  @Test func operatorOverrules() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let runner = try #require(served.directory.game(game))
    #expect(runner.access.lease.listen(HostLease.Console(session: "other"), takesOver: true) { _ in } != nil)
    #expect(await command(served, "next", game, token: host).kind == "host-busy")
    let operatorToken = served.games.operatorToken()
    let start = ServedGames.date(inDays: 1)
    #expect(await served.call("PATCH", "/v1/games/\(game)", #"{"startsAt":"\#(start)"}"#, token: operatorToken).status == 200)
    #expect(await command(served, "end", game, token: operatorToken).status == 200)
    #expect(runner.access.lease.listener == HostLease.Console(session: "other"))
    served.end()
  }

  /// Without accounts nobody logs in, tokens of before are refused, and games of accounts do not play: one that has begun ends.
  @Test func closed() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials("Zoe")).token
    let (begun, begunHost) = await served.make(token: account)
    let (waiting, waitingHost) = await served.make(token: account)
    for game in [begun, waiting] { #expect(await served.approve(game).status == 200) }
    #expect(await command(served, "next", begun, token: begunHost).status == 200)
    let code = await served.call("GET", "/v1/games/\(waiting)").object["code"]?.string ?? ""
    served.end()
    let closed = try ServedGames(folder: folder, hasAccounts: false)
    closed.directory.start()
    try await until("the game that had begun is over") { closed.directory.game(begun)?.hasEnded == true }
    for (method, path, body) in [
      ("GET", "/v1/me", ""), ("POST", "/v1/games", #"{"quiz":\#(ServedGames.quiz)}"#), ("POST", "/v1/sessions", ""),
      ("GET", "/v1/games/\(waiting)/players", ""), ("DELETE", "/v1/sessions", ""),
    ] { #expect(await closed.call(method, path, body, token: account).kind == "forbidden", "\(method) \(path)") }
    #expect(await closed.call("POST", "/v1/accounts", Self.credentials("New")).kind == "forbidden")
    #expect(await closed.call("POST", "/v1/sessions", Self.credentials("Zoe")).kind == "forbidden")
    for path in ["/v1/games/\(waiting)/players", "/v1/games/\(waiting)/contacts"] {
      #expect(await closed.call("GET", path, token: waitingHost).kind == "forbidden")
    }
    #expect(await closed.call("POST", "/v1/sessions", token: waitingHost).kind == "forbidden")
    #expect(await command(closed, "next", waiting, token: closed.games.operatorToken()).kind == "not-now")
    #expect(await closed.join("Ann", 0, waiting).kind == "game-unknown")
    #expect(await closed.call("GET", "/v1/games?code=\(code)").kind == "game-unknown")
    #expect(await next(closed) == nil)
    let (own, _) = await closed.make()
    #expect(await next(closed) == own)
    closed.end()
    // It is as it was where there are accounts again.
    let open = try ServedGames(folder: folder)
    #expect(await open.call("GET", "/v1/me", token: account).status == 200)
    #expect(await open.join("Ann", 0, waiting).status == 201)
    open.end()
  }

  /// The operator lists accounts, bans them and deletes them.
  @Test func bans() async throws {
    let served = try ServedGames(folder: folder)
    let operatorToken = served.games.operatorToken()
    var accounts: [String] = []
    for name in ["Zoe", "Yan"] { accounts.append(await served.call("POST", "/v1/accounts", Self.credentials(name)).token) }
    let (game, host) = await served.make(token: accounts[0])
    let (other, otherHost) = await served.make(token: accounts[1])
    func list() async -> [[String]] {
      let list = await served.call("GET", "/v1/accounts", token: operatorToken).object["accounts"]?.array ?? []
      return list.compactMap(\.object).map { account in
        [account["name"]?.string ?? "", account["banned"] == .bool(true) ? "banned" : "-"]
          + (account["games"]?.array ?? []).map { $0.object?["id"]?.string ?? "" }
      }
    }
    #expect(await list() == [["Zoe", "-", game], ["Yan", "-", other]])
    #expect(await served.call("GET", "/v1/accounts?from=2", token: operatorToken).object["accounts"]?.array?.count == 1)
    #expect(await served.call("GET", "/v1/accounts?from=x", token: operatorToken).status == 422)
    for (method, path) in [("GET", ""), ("DELETE", "/1"), ("PUT", "/1/ban"), ("DELETE", "/1/ban")] {
      for token in accounts + [host] { #expect(await served.call(method, "/v1/accounts\(path)", token: token).kind == "forbidden") }
      #expect(await served.call(method, "/v1/accounts\(path)").kind == "unauthorized")
    }
    for path in ["/9", "/x", "/-1", "/9999999999999999999999"] {
      #expect(await served.call("DELETE", "/v1/accounts\(path)", token: operatorToken).kind == "account-unknown")
    }
    #expect(await served.call("PUT", "/v1/accounts/1/ban", token: operatorToken).status == 204)
    try await served.settle()
    #expect(await served.call("GET", "/v1/me", token: accounts[0]).kind == "forbidden")
    #expect(await served.call("POST", "/v1/sessions", Self.credentials("Zoe")).kind == "forbidden")
    #expect(await served.call("GET", "/v1/games/\(game)/players", token: host).kind == "token-expired")
    #expect(await served.call("GET", "/v1/games/\(game)").object["state"]?.string == "ended")
    #expect(await list() == [["Zoe", "banned"], ["Yan", "-", other]])
    #expect(await served.call("GET", "/v1/games/\(other)/players", token: otherHost).status == 200)
    #expect(await served.call("DELETE", "/v1/accounts/1/ban", token: operatorToken).status == 204)
    #expect(await served.call("POST", "/v1/sessions", Self.credentials("Zoe")).status == 201)
    #expect(await served.call("DELETE", "/v1/accounts/2", token: operatorToken).status == 204)
    try await served.settle()
    #expect(await served.call("GET", "/v1/me", token: accounts[1]).kind == "token-expired")
    #expect(await served.call("GET", "/v1/games/\(other)").object["state"]?.string == "ended")
    #expect(await list() == [["Zoe", "-"]])
    served.end()
  }

  /// A process that ends right after a ban ends the account's games when it is back.
  @Test func banAfterACrash() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials("Zoe")).token
    let (game, _) = await served.make(token: account)
    try served.store.apply([.ban(account: 1, true)])
    served.end()
    let again = try ServedGames(folder: folder)
    again.directory.start()
    try await until("the game is over") { again.directory.game(game)?.hasEnded == true }
    again.end()
  }

  /// A game whose end could not be stored is ended when the store is back.
  @Test func banOnAFullDisk() async throws {
    let store = FakeStore()
    let served = try ServedGames(store, FakeInjector(edge: 5))
    served.directory.writer.start()
    try store.apply([.account(StoredAccount(id: 1, name: "Zoe", password: "", createdAt: 1))])
    let account = AccessToken(role: .account, subject: 1, session: "s", expires: GameAPI.now + 60)
    let (game, _) = await served.make(token: served.api.tokens.text(account))
    let runner = try #require(served.directory.game(game))
    store.fail(.full)
    await served.directory.endGames(of: 1)
    try await served.settle()
    #expect(!runner.isEnding)
    store.fail(nil)
    try await served.settle()
    served.directory.endUnwanted()
    try await served.settle()
    #expect(runner.isEnding)
    served.end()
  }

  // MARK: Work that takes long

  /// All that is kept of an account comes page by page, and all of it.
  @Test func exportInPages() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials("Zoe")).token
    let text = #"{"questions":[{"question":"\#(String(repeating: "x", count: 100_000))"}]}"#
    try served.store.apply((0..<8).map { .quiz(StoredQuiz(id: "q\($0)", account: 1, title: "T", text: text, createdAt: 5)) })
    let result = #"{"winners":["\#(String(repeating: "y", count: 100_000))"]}"#
    try served.store.apply((0..<5).map { .result(StoredResult(game: "g\($0)", account: 1, title: "T", endedAt: 5, text: result)) })
    var (path, quizzes, results, sizes) = ("/v1/me", [String?](), [String?](), [Int]())
    while path != "" {
      let page = await served.call("GET", path, token: account)
      #expect(page.status == 200 && page.object["name"]?.string == "Zoe")
      quizzes += (page.object["quizzes"]?.array ?? []).map { $0.object?["id"]?.string }
      results += (page.object["results"]?.array ?? []).map { $0.object?["game"]?.string }
      sizes.append(page.text.utf8.count)
      path = page.object["next"]?.string.map { "/v1/me?from=\($0)" } ?? ""
      try #require(sizes.count < 20)
    }
    #expect(quizzes == (0..<8).map { "q\($0)" } && results == (0..<5).map { "g\($0)" })
    #expect(sizes.count >= 4 && sizes.allSatisfy { $0 < 512 << 10 })
    let list = await served.call("GET", "/v1/quizzes", token: account)
    #expect(list.object["quizzes"]?.array?.count == 8 && list.text.utf8.count < 1_000)
    let some = await served.call("GET", "/v1/me/results", token: account)
    #expect(some.object["results"]?.array?.count == 3 && some.object["next"]?.string == "5-g2")
    for from in ["x", "quizzes", "quizzes-", "quizzes-x", "others-5-q1"] {
      #expect(await served.call("GET", "/v1/me?from=\(from)", token: account).status == 422, "\(from)")
    }
    served.end()
  }

  /// However many long lists are asked for, state and joins do not wait, and what waits is bounded.
  @Test func listsKeepNobodyWaiting() async throws {
    let store = FakeStore()
    let served = try ServedGames(store, FakeInjector(edge: 5))
    served.directory.writer.start()
    let operatorToken = served.games.operatorToken()
    let (game, _) = await served.make()
    store.lists.close()
    let lists = (0..<30).map { _ in Task { await served.call("GET", "/v1/me/results", token: operatorToken).status } }
    try await until("one is being read, and the others wait") { store.lists.waiting == 1 && served.api.heavyQueue.count == 8 }
    #expect(await served.join("Ann", 0, game).status == 201)
    #expect(await served.call("GET", "/v1/games/\(game)/state").status == 200)
    store.lists.open()
    var counts: [Int: Int] = [:]
    for list in lists { counts[await list.value, default: 0] += 1 }
    #expect(counts[200, default: 0] >= 8 && counts[200, default: 0] + counts[429, default: 0] == 30)
    served.end()
  }

  /// An account has a limit of its own wherever it calls from, and a name that somebody guesses passwords of, too.
  @Test func limits() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials("Zoe")).token
    var kinds: Set<String?> = []
    for _ in 0..<80 { kinds.insert(await served.call("GET", "/v1/me/results", token: account).kind) }
    #expect(kinds == [nil, "rate-limited"])
    for _ in 0..<80 { #expect(await served.call("GET", "/v1/me/results", token: served.games.operatorToken()).status == 200) }
    var last: ServedGames.Reply?
    for number in 0..<11 {
      last = await served.call("POST", "/v1/sessions", #"{"name":"zoe","password":"a guess \#(number)"}"#, from: "192.0.2.\(number)")
    }
    #expect(last?.kind == "rate-limited")
    #expect(await served.call("POST", "/v1/sessions", Self.credentials("Yan"), from: "192.0.2.99").kind == "credentials")
    served.end()
  }

  // MARK: What stores cannot keep

  /// Text with the character U+0000 is refused before a store sees it.
  @Test func textWithNUL() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", Self.credentials("Zoe")).token
    let (game, host) = await served.make(token: account)
    let player = await served.join("Ann", 0, game).token
    #expect(await served.call("GET", "/v1/games?code=\0").status == 422)
    let quiz = ServedGames.quiz
    for (method, path, body, token, pointer) in [
      ("POST", "/v1/games", #"{"quiz":\#(quiz),"title":"a\u0000b"}"#, account, "/title"),
      ("POST", "/v1/games", #"{"quiz":"\u0000"}"#, account, "/quiz"),
      ("POST", "/v1/games/\(game)/commands", #"{"id":"\u0000","command":"next"}"#, host, "/id"),
      ("POST", "/v1/games/\(game)/contacts", #"{"consent":true,"na/me":["\u0000"]}"#, player, "/na~1me/0"),
      ("POST", "/v1/sessions", #"{"name":"\u0000","password":"quite-a-secret"}"#, nil, "/name"),
    ] as [(String, String, String, String?, String)] {
      let reply = await served.call(method, path, body, token: token)
      if path.hasSuffix("contacts") {
        #expect(reply.kind == "too-early")
      } else {
        #expect(reply.status == 422 && reply.object["pointer"]?.string == pointer, "\(path): \(reply)")
      }
    }
    for title in [#"\u001b[31m"#, #"\u202e"#] {
      #expect(await served.call("POST", "/v1/games", #"{"quiz":\#(quiz),"title":"a\#(title)b"}"#, token: account).status == 422)
    }
    served.end()
  }

  /// A game is planned at most two years ahead, and a token never holds for longer than that.
  @Test func horizon() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    for key in ["startsAt", "entryOpensAt"] {
      for date in ["9999-12-31T23:59:59Z", "1969-12-31T23:59:59Z", ServedGames.date(inDays: 733)] {
        let reply = await served.call("PATCH", "/v1/games/\(game)", #"{"\#(key)":"\#(date)"}"#, token: host)
        #expect(reply.status == 422 && reply.object["pointer"]?.string == "/\(key)", "\(date)")
        let made = await served.call(
          "POST", "/v1/games", #"{"quiz":\#(ServedGames.quiz),"\#(key)":"\#(date)"}"#, token: served.games.operatorToken())
        #expect(made.status == 422, "\(date)")
      }
      let date = ServedGames.date(inDays: 731)
      #expect(await served.call("PATCH", "/v1/games/\(game)", #"{"\#(key)":"\#(date)"}"#, token: host).status == 200)
    }
    served.end()
    // A game of an older version may be planned for the end of all times.
    try SQLiteStore(folder: folder).apply([.record(game: game, .planned(startsAt: .max, entryOpensAt: nil))])
    let again = try ServedGames(folder: folder)
    let joined = await again.join("Ann", 0, game)
    #expect(joined.status == 201)
    #expect(await again.call("GET", "/v1/games/\(game)/me", token: joined.token).status == 200)
    again.end()
  }

  /// A change that changes nothing leaves no record, and changes are limited for each game.
  @Test func changes() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let body = #"{"startsAt":"\#(ServedGames.date(inDays: 5))","automatic":false}"#
    #expect(await served.call("PATCH", "/v1/games/\(game)", body, token: host).status == 200)
    let records = try served.store.records(of: game)
    for _ in 0..<20 { #expect(await served.call("PATCH", "/v1/games/\(game)", body, token: host).status == 200) }
    #expect(try served.store.records(of: game) == records)
    var kind: String?
    for _ in 0..<60 { kind = await served.call("PATCH", "/v1/games/\(game)", body, token: host).kind }
    #expect(kind == "rate-limited")
    #expect(await served.call("PATCH", "/v1/games/\(game)", body, token: served.games.operatorToken()).status == 200)
    served.end()
  }
}
