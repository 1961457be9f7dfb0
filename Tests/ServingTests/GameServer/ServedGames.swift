import GameEvents
import AccessTokens
import Basics
import GameHosting
import GameStore
import HTTPTypes
import HummingbirdCore
import LiveInterface
import WebShell
import WebSupport

@testable import GameServer

/// The games of a folder and their calls, without a web server. Nothing goes on by itself.
struct ServedGames: Sendable {
  /// What a call was answered.
  struct Reply: Equatable, Sendable {
    var status: Int
    var text: String
    var tag: String?

    /// Lists of players are longer than what clients send.
    var object: JSONObject { (try? JSONValue(parsing: text, limits: JSONLimits(members: 100_000)))?.object ?? JSONObject() }
    /// The kind of a problem.
    var kind: String? { object["title"]?.string }
    var token: String { object["token"]?.string ?? "" }
  }

  let store: any GameStore
  let stream: FakeInjector
  let games: Games
  let api: GameAPI

  init(folder: String, hasAccounts: Bool = true, recordKey: RecordKey? = nil, clock: (@Sendable () -> Int64)? = nil) throws {
    try self.init(try SQLiteStore(folder: folder, clock: clock), FakeInjector(edge: 5), hasAccounts: hasAccounts, recordKey: recordKey)
    directory.writer.start()
  }

  /// The games of a store.
  init(
    _ store: any GameStore, _ stream: FakeInjector, hasAccounts: Bool = true, recordKey: RecordKey? = nil,
    say: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    (self.store, self.stream) = (store, stream)
    games = try Games(
      store, GameStreams(stream, address: nil), tokens: try TokenKey(secret: (0..<32).map { UInt8($0) }), hasAccounts: hasAccounts,
      recordKey: recordKey, say: say)
    // However slow the machine is, calls come at once.
    let now = ContinuousClock.now
    api = GameAPI(directory: games.directory, tokens: games.tokens, limits: RateLimits { now })
  }

  var directory: GameDirectory { games.directory }

  /// The names of the games in memory.
  var inMemory: [String] { directory.all.map { $0.stored.id } }

  static let quiz = #"{"title":"Quiz","questions":[{"question":"Which is red?","answers":["Earth","Mars"],"correct":"Mars"}]}"#

  static func uuid(_ number: Int) -> String { "00000000-0000-4000-8000-00000000000\(number)" }

  /// A date and time some days from now, to the second.
  static func date(inDays days: Int64) -> String { GameAPI.date((GameAPI.now + days * 86_400) * 1_000) ?? "" }

  func end() { directory.end() }

  // MARK: Calls

  func call(
    _ method: String, _ path: String, _ body: String = "", token: String? = nil, headers: HTTPFields = HTTPFields(),
    from address: String? = nil
  )
    async -> Reply
  {
    let parts = path.split(separator: "?", maxSplits: 1).map { String($0) }
    if parts[0] == "/readyz" { return readiness }
    guard case .call(let entry, let names)? = GameAPI.calls.find(method, parts[0]) else { return Reply(status: 404, text: "") }
    var query: [String: String] = [:]
    for part in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let pair = part.split(separator: "=").map { String($0) }
      query[pair[0]] = pair.count > 1 ? pair[1] : ""
    }
    var headers = headers
    if let token { headers[.authorization] = "Bearer \(token)" }
    var answer: Answer
    do throws(Problem) {
      let call = GameCall(
        call: entry, parts: names, query: query, headers: headers, body: Array(body.utf8),
        caller: Caller(address: address ?? "", isLocal: address == nil), token: try api.token(headers))
      answer = try await api.answer(call, try await api.authorize(call))
    } catch {
      answer = error.answer
    }
    // What would come piece by piece.
    if let stream = answer.stream, entry.name == "getRecord" {
      let (writer, collected) = CollectedBody.make()
      do { try await stream.write(writer) } catch { return Reply(status: 0, text: "\(error)") }
      answer.body = collected.bytes
    }
    return Reply(
      status: Int(answer.status.code), text: String(decoding: answer.body, as: UTF8.self), tag: answer.headers.first { $0.0 == .eTag }?.1)
  }

  /// What the web server answers a load balancer.
  private var readiness: Reply {
    do throws(Problem) {
      try api.requireReadiness()
      return Reply(status: 200, text: "ready\n")
    } catch {
      return Reply(status: Int(error.answer.status.code), text: String(decoding: error.answer.body, as: UTF8.self))
    }
  }

  /// Makes a game, of the operator unless said otherwise; its name, and its host's token.
  func make(_ others: String = "", token: String? = nil) async -> (id: String, token: String) {
    let reply = await call(
      "POST", "/v1/games", #"{"rules":{"delay":2},"quiz":\#(Self.quiz)\#(others)}"#, token: token ?? games.operatorToken())
    return (reply.object["id"]?.string ?? "", reply.token)
  }

  /// What the operator says of a game of an account.
  func approve(_ game: String, _ method: String = "POST") async -> Reply {
    await call(method, "/v1/games/\(game)/approval", token: games.operatorToken())
  }

  func join(_ nickname: String, _ number: Int, _ game: String, team: String? = nil) async -> Reply {
    let more = team.map { #","team":"\#($0)""# } ?? ""
    return await call("PUT", "/v1/games/\(game)/players/\(Self.uuid(number))", #"{"nickname":"\#(nickname)"\#(more)}"#)
  }

  // MARK: Playing

  /// Waits until everything is stored, and what comes of it.
  func settle() async throws {
    for _ in 0..<4 { try await directory.writer.write([]) }
  }

  /// Asks the question, which the players answer as they are told, and ends the game.
  func play(_ game: String, host: String, _ answers: [(token: String, answer: Int)]) async throws {
    try await ask(game, host: host)
    for (token, answer) in answers { _ = await self.answer(answer, game, token: token) }
    try await finish(game, host: host)
  }

  func ask(_ game: String, host: String) async throws {
    _ = await call("POST", "/v1/games/\(game)/commands", #"{"id":"ask","command":"next"}"#, token: host)
    try await inject(game)
    stream.go(to: 8)
  }

  func answer(_ answer: Int, _ game: String, token: String) async -> Reply {
    let guid = directory.game(game)?.look { game, _ in game.asked.last?.guid.text } ?? ""
    return await call(
      "POST", "/v1/games/\(game)/answers", #"{"answers":[{"question":"\#(guid)","answer":\#(answer),"at":8}]}"#, token: token)
  }

  func finish(_ game: String, host: String) async throws {
    stream.go(to: 30)
    for _ in 0..<3 {
      directory.game(game)?.tick()
      try await settle()
    }
    try await inject(game)
    _ = await call("POST", "/v1/games/\(game)/commands", #"{"id":"end","command":"end"}"#, token: host)
    try await inject(game)
  }

  private func inject(_ game: String) async throws {
    directory.game(game)?.inject()
    try await settle()
  }
}
