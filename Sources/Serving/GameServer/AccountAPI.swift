import AccessTokens
import Basics
import GameHosting
import GameStore
import HTTPTypes
import LibCrypto
import LiveSession
import Questions
import Scoring
import Sheets
import WebShell
import WebSupport

/// What people who make quizzes call: accounts, sessions, quizzes, results.
extension GameAPI {
  func answerAccount(_ call: GameCall) async throws(Problem) -> Answer {
    switch call.endpoint {
    case .makeAccount: return try await makeAccount(call)
    case .makeSession: return try await makeSession(call)
    case .endSession:
      guard let token = call.token else { throw .unauthorized }
      try await write([revocation(of: token)])
      await directory.endLead(of: token.session)
      return .noContent
    case .makeQuiz: return try await makeQuiz(call)
    case .listQuizzes:
      let account = try account(call)
      return try await list(call) { (store, object) throws(StoreError) in
        object.append("quizzes", try store.quizTitles(of: account).map { self.object($0) })
      }
    case .getQuiz:
      return Answer(.ok, "application/json", Array(try await quiz(call).text.utf8), headers: [(.cacheControl, "private, no-store")])
    case .removeQuiz:
      let quiz = try await quiz(call)
      try await write([.removeQuiz(quiz.id)])
      return .noContent
    case .listResults:
      // The operator's own games are those of no account.
      let account = call.token?.role == .account ? try account(call) : nil
      let cursor = try Self.cursor(call)
      return try await list(call) { (store, object) throws(StoreError) in
        let page = try store.results(of: account, after: cursor, size: Self.pageSize)
        object.append("results", page.elements.map { self.object($0) })
        if let next = page.next { object.append("next", "\(next)") }
      }
    case .getAccount: return try await export(call)
    case .removeAccount:
      let account = try account(call)
      try await write([.removeAccount(account)] + (call.token.map { [revocation(of: $0)] } ?? []))
      await directory.endLead(of: call.token?.session ?? "")
      await directory.endGames(of: account)
      return .noContent
    case .listAccounts: return try await listAccounts(call)
    case .deleteAccount:
      let account = try await namedAccount(call)
      try await write([.removeAccount(account)])
      await directory.endGames(of: account)
      return .noContent
    case .banAccount:
      let account = try await namedAccount(call)
      try await write([.ban(account: account, true)])
      await directory.endGames(of: account)
      return .noContent
    case .unbanAccount:
      try await write([.ban(account: try await namedAccount(call), false)])
      return .noContent
    default: throw Problem("notFound", .notFound, "there is nothing here")
    }
  }

  /// Ends all tokens of a session: also one that was renewed a moment ago.
  private func revocation(of token: AccessToken) -> StoreChange { .revoke(session: token.session, until: Self.now + Self.tokenLife) }

  private func secret(_ status: HTTPResponse.Status, _ object: JSONObject) -> Answer {
    Answer(status, "application/json", bytes(object), headers: [(.cacheControl, "private, no-store")])
  }

  /// About how many bytes an answer has that lists what the store has; the rest is on the next page.
  private static let pageSize = 256 << 10

  /// What the store has, made into an answer where nobody else waits for it.
  private func list(
    _ call: GameCall, _ body: @escaping @Sendable (any GameStore, inout JSONObject) throws(StoreError) -> Void
  ) async throws(Problem) -> Answer {
    try await heavy(call) { (store) throws(Problem) in
      var object = JSONObject()
      do throws(StoreError) { try body(store, &object) } catch { throw Problem(error) }
      return secret(.ok, object)
    }
  }

  /// After what a page begins; `nil` for the first one.
  private static func cursor(_ call: GameCall) throws(Problem) -> StoreCursor? {
    guard let text = call.query["from"] else { return nil }
    guard let cursor = StoreCursor(text) else { throw .invalid("", "?from is the next of an answer") }
    return cursor
  }

  private func account(_ call: GameCall) throws(Problem) -> Int {
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

  /// Makes a key of a password.
  private func busy<Value: Sendable>(
    _ call: GameCall, _ body: @escaping @Sendable () throws(LibCryptoError) -> Value
  ) async throws(Problem) -> Value {
    let result: Result<Value, LibCryptoError> = try await passwordQueue.run(for: IPAddress.place(of: call.address)) {
      do throws(LibCryptoError) { return .success(try body()) } catch { return .failure(error) }
    }
    do throws(LibCryptoError) { return try result.get() } catch {
      directory.say("no key of a password can be made: \(error)")
      throw .overloaded
    }
  }

  private func session(_ account: Int, _ status: HTTPResponse.Status) -> Answer {
    let token = AccessToken(role: .account, subject: account, session: Self.newSession(), expires: Self.now + Self.tokenLife)
    var object = JSONObject()
    object.append("account", account)
    object.append("token", tokens.text(token))
    object.append("expires", orNull: Self.date(token.expires * 1_000))
    return Answer(status, "application/json", bytes(object), headers: [(.cacheControl, "no-store")])
  }

  private func makeSession(_ call: GameCall) async throws(Problem) -> Answer {
    if var token = call.token, call.body.isEmpty {
      guard token.role != .player else { throw .forbidden }
      try await requireSession(token)
      if token.role == .host, !token.game.isEmpty {
        guard let runner = try await game(token.game) else { throw Self.unknownGame }
        try requireGeneration(token, runner)
      }
      token.expires = Self.now + Self.tokenLife
      var object = JSONObject()
      object.append("token", tokens.text(token))
      object.append("expires", orNull: Self.date(token.expires * 1_000))
      return Answer(.created, "application/json", bytes(object), headers: [(.cacheControl, "no-store")])
    }
    guard directory.hasAccounts else { throw Self.noAccounts }
    let (name, password) = try Self.credentials(call.object())
    if !call.isLocal, let limit = call.endpoint.limit,
      let wait = limits.take("password of \(name.lowercased())", perMinute: limit.perMinute, burst: limit.burst)
    {
      throw .rateLimited(wait)
    }
    let account = try await read { (store) throws(StoreError) in try store.account(named: name) }
    // Without an account the same work is done, so that the time does not tell whether there is one.
    let kept = Password(kept: account?.password ?? Self.nobody)
    let isRight = try await busy(call) { () throws(LibCryptoError) in kept.isRight(password) }
    guard isRight, let account else { throw Problem("credentials", .unauthorized, "there is no account with this name and password") }
    guard !account.isBanned else { throw Self.banned }
    return session(account.id, .created)
  }

  /// A password that nobody has.
  private static let nobody = "scrypt$15$8$3$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  /// All that is kept of an account, page by page: first the quizzes, then the results.
  private func export(_ call: GameCall) async throws(Problem) -> Answer {
    let id = try account(call)
    let start = try ExportPlace(call)
    return try await heavy(call) { (store) throws(Problem) in
      let account = try Problem.of { () throws(StoreError) in try store.account(id) }
      guard let account else { throw .expired }
      var object = JSONObject()
      object.append("account", account.id)
      object.append("name", account.name)
      object.append("createdAt", orNull: Self.date(account.createdAt))
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
      object.append(
        "quizzes",
        quizzes.elements.map { quiz in
          var object = self.object(QuizTitle(id: quiz.id, title: quiz.title, createdAt: quiz.createdAt))
          if let value = try? JSONValue(parsing: quiz.text, limits: JSONLimits(bytes: 8 << 20, members: 1 << 20)) {
            object.append("quiz", value)
          }
          return object
        })
      object.append("results", results.elements.map { self.object($0) })
      if let next = quizzes.next.map({ ExportPlace.quizzes(after: $0) }) ?? results.next.map({ ExportPlace.results(after: $0) }) {
        object.append("next", next.description)
      }
      return secret(.ok, object)
    }
  }

  // MARK: What the operator does with accounts

  /// The maximum number of accounts in one answer.
  private static let mostListed = 1_000

  /// The accounts with their games that are not over, from one of them on: with `next`, if there are more.
  private func listAccounts(_ call: GameCall) async throws(Problem) -> Answer {
    let last = try Self.number("from", call).map { $0 - 1 } ?? 0
    let games = Dictionary(grouping: directory.all.filter { $0.stored.account != nil && !$0.isEnding }) { $0.stored.account ?? 0 }
    return try await list(call) { (store, object) throws(StoreError) in
      let accounts = try store.accounts(after: last, most: Self.mostListed + 1)
      object.append(
        "accounts",
        accounts.prefix(Self.mostListed).map { account in
          var object = JSONObject()
          object.append("account", account.id)
          object.append("name", account.name)
          object.append("createdAt", orNull: Self.date(account.createdAt))
          object.append("banned", account.isBanned)
          object.append("games", games[account.id, default: []].map { self.object($0) })
          return object
        })
      if accounts.count > Self.mostListed, let next = accounts.last { object.append("next", next.id) }
    }
  }

  /// The number of a query; `nil` if it is not there.
  private static func number(_ key: String, _ call: GameCall) throws(Problem) -> Int? {
    guard let text = call.query[key] else { return nil }
    guard let number = Int(text), number >= 1 else { throw .invalid("", "?\(key) is a number from 1 on") }
    return number
  }

  /// The account that the path of a call names.
  private func namedAccount(_ call: GameCall) async throws(Problem) -> Int {
    let id = call.parts["account"].flatMap { Int($0) } ?? 0
    let account = try await read { (store) throws(StoreError) in try store.account(id) }
    guard account != nil else { throw Problem("account-unknown", .notFound, "there is no such account") }
    return id
  }

  /// Lets a game of an account into the stream, or takes that back.
  func approve(_ runner: GameRunner, _ isApproved: Bool) async throws(Problem) -> Answer {
    guard runner.stored.account != nil else { throw Problem("not-now", .conflict, "games of the operator need no approval") }
    guard !runner.isEnding, !isApproved || runner.approval != .barred else { throw Problem(HostingProblem.ended) }
    do throws(StoreError) { try await directory.approve(runner, isApproved) } catch { throw Problem(error) }
    return Answer(.ok, object(runner))
  }

  // MARK: Quizzes and results

  private func object(_ quiz: QuizTitle) -> JSONObject {
    var object = JSONObject()
    object.append("id", quiz.id)
    object.append("title", quiz.title)
    object.append("createdAt", orNull: Self.date(quiz.createdAt))
    return object
  }

  private func object(_ result: StoredResult) -> JSONObject {
    var object = JSONObject()
    object.append("game", result.game)
    object.append("title", result.title)
    object.append("endedAt", orNull: Self.date(result.endedAt))
    if let value = (try? JSONValue(parsing: result.text))?.object { object.appendAbsent(value) }
    return object
  }

  /// The most quizzes of an account.
  private static let mostQuizzes = 1_000

  private func makeQuiz(_ call: GameCall) async throws(Problem) -> Answer {
    let account = try account(call)
    let count = try await read { (store) throws(StoreError) in try store.quizCount(of: account) }
    guard count < Self.mostQuizzes else { throw Problem("too-many", .conflict, "an account has \(Self.mostQuizzes) quizzes at most") }
    var format: BankFormat?
    if let name = call.query["format"] {
      guard let known = BankFormat(name) else { throw .invalid("", "?format is \(BankFormat.names)") }
      format = known
    } else if call.headers[.contentType]?.lowercased().hasPrefix("text/csv") == true {
      format = .csv
    }
    let (quiz, questions) = try await heavy(call) { [format] (_) throws(Problem) in
      let bank = try Self.bank(call.body, format, "")
      let quiz = StoredQuiz(
        id: Self.newSession(), account: account, title: bank.title ?? "Quiz", text: bank.json, createdAt: WallClock.now)
      return (quiz, bank.questions.count)
    }
    try await write([.quiz(quiz)])
    var answer = object(QuizTitle(id: quiz.id, title: quiz.title, createdAt: quiz.createdAt))
    answer.append("questions", questions)
    return Answer(.created, "application/json", bytes(answer), headers: [(.location, "/v1/quizzes/\(quiz.id)")])
  }

  private func quiz(_ call: GameCall) async throws(Problem) -> StoredQuiz {
    let (account, id) = (try account(call), call.parts["quiz"] ?? "")
    return try await heavy(call) { (store) throws(Problem) in
      guard let quiz = try Problem.of({ () throws(StoreError) in try store.quiz(id) }), quiz.account == account else {
        throw Problem("quiz-unknown", .notFound, "you have no such quiz")
      }
      return quiz
    }
  }

  // MARK: Contacts

  private static let contactKeys = ["name", "email", "phone", "address", "message"]
  private static let longTexts: Set<String> = ["address", "message"]

  func leaveContact(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    guard let token = call.token else { throw .unauthorized }
    let player = try player(token, runner)
    guard runner.look({ game, _ in game.end != nil }) else { throw Problem("too-early", .conflict, "the form comes after the game") }
    let object = try call.object()
    guard object["consent"]?.bool == true else { throw .invalid("/consent", "nothing is kept without consent; write true to give it") }
    var kept = JSONObject()
    for member in object.members where member.key != "consent" {
      guard Self.contactKeys.contains(member.key) else {
        throw .invalid("/\(member.key)", "there is no such field; there are \(Self.contactKeys.joined(separator: ", "))")
      }
      guard let text = member.value.string, text.utf8.count <= 1_000 else {
        throw .invalid("/\(member.key)", "write up to 1000 bytes of text")
      }
      if !text.isEmpty, let fault = HiddenCharacters.faults(of: text, mayHaveLines: Self.longTexts.contains(member.key)).first {
        throw .invalid("/\(member.key)", "the text \(fault)")
      }
      if member.key == "email", !text.isEmpty, !EmailAddress.isValid(text) {
        throw .invalid("/email", "write an e-mail address such as ann@example.org")
      }
      kept.append(member.key, text)
    }
    guard !kept.isEmpty else { throw .invalid("", "write one of \(Self.contactKeys.joined(separator: ", "))") }
    let contact = StoredContact(game: runner.stored.id, player: player, text: JSONValue.object(kept).text, at: WallClock.now)
    // In one order with what deletes it.
    try await perform(runner) { (game, _) throws(HostingProblem) in
      guard !game.isRemoved(player) else { throw .unknownPlayer }
      return ((), HostedGame.Change(), [.contact(contact)])
    }
    return .noContent
  }

  func contacts(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    let (id, cursor) = (runner.stored.id, try Self.cursor(call))
    return try await list(call) { (store, object) throws(StoreError) in
      let page = try store.contacts(of: id, after: cursor, size: Self.pageSize)
      let nicknames = runner.look { game, _ in
        let nicknames = game.scored.roster.nicknames
        return page.elements.map { nicknames.indices.contains($0.player) ? nicknames[$0.player].text : "" }
      }
      object.append(
        "contacts",
        zip(page.elements, nicknames).map { contact, nickname in
          var object = JSONObject()
          object.append("player", contact.player)
          object.append("nickname", nickname)
          object.append("at", orNull: Self.date(contact.at))
          if let value = (try? JSONValue(parsing: contact.text))?.object { object.appendAbsent(value) }
          return object
        })
      if let next = page.next { object.append("next", "\(next)") }
    }
  }
}

/// Where a page of all that is kept of an account begins.
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
