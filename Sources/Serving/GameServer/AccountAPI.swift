import AccessTokens
import Basics
import GameStore
import HTTPTypes
import LibC
import LibCrypto
import LiveInterface
import Scoring
import WebShell
import WebSupport

/// Accounts of people who make quizzes, and their sessions.
extension GameAPI {
  static let accountCalls = [
    Entry(
      "makeAccount", Route("POST", "/v1/accounts"), .everybody, CallLimit(perMinute: 2, burst: 5), "accounts", "Make an account.",
      [.json(201, "The account is made.", .reference("Session"))], body: .json(.reference("Credentials")),
      problems: [403: ["forbidden"], 409: ["account-taken"], 503: ["overloaded"]], .function(GameAPI.makeAccount)),
    Entry(
      "getAccount", Route("GET", "/v1/me"), .account, .reading, "accounts", "Give all that is kept of the account, page by page.",
      [.json(200, "The account.", .reference("Account"))], parameters: [.nextPage], problems: [422: ["invalid"]], .function(GameAPI.export)),
    Entry(
      "removeAccount", Route("DELETE", "/v1/me"), .account, .reading, "accounts", "Forget the account and all that belongs to it.", [.done],
      .function(GameAPI.removeAccount)),
    Entry(
      "listResults", Route("GET", "/v1/me/results"), .maker, .reading, "accounts",
      "List the results of all games of the account, or of the operator.",
      [.json(200, "The results, the latest first.", .object(["results": .list(.reference("Result"))], optional: ["next": .text]))],
      parameters: [.nextPage], problems: [422: ["invalid"]], .function(GameAPI.listResults)),
    Entry(
      "makeSession", Route("POST", "/v1/sessions"), .anyToken, loggingIn, "accounts",
      "Log in; or, with a token of a host or an account and no body, get another one.",
      [.json(201, "A token; with its account, if somebody has logged in.", .reference("Session"))],
      body: .json(.reference("Credentials"), isRequired: false), problems: [401: ["credentials"]], .function(GameAPI.makeSession)),
    Entry(
      "endSession", Route("DELETE", "/v1/sessions"), .session, .reading, "accounts", "Log out: the session's tokens end.", [.done],
      .function(GameAPI.endSession)),
  ]

  private static let loggingIn = CallLimit(perMinute: 10, burst: 10)

  private func endSession(_ call: GameCall) async throws(Problem) -> Answer {
    guard let token = call.token else { throw .unauthorized }
    try await write([revocation(of: token)])
    await directory.endLead(of: token.session)
    return .noContent
  }

  private func listResults(_ call: GameCall) async throws(Problem) -> Answer {
    // The operator's own games are those without an account.
    let account = call.token?.role == .account ? try account(call) : nil
    let cursor = try Self.cursor(call)
    return try await list(call) { (store) throws(StoreError) in
      let page = try store.results(of: account, after: cursor, size: Self.pageSize)
      return JSONObject(fields: ["results": page.elements.map { self.object($0) }]).with("next", page.next?.description)
    }
  }

  private func removeAccount(_ call: GameCall) async throws(Problem) -> Answer {
    let account = try account(call)
    try await write([.removeAccount(account)] + (call.token.map { [revocation(of: $0)] } ?? []))
    await directory.endLead(of: call.token?.session ?? "")
    await directory.endGames(of: account)
    return .noContent
  }

  /// Returns the change that ends all tokens of a session, also one that was renewed a moment ago.
  private func revocation(of token: AccessToken) -> StoreChange { .revoke(session: token.session, until: Self.now + Self.tokenLife) }

  /// The approximate size in bytes of an answer that lists the contents of the store; the rest is on the next page.
  static let pageSize = 256 << 10

  /// Makes an answer from the contents of the store, on a queue of its own so that no other call waits for it.
  func list(
    _ call: GameCall, _ body: @escaping @Sendable (any GameStore) throws(StoreError) -> JSONObject
  ) async throws(Problem) -> Answer {
    try await heavy(call) { (store) throws(Problem) in secret(try Problem.of { () throws(StoreError) in try body(store) }) }
  }

  /// The element after which a page begins; `nil` for the first page.
  static func cursor(_ call: GameCall) throws(Problem) -> StoreCursor? {
    guard let text = call.query["from"] else { return nil }
    guard let cursor = StoreCursor(text) else { throw .invalid("", "?from is the next of an answer") }
    return cursor
  }

  func account(_ call: GameCall) throws(Problem) -> Int {
    guard let token = call.token, token.role == .account else { throw .unauthorized }
    return token.subject
  }

  // MARK: Accounts

  private func makeAccount(_ call: GameCall) async throws(Problem) -> Answer {
    guard directory.hasAccounts else { throw Self.noAccounts }
    let (name, password) = try Self.credentials(call.object())
    let kept = try await busy(call) { () throws(LibCryptoError) in try Password(new: password) }
    let account = StoredAccount(id: 0, name: name, password: kept.text, createdAt: WallClock.now)
    do throws(Problem) { try await write([.account(account)]) } catch {
      throw error.kind == "exists" ? Problem("account-taken", .conflict, "there is an account of this name; choose another") : error
    }
    guard let made = try await read({ (store) throws(StoreError) in try store.account(named: name) }) else { throw .overloaded }
    return session(made.id, .created)
  }

  private static func credentials(_ object: JSONObject) throws(Problem) -> (name: String, password: String) {
    guard let name = object["name"]?.string, (1...64).contains(name.utf8.count), HiddenCharacters.first(in: name) == nil else {
      throw .invalid("/name", "write a name of 1 to 64 bytes without hidden characters")
    }
    guard let password = object["password"]?.string, Password.lengths.contains(password.utf8.count), !password.utf8.contains(0) else {
      throw .invalid("/password", "write a password of \(Password.lengths.lowerBound) to \(Password.lengths.upperBound) bytes")
    }
    return (name, password)
  }

  /// Derives a key from a password.
  private func busy<Value: Sendable>(
    _ call: GameCall, _ body: @escaping @Sendable () throws(LibCryptoError) -> Value
  ) async throws(Problem) -> Value {
    try await passwordQueue.run(for: IPAddress.place(of: call.caller.address)) { [directory] () throws(Problem) in
      do throws(LibCryptoError) { return try body() } catch {
        directory.say("no key of a password can be made: \(error)")
        throw .overloaded
      }
    }
  }

  private func session(_ account: Int, _ status: HTTPResponse.Status) -> Answer {
    let token = AccessToken(role: .account, subject: account, session: Self.newSession(), expires: Self.now + Self.tokenLife)
    return secret(issued(token, JSONObject(fields: ["account": account])), status)
  }

  private func makeSession(_ call: GameCall) async throws(Problem) -> Answer {
    if var token = call.token, call.body.isEmpty {
      guard token.role != .player else { throw .forbidden }
      try await requireSession(token)
      if token.role == .host, !token.game.isEmpty {
        guard let runner = try await game(token.game) else { throw .unknownGame }
        try requireGeneration(token, runner)
      }
      token.expires = Self.now + Self.tokenLife
      return secret(issued(token), .created)
    }
    guard directory.hasAccounts else { throw Self.noAccounts }
    let (name, password) = try Self.credentials(call.object())
    if !call.caller.isLocal { try limits.require(Self.loggingIn, "password of \(name.lowercased())") }
    let account = try await read { (store) throws(StoreError) in try store.account(named: name) }
    // Without an account the same work is done, so that the response time does not reveal whether there is one.
    let kept = Password(kept: account?.password ?? Self.nobody)
    let isRight = try await busy(call) { () throws(LibCryptoError) in kept.isRight(password) }
    guard isRight, let account else { throw Problem("credentials", .unauthorized, "there is no account with this name and password") }
    guard !account.isBanned else { throw Self.banned }
    return session(account.id, .created)
  }

  /// A password that nobody has.
  private static let nobody = "scrypt$15$8$3$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  /// Exports everything that is stored about an account, page by page: first the quizzes, then the results.
  private func export(_ call: GameCall) async throws(Problem) -> Answer {
    let id = try account(call)
    let start = try ExportPlace(call)
    return try await heavy(call) { (store) throws(Problem) in
      let account = try Problem.of { () throws(StoreError) in try store.account(id) }
      guard let account else { throw .expired }
      var (quizzes, results) = (StorePage<StoredQuiz>(), StorePage<StoredResult>())
      var left = Self.pageSize
      if case .quizzes(let cursor) = start {
        quizzes = try Problem.of { () throws(StoreError) in try store.quizzes(of: id, after: cursor, size: left) }
        left -= quizzes.elements.reduce(0) { $0 + $1.text.utf8.count }
      }
      if quizzes.next == nil {
        let cursor = if case .results(let cursor) = start { cursor } else { StoreCursor?.none }
        results = try Problem.of { () throws(StoreError) in try store.results(of: id, after: cursor, size: max(left, 1)) }
      }
      let kept = quizzes.elements.map { quiz in
        var object = self.object(QuizTitle(id: quiz.id, title: quiz.title, createdAt: quiz.createdAt))
        if let value = try? JSONValue(parsing: quiz.text, limits: JSONLimits(bytes: 8 << 20, members: 1 << 20)) {
          object.append("quiz", value)
        }
        return object
      }
      let next = quizzes.next.map { ExportPlace.quizzes(after: $0) } ?? results.next.map { ExportPlace.results(after: $0) }
      let object = JSONObject(fields: [
        "account": account.id, "name": account.name, "createdAt": Self.date(account.createdAt), "quizzes": kept,
        "results": results.elements.map { self.object($0) },
      ])
      return secret(object.with("next", next?.description))
    }
  }

  func object(_ quiz: QuizTitle) -> JSONObject {
    JSONObject(fields: ["id": quiz.id, "title": quiz.title, "createdAt": Self.date(quiz.createdAt)])
  }

  private func object(_ result: StoredResult) -> JSONObject {
    var object = JSONObject(fields: ["game": result.game, "title": result.title, "endedAt": Self.date(result.endedAt)])
    if let value = (try? JSONValue(parsing: result.text))?.object { object.appendAbsent(value) }
    return object
  }
}

/// The place at which a page of an account's export begins.
private enum ExportPlace: CustomStringConvertible {
  case quizzes(after: StoreCursor?)
  case results(after: StoreCursor)

  init(_ call: GameCall) throws(Problem) {
    guard let text = call.query["from"] else {
      self = .quizzes(after: nil)
      return
    }
    let parts = text.split(separator: "-", maxSplits: 1)
    let cursor = parts.count == 2 ? StoreCursor(String(parts[1])) : nil
    switch (parts.first, cursor) {
    case ("quizzes", let cursor?): self = .quizzes(after: cursor)
    case ("results", let cursor?): self = .results(after: cursor)
    default: throw .invalid("", "?from is the next of an answer")
    }
  }

  var description: String {
    switch self {
    case .quizzes(let cursor): "quizzes-\(cursor.map { "\($0)" } ?? "")"
    case .results(let cursor): "results-\(cursor)"
    }
  }
}
