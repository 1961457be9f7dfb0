import AnswerIntake
import Basics
import GameHosting
import HTTPTypes
import LiveInterface
import Testing
import WebSupport

@testable import GameServer
@testable import LiveServer

/// Which call a request is, and the document that tells of all.
@Suite struct GameCallTableTests {
  /// What a path has, so that it can be compared.
  private enum Found: Equatable {
    case call(String, [String: String])
    case otherMethods([String])
  }

  private func find(_ method: String, _ path: String) -> Found? {
    GameAPI.calls.find(method, path).map { found in
      switch found {
      case .call(let call, let parts): .call(call.name, parts)
      case .otherMethods(let methods): .otherMethods(methods)
      }
    }
  }

  private static let table: [(String, String, String, [String: String])] = [
    ("GET", "/v1/games", "findGame", [:]), ("POST", "/v1/games", "makeGame", [:]), ("GET", "/v1/games/g", "getGame", ["game": "g"]),
    ("PATCH", "/v1/games/g", "changeGame", ["game": "g"]), ("PUT", "/v1/games/g/players/u", "join", ["game": "g", "uuid": "u"]),
    ("GET", "/v1/games/g/players/u", "getPlayer", ["game": "g", "uuid": "u"]),
    ("DELETE", "/v1/games/g/players/u", "removePlayer", ["game": "g", "uuid": "u"]),
    ("POST", "/v1/games/g/answers", "answer", ["game": "g"]), ("GET", "/v1/games/g/state", "getState", ["game": "g"]),
    ("GET", "/v1/games/g/board", "getBoard", ["game": "g"]),
    ("GET", "/v1/games/g/board/3", "getBoardVersion", ["game": "g", "version": "3"]),
    ("GET", "/v1/games/g/stage", "watchStage", ["game": "g"]), ("GET", "/v1/games/g/me", "getMe", ["game": "g"]),
    ("GET", "/v1/public-record/key", "getRecordKey", [:]), ("GET", "/v1/games/g/public-record", "getPublicRecord", ["game": "g"]),
    ("GET", "/v1/games/g/public-record/answers/2", "getRecordedAnswers", ["game": "g", "question": "2"]),
    ("GET", "/v1/games/g/public-record/proofs/2/ab", "getRecordProof", ["game": "g", "question": "2", "leaf": "ab"]),
    ("POST", "/v1/games/g/presence", "presence", ["game": "g"]),
    ("POST", "/v1/games/g/contacts", "leaveContact", ["game": "g"]), ("POST", "/v1/games/g/commands", "command", ["game": "g"]),
    ("GET", "/v1/games/g/events", "listen", ["game": "g"]), ("GET", "/v1/games/g/record", "getRecord", ["game": "g"]),
    ("GET", "/v1/games/g/results.csv", "getResults", ["game": "g"]),
    ("GET", "/v1/games/g/results.xlsx", "getSpreadsheet", ["game": "g"]),
    ("POST", "/v1/quiz-files", "readQuizFile", [:]), ("POST", "/v1/quiz-files/csv", "writeQuizFile", ["format": "csv"]),
    ("POST", "/v1/games/g/again", "playAgain", ["game": "g"]),
    ("GET", "/v1/games/g/questions", "listQuestions", ["game": "g"]),
    ("GET", "/v1/games/g/players", "listPlayers", ["game": "g"]), ("GET", "/v1/games/g/contacts", "getContacts", ["game": "g"]),
    ("DELETE", "/v1/games/g/contacts", "removeContacts", ["game": "g"]),
    ("POST", "/v1/games/g/host-token", "renewHost", ["game": "g"]), ("POST", "/v1/games/g/approval", "approveGame", ["game": "g"]),
    ("DELETE", "/v1/games/g/approval", "disapproveGame", ["game": "g"]), ("POST", "/v1/quizzes", "makeQuiz", [:]),
    ("GET", "/v1/quizzes", "listQuizzes", [:]), ("GET", "/v1/quizzes/q", "getQuiz", ["quiz": "q"]),
    ("DELETE", "/v1/quizzes/q", "removeQuiz", ["quiz": "q"]), ("POST", "/v1/accounts", "makeAccount", [:]),
    ("GET", "/v1/me", "getAccount", [:]),
    ("DELETE", "/v1/me", "removeAccount", [:]), ("GET", "/v1/me/results", "listResults", [:]), ("POST", "/v1/sessions", "makeSession", [:]),
    ("DELETE", "/v1/sessions", "endSession", [:]), ("GET", "/v1/accounts", "listAccounts", [:]),
    ("DELETE", "/v1/accounts/5", "deleteAccount", ["account": "5"]), ("PUT", "/v1/accounts/5/ban", "banAccount", ["account": "5"]),
    ("DELETE", "/v1/accounts/5/ban", "unbanAccount", ["account": "5"]), ("GET", "/v1/status", "getStatus", [:]),
  ]

  @Test func calls() {
    #expect(Self.table.map { $0.2 }.sorted() == GameAPI.calls.map(\.name).sorted())
    for (method, path, name, parts) in Self.table { #expect(find(method, path) == .call(name, parts), "\(method) \(path)") }
  }

  /// No two calls have one method and path.
  @Test func routesAreDifferent() {
    #expect(Set(GameAPI.calls.map(\.route)).count == GameAPI.calls.count)
  }

  /// An answer to HEAD is one to GET; any other method is told which there are.
  @Test func otherMethods() {
    for (_, path, _, parts) in Self.table {
      let there = Self.table.filter { $0.1 == path }
      // In the order of the table of calls.
      let methods = GameAPI.calls.filter { call in there.contains { $0.2 == call.name } }.flatMap(\.route.methods)
      if let get = there.first(where: { $0.0 == "GET" }) {
        #expect(find("HEAD", path) == .call(get.2, parts), "\(path)")
      } else {
        #expect(find("HEAD", path) == .otherMethods(methods), "\(path)")
      }
      for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "get", "TRACE", ""] where !methods.contains(method) {
        #expect(find(method, path) == .otherMethods(methods), "\(method) \(path)")
      }
    }
  }

  @Test func parts() {
    for (part, text) in [("a%2Fb", "a/b"), ("%C3%A9", "\u{E9}"), ("a+b", "a+b"), ("..", ".."), ("%25", "%")] {
      #expect(find("GET", "/v1/games/\(part)/state") == .call("getState", ["game": text]))
    }
    for part in ["", "%FF", "%C3", "%00", "a%00b"] { #expect(find("GET", "/v1/games/\(part)/state") == nil, "\(part)") }
  }

  @Test(
    arguments: [
      "", "/", "/v1", "/v1/", "/v1/games/", "/v1/games//state", "/v1/games/g/", "/v1/games/g/state/", "/v1/games/g/other",
      "/v1/games/g/board/1/2",
      "/v1/games/g/players/u/v", "/v2/games", "/V1/games", "//v1/games", "v1/games", "/v1/streams/live/events", "/healthz/", "/health",
      "/v1/me/", "/v1/quizzes/",
    ]) func pathsWithoutACall(path: String)
  {
    #expect(find("GET", path) == nil)
  }

  @Test func roles() {
    func of(_ role: GameRole) -> Set<String> { Set(GameAPI.calls.filter { $0.role == role }.map(\.name)) }
    #expect(of(.player) == ["getPlayer", "removePlayer", "answer", "getMe", "leaveContact"])
    #expect(
      of(.host)
        == [
          "changeGame", "command", "listen", "getRecord", "getResults", "getSpreadsheet", "playAgain", "listPlayers", "listQuestions",
          "getContacts", "removeContacts",
        ])
    #expect(of(.account) == ["makeQuiz", "listQuizzes", "getQuiz", "removeQuiz", "getAccount", "removeAccount"])
    #expect(of(.maker) == ["makeGame", "listResults"] && of(.owner) == ["renewHost"] && of(.session) == ["endSession"])
    #expect(of(.anyToken) == ["makeSession"])
    #expect(of(.operator) == ["approveGame", "disapproveGame", "getStatus", "listAccounts", "deleteAccount", "banAccount", "unbanAccount"])
    for call in GameAPI.calls {
      #expect(call.limit.perMinute > 0 && call.limit.burst >= 1, "\(call.name)")
      // Calls that cost something and that anybody may make are rare.
      if [.everybody, .anyToken].contains(call.role), call.route.method != "GET" { #expect(call.limit.perMinute <= 60, "\(call.name)") }
      // A command may have a question.
      let larger = ["makeGame": 1 << 20, "makeQuiz": 1 << 20, "readQuizFile": 1 << 20, "writeQuizFile": 1 << 20, "command": 16 << 10]
      #expect(call.largestBody == larger[call.name] ?? 4 << 10, "\(call.name)")
    }
  }

  // MARK: The document

  private static let documented = DocumentedCalls(document: GameOpenAPI.document(with: nil))

  /// Every call of the table is in the document, with its schemas and problems, and nothing else is.
  @Test func theDocumentHasEveryCall() throws {
    let document = Self.documented.document
    #expect(document["openapi"]?.string == "3.1.0" && document["info"]?.object?["title"]?.string == "Cuelight games")
    #expect(document["components"]?.object?["securitySchemes"]?.object?["token"] != nil)
    #expect(Self.documented.mistakes == [])
    #expect(
      Self.documented.calls.map { $0.id }.sorted() == (GameAPI.calls.map(\.name) + ShellCall.all.map(\.name)).sorted())
    for entry in GameAPI.calls {
      let name = entry.name
      let call = try #require(Self.documented.calls.first { $0.id == name })
      #expect(entry.route == Route(call.method, call.path))
      #expect(call.parts == call.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) })
      // A token that is none of this server's is refused everywhere, and so is somebody who calls too often.
      #expect(call.kinds(401).starts(with: ["unauthorized", "token-expired"]), "\(name)")
      #expect(call.kinds(429) == ["rate-limited"], "\(name)")
      #expect(call.kinds(404).contains("game-unknown") == (call.parts.contains("game") || name == "findGame"), "\(name)")
      switch entry.role {
      case .everybody: #expect(call.security == 0, "\(name)")
      case .anyToken: #expect(call.security == 2 && call.kinds(403).contains("forbidden"), "\(name)")
      case .player, .host, .account, .maker, .owner, .operator, .session:
        #expect(call.security == 1 && call.kinds(403).contains("forbidden"), "\(name)")
      }
      if call.operation["requestBody"] != nil {
        #expect(entry.route.method != "GET" && call.kinds(413) == ["tooLarge"] && call.kinds(422).contains("invalid"), "\(name)")
      }
    }
  }

  @Test(
    arguments: [
      ("findGame", ["code", "next", "If-None-Match"]), ("makeGame", ["format"]), ("changeGame", ["If-Match", "client", "takeover"]),
      ("command", ["client", "takeover"]),
      ("listPlayers", ["from"]), ("getContacts", ["from"]), ("getAccount", ["from"]), ("listResults", ["from"]), ("listAccounts", ["from"]),
      ("getState", ["If-None-Match"]),
      ("presence", ["share"]), ("listen", ["Last-Event-ID", "watch", "client", "takeover"]), ("makeQuiz", ["format"]), ("join", []),
      ("makeSession", []), ("watchStage", ["Last-Event-ID"]),
    ] as [(String, [String])]) func parameters(name: String, names: [String]) throws
  {
    let call = try #require(Self.documented.calls.first { $0.id == name })
    #expect(call.parameters == names)
  }

  /// What depends on other tables is what they say.
  @Test func kindsOfProblems() throws {
    func kinds(_ name: String, _ status: Int) -> [String] {
      Self.documented.calls.first { $0.id == name }?.kinds(status) ?? []
    }
    let refusals = AnswerWindow.Refusal.allCases.map { $0.rawValue }
    #expect(
      (kinds("answer", 409) + ["unknown-question"]).sorted() == refusals.sorted() && kinds("answer", 404).contains("unknown-question"))
    let hosting: [(HostingProblem, String)] = [
      (.invalid("", ""), "join"), (.nicknameInvalid(""), "join"), (.teamInvalid(""), "join"), (.nicknameTaken(suggestions: []), "join"),
      (.joinedOtherwise(nickname: ""), "join"), (.full, "join"), (.notOpen, "join"), (.entryClosed, "join"), (.ended, "join"),
      (.kicked, "join"),
      (.unavailable, "join"),
      (.kicked, "getMe"), (.notNow(""), "command"), (.ended, "command"), (.unknownPlayer, "command"), (.invalid("", ""), "command"),
      (.unavailable, "command"), (.notNow(""), "changeGame"), (.notNow(""), "makeGame"),
    ]
    for (problem, name) in hosting {
      let refused = Problem(problem)
      #expect(kinds(name, Int(refused.status.code)).contains(refused.kind), "\(name): \(refused.kind)")
    }
    let phases = GameOpenAPI.phases.json["enum"]?.array?.compactMap { $0.string } ?? []
    #expect(phases.count == 7 && phases.allSatisfy { HostedGame.Phase(rawValue: $0) != nil })
  }

  /// With a stream in the same process its calls are there, too; what both have is the game server's.
  @Test func theDocumentOfBoth() throws {
    let (own, live) = (GameOpenAPI.document(with: nil), OpenAPI.document)
    let both = GameOpenAPI.document(with: live)
    let paths = try #require(both["paths"]?.object)
    let ownPaths = try #require(own["paths"]?.object)
    let livePaths = try #require(live["paths"]?.object)
    #expect(Set(paths.members.map(\.key)) == Set(ownPaths.members.map(\.key) + livePaths.members.map(\.key)))
    for member in ownPaths.members { #expect(paths[member.key] == member.value) }
    // No two calls have one name.
    for member in livePaths.members where ownPaths[member.key] == nil { #expect(paths[member.key] == member.value) }
    for call in ShellCall.all { #expect(paths[call.route.path] != nil && livePaths[call.route.path] != nil) }
    // What it refers to is in it.
    let calls = DocumentedCalls(document: both)
    #expect(calls.mistakes == [] && calls.references.count > GameAPI.calls.count)
  }

  // MARK: Answers to answers

  private func reply(_ outcome: AnswerDesk.Outcome) -> (Int, String) {
    let answer: Answer
    do throws(Problem) { answer = try AnswerReading.answer(outcome) } catch { answer = error.answer }
    return (Int(answer.status.code), String(decoding: answer.body, as: UTF8.self))
  }

  /// What is recorded is accepted; where nothing is, it is a problem of the first reason.
  @Test func repliesToAnswers() throws {
    #expect(reply(.judged([nil])) == (202, "{\"results\":[\"recorded\"]}\n"))
    #expect(reply(.judged([.tooLate, nil, .eliminated])) == (202, "{\"results\":[\"too-late\",\"recorded\",\"eliminated\"]}\n"))
    let cases: [(AnswerDesk.Outcome, Int, String)] = [
      (.judged([.tooLate, .revealed]), 409, "too-late"), (.judged([.unknownQuestion]), 404, "unknown-question"),
      (.judged([.unknownAnswer]), 409, "unknown-answer"), (.judged([.tooFarBehind]), 409, "too-far-behind"),
      (.judged([.ahead]), 409, "ahead-of-live"), (.judged([.tooEarly]), 409, "too-early"), (.judged([.eliminated]), 409, "eliminated"),
      (.tooMany, 429, "rate-limited"), (.overloaded, 503, "overloaded"), (.unknownPlayer, 403, "forbidden"),
    ]
    for (outcome, status, kind) in cases {
      let (found, text) = reply(outcome)
      let object = try #require(try JSONValue(parsing: text).object)
      #expect(found == status && object["title"]?.string == kind && object["status"]?.int == status, "\(kind)")
      #expect(object["detail"]?.string?.isEmpty == false)
      if case .judged(let results) = outcome {
        #expect(object["results"]?.array?.compactMap(\.string) == results.compactMap { $0?.rawValue })
      }
    }
  }

  /// A request that is wrong says where.
  @Test func wrongRequests() throws {
    for (text, status, pointer) in [("{", 400, nil), ("{}", 422, "/answers"), ("{\"answers\":[{}]}", 422, "/answers/0/question")]
      as [(String, Int, String?)]
    {
      let problem = #expect(throws: Problem.self) { try AnswerReading.requests(Array(text.utf8)) }
      #expect(problem.map { Int($0.status.code) } == status && problem?.kind == "invalid")
      #expect(problem?.members["pointer"]?.string == pointer)
    }
  }
}
