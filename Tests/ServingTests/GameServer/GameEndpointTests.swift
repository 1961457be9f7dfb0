import AnswerIntake
import Basics
import HTTPTypes
import Testing
import WebSupport

@testable import GameServer
@testable import LiveServer

/// Which call a request is, and the document that tells of all.
@Suite struct GameEndpointTests {
  private func find(_ method: String, _ path: String) -> GameEndpoint.Found? { GameEndpoint.route(method, path) }

  private static let table: [(String, String, GameEndpoint, [String: String])] = [
    ("GET", "/v1/games", .findGame, [:]), ("POST", "/v1/games", .makeGame, [:]), ("GET", "/v1/games/g", .getGame, ["game": "g"]),
    ("PATCH", "/v1/games/g", .changeGame, ["game": "g"]), ("PUT", "/v1/games/g/players/u", .join, ["game": "g", "uuid": "u"]),
    ("GET", "/v1/games/g/players/u", .getPlayer, ["game": "g", "uuid": "u"]),
    ("DELETE", "/v1/games/g/players/u", .removePlayer, ["game": "g", "uuid": "u"]),
    ("POST", "/v1/games/g/answers", .answer, ["game": "g"]), ("GET", "/v1/games/g/state", .getState, ["game": "g"]),
    ("GET", "/v1/games/g/board", .getBoard, ["game": "g"]),
    ("GET", "/v1/games/g/board/3", .getBoardVersion, ["game": "g", "version": "3"]),
    ("GET", "/v1/games/g/me", .getMe, ["game": "g"]), ("POST", "/v1/games/g/presence", .presence, ["game": "g"]),
    ("POST", "/v1/games/g/contacts", .leaveContact, ["game": "g"]), ("POST", "/v1/games/g/commands", .command, ["game": "g"]),
    ("GET", "/v1/games/g/events", .listen, ["game": "g"]), ("GET", "/v1/games/g/record", .getRecord, ["game": "g"]),
    ("GET", "/v1/games/g/players", .listPlayers, ["game": "g"]), ("GET", "/v1/games/g/contacts", .getContacts, ["game": "g"]),
    ("DELETE", "/v1/games/g/contacts", .removeContacts, ["game": "g"]),
    ("POST", "/v1/games/g/host-token", .renewHost, ["game": "g"]), ("POST", "/v1/quizzes", .makeQuiz, [:]),
    ("GET", "/v1/quizzes", .listQuizzes, [:]), ("GET", "/v1/quizzes/q", .getQuiz, ["quiz": "q"]),
    ("DELETE", "/v1/quizzes/q", .removeQuiz, ["quiz": "q"]), ("POST", "/v1/accounts", .makeAccount, [:]),
    ("GET", "/v1/me", .getAccount, [:]),
    ("DELETE", "/v1/me", .removeAccount, [:]), ("GET", "/v1/me/results", .listResults, [:]), ("POST", "/v1/sessions", .makeSession, [:]),
    ("DELETE", "/v1/sessions", .endSession, [:]), ("GET", "/healthz", .getHealth, [:]), ("GET", "/readyz", .getReady, [:]),
    ("GET", "/metrics", .getMetrics, [:]), ("GET", "/v1/openapi.json", .getOpenAPI, [:]),
  ]

  @Test func calls() {
    #expect(Self.table.map { $0.2 } == GameEndpoint.allCases)
    for (method, path, endpoint, parts) in Self.table { #expect(find(method, path) == .endpoint(endpoint, parts), "\(method) \(path)") }
  }

  /// No two calls have one method and path.
  @Test func routesAreDifferent() {
    #expect(Set(GameEndpoint.allCases.map { "\($0.route.method) \($0.route.path)" }).count == GameEndpoint.allCases.count)
  }

  /// An answer to HEAD is one to GET; any other method is told which there are.
  @Test func otherMethods() {
    for (_, path, _, parts) in Self.table {
      let there = Self.table.filter { $0.1 == path }
      let methods = there.flatMap { $0.0 == "GET" ? ["GET", "HEAD"] : [$0.0] }
      if let get = there.first(where: { $0.0 == "GET" }) {
        #expect(find("HEAD", path) == .endpoint(get.2, parts), "\(path)")
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
      #expect(find("GET", "/v1/games/\(part)/state") == .endpoint(.getState, ["game": text]))
    }
    for part in ["", "%FF", "%C3"] { #expect(find("GET", "/v1/games/\(part)/state") == nil, "\(part)") }
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
    func of(_ role: GameEndpoint.Role) -> [GameEndpoint] { GameEndpoint.allCases.filter { $0.role == role } }
    #expect(of(.player) == [.getPlayer, .removePlayer, .answer, .getMe, .leaveContact])
    #expect(of(.host) == [.changeGame, .command, .listen, .getRecord, .listPlayers, .getContacts, .removeContacts])
    #expect(of(.account) == [.makeQuiz, .listQuizzes, .getQuiz, .removeQuiz, .getAccount, .removeAccount, .listResults])
    #expect(of(.maker) == [.makeGame] && of(.owner) == [.renewHost] && of(.session) == [.endSession])
    #expect(of(.anyToken) == [.makeSession])
    // Calls that cost something and that anybody may make are limited.
    for endpoint in of(.everybody) + of(.anyToken) where endpoint.route.method != "GET" { #expect(endpoint.limit != nil, "\(endpoint)") }
    for endpoint in GameEndpoint.allCases {
      #expect(endpoint.limit.map { $0.perMinute > 0 && $0.burst >= 1 } ?? true, "\(endpoint)")
      #expect(endpoint.largestBody == ([.makeGame, .makeQuiz].contains(endpoint) ? 1 << 20 : 4 << 10), "\(endpoint)")
    }
  }

  // MARK: The document

  /// The document has every call, with its parameters and whether it needs a token, and nothing else.
  @Test func theDocumentHasEveryCall() throws {
    let document = GameOpenAPI.document(with: nil)
    #expect(document["openapi"]?.string == "3.1.0" && document["info"]?.object?["title"]?.string == "Cuelight games")
    let paths = try #require(document["paths"]?.object)
    var found: [String] = []
    for path in paths.members {
      let item = try #require(path.value.object)
      let names = path.key.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
      let parameters = (item["parameters"]?.array ?? []).compactMap { $0.object?["name"]?.string }
      #expect(parameters == names)
      for operation in item.members where operation.key != "parameters" {
        let value = try #require(operation.value.object)
        let endpoint = try #require(value["operationId"]?.string.flatMap { GameEndpoint(rawValue: $0) })
        #expect(endpoint.route == (operation.key.uppercased(), path.key))
        #expect((value["security"] != nil) == ![GameEndpoint.Role.everybody, .anyToken].contains(endpoint.role), "\(endpoint)")
        #expect(value["summary"]?.string?.last == ".", "\(endpoint)")
        // What is sent is described, and what comes back is.
        if let body = value["requestBody"]?.object {
          let content = try #require(body["content"]?.object?["application/json"]?.object)
          #expect(content["schema"]?.object?["type"]?.string == "object" && endpoint.route.method != "GET", "\(endpoint)")
        }
        let responses = try #require(value["responses"]?.object)
        #expect(responses.count > 1 && responses["default"]?.object?["content"] != nil, "\(endpoint)")
        for response in responses.members { #expect(response.value.object?["description"]?.string?.isEmpty == false, "\(endpoint)") }
        found.append(endpoint.rawValue)
      }
    }
    #expect(found.sorted() == GameEndpoint.allCases.map(\.rawValue).sorted())
    let query = paths["/v1/games"]?.object?["get"]?.object?["parameters"]?.array?.compactMap { $0.object?["name"]?.string }
    #expect(query == ["code", "next"])
    #expect(document["components"]?.object?["securitySchemes"]?.object?["token"] != nil)
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
    for member in livePaths.members where ownPaths[member.key] == nil { #expect(paths[member.key] == member.value) }
    // What it refers to is in it.
    let schemas = try #require(both["components"]?.object?["schemas"]?.object)
    let prefix = "#/components/schemas/"
    var references = 0
    for part in JSONValue.object(both).text.split(separator: "\"") where part.hasPrefix(prefix) {
      references += 1
      #expect(schemas[String(part.dropFirst(prefix.count))] != nil, "\(part)")
    }
    #expect(references > GameEndpoint.allCases.count)
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
