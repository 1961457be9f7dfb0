import AccessTokens
import Basics
import GameEvents
import GameHosting
import GameJSON
import GameStore
import HLSPlaylist
import HTTPTypes
import LiveSession
import Questions
import Scoring
import Sheets
import WebSupport

/// The game server's HTTP interface: what each call does.
struct GameAPI: Sendable {
  let directory: GameDirectory
  let tokens: TokenKey
  let limits = RateLimits()
  /// How long hosts' and accounts' tokens hold, in seconds.
  static let tokenLife: Int64 = 12 * 3_600
  /// How long players' tokens hold after the end of their game.
  private static let afterEnd: Int64 = 3_600
  /// Tokens of players hold for the longest show.
  private static let playerTokenLife: Int64 = 48 * 3_600

  /// Seconds since 1970.
  static var now: Int64 { WallClock.now / 1_000 }

  // MARK: Who may call

  /// Whether somebody may make a call; the game that it is about.
  ///
  /// - Throws: `Problem`.
  func authorize(_ call: GameCall) async throws(Problem) -> GameRunner? {
    if let limit = call.endpoint.limit, !call.isLocal,
      let wait = limits.take("\(call.endpoint.rawValue) \(call.address)", perMinute: limit.perMinute, burst: limit.burst)
    {
      throw .rateLimited(wait)
    }
    var runner: GameRunner?
    if let id = call.parts["game"] {
      guard let found = directory.game(id) else { throw Self.unknownGame }
      runner = found
    }
    switch call.endpoint.role {
    case .everybody, .anyToken: break
    case .player:
      guard let token = call.token else { throw .unauthorized }
      guard token.role == .player, let runner, token.game == runner.stored.id else { throw .forbidden }
    case .host:
      guard let runner else { throw Self.unknownGame }
      try await requireHost(call, runner)
    case .account:
      guard let token = call.token else { throw .unauthorized }
      guard token.role == .account else { throw .forbidden }
      try await requireSession(token)
    case .maker:
      guard let token = call.token else { throw .unauthorized }
      guard token.role == .account || (token.role == .host && token.game.isEmpty) else { throw .forbidden }
      if token.role == .account { try await requireSession(token) }
    }
    return runner
  }

  private func requireHost(_ call: GameCall, _ runner: GameRunner) async throws(Problem) {
    guard let token = call.token else { throw .unauthorized }
    switch token.role {
    case .host where token.game.isEmpty || token.game == runner.stored.id: break
    case .account where token.subject == runner.stored.account: try await requireSession(token)
    default: throw .forbidden
    }
  }

  func requireSession(_ token: AccessToken) async throws(Problem) {
    let isGone = try await read { (store) throws(StoreError) in
      let account = try store.account(token.subject)
      let isRevoked = try store.isRevoked(session: token.session)
      return isRevoked || account == nil
    }
    if isGone { throw .expired }
  }

  static let unknownGame = Problem("game-unknown", .notFound, "there is no such game; look at its code again")

  func read<Value: Sendable>(_ body: @escaping @Sendable (any GameStore) throws(StoreError) -> Value) async throws(Problem) -> Value {
    do throws(StoreError) { return try await directory.writer.read(body) } catch { throw Problem(error) }
  }

  func write(_ changes: [StoreChange]) async throws(Problem) {
    do throws(StoreError) { try await directory.writer.write(changes) } catch { throw Problem(error) }
  }

  // MARK: Calls

  /// Answers a call whose answer does not come piece by piece.
  ///
  /// - Throws: `Problem`.
  func answer(_ call: GameCall, _ runner: GameRunner?) async throws(Problem) -> Answer {
    if let runner { return try await answer(call, of: runner) }
    switch call.endpoint {
    case .findGame: return try find(call)
    case .makeGame: return try await make(call)
    case .getHealth: return Answer(.ok, "text/plain", Array("ok\n".utf8))
    case .getReady:
      if let failure = directory.writer.lastFailure { throw Problem(failure) }
      guard directory.injector.edge != nil else { throw Problem("notReady", .serviceUnavailable, "there is no stream yet") }
      return Answer(.ok, "text/plain", Array("ready\n".utf8))
    case .makeQuiz, .listQuizzes, .getQuiz, .removeQuiz, .makeAccount, .getAccount, .removeAccount, .listResults, .makeSession, .endSession:
      return try await answerAccount(call)
    default: throw Problem("notFound", .notFound, "there is nothing here")
    }
  }

  private func answer(_ call: GameCall, of runner: GameRunner) async throws(Problem) -> Answer {
    switch call.endpoint {
    case .getGame: return cached(call, object(runner), seconds: 5)
    case .changeGame: return try await change(call, runner)
    case .join: return try await join(call, runner)
    case .answer: return try await takeAnswers(call, runner)
    case .getState: return cached(call, state(runner), seconds: 1)
    case .getBoard: return cached(call, board(runner, nil), seconds: 2)
    case .getBoardVersion:
      guard let version = call.parts["version"].flatMap({ Int($0) }), version >= 1, version <= runner.look({ game, _ in game.boards.count })
      else {
        throw Problem("notFound", .notFound, "there is no such board yet")
      }
      return Answer(
        .ok, "application/json", bytes(board(runner, version)), headers: [(.cacheControl, "public, max-age=31536000, immutable")])
    case .getMe: return try me(call, runner)
    case .presence:
      runner.audience.add(share: call.query["share"].flatMap { Double($0) } ?? 1)
      return .noContent
    case .command: return try await command(call, runner)
    case .listPlayers: return players(runner)
    case .leaveContact: return try await leaveContact(call, runner)
    case .getContacts: return try await contacts(runner)
    case .removeContacts:
      try await write([.removeContacts(game: runner.stored.id)])
      return .noContent
    default: throw Problem("notFound", .notFound, "there is nothing here")
    }
  }

  func bytes(_ object: JSONObject) -> [UInt8] { Array((JSONValue.object(object).text + "\n").utf8) }

  /// An answer that caches may keep for some seconds; one that has not changed is not sent again.
  private func cached(_ call: GameCall, _ object: JSONObject, seconds: Int) -> Answer {
    let bytes = bytes(object)
    let tag = "\"\(SHA256.hash(bytes).prefix(8).map { $0.digits(2, radix: 16, uppercase: false) }.joined())\""
    let headers: [(HTTPField.Name, String)] = [(.eTag, tag), (.cacheControl, "max-age=\(seconds)")]
    guard call.headers[.ifNoneMatch] != tag else { return Answer(.notModified, "", [], headers: headers) }
    return Answer(.ok, "application/json", bytes, headers: headers)
  }

  // MARK: Games

  private func find(_ call: GameCall) throws(Problem) -> Answer {
    let runner: GameRunner?
    if let code = call.query["code"] {
      runner = directory.game(code: code)
    } else if call.query["next"] != nil {
      runner = directory.next
    } else {
      throw .invalid("", "ask for ?code=CODE or ?next")
    }
    guard let runner else { throw Self.unknownGame }
    return cached(call, object(runner), seconds: 5)
  }

  /// What everybody may know of a game.
  func object(_ runner: GameRunner) -> JSONObject {
    var object = runner.look { game, now in
      var object = JSONObject()
      object.append("id", game.settings.id)
      object.append("code", game.settings.code)
      object.append("title", game.settings.title)
      object.append("startsAt", orNull: Self.date(game.startsAt))
      object.append("entryOpensAt", orNull: Self.date(game.entryOpensAt))
      object.append("state", game.phase(at: now).rawValue)
      object.append("players", game.playerCount)
      object.append("questions", game.settings.questions.count)
      object.append("delay", game.settings.rules.delay)
      object.append("scoring", game.settings.rules.scoring.description)
      return object
    }
    object.append("stream", orNull: directory.stream)
    return object
  }

  static func date(_ milliseconds: Int64?) -> String? { milliseconds.flatMap { PlaylistDate(milliseconds: $0)?.text } }

  private static func milliseconds(_ key: String, _ object: JSONObject) throws(Problem) -> Int64? {
    guard let value = object[key], value != .null else { return nil }
    guard let date = value.string.flatMap({ PlaylistDate($0) }) else {
      throw .invalid("/\(key)", "write a date and time such as 2026-11-20T20:00:00Z")
    }
    return date.milliseconds
  }

  private static func bool(_ key: String, _ object: JSONObject) throws(Problem) -> Bool? {
    guard let value = object[key] else { return nil }
    guard let bool = value.bool else { throw .invalid("/\(key)", "write true or false") }
    return bool
  }

  private func make(_ call: GameCall) async throws(Problem) -> Answer {
    let account = call.token?.role == .account ? call.token?.subject : nil
    guard account == nil || directory.isOpen else { throw .forbidden }
    let object: JSONObject
    var plan: GameDirectory.Plan
    if let name = call.query["format"] {
      // The body is a quiz file, and the rules are the usual ones.
      guard let format = QuizFormat(name) else { throw .invalid("", "?format is yaml, json or csv") }
      object = JSONObject()
      plan = GameDirectory.Plan(title: "", bank: try await Self.parsed(call.body, format, ""))
    } else {
      object = try call.object()
      guard let quiz = object["quiz"] else { throw .invalid("/quiz", "write a quiz, or the id of one of yours") }
      plan = GameDirectory.Plan(title: "", bank: try await bank(quiz, account))
    }
    plan.account = account
    plan.title = try Self.title(object, plan.bank)
    plan.rules = try Self.rules(object, plan.rules)
    plan.startsAt = try Self.milliseconds("startsAt", object)
    plan.entryOpensAt = try Self.milliseconds("entryOpensAt", object)
    plan.isAutomatic = try Self.bool("automatic", object) ?? (plan.startsAt != nil)
    let runner: GameRunner
    do throws(GameFailure) { runner = try await directory.make(plan) } catch { throw Problem(error) }
    var answer = self.object(runner)
    answer.append("rules", runner.look { game, _ in game.settings.rules.object })
    answer.append("automatic", plan.isAutomatic)
    let (text, expires) = hostToken(runner.stored.id)
    answer.append("token", text)
    answer.append("expires", orNull: expires)
    return Answer(
      .created, "application/json", bytes(answer), headers: [(.location, "/v1/games/\(runner.stored.id)"), (.cacheControl, "no-store")])
  }

  private static func title(_ object: JSONObject, _ bank: QuestionBank) throws(Problem) -> String {
    guard let value = object["title"] else { return bank.title ?? "Quiz" }
    guard let title = value.string, (1...100).contains(title.utf8.count) else { throw .invalid("/title", "write 1 to 100 bytes of text") }
    return title
  }

  private static func rules(_ object: JSONObject, _ rules: GameRules) throws(Problem) -> GameRules {
    guard let value = object["rules"] else { return rules }
    guard let changes = value.object else { throw .invalid("/rules", "write an object such as {\"delay\":12}") }
    var rules = rules
    do throws(HostingProblem) { try rules.change(changes) } catch { throw Problem(error) }
    return rules
  }

  private func bank(_ quiz: JSONValue, _ account: Int?) async throws(Problem) -> QuestionBank {
    if let id = quiz.string {
      guard let stored = try await read({ (store) throws(StoreError) in try store.quiz(id) }), stored.account == account else {
        throw .invalid("/quiz", "you have no such quiz")
      }
      return try await Self.parsed(Array(stored.text.utf8), .json, "/quiz")
    }
    guard quiz.object != nil else { throw .invalid("/quiz", "write a quiz, or the id of one of yours") }
    return try await Self.parsed(Array(quiz.text.utf8), .json, "/quiz")
  }

  /// A quiz that has no mistakes, read where it keeps nobody else waiting.
  static func parsed(_ bytes: [UInt8], _ format: QuizFormat?, _ pointer: String) async throws(Problem) -> QuestionBank {
    let result: Result<QuestionBank, Problem>? = await SlowQueue.run {
      do throws(Problem) { return .success(try bank(bytes, format, pointer)) } catch { return .failure(error) }
    }
    guard let result else { throw .overloaded }
    return try result.get()
  }

  /// The most questions of a game.
  static let mostQuestions = 500

  /// A quiz that has no mistakes.
  static func bank(_ bytes: [UInt8], _ format: QuizFormat?, _ pointer: String) throws(Problem) -> QuestionBank {
    let reading = QuizFile.read(bytes, format: format)
    guard reading.problems.isEmpty else {
      var problem = Problem.invalid(pointer, reading.problems.first.map { "\($0)" } ?? "")
      problem.members.append(
        "errors",
        reading.problems.prefix(100).map { mistake in
          var object = JSONObject()
          object.append("detail", "\(mistake)")
          return object
        })
      throw problem
    }
    guard (1...mostQuestions).contains(reading.bank.questions.count) else {
      throw .invalid(pointer, "a quiz for a game has 1 to \(mostQuestions) questions, not \(reading.bank.questions.count)")
    }
    return reading.bank
  }

  private func hostToken(_ game: String) -> (text: String, expires: String?) {
    let token = AccessToken(role: .host, game: game, session: Self.newSession(), expires: Self.now + Self.tokenLife)
    return (tokens.text(token), Self.date(token.expires * 1_000))
  }

  static func newSession() -> String { String((0..<16).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "a" }) }

  private func change(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    let object = try call.object()
    if let tag = call.headers[.ifMatch], tag != "*" {
      let current = cached(call, self.object(runner), seconds: 5).headers.first { $0.0 == .eTag }?.1
      guard tag == current else { throw Problem("changed", .preconditionFailed, "the game has changed meanwhile; get it again") }
    }
    try leads(call, runner)
    if let key = object.members.map(\.key).first(where: { !["startsAt", "entryOpensAt", "automatic"].contains($0) }) {
      throw .invalid("/\(key)", "this cannot be changed; startsAt, entryOpensAt and automatic can")
    }
    let (startsAt, entry) = (try Self.milliseconds("startsAt", object), try Self.milliseconds("entryOpensAt", object))
    let (hasStart, hasEntry) = (object["startsAt"] != nil, object["entryOpensAt"] != nil)
    let automatic = try Self.bool("automatic", object)
    try await perform(runner) { (game, _) throws(HostingProblem) in
      let change = try game.plan(
        automatic: automatic ?? game.isAutomatic, startsAt: hasStart ? startsAt : game.startsAt,
        entryOpensAt: hasEntry ? entry : game.entryOpensAt)
      return ((), change, [])
    }
    return Answer(.ok, self.object(runner))
  }

  @discardableResult
  func perform<Value: Sendable>(
    _ runner: GameRunner,
    _ body: @escaping @Sendable (inout HostedGame, HostedGame.Moment) throws(HostingProblem) -> (Value, HostedGame.Change, [StoreChange])
  ) async throws(Problem) -> Value {
    do throws(GameFailure) { return try await runner.change(body) } catch { throw Problem(error) }
  }

  // MARK: Players

  private func join(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    let key = (call.parts["uuid"] ?? "").lowercased()
    guard key.isUUID else { throw .invalid("", "the address ends with a UUID that the client makes for itself") }
    let object = try call.object()
    guard let nickname = object["nickname"]?.string else { throw .invalid("/nickname", "write a nickname") }
    let position = object["at"]?.number.flatMap { MediaTime(decimalSeconds: $0.text) }
    let game = runner.stored.id
    let joined = try await perform(runner) { (hosted, now) throws(HostingProblem) in
      let joined = try hosted.join(nickname, key: key, position: position, now: now)
      let player = StoredPlayer(player: joined.player, nickname: joined.nickname, key: key, joinedAt: joined.joinedAt)
      return (joined, HostedGame.Change(), joined.isKnown ? [] : [.player(game: game, player)])
    }
    let token = AccessToken(
      role: .player, game: game, subject: joined.player, session: PlayerKey.text(PlayerKey.hash(key)),
      expires: Self.now + Self.playerTokenLife)
    var answer = JSONObject()
    answer.append("player", joined.player)
    answer.append("nickname", joined.nickname)
    answer.append("token", tokens.text(token))
    answer.append("expires", orNull: Self.date(token.expires * 1_000))
    return Answer(joined.isKnown ? .ok : .created, "application/json", bytes(answer), headers: [(.cacheControl, "no-store")])
  }

  /// The player of a call.
  ///
  /// - Throws: `Problem` where the token is one of a game that was over an hour ago.
  func player(_ token: AccessToken, _ runner: GameRunner) throws(Problem) -> Int {
    let isOver = runner.look { game, now in
      guard let edge = now.edge, let ended = game.endedAt else { return false }
      return (edge - ended).ticks / MediaTime.ticksPerSecond > Self.afterEnd
    }
    guard !isOver else { throw .expired }
    guard runner.desk.knows(token.subject, key: token.session) else { throw .unauthorized }
    return token.subject
  }

  private func me(_ call: GameCall, _ runner: GameRunner) throws(Problem) -> Answer {
    guard let token = call.token else { throw .unauthorized }
    let player = try player(token, runner)
    let standing: (Standing?, Bool) = runner.look { game, _ in (game.standing(of: player), game.isKicked(player)) }
    guard let standing = standing.1 ? nil : standing.0 else { throw Problem(.kicked) }
    var object = JSONObject()
    object.append("player", player)
    object.append("nickname", standing.nickname.text)
    object.append("rank", standing.rank)
    object.append("score", standing.score)
    object.append("right", standing.right)
    object.append("answers", standing.answered)
    object.append("outAt", orNull: standing.outAt)
    return Answer(.ok, "application/json", bytes(object), headers: [(.cacheControl, "private, no-store")])
  }

  /// The way of answers that do not come by the short one: see `AnswerHandler`.
  private func takeAnswers(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    guard let token = call.token else { throw .unauthorized }
    let requests = try AnswerReading.requests(call.body)
    let player = try player(token, runner)
    let outcome = await withCheckedContinuation { continuation in
      runner.desk.take(requests, of: player) { continuation.resume(returning: $0) }
    }
    return try AnswerReading.answer(outcome)
  }

  // MARK: What everybody may see

  private func state(_ runner: GameRunner) -> JSONObject {
    let share = runner.audience.share
    return runner.look { game, now in
      var object = JSONObject()
      object.append("game", game.settings.id)
      object.append("phase", game.phase(at: now).rawValue)
      if let index = game.asked.indices.last {
        let asked = game.asked[index]
        var question = JSONObject()
        question.append("guid", asked.guid.text)
        question.append("number", index + 1)
        question.append("opensAt", orNull: asked.opensAt)
        question.append("closesAt", orNull: asked.closesAt)
        object.append("question", question)
        object.append("revealAt", orNull: Self.date(game.revealAt(asked, now: now)))
      } else {
        object.append("question", JSONValue.null)
        object.append("revealAt", JSONValue.null)
      }
      object.append("startsAt", orNull: Self.date(game.startsAt))
      object.append("players", game.playerCount)
      object.append("board", game.boards.count)
      object.append("leaders", (game.boards.last?.leaders.prefix(HostedGame.leaderCount) ?? []).map(\.object))
      var presence = JSONObject()
      presence.append("every", AudienceCount.interval)
      if let number = JSONNumber("\(share)") { presence.append("share", .number(number)) }
      object.append("presence", presence)
      return object
    }
  }

  /// A scoreboard; with `nil` the latest one.
  private func board(_ runner: GameRunner, _ version: Int?) -> JSONObject {
    runner.look { game, _ in
      var object = JSONObject()
      let version = version ?? game.boards.count
      object.append("game", game.settings.id)
      object.append("version", version)
      guard version > 0, game.boards.indices.contains(version - 1) else {
        object.append("leaders", [JSONObject]())
        return object
      }
      let board = game.boards[version - 1]
      if let scoreboard = board.scoreboard { object.append("scoreboard", scoreboard.object) }
      if let results = board.results { object.append("results", results.objects) }
      object.append("leaders", board.leaders.map(\.object))
      return object
    }
  }

  // MARK: The host

  /// - Throws: `Problem` where another host leads the game.
  func leads(_ call: GameCall, _ runner: GameRunner) throws(Problem) {
    guard runner.lease.take(call.token?.session ?? "") else {
      throw Problem("host-busy", .conflict, "another host leads this game; listen with ?takeover to take it over")
    }
  }

  private func command(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    let object = try call.object()
    guard let id = object["id"]?.string, (1...128).contains(id.utf8.count) else {
      throw .invalid("/id", "write a UUID of your own for this command")
    }
    let command = try Self.command(object)
    try leads(call, runner)
    try await perform(runner) { (game, now) throws(HostingProblem) in
      ((), try game.carryOut(command, id: id, now: now) { runner.takeStream() }, [])
    }
    var answer = JSONObject()
    answer.append("id", id)
    answer.append("state", runner.look { game, now in game.phase(at: now).rawValue })
    return Answer(.ok, answer)
  }

  private static func command(_ object: JSONObject) throws(Problem) -> HostedGame.Command {
    switch object["command"]?.string {
    case "next": return .next
    case "close": return .close
    case "reveal": return .reveal
    case "void": return .void
    case "end": return .end
    case "extend":
      guard let number = object["seconds"]?.number, let time = MediaTime(decimalSeconds: number.text), time > .zero,
        time <= MediaTime(seconds: 600)
      else { throw .invalid("/seconds", "write a number above 0, at most 600") }
      return .extend(time)
    case "kick":
      guard let player = object["player"]?.int else { throw .invalid("/player", "write a player's number") }
      return .kick(player: player)
    default: throw .invalid("/command", "write next, close, reveal, void, extend, end or kick")
    }
  }

  /// The players, for the host.
  private func players(_ runner: GameRunner) -> Answer {
    let list: [JSONObject] = runner.look { game, _ in
      game.scored.roster.nicknames.enumerated().prefix(10_000).filter { !game.isKicked($0.offset) }.map { player, nickname in
        var object = JSONObject()
        object.append("player", player)
        object.append("nickname", nickname.text)
        return object
      }
    }
    var object = JSONObject()
    object.append("players", list)
    return Answer(.ok, "application/json", bytes(object), headers: [(.cacheControl, "no-store")])
  }
}

extension String {
  /// Whether it is a UUID as it is written in hexadecimal digits (RFC 9562, 4).
  fileprivate var isUUID: Bool {
    let bytes = Array(utf8)
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index)
        ? byte == UInt8(ascii: "-") : byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
  }
}

extension Problem {
  init(_ error: StoreError) {
    switch error {
    case .exists: self.init("exists", .conflict, "\(error)")
    case .unavailable, .foreign:
      self.init("overloaded", .serviceUnavailable, "nothing can be stored for the moment", headers: [(.retryAfter, "1")])
    }
  }

  init(_ failure: GameFailure) {
    switch failure {
    case .hosting(let problem): self.init(problem)
    case .store(let error): self.init(error)
    }
  }

  init(_ problem: HostingProblem) {
    switch problem {
    case .invalid(let pointer, let message): self = .invalid(pointer, message)
    case .nicknameInvalid: self.init(problem.kind, .unprocessableContent, "\(problem)")
    case .nicknameTaken(let suggestions):
      self.init(problem.kind, .conflict, "\(problem)")
      members.append("suggestions", suggestions)
    case .joinedOtherwise(let nickname):
      self.init(problem.kind, .conflict, "\(problem)")
      members.append("nickname", nickname)
    case .full, .notNow, .notOpen: self.init(problem.kind, .conflict, "\(problem)")
    case .ended: self.init(problem.kind, .conflict, "\(problem)")
    case .kicked: self.init(problem.kind, .forbidden, "\(problem)")
    case .unknownPlayer: self.init(problem.kind, .notFound, "\(problem)")
    case .unavailable: self = .overloaded
    }
  }
}
