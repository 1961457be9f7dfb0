import AccessTokens
import Basics
import GameEvents
import GameHosting
import GameJSON
import GameStore
import HLSPlaylist
import HTTPTypes
import LibC
import LiveServer
import Questions
import Scoring
import Sheets
import WebShell
import WebSupport

/// The game server's HTTP interface: the implementation of each call.
struct GameAPI: Sendable {
  let directory: GameDirectory
  let tokens: TokenKey
  var limits = RateLimits()
  /// The server, for its status.
  var about = ServerStatus.About()
  /// The states of the streams that this process produces.
  var streams: @Sendable () -> [JSONObject] = { [] }
  /// Whether the server has the picture or the sound of an address.
  var hasMedia: @Sendable (String) -> Bool = { _ in false }
  /// For long lists and large quizzes.
  let heavyQueue = HeavyQueue()
  /// For quiz files of anybody, which never delay what hosts do.
  let fileQueue = HeavyQueue(most: 16, mostOfCaller: 2)
  /// For keys of passwords, which take a tenth of a second and 32 MiB by intention.
  let passwordQueue = HeavyQueue(most: 32)
  /// How long hosts' and accounts' tokens are valid, in seconds.
  static let tokenLife: Int64 = 12 * 3_600
  /// How long players' tokens are valid after the end of their game.
  static let afterEnd: Int64 = 3_600
  /// Tokens of players are valid for the longest show.
  static let playerTokenLife: Int64 = 48 * 3_600

  /// Seconds since 1970.
  static var now: Int64 { WallClock.now / 1_000 }

  /// - Throws: `Problem` if games cannot be played.
  func requireReadiness() throws(Problem) {
    let missing = directory.missing
    guard missing.isEmpty else {
      let reason = missing.joined(separator: "; ")
      throw directory.storeFailure == nil ? .notReady(reason) : .overloaded(reason)
    }
  }

  // MARK: Authorization

  /// Checks whether a client may make a call; returns the game that the call is about.
  ///
  /// - Throws: `Problem`.
  func authorize(_ call: GameCall) async throws(Problem) -> GameRunner? {
    try limits.require(call.call.limit, call.call.name, of: call.caller)
    if let key = call.query.first(where: { $0.value.utf8.contains(0) })?.key { throw .invalid("", "?\(key) has the character U+0000") }
    var runner: GameRunner?
    if let id = call.parts["game"] {
      guard let found = try await game(id) else { throw .unknownGame }
      runner = found
    }
    if let token = call.token, token.role == .account, !directory.hasAccounts { throw Self.noAccounts }
    switch call.call.role {
    case .everybody, .anyToken: break
    case .player: try await require(call) { $0.role == .player && $0.game == runner?.stored.id }
    case .host:
      guard let runner else { throw .unknownGame }
      if let token = call.token, token.isHost(of: runner) { try requireGeneration(token, runner) }
      try await require(call) { $0.isHost(of: runner) || $0.isOperator || $0.owns(runner) }
    case .account: try await require(call) { $0.role == .account }
    case .maker: try await require(call) { $0.role == .account || $0.isOperator }
    case .owner: try await require(call) { token in runner.map { token.isOperator || token.owns($0) } ?? false }
    case .operator: try await require(call) { $0.isOperator }
    case .session: try await require(call) { $0.role != .player }
    }
    if let bearer = call.token.flatMap({ Self.bearer($0, runner) }) {
      try limits.require(call.call.limit, "\(call.call.name) of \(bearer)")
    }
    return runner
  }

  /// The bearer whose calls are counted together, wherever they come from; `nil` for the operator, whose calls are not limited.
  private static func bearer(_ token: AccessToken, _ runner: GameRunner?) -> String? {
    switch token.role {
    case _ where token.isOperator: nil
    case .player: "player \(token.subject) \(token.game)"
    case .host: "game \(token.game)"
    case .account: runner.map { "game \($0.stored.id)" } ?? "account \(token.subject)"
    }
  }

  /// - Throws: `Problem` if a call has no token, or one that does not allow it, or one whose session has ended. Players' tokens have no session.
  private func require(_ call: GameCall, _ isAllowed: (AccessToken) -> Bool) async throws(Problem) {
    guard let token = call.token else { throw .unauthorized }
    guard isAllowed(token) else { throw .forbidden }
    if token.role != .player { try await requireSession(token) }
  }

  /// - Throws: `Problem` if the access of the game's host was renewed since the token was made, or if the game belongs to an account and accounts are
  ///   disabled.
  func requireGeneration(_ token: AccessToken, _ runner: GameRunner) throws(Problem) {
    guard directory.isServed(runner) else { throw Self.noAccounts }
    guard token.generation == runner.access.generation else { throw .expired }
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

  static let noAccounts = Problem.forbidden("this server has no accounts")
  static let banned = Problem.forbidden("the operator of this server has banned the account")

  /// The game of a name, in memory or in the store.
  func game(_ id: String) async throws(Problem) -> GameRunner? {
    do throws(StoreError) { return try await directory.find(id) } catch { throw Problem(error) }
  }

  func read<Value: Sendable>(_ body: @escaping @Sendable (any GameStore) throws(StoreError) -> Value) async throws(Problem) -> Value {
    do throws(StoreError) { return try await directory.writer.read(body) } catch { throw Problem(error) }
  }

  /// Performs slow work with the store, without delaying other calls.
  ///
  /// - Throws: `Problem`.
  func heavy<Value: Sendable>(
    _ call: GameCall, _ body: @escaping @Sendable (any GameStore) throws(Problem) -> Value
  ) async throws(Problem) -> Value {
    let store = directory.writer.store
    let caller = call.token.flatMap { Self.bearer($0, nil) } ?? (call.token == nil ? place(of: call) : "operator")
    return try await heavyQueue.run(for: caller) { () throws(Problem) in try body(store) }
  }

  /// The place in the network for which a call without a token is counted.
  func place(of call: GameCall) -> String { IPAddress.place(of: call.caller.address) }

  func write(_ changes: [StoreChange]) async throws(Problem) {
    do throws(StoreError) { try await directory.writer.write(changes) } catch { throw Problem(error) }
  }

  // MARK: Calls

  typealias Entry = Call<GameRole, GameHandler>

  /// All calls of the game server.
  static let calls =
    gameCalls + recordCalls + playerCalls + hostCalls + againCalls + questionCalls + contactCalls + quizCalls + quizFileCalls + accountCalls
    + operatorCalls

  /// Answers a call that ``authorize(_:)`` has allowed.
  ///
  /// - Parameter runner: The game that it is about.
  /// - Throws: `Problem`.
  func answer(_ call: GameCall, _ runner: GameRunner?) async throws(Problem) -> Answer {
    switch call.call.handler {
    case .server(let handler): return try await handler(self, call)
    case .game(let handler):
      guard let runner else { throw .unknownGame }
      return try await handler(self, call, runner)
    }
  }

  /// An answer that caches may keep for some seconds; an unchanged one is not sent again.
  ///
  /// - Parameter plan: A prefix of the tag, for clients that change a part of the object.
  func cached(_ call: GameCall, _ object: JSONObject, seconds: Int, plan: String? = nil) -> Answer {
    var answer = Answer(.ok, object)
    var tag = Answer.tag(answer.body)
    if let plan { tag = "\"\(plan)-\(tag.dropFirst())" }
    answer.headers = [(.eTag, tag), (.cacheControl, "max-age=\(seconds)")]
    guard call.headers[.ifNoneMatch] != tag else { return Answer(.notModified, "", [], headers: answer.headers) }
    return answer
  }

  /// An answer that no cache may keep.
  func secret(_ object: JSONObject, _ status: HTTPResponse.Status = .ok) -> Answer {
    Answer(status, object, headers: [(.cacheControl, "private, no-store")])
  }

  /// A token as it is given to its bearer, after other members of the answer.
  func issued(_ token: AccessToken, _ answer: JSONObject = JSONObject()) -> JSONObject {
    answer.with("token", tokens.text(token)).with("expires", Self.date(token.expires * 1_000))
  }

  @discardableResult
  func perform<Value: Sendable>(
    _ runner: GameRunner,
    _ body: @escaping @Sendable (inout HostedGame, HostedGame.Moment) throws(HostingProblem) -> (Value, HostedGame.Change, [StoreChange])
  ) async throws(Problem) -> Value {
    do throws(GameFailure) { return try await runner.keeper.change(body) } catch { throw Problem(error) }
  }
}

extension AccessToken {
  /// Whether it is the server's own token, which belongs to the operator.
  var isOperator: Bool { role == .host && game.isEmpty }

  fileprivate func isHost(of runner: GameRunner) -> Bool { role == .host && game == runner.stored.id }

  /// Whether it belongs to the account that has made the game.
  fileprivate func owns(_ runner: GameRunner) -> Bool { role == .account && subject == runner.stored.account }
}
