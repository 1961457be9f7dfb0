import Basics
import LiveInterface
import WebSupport

/// The OpenAPI 3.1 document of the game server, made of the table that requests are routed by.
enum GameOpenAPI {
  /// - Parameter live: The document of the stream that this process makes, whose calls are listed, too.
  static func document(with live: JSONObject?) -> JSONObject {
    var document = JSONObject()
    document.append("openapi", "3.1.0")
    document.append(
      "info", json(#"{"title":"Cuelight games","version":"1","description":"Takes answers, and puts results into a running stream."}"#))
    var paths = OpenAPIPaths.object(of: GameEndpoint.self, operation: operation)
    if let others = live?["paths"]?.object { paths.appendAbsent(others) }
    document.append("paths", paths)
    var components = JSONObject()
    var schemas = json(problem)
    if let others = live?["components"]?.object?["schemas"]?.object { schemas.appendAbsent(others) }
    components.append("schemas", schemas)
    components.append("securitySchemes", json(#"{"token":{"type":"http","scheme":"bearer"}}"#))
    document.append("components", components)
    return document
  }

  private static let problem = ##"""
    {"GameProblem":{"type":"object","required":["type","title","status","detail"],"properties":{"type":{"type":"string"},
    "title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},"pointer":{"type":"string"},
    "suggestions":{"type":"array","items":{"type":"string"}},"results":{"type":"array","items":{"type":"string"}}}}}
    """##

  private static func operation(_ endpoint: GameEndpoint) -> JSONObject {
    var operation = JSONObject()
    operation.append("operationId", endpoint.rawValue)
    operation.append("summary", endpoint.summary)
    switch endpoint.role {
    case .everybody, .anyToken: break
    case .player, .host, .account, .maker, .owner, .session: operation.append("security", .array([.object(json(#"{"token":[]}"#))]))
    }
    if endpoint == .findGame {
      operation.append(
        "parameters",
        [
          json(#"{"name":"code","in":"query","schema":{"type":"string"}}"#),
          json(#"{"name":"next","in":"query","allowEmptyValue":true,"schema":{"type":"string"}}"#),
        ])
    }
    if let schema = endpoint.requestSchema {
      operation.append("requestBody", json(#"{"required":true,"content":{"\#(endpoint.requestType)":{"schema":\#(schema)}}}"#))
    }
    var responses = JSONObject()
    for (status, description, type) in endpoint.responses {
      let content = type.map { #","content":{"\#($0)":{"schema":{}}}"# } ?? ""
      responses.append("\(status)", json(#"{"description":"\#(description)"\#(content)}"#))
    }
    responses.append(
      "default",
      json(##"{"description":"A problem.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/GameProblem"}}}}"##)
    )
    operation.append("responses", responses)
    return operation
  }

  private static func json(_ text: String) -> JSONObject { OpenAPIPaths.json(text) }
}

extension GameEndpoint {
  fileprivate var summary: String {
    switch self {
    case .findGame: "Find a game by its code, or the one that comes next."
    case .makeGame: "Make a game of a quiz."
    case .getGame: "Tell what everybody may know of a game."
    case .changeGame: "Change when a game begins, or whether it follows its plan by itself."
    case .join: "Join a game; the same again gives the same player."
    case .getPlayer: "Give all that is kept of a player."
    case .removePlayer: "Delete all that is kept of a player, who leaves the game."
    case .answer: "Answer questions. What is recorded is on the disk when this is answered."
    case .getState: "Tell how far the game is."
    case .getBoard: "Give the latest scoreboard."
    case .getBoardVersion: "Give a scoreboard."
    case .getMe: "Tell a player's place on the latest scoreboard."
    case .presence: "Tell that somebody watches."
    case .leaveContact: "Leave an address after the game, with consent."
    case .command: "Lead the game: next, close, reveal, void, extend, end or kick."
    case .listen: "Listen to what happens, as server-sent events."
    case .getRecord: "Give what the players did, as cuelight replay --answers reads it."
    case .listPlayers: "List the players."
    case .getContacts: "Give the addresses that players have left."
    case .removeContacts: "Forget the addresses that players have left."
    case .renewHost: "End all tokens of the game's host, and give another one."
    case .makeQuiz: "Keep a quiz, in any format that cuelight questions reads."
    case .listQuizzes: "List the quizzes of the account."
    case .getQuiz: "Give a quiz."
    case .removeQuiz: "Forget a quiz."
    case .makeAccount: "Make an account."
    case .getAccount: "Give all that is kept of the account."
    case .removeAccount: "Forget the account and all that belongs to it."
    case .listResults: "List the results of all games of the account."
    case .makeSession: "Log in; or, with a token of a host or an account and no body, get another one."
    case .endSession: "Log out: the session's tokens end."
    case .getHealth: "Tell that the process lives."
    case .getReady: "Tell whether games can be played."
    case .getMetrics: "Give numbers for Prometheus."
    case .getOpenAPI: "Give this document."
    }
  }

  fileprivate var requestType: String { "application/json" }

  fileprivate var requestSchema: String? {
    let credentials =
      #"{"type":"object","required":["name","password"],"properties":{"name":{"type":"string","minLength":1,"maxLength":64},"password":{"type":"string","minLength":8,"maxLength":256}}}"#
    return switch self {
    case .makeGame: #"{"type":"object","required":["quiz"],"properties":{"quiz":{},"title":{"type":"string"},"rules":{"type":"object"}}}"#
    case .changeGame: #"{"type":"object","properties":{"automatic":{"type":"boolean"},"startsAt":{"type":["string","null"]}}}"#
    case .join: #"{"type":"object","required":["nickname"],"properties":{"nickname":{"type":"string","minLength":1,"maxLength":64}}}"#
    case .answer:
      #"{"type":"object","required":["answers"],"properties":{"answers":{"type":"array","minItems":1,"maxItems":16,"items":{"type":"object","required":["question","answer","at"],"properties":{"question":{"type":"string"},"answer":{"type":"integer","minimum":0},"at":{"type":"number"}}}}}}"#
    case .leaveContact: #"{"type":"object","required":["consent"],"properties":{"consent":{"const":true},"email":{"type":"string"}}}"#
    case .command:
      #"{"type":"object","required":["id","command"],"properties":{"id":{"type":"string","minLength":1,"maxLength":128},"command":{"enum":["next","close","reveal","void","extend","end","kick"]},"seconds":{"type":"number"},"player":{"type":"integer"}}}"#
    case .makeQuiz: #"{"type":"object","required":["questions"],"properties":{"questions":{"type":"array"}}}"#
    case .makeAccount: credentials
    default: nil
    }
  }

  fileprivate var responses: [(status: Int, description: String, type: String?)] {
    let json = "application/json"
    return switch self {
    case .makeGame, .makeQuiz, .makeAccount, .makeSession, .renewHost: [(201, "It is made.", json)]
    case .join: [(201, "The player is new.", json), (200, "The player was there before.", json)]
    case .answer: [(202, "What became of each answer.", json)]
    case .presence, .leaveContact, .removePlayer, .removeContacts, .removeQuiz, .removeAccount, .endSession: [(204, "It is done.", nil)]
    case .listen: [(200, "Messages.", "text/event-stream")]
    case .getRecord: [(200, "Lines of JSON.", "application/x-ndjson")]
    case .getHealth, .getReady, .getMetrics: [(200, "Text.", "text/plain")]
    case .findGame, .getGame, .getState, .getBoard, .getBoardVersion: [(200, "The answer.", json), (304, "It has not changed.", nil)]
    default: [(200, "The answer.", json)]
    }
  }
}
