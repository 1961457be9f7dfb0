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
      let quizzes = try await read { (store) throws(StoreError) in try store.quizzes(of: account) }
      var object = JSONObject()
      object.append("quizzes", quizzes.map { self.object($0) })
      return secret(.ok, object)
    case .getQuiz:
      let quiz = try await quiz(call)
      return Answer(.ok, "application/json", Array(quiz.text.utf8), headers: [(.cacheControl, "private, no-store")])
    case .removeQuiz:
      let quiz = try await quiz(call)
      try await write([.removeQuiz(quiz.id)])
      return .noContent
    case .listResults:
      // The operator's own games are those of no account.
      let account = call.token?.role == .account ? try account(call) : nil
      let results = try await read { (store) throws(StoreError) in try store.results(of: account) }
      var object = JSONObject()
      object.append("results", results.map { self.object($0) })
      return secret(.ok, object)
    case .getAccount: return try await export(call)
    case .removeAccount:
      let account = try account(call)
      try await write([.removeAccount(account)] + (call.token.map { [revocation(of: $0)] } ?? []))
      await directory.endLead(of: call.token?.session ?? "")
      await directory.endGames(of: account)
      return .noContent
    default: throw Problem("notFound", .notFound, "there is nothing here")
    }
  }

  /// Ends all tokens of a session: also one that was renewed a moment ago.
  private func revocation(of token: AccessToken) -> StoreChange { .revoke(session: token.session, until: Self.now + Self.tokenLife) }

  private func secret(_ status: HTTPResponse.Status, _ object: JSONObject) -> Answer {
    Answer(status, "application/json", bytes(object), headers: [(.cacheControl, "private, no-store")])
  }

  private func account(_ call: GameCall) throws(Problem) -> Int {
    guard let token = call.token, token.role == .account else { throw .unauthorized }
    return token.subject
  }

  // MARK: Accounts

  private func makeAccount(_ call: GameCall) async throws(Problem) -> Answer {
    guard directory.isOpen else { throw .forbidden }
    let (name, password) = try Self.credentials(call.object())
    let kept = try await busy { () throws(LibCryptoError) in try Password(new: password) }
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

  /// Works on a thread that may be busy for a while.
  private func busy<Value: Sendable>(
    _ body: @escaping @Sendable () throws(LibCryptoError) -> Value
  ) async throws(Problem) -> Value {
    guard let result = await slowQueue.run({ try? body() }), let result else { throw .overloaded }
    return result
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
    let (name, password) = try Self.credentials(call.object())
    let account = try await read { (store) throws(StoreError) in try store.account(named: name) }
    // Without an account the same work is done, so that the time does not tell whether there is one.
    let kept = Password(kept: account?.password ?? Self.nobody)
    let isRight = try await busy { () throws(LibCryptoError) in kept.isRight(password) }
    guard isRight, let account else { throw Problem("credentials", .unauthorized, "there is no account with this name and password") }
    return session(account.id, .created)
  }

  /// A password that nobody has.
  private static let nobody = "scrypt$15$8$3$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  /// All that is kept of an account.
  private func export(_ call: GameCall) async throws(Problem) -> Answer {
    let id = try account(call)
    let kept = try await read { (store) throws(StoreError) in (try store.account(id), try store.quizzes(of: id), try store.results(of: id))
    }
    guard let account = kept.0 else { throw .expired }
    var object = JSONObject()
    object.append("account", account.id)
    object.append("name", account.name)
    object.append("createdAt", orNull: Self.date(account.createdAt))
    object.append(
      "quizzes",
      kept.1.map { quiz in
        var object = self.object(quiz)
        if let value = try? JSONValue(parsing: quiz.text, limits: JSONLimits(bytes: 8 << 20, members: 1 << 20)) {
          object.append("quiz", value)
        }
        return object
      })
    object.append("results", kept.2.map { self.object($0) })
    return secret(.ok, object)
  }

  // MARK: Quizzes and results

  private func object(_ quiz: StoredQuiz) -> JSONObject {
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
    let bank = try await parsed(call.body, format, "")
    let quiz = StoredQuiz(
      id: Self.newSession(), account: account, title: bank.title ?? "Quiz", text: bank.json, createdAt: WallClock.now)
    try await write([.quiz(quiz)])
    var answer = object(quiz)
    answer.append("questions", bank.questions.count)
    return Answer(.created, "application/json", bytes(answer), headers: [(.location, "/v1/quizzes/\(quiz.id)")])
  }

  private func quiz(_ call: GameCall) async throws(Problem) -> StoredQuiz {
    let (account, id) = (try account(call), call.parts["quiz"] ?? "")
    guard let quiz = try await read({ (store) throws(StoreError) in try store.quiz(id) }), quiz.account == account else {
      throw Problem("quiz-unknown", .notFound, "you have no such quiz")
    }
    return quiz
  }

  // MARK: Contacts

  private static let contactKeys = ["name", "email", "phone", "address", "message"]

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

  func contacts(_ runner: GameRunner) async throws(Problem) -> Answer {
    let id = runner.stored.id
    let contacts = try await read { (store) throws(StoreError) in try store.contacts(of: id) }
    let nicknames = runner.look { game, _ in game.scored.roster.nicknames.map(\.text) }
    var object = JSONObject()
    object.append(
      "contacts",
      contacts.map { contact in
        var object = JSONObject()
        object.append("player", contact.player)
        object.append("nickname", contact.player < nicknames.count ? nicknames[contact.player] : "")
        object.append("at", orNull: Self.date(contact.at))
        if let value = (try? JSONValue(parsing: contact.text))?.object { object.appendAbsent(value) }
        return object
      })
    return secret(.ok, object)
  }
}
