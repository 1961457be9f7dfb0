import AccessTokens
import AnswerIntake
import Basics
import GameEvents
import GameHosting
import LiveInterface
import Questions
import Scoring
import WebSupport

/// The OpenAPI 3.1 document of the game server, made of the table that requests are routed by.
enum GameOpenAPI {
  /// - Parameter live: The document of the stream that this process makes, whose calls are listed, too.
  static func document(with live: JSONObject?) -> JSONObject { live.map { OpenAPIPaths.joined(own, $0) } ?? own }

  private static let own = OpenAPIPaths.document(
    "Cuelight games", "Takes answers, and puts results into a running stream.", of: GameAPI.calls,
    tags: [
      "games": "What everybody may know of games.", "players": "What players do.", "hosts": "What leads a game.",
      "accounts": "People who make quizzes, and their sessions.", "quizzes": "Quizzes of accounts.",
    ],
    schemas: schemas, problem: "GameProblem", parts: ["uuid": .uuid, "version": .integers(1...1_000_000), "account": .count]
  ) { call in
    let security: OpenAPIOperation.Security =
      switch call.role {
      case .everybody: .everybody
      case .anyToken: .tokenOrOther
      case .player, .host, .account, .maker, .owner, .operator, .session: .token
      }
    // A token that is none of this server's is refused even if none is needed.
    // No name in a query has the character U+0000.
    var problems = [401: ["token-expired"], 422: ["invalid"]]
    if case .game = call.handler { problems[404] = ["game-unknown"] }
    if security != .everybody { problems[403] = ["forbidden"] }
    // Tokens of accounts are looked up in the store.
    if ![.everybody, .player].contains(call.role) { problems[503] = ["overloaded"] }
    return (security, problems)
  }

  // MARK: Schemas

  private static var schemas: KeyValuePairs<String, OpenAPISchema> {
    [
      "Game": game, "MadeGame": madeGame, "Rules": rules, "GameState": state, "Standing": standing, "Scoreboard": scoreboard,
      "Board": board, "Player": player, "Joined": joined, "KeptPlayer": keptPlayer, "Me": me, "Contact": contact, "Question": question,
      "Quiz": quiz,
      "QuizEntry": quizEntry, "Result": result, "Account": account, "AccountEntry": accountEntry, "Session": session,
      "Credentials": credentials,
      "GameProblem": problem,
    ]
  }

  /// What says from where a host leads.
  static let console = [
    OpenAPIParameter.query(
      "client", "A name for the console from which the host leads, such as a UUID; none for a command line.", .sized(1...128)),
    .flag("takeover", "Lead the game, whichever console leads it now."),
  ]
  static let phases = OpenAPISchema.choice(["lobby", "starting", "asking", "open", "closed", "result", "ended"])

  private static var game: OpenAPISchema {
    .object([
      "id": .text, "code": .text, "title": .text, "startsAt": .date.orNull, "entryOpensAt": .date.orNull, "state": phases,
      "players": .count, "questions": .count, "delay": .number, "scoring": .text, "stream": .text.orNull, "approved": .boolean,
    ])
  }

  private static var madeGame: OpenAPISchema {
    .all(
      .reference("Game"), .object(["rules": .reference("Rules"), "automatic": .boolean, "token": .text, "expires": .date]))
  }

  private static var rules: OpenAPISchema {
    let rules = OpenAPISchema.object(
      [:],
      optional: [
        "scoring": .text, "delay": .numbers(0...120), "fixedDelay": .boolean, "allottedTime": .numbers(1...600),
        "pause": .numbers(1...3_600),
        "mostPlayers": .integers(1...Roster.largestCount),
      ])
    return rules.closed
  }

  private static var state: OpenAPISchema {
    let question = OpenAPISchema.object([
      "guid": .text, "number": .count, "opensAt": .number.orNull, "closesAt": .number.orNull, "voided": .boolean,
    ])
    return .object([
      "game": .text, "phase": phases, "question": question.orNull, "revealAt": .date.orNull, "startsAt": .date.orNull,
      "picture": .choice(StreamCondition.Picture.allCases.map(\.rawValue)).orNull, "behind": .number.orNull, "delay": .number,
      "players": .count, "kicked": .list(.count),
      "board": .count, "leaders": .list(.reference("Standing")), "presence": .object(["every": .count, "share": .number]),
    ])
  }

  private static var standing: OpenAPISchema {
    .object([
      "rank": .count, "player": .text, "score": .integer, "right": .count, "answered": .count, "outAt": .count.orNull,
    ])
  }

  private static var scoreboard: OpenAPISchema {
    .object([
      "type": .choice(["scoreboard"]), "time": .number, "game": .text, "question": .text, "number": .count,
      "correctAnswer": .count.orNull, "counts": .list(.count), "taken": .count, "tooLate": .count, "tooEarly": .count,
      "otherwiseRefused": .count, "scored": .boolean, "players": .count, "playersLeft": .count, "leaders": .list(.reference("Standing")),
    ])
  }

  private static var board: OpenAPISchema {
    let line = OpenAPISchema.all(.object(["type": .choice(["winner", "player"]), "game": .text]), .reference("Standing"))
    return .object(
      ["game": .text, "version": .count, "leaders": .list(.reference("Standing"))],
      optional: ["scoreboard": .reference("Scoreboard"), "results": .list(line)])
  }

  private static var player: OpenAPISchema { .object(["player": .count, "nickname": .text]) }

  private static var joined: OpenAPISchema {
    .object(["player": .count, "nickname": .text, "token": .text, "expires": .date])
  }

  private static var me: OpenAPISchema {
    .all(.object(["player": .count, "nickname": .text]), place)
  }

  /// A player's place on the latest scoreboard.
  private static var place: OpenAPISchema {
    .object(["rank": .count, "score": .integer, "right": .count, "answers": .count, "outAt": .count.orNull])
  }

  private static var keptPlayer: OpenAPISchema {
    let answer = OpenAPISchema.object(["question": .text, "answer": .count, "at": .number])
    let contact = OpenAPISchema.object(["leftAt": .date], optional: contactFields)
    return .object([
      "player": .count, "nickname": .text, "uuid": .text, "joinedAt": .number.orNull, "kicked": .boolean, "standing": place.orNull,
      "answers": .list(answer), "contact": contact.orNull,
    ])
  }

  private static var contactFields: KeyValuePairs<String, OpenAPISchema> {
    ["name": .text, "email": .text, "phone": .text, "address": .text, "message": .text]
  }

  private static var contact: OpenAPISchema {
    .object(
      ["player": .count, "nickname": .text, "at": .date],
      optional: contactFields)
  }

  private static var question: OpenAPISchema {
    let answers = OpenAPISchema.sizedList(.sized(1...QuestionLimits.answer), AskQuestion.answerCount)
    return .object(
      ["question": .sized(1...QuestionLimits.question), "answers": answers],
      optional: [
        "correct": .text, "correctAnswer": .count, "points": .list(.integers(QuestionLimits.points)),
        "category": .sized(1...QuestionLimits.name), "difficulty": .choice(Difficulty.allCases.map { $0.rawValue }),
        "explanation": .sized(1...QuestionLimits.explanation), "link": .sized(1...QuestionLimits.link),
      ])
  }

  private static var quiz: OpenAPISchema {
    .object(
      ["questions": .sizedList(.reference("Question"), 1...GameAPI.mostQuestions)],
      optional: ["id": .sized(1...QuestionLimits.name), "title": .sized(1...QuestionLimits.name)])
  }

  private static var quizEntry: OpenAPISchema { .object(["id": .text, "title": .text, "createdAt": .date]) }

  private static var result: OpenAPISchema {
    .object(
      ["game": .text, "title": .text, "endedAt": .date],
      optional: ["players": .count, "questions": .count, "winners": .list(.text), "leaders": .list(.reference("Standing"))])
  }

  private static var account: OpenAPISchema {
    let kept = OpenAPISchema.all(.reference("QuizEntry"), .object([:], optional: ["quiz": .reference("Quiz")]))
    return .object(
      [
        "account": .integer, "name": .text, "createdAt": .date, "quizzes": .list(kept), "results": .list(.reference("Result")),
      ], optional: ["next": .text])
  }

  private static var accountEntry: OpenAPISchema {
    .object(["account": .integer, "name": .text, "createdAt": .date, "banned": .boolean, "games": .list(.reference("Game"))])
  }

  private static var session: OpenAPISchema { .object(["token": .text, "expires": .date], optional: ["account": .integer]) }

  private static var credentials: OpenAPISchema {
    .object(["name": .sized(1...64), "password": .sized(Password.lengths)])
  }

  private static var problem: OpenAPISchema {
    .problem(optional: [
      "pointer": .text, "suggestions": .list(.text), "nickname": .text, "results": .list(.text), "force": .yes,
      "errors": .list(.object(["detail": .text])),
    ])
  }

  // MARK: Requests

  /// A quiz file as it is.
  static var quizFile: [(type: String, schema: OpenAPISchema)] {
    [("application/json", .reference("Quiz")), ("application/yaml", .text), ("text/csv", .text)]
  }

  static let quizFormat = OpenAPIParameter.query(
    "format", "The format of the quiz file in the body.", .choice(["yaml", "json", "csv", "gift", "aiken", "xlsx", "ods"]))

  static var gameRequest: OpenAPISchema {
    .object(
      ["quiz": .either(.reference("Quiz"), .text)],
      optional: [
        "title": .sized(1...100), "rules": .reference("Rules"), "startsAt": .date.orNull, "entryOpensAt": .date.orNull,
        "automatic": .boolean,
      ])
  }

  static var gameChange: OpenAPISchema {
    OpenAPISchema.object([:], optional: ["startsAt": .date.orNull, "entryOpensAt": .date.orNull, "automatic": .boolean]).closed
  }

  static var answersRequest: OpenAPISchema {
    let answer = OpenAPISchema.object(["question": .text, "answer": .count, "at": .number])
    return .object(["answers": .sizedList(answer, 1...AnswerRequest.most)])
  }

  static var commandRequest: OpenAPISchema {
    .object(
      ["id": .sized(1...128), "command": .choice(["start", "next", "close", "reveal", "void", "extend", "end", "kick"])],
      optional: ["seconds": .numbers(0...600), "player": .count, "force": .boolean])
  }

  static var contactRequest: OpenAPISchema {
    let fields: OpenAPISchema = .sized(0...1_000)
    return OpenAPISchema.object(
      ["consent": .yes], optional: ["name": fields, "email": fields, "phone": fields, "address": fields, "message": fields]
    ).closed
  }

  // MARK: Answers

  /// An answer that caches keep for a moment.
  static func cached(_ description: String, _ schema: OpenAPISchema) -> [OpenAPISuccess] {
    [
      .json(200, description, schema, headers: [.eTag]),
      OpenAPISuccess(304, "It has not changed.", headers: [.eTag]),
    ]
  }

  /// What becomes of an answer.
  static var answerResults: OpenAPISchema {
    let results = ["recorded"] + AnswerWindow.Refusal.allCases.map { $0.rawValue }
    return .object(["results": .list(.choice(results))])
  }

  /// Why none of some answers is taken, but for a question that was not asked, which is not there.
  static var answerRefusals: [String] { AnswerWindow.Refusal.allCases.filter { $0 != .unknownQuestion }.map { $0.rawValue } }
}

extension OpenAPIParameter {
  /// Where the next page of a long list begins.
  static let nextPage = query("from", "The next of the answer before, for the page after it.", .text)
}
