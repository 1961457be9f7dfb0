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
import WebShell
import WebSupport

/// The game server's HTTP interface: what each call does.
struct GameAPI: Sendable {
  let directory: GameDirectory
  let tokens: TokenKey
  let limits = RateLimits()
  /// Long lists and large quizzes.
  let heavyQueue = HeavyQueue()
  /// Keys of passwords, which take a tenth of a second and 32 MiB by intention.
  let passwordQueue = HeavyQueue(most: 32)
  /// How long hosts' and accounts' tokens hold, in seconds.
  static let tokenLife: Int64 = 12 * 3_600
  /// How long players' tokens hold after the end of their game.
  static let afterEnd: Int64 = 3_600
  /// Tokens of players hold for the longest show.
  static let playerTokenLife: Int64 = 48 * 3_600

  /// Seconds since 1970.
  static var now: Int64 { WallClock.now / 1_000 }

  /// - Throws: `Problem` if games cannot be played.
  func requireReadiness() throws(Problem) {
    let missing = directory.missing
    guard missing.isEmpty else {
      let kind = directory.storeFailure == nil ? "notReady" : "overloaded"
      throw Problem(kind, .serviceUnavailable, missing.joined(separator: "; "), headers: [(.retryAfter, "1")])
    }
  }

  // MARK: Who may call

  /// Whether somebody may make a call; the game that it is about.
  ///
  /// - Throws: `Problem`.
  func authorize(_ call: GameCall) async throws(Problem) -> GameRunner? {
    if let limit = call.endpoint.limit, !call.isLocal,
      let wait = limits.take(
        "\(call.endpoint.rawValue) \(IPAddress.place(of: call.address))", perMinute: limit.perMinute, burst: limit.burst)
    {
      throw .rateLimited(wait)
    }
    if let key = call.query.first(where: { $0.value.utf8.contains(0) })?.key { throw .invalid("", "?\(key) has the character U+0000") }
    var runner: GameRunner?
    if let id = call.parts["game"] {
      guard let found = try await game(id) else { throw Self.unknownGame }
      runner = found
    }
    if let token = call.token, token.role == .account, !directory.hasAccounts { throw Self.noAccounts }
    if call.endpoint == .join, let runner, !directory.isServed(runner) { throw Self.unknownGame }
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
      guard token.role == .account || token.isOperator else { throw .forbidden }
      try await requireSession(token)
    case .owner:
      guard let token = call.token else { throw .unauthorized }
      guard let runner, token.isOperator || token.owns(runner) else { throw .forbidden }
      try await requireSession(token)
    case .operator:
      guard let token = call.token else { throw .unauthorized }
      guard token.isOperator else { throw .forbidden }
      try await requireSession(token)
    case .session:
      guard let token = call.token else { throw .unauthorized }
      guard token.role != .player else { throw .forbidden }
      try await requireSession(token)
    }
    if let limit = call.endpoint.limit, let bearer = call.token.flatMap({ Self.bearer($0, runner) }),
      let wait = limits.take("\(call.endpoint.rawValue) of \(bearer)", perMinute: limit.perMinute, burst: limit.burst)
    {
      throw .rateLimited(wait)
    }
    return runner
  }

  /// Whose calls are counted together, wherever they come from; `nil` for the operator's, which are not limited.
  private static func bearer(_ token: AccessToken, _ runner: GameRunner?) -> String? {
    switch token.role {
    case _ where token.isOperator: nil
    case .player: "player \(token.subject) \(token.game)"
    case .host: "game \(token.game)"
    case .account: runner.map { "game \($0.stored.id)" } ?? "account \(token.subject)"
    }
  }

  private func requireHost(_ call: GameCall, _ runner: GameRunner) async throws(Problem) {
    guard let token = call.token else { throw .unauthorized }
    let isHost = token.role == .host && token.game == runner.stored.id
    guard isHost || token.isOperator || token.owns(runner) else { throw .forbidden }
    if isHost { try requireGeneration(token, runner) }
    try await requireSession(token)
  }

  /// - Throws: `Problem` if the access of the game's host was renewed since the token was made, or the game is one of an account where there are none.
  func requireGeneration(_ token: AccessToken, _ runner: GameRunner) throws(Problem) {
    guard directory.isServed(runner) else { throw Self.noAccounts }
    guard token.generation == runner.hostGeneration else { throw .expired }
  }

  /// - Throws: `Problem` if the session of a token was ended, or its account is deleted or banned.
  func requireSession(_ token: AccessToken) async throws(Problem) {
    let (isGone, isBanned) = try await read { (store) throws(StoreError) in
      let isRevoked = try store.isRevoked(session: token.session)
      guard token.role == .account else { return (isRevoked, false) }
      guard let account = try store.account(token.subject) else { return (true, false) }
      return (isRevoked, account.isBanned)
    }
    if isGone { throw .expired }
    if isBanned { throw Self.banned }
  }

  static let noAccounts = Problem("forbidden", .forbidden, "this server has no accounts")
  static let banned = Problem("forbidden", .forbidden, "the operator of this server has banned the account")

  /// The game of a name, wherever it is.
  func game(_ id: String) async throws(Problem) -> GameRunner? {
    do throws(StoreError) { return try await directory.find(id) } catch { throw Problem(error) }
  }

  static let unknownGame = Problem("game-unknown", .notFound, "there is no such game; look at its code again")

  func read<Value: Sendable>(_ body: @escaping @Sendable (any GameStore) throws(StoreError) -> Value) async throws(Problem) -> Value {
    do throws(StoreError) { return try await directory.writer.read(body) } catch { throw Problem(error) }
  }

  /// Does something that takes long, with the store, beside everything that others wait for.
  ///
  /// - Throws: `Problem`.
  func heavy<Value: Sendable>(
    _ call: GameCall, _ body: @escaping @Sendable (any GameStore) throws(Problem) -> Value
  ) async throws(Problem) -> Value {
    let store = directory.writer.store
    let caller = call.token.flatMap { Self.bearer($0, nil) } ?? (call.token == nil ? IPAddress.place(of: call.address) : "operator")
    let result: Result<Value, Problem> = try await heavyQueue.run(for: caller) {
      do throws(Problem) { return .success(try body(store)) } catch { return .failure(error) }
    }
    return try result.get()
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
    case .findGame: return try await find(call)
    case .makeGame: return try await make(call)
    case .makeQuiz, .listQuizzes, .getQuiz, .removeQuiz, .makeAccount, .getAccount, .removeAccount, .listResults, .makeSession, .endSession,
      .listAccounts, .deleteAccount, .banAccount, .unbanAccount:
      return try await answerAccount(call)
    default: throw Problem("notFound", .notFound, "there is nothing here")
    }
  }

  private func answer(_ call: GameCall, of runner: GameRunner) async throws(Problem) -> Answer {
    switch call.endpoint {
    case .getGame: return game(call, runner)
    case .changeGame: return try await change(call, runner)
    case .join: return try await join(call, runner)
    case .getPlayer: return try await export(call, runner)
    case .removePlayer: return try await removePlayer(call, runner)
    case .answer: return try await takeAnswers(call, runner)
    case .getState: return cached(call, state(runner), seconds: 1)
    case .getBoard: return cached(call, board(runner, nil), seconds: 2)
    case .getBoardVersion:
      guard let version = call.parts["version"].flatMap({ Int($0) }), version >= 1, version <= runner.look({ game, _ in game.boards.count })
      else {
        throw Problem("notFound", .notFound, "there is no such board yet")
      }
      // Not for ever: who is taken out leaves the boards that were shown, too.
      return cached(call, board(runner, version), seconds: 2)
    case .getMe: return try me(call, runner)
    case .presence:
      runner.audience.add(viewer(call, runner), share: call.query["share"].flatMap { Double($0) } ?? 1)
      return .noContent
    case .command: return try await command(call, runner)
    case .listPlayers: return try await heavy(call) { (_) throws(Problem) in try players(call, runner) }
    case .renewHost: return try await renewHost(runner)
    case .approveGame: return try await approve(runner, true)
    case .disapproveGame: return try await approve(runner, false)
    case .leaveContact: return try await leaveContact(call, runner)
    case .getContacts: return try await contacts(call, runner)
    case .removeContacts:
      try await write([.removeContacts(game: runner.stored.id)])
      return .noContent
    default: throw Problem("notFound", .notFound, "there is nothing here")
    }
  }

  func bytes(_ object: JSONObject) -> [UInt8] { Array((JSONValue.object(object).text + "\n").utf8) }

  /// An answer that caches may keep for some seconds; one that has not changed is not sent again.
  ///
  /// - Parameter plan: What is in front of the tag, for those who change a part of it.
  func cached(_ call: GameCall, _ object: JSONObject, seconds: Int, plan: String? = nil) -> Answer {
    let bytes = bytes(object)
    var tag = Answer.tag(bytes)
    if let plan { tag = "\"\(plan)-\(tag.dropFirst())" }
    let headers: [(HTTPField.Name, String)] = [(.eTag, tag), (.cacheControl, "max-age=\(seconds)")]
    guard call.headers[.ifNoneMatch] != tag else { return Answer(.notModified, "", [], headers: headers) }
    return Answer(.ok, "application/json", bytes, headers: headers)
  }

  @discardableResult
  func perform<Value: Sendable>(
    _ runner: GameRunner,
    _ body: @escaping @Sendable (inout HostedGame, HostedGame.Moment) throws(HostingProblem) -> (Value, HostedGame.Change, [StoreChange])
  ) async throws(Problem) -> Value {
    do throws(GameFailure) { return try await runner.change(body) } catch { throw Problem(error) }
  }
}

extension AccessToken {
  /// Whether it is the server's own, which is the operator's.
  var isOperator: Bool { role == .host && game.isEmpty }

  /// Whether it is one of the account that has made a game.
  fileprivate func owns(_ runner: GameRunner) -> Bool { role == .account && subject == runner.stored.account }
}
