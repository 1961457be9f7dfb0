import AccessTokens
import Basics
import GameHosting
import GameStore
import HLSPlaylist
import HTTPTypes
import LibC
import LiveInterface
import Questions
import Scoring
import Sheets
import WebSupport

/// Finds, makes and changes games.
extension GameAPI {
  static let gameCalls = [
    Entry(
      "findGame", Route("GET", "/v1/games"), .everybody, .looking, "games", "Find a game by its code, or the one that comes next.",
      GameOpenAPI.cached("The game.", .reference("Game")),
      parameters: [
        .query("code", "The code that players type, in either case.", .text),
        .flag("next", "The game that runs, or begins first; if there is no code."),
      ], problems: [404: ["game-unknown"], 422: ["invalid"]], .function(GameAPI.find)),
    Entry(
      "makeGame", Route("POST", "/v1/games"), .maker, .making, largestBody: 1 << 20, "games",
      "Make a game of a quiz.", [.json(201, "The game, and a token for its host.", .reference("MadeGame"), headers: [.location])],
      parameters: [GameOpenAPI.quizFormat],
      // With a format, the body is a quiz file; without one it is JSON with a quiz and further members.
      body: OpenAPIBody([
        ("application/json", .either(GameOpenAPI.gameRequest, .reference("Quiz"))), ("application/yaml", .text), ("text/csv", .text),
      ]), problems: [409: ["not-now"]], .function(GameAPI.make)),
    Entry(
      "getGame", Route("GET", "/v1/games/{game}"), .everybody, .looking, "games", "Tell what everybody may know of a game.",
      GameOpenAPI.cached("The game.", .reference("Game")), .game { (api, call, game) throws(Problem) in api.game(call, game) }),
    Entry(
      "changeGame", Route("PATCH", "/v1/games/{game}"), .host, .reading, "hosts",
      "Change when a game begins, or whether it follows its plan by itself.", [.json(200, "The game.", .reference("Game"))],
      parameters: [.header("If-Match", "The ETag of the game that is to be changed.", .text)] + GameOpenAPI.console,
      body: .json(GameOpenAPI.gameChange), problems: [409: ["not-now", "host-busy"], 412: ["changed"]], .function(GameAPI.change)),
    Entry(
      "getState", Route("GET", "/v1/games/{game}/state"), .everybody, .looking, "games", "Tell how far the game is.",
      GameOpenAPI.cached("The state.", .reference("GameState")),
      .game { (api, call, game) throws(Problem) in api.cached(call, api.state(game), seconds: 1) }),
    Entry(
      "getBoard", Route("GET", "/v1/games/{game}/board"), .everybody, .looking, "games", "Give the latest scoreboard.",
      GameOpenAPI.cached("The scoreboard.", .reference("Board")),
      .game { (api, call, game) throws(Problem) in api.cached(call, api.board(game, nil), seconds: 2) }),
    Entry(
      "getBoardVersion", Route("GET", "/v1/games/{game}/board/{version}"), .everybody, .looking, "games", "Give a scoreboard.",
      GameOpenAPI.cached("The scoreboard.", .reference("Board")), .function(GameAPI.boardVersion)),
    Entry(
      "watchStage", Route("GET", "/v1/games/{game}/stage"), .everybody, CallLimit(perMinute: 120, burst: 120), "games",
      "Tell a screen what it shows, as server-sent events: nothing of a result before it is in the stream.",
      [.text("Messages named stage, each of which is a whole Stage.", "text/event-stream")], parameters: [.lastEventID],
      problems: [503: ["overloaded"]], .function(GameAPI.stage)),
  ]

  func find(_ call: GameCall) async throws(Problem) -> Answer {
    let runner: GameRunner?
    if let code = call.query["code"] {
      do throws(StoreError) { runner = try await directory.find(code: code) } catch { throw Problem(error) }
    } else if call.query["next"] != nil {
      runner = directory.next
    } else {
      throw .invalid("", "ask for ?code=CODE or ?next")
    }
    guard let runner, directory.isServed(runner) || runner.hasEnded else { throw .unknownGame }
    return game(call, runner)
  }

  /// The public properties of a game.
  func object(_ runner: GameRunner) -> JSONObject {
    let (stream, isApproved) = (runner.stream.address, runner.access.isApproved)
    let name = runner.stream.name
    return runner.look { game, now in
      JSONObject(fields: [
        "id": game.settings.id, "code": game.settings.code, "title": game.settings.title, "startsAt": Self.date(game.startsAt),
        "entryOpensAt": Self.date(game.entryOpensAt), "state": game.phase(at: now).rawValue, "players": game.playerCount,
        "questions": game.questionCount, "delay": game.settings.rules.delay, "scoring": game.settings.rules.scoring.description,
        "stream": stream, "streamName": name.isEmpty ? nil : name, "approved": isApproved,
      ]).with("teams", game.settings.rules.teams?.object)
        .with("reports", now.stream.audience == nil ? nil : stream.flatMap { StreamAddress.reports(of: $0) })
    }
  }

  /// A short digest of what a host may change: players who join in the meantime are no reason to refuse the change.
  private func planTag(_ runner: GameRunner) -> String {
    let plan = runner.look { game in [game.startsAt, game.entryOpensAt, game.isAutomatic ? 1 : 0].map { $0.map { "\($0)" } ?? "" } }
    return String(Answer.tag(Array(plan.joined(separator: " ").utf8)).filter { $0 != "\"" })
  }

  /// A game, with a tag whose first part covers what a host may change, and whose second part covers the whole answer.
  func game(_ call: GameCall, _ runner: GameRunner) -> Answer { cached(call, object(runner), seconds: 5, plan: planTag(runner)) }

  static func date(_ milliseconds: Int64?) -> String? { milliseconds.flatMap { PlaylistDate(milliseconds: $0)?.text } }

  private static func milliseconds(_ key: String, _ object: JSONObject) throws(Problem) -> Int64? {
    guard let value = object[key], value != .null else { return nil }
    guard let date = value.string.flatMap({ PlaylistDate($0) }) else {
      throw .invalid("/\(key)", "write a date and time such as 2026-11-20T20:00:00Z")
    }
    guard (0...WallClock.now + horizon).contains(date.milliseconds) else {
      throw .invalid("/\(key)", "write a date and time that is at most two years from now")
    }
    return date.milliseconds
  }

  /// How far ahead a game may be planned, in milliseconds.
  private static let horizon: Int64 = 2 * 366 * 86_400_000

  private static func bool(_ key: String, _ object: JSONObject) throws(Problem) -> Bool? {
    guard let value = object[key] else { return nil }
    guard let bool = value.bool else { throw .invalid("/\(key)", "write true or false") }
    return bool
  }

  func make(_ call: GameCall) async throws(Problem) -> Answer {
    let account = call.token?.role == .account ? call.token?.subject : nil
    let object: JSONObject
    let quiz: SentQuiz
    if let format = try Self.format(call) {
      // The body is a quiz file, and the standard rules apply.
      object = JSONObject()
      quiz = try await parsed(call, call.body, format, "")
    } else {
      object = try call.object()
      guard let value = object["quiz"] else { throw .invalid("/quiz", "write a quiz, or the id of one of yours") }
      quiz = try await self.quiz(call, value, account)
    }
    var plan = GameDirectory.Plan(title: "", bank: quiz.bank)
    plan.account = account
    plan.stream = try streamName(object)
    plan.title = try Self.title(object, plan.bank)
    plan.rules = try Self.rules(object, plan.rules)
    plan.startsAt = try Self.milliseconds("startsAt", object)
    plan.entryOpensAt = try Self.milliseconds("entryOpensAt", object)
    plan.isAutomatic = try Self.bool("automatic", object) ?? (plan.startsAt != nil)
    let runner: GameRunner
    do throws(GameFailure) { runner = try await directory.make(plan) } catch { throw Problem(error) }
    return made(runner, notices: quiz.noticeList)
  }

  /// The answer to whoever has made a game, with a token for its host.
  ///
  /// - Parameter notices: What was left out of the file of questions.
  func made(_ runner: GameRunner, _ status: HTTPResponse.Status = .created, notices: [JSONObject]? = nil) -> Answer {
    let (rules, isAutomatic) = runner.look { game in (game.settings.rules.object, game.isAutomatic) }
    let answer = object(runner).with("rules", rules).with("automatic", isAutomatic).with("notices", notices)
    var made = secret(issued(Self.hostToken(of: runner), answer), status)
    made.headers.append((.location, "/v1/games/\(runner.stored.id)"))
    return made
  }

  /// The format of the quiz file in the body; `nil` if the call does not say it.
  static func format(_ call: GameCall) throws(Problem) -> BankFormat? {
    guard let name = call.query["format"] else { return nil }
    guard let format = BankFormat(name) else { throw .invalid("", "?format is \(BankFormat.names)") }
    return format
  }

  private static func title(_ object: JSONObject, _ bank: QuestionBank) throws(Problem) -> String {
    guard let value = object["title"] else { return bank.title ?? "Quiz" }
    guard let title = value.string, (1...100).contains(title.utf8.count) else { throw .invalid("/title", "write 1 to 100 bytes of text") }
    if let fault = HiddenCharacters.faults(of: title).first { throw .invalid("/title", "the title \(fault)") }
    return title
  }

  /// The name of the stream on which a game is to be played; `nil` for the first one.
  private func streamName(_ object: JSONObject) throws(Problem) -> String? {
    guard let value = object["streamName"] else { return nil }
    let known = directory.streams.present
    guard let name = value.string, known.contains(where: { $0.hasSameBytes(as: name) }) else {
      throw .invalid("/streamName", "write the name of a stream: \(known.filter { !$0.isEmpty }.joined(separator: ", "))")
    }
    return name
  }

  private static func rules(_ object: JSONObject, _ rules: GameRules) throws(Problem) -> GameRules {
    guard let value = object["rules"] else { return rules }
    guard let changes = value.object else { throw .invalid("/rules", "write an object such as {\"delay\":12}") }
    var rules = rules
    do throws(HostingProblem) { try rules.change(changes) } catch { throw Problem(error) }
    // A client that names a delay wants exactly that delay.
    if changes["delay"] != nil, changes["fixedDelay"] == nil, rules.autoDelay == nil { rules.hasFixedDelay = true }
    return rules
  }

  private func quiz(_ call: GameCall, _ quiz: JSONValue, _ account: Int?) async throws(Problem) -> SentQuiz {
    if let id = quiz.string {
      return try await heavy(call) { [hasMedia] (store) throws(Problem) in
        guard let stored = try Problem.of({ () throws(StoreError) in try store.quiz(id) }), stored.account == account else {
          throw .invalid("/quiz", "you have no such quiz")
        }
        return try SentQuiz(Array(stored.text.utf8), .json, "/quiz", hasMedia: hasMedia)
      }
    }
    guard quiz.object != nil else { throw .invalid("/quiz", "write a quiz, or the id of one of yours") }
    return try await parsed(call, Array(quiz.text.utf8), .json, "/quiz")
  }

  /// Reads a quiz and checks it, on a queue where no other call waits for it.
  private func parsed(_ call: GameCall, _ bytes: [UInt8], _ format: BankFormat?, _ pointer: String) async throws(Problem) -> SentQuiz {
    try await heavy(call) { [hasMedia] (_) throws(Problem) in try SentQuiz(bytes, format, pointer, hasMedia: hasMedia) }
  }

  static func newSession() -> String { .random(16, of: "abcdefghijklmnopqrstuvwxyz0123456789") }

  func change(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    let object = try call.object()
    if let tag = call.headers[.ifMatch], tag != "*" {
      guard tag.split(separator: "-").first.map({ "\($0)" }) == "\"\(planTag(runner))" else {
        throw Problem("changed", .preconditionFailed, "the game has changed meanwhile; get it again")
      }
    }
    try await leads(call, runner)
    if let key = object.members.map(\.key).first(where: { !["startsAt", "entryOpensAt", "automatic"].contains($0) }) {
      throw .invalid("/\(key)", "this cannot be changed; startsAt, entryOpensAt and automatic can")
    }
    let (startsAt, entry) = (try Self.milliseconds("startsAt", object), try Self.milliseconds("entryOpensAt", object))
    let request = HostRequest.plan(
      automatic: try Self.bool("automatic", object), startsAt: object["startsAt"] == nil ? nil : .some(startsAt),
      entryOpensAt: object["entryOpensAt"] == nil ? nil : .some(entry))
    do throws(GameFailure) { try await runner.carryOut(request) } catch { throw Problem(error) }
    return Answer(.ok, self.object(runner))
  }
}
