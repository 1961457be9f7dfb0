import AccessTokens
import AnswerIntake
import Basics
import GameEvents
import GameHosting
import LiveInterface
import LiveServer
import Questions
import Scoring
import Sheets
import WebSupport

/// The OpenAPI 3.1 document of the game server, made from the table by which requests are routed.
enum GameOpenAPI {
  /// - Parameter live: The document of the stream that this process produces, whose calls are listed, too.
  static func document(with live: JSONObject?) -> JSONObject { live.map { OpenAPIPaths.joined(own, $0) } ?? own }

  private static let own = OpenAPIPaths.document(
    "Cuelight games", "Takes answers, and puts results into a running stream.", of: GameAPI.calls,
    tags: [
      "games": "What everybody may know of games.", "players": "What players do.", "hosts": "What leads a game.",
      "accounts": "People who make quizzes, and their sessions.", "quizzes": "Quizzes of accounts.",
    ],
    schemas: schemas, problem: "GameProblem",
    parts: [
      "format": .choice(QuizFormat.allCases.map { $0.fileExtensions[0] }), "uuid": .uuid, "version": .integers(1...1_000_000),
      "account": .count, "question": .integers(1...1_000_000), "leaf": .text,
    ]
  ) { call in
    let security: OpenAPIOperation.Security =
      switch call.role {
      case .everybody: .everybody
      case .anyToken: .tokenOrOther
      case .player, .host, .account, .maker, .owner, .operator, .session: .token
      }
    // A token that this server has not made is refused even if none is needed.
    // No name in a query has the character U+0000.
    var problems = [401: ["token-expired"], 422: ["invalid"]]
    if case .game = call.handler { problems[404] = ["game-unknown"] }
    if security != .everybody { problems[403] = ["forbidden"] }
    // Tokens of accounts are looked up in the store.
    if ![.everybody, .player].contains(call.role) { problems[503] = ["overloaded"] }
    return (security, problems)
  }

  // MARK: Schemas

  private static let schemas: KeyValuePairs<String, OpenAPISchema> = [
    "ServerStatus": ServerStatus.schema,
    "Game": .object(
      [
        "id": .text, "code": .text, "title": .text, "startsAt": .date.orNull, "entryOpensAt": .date.orNull, "state": phases,
        "players": .count, "questions": .count, "delay": .number, "scoring": .text, "stream": .text.orNull, "approved": .boolean,
      ], optional: ["teams": .object(["names": .list(.text), "points": .text]), "reports": .text]),
    "MadeGame": .all(
      .reference("Game"),
      .object(
        ["rules": .reference("Rules"), "automatic": .boolean, "token": .text, "expires": .date],
        optional: notices)),
    "Rules": .object(
      [:],
      optional: [
        "scoring": .text, "delay": .numbers(0...120), "fixedDelay": .boolean,
        "delayBounds": .sizedList(.numbers(0...120), 2...2), "allottedTime": .numbers(1...600),
        "pause": .numbers(1...3_600), "mostPlayers": .integers(1...Roster.largestCount),
        "teams": .either(.choice(["free"]), .sizedList(.sized(1...Nickname.largestLength), 2...TeamRules.mostNames)), "teamPoints": .text,
      ]
    ).closed,
    "GameState": .object(
      [
        "game": .text, "phase": phases, "question": askedQuestion.orNull, "revealAt": .date.orNull, "startsAt": .date.orNull,
        "picture": .choice(StreamCondition.Picture.allCases.map(\.rawValue)).orNull, "behind": .number.orNull, "delay": .number,
        "players": .count, "kicked": .list(.count), "board": .count, "leaders": standings,
        "presence": .object(["every": .count, "share": .number]),
      ],
      optional: [
        "audience": .object(["sessions": .count, "share": .number, "p50": .number.orNull, "p95": .number.orNull, "p99": .number.orNull])
      ]),
    "Standing": .object([
      "rank": .count, "player": .text, "score": .integer, "right": .count, "answered": .count, "outAt": .count.orNull,
    ]),
    "Scoreboard": .object(
      [
        "type": .choice(["scoreboard"]), "time": .number, "game": .text, "question": .text, "number": .count,
        "correctAnswer": .count.orNull, "counts": .list(.count), "taken": .count, "tooLate": .count, "tooEarly": .count,
        "otherwiseRefused": .count, "scored": .boolean, "players": .count, "playersLeft": .count, "leaders": standings,
      ],
      optional: [
        "correctAnswers": indices, "correctOrder": indices, "correctNumber": .number, "correctTexts": texts,
        "histogram": .reference("Histogram"), "texts": .reference("TextCounts"),
      ]),
    "TextCounts": .object([
      "most": .list(.object(["text": .text, "count": .count], optional: ["right": .boolean])), "others": .count,
    ]),
    "Histogram": .object(["from": .number, "width": .number, "counts": .list(.count)]),
    "Board": .object(
      ["game": .text, "version": .count, "leaders": standings],
      optional: [
        "scoreboard": .reference("Scoreboard"),
        "teams": .list(.reference("TeamPlace")),
        "results": .list(.all(.object(["type": .choice(["winner", "player"]), "game": .text]), .reference("Standing"))),
      ]),
    "Stage": .object(
      [
        "game": .text, "state": .choice(HostedGame.StageState.allCases.map(\.rawValue)), "title": .text, "code": .text,
        "address": .text.orNull, "players": .count, "names": .list(.text), "questions": .count, "delay": .number,
        "question": stageQuestion.orNull, "board": .list(stagePlace).orNull, "winners": .list(.text).orNull,
      ],
      optional: [
        "teams": .list(.all(.reference("TeamPlace"), .object([:], optional: ["before": .count]))),
        "time": .object(["left": .number, "whole": .number]),
      ]),
    "Questions": .object([
      "upcoming": .list(numberedQuestion), "skipped": .list(numberedQuestion),
      "asked": .list(.all(numberedQuestion, .object(["guid": .text], optional: ["unsettled": .boolean]))),
    ]),
    "TeamPlace": .object(["rank": .count, "team": .text, "score": .number, "players": .count]),
    "Player": .object(["player": .count, "nickname": .text], optional: ["team": .text]),
    "Joined": .object(["player": .count, "nickname": .text, "token": .text, "expires": .date], optional: ["team": .text]),
    "KeptPlayer": .object(
      [
        "player": .count, "nickname": .text, "uuid": .text, "joinedAt": .number.orNull, "kicked": .boolean, "standing": place.orNull,
        "answers": .list(answer), "contact": .object(["leftAt": .date], optional: contactFields(.text)).orNull,
      ], optional: ["team": .text]),
    "Me": .all(
      .object(["player": .count, "nickname": .text], optional: ["team": .text, "teamPlace": .reference("TeamPlace")]), place),
    "Contact": .object(["player": .count, "nickname": .text, "at": .date], optional: contactFields(.text)),
    "Question": .object(
      [
        "question": .sized(1...QuestionLimits.question)
      ],
      optional: [
        "kind": .choice(QuestionKind.known.map { $0.text }),
        "answers": .sizedList(.sized(1...QuestionLimits.answer), AskQuestion.answerCount),
        "correct": .either(.text, .list(.text), .number), "correctAnswer": .count, "correctAnswers": indices, "correctOrder": indices,
        "correctNumber": .number, "partial": .boolean, "live": .boolean, "least": .number, "most": .number, "step": .number, "unit": .text,
        "within": .number, "points": .list(.integers(QuestionLimits.points)),
        "category": .sized(1...QuestionLimits.name), "difficulty": .choice(Difficulty.allCases.map { $0.rawValue }),
        "picture": .sized(1...MediaAddress.largestSize), "pictureText": .sized(1...MediaDraft.largestText),
        "pictureSize": .either(.text, .list(.count)), "sound": .sized(1...MediaAddress.largestSize),
        "soundText": .sized(1...MediaDraft.largestText), "explanation": .sized(1...QuestionLimits.explanation),
        "link": .sized(1...QuestionLimits.link),
      ]),
    "Quiz": .object(
      ["questions": .sizedList(.reference("Question"), 1...SentQuiz.mostQuestions)],
      optional: ["id": .sized(1...QuestionLimits.name), "title": .sized(1...QuestionLimits.name)]),
    "QuizReading": .object([
      "quiz": .object(["questions": .list(.reference("Question"))], optional: ["id": .text, "title": .text]),
      "unit": .choice(["line", "row"]), "mistakes": .list(sheetProblem), "notices": .list(sheetProblem),
    ]),
    "QuizEntry": .object(["id": .text, "title": .text, "createdAt": .date]),
    "Result": .object(
      ["game": .text, "title": .text, "endedAt": .date],
      optional: [
        "players": .count, "questions": .count, "winners": .list(.text), "leaders": standings, "teams": .list(.reference("TeamPlace")),
      ]),
    "Account": .object(
      [
        "account": .integer, "name": .text, "createdAt": .date,
        "quizzes": .list(.all(.reference("QuizEntry"), .object([:], optional: ["quiz": .reference("Quiz")]))),
        "results": .list(.reference("Result")),
      ], optional: ["next": .text]),
    "AccountEntry": .object([
      "account": .integer, "name": .text, "createdAt": .date, "banned": .boolean, "games": .list(.reference("Game")),
    ]),
    "Session": .object(["token": .text, "expires": .date], optional: ["account": .integer]),
    "Credentials": .object(["name": .sized(1...64), "password": .sized(Password.lengths)]),
    "GameProblem": .problem(optional: [
      "pointer": .text, "suggestions": .list(.text), "nickname": .text, "results": .list(.text), "force": .yes,
      "errors": .list(.object(["detail": .text])),
    ]),
  ]
  /// What was guessed in a quiz, or left out, and why.
  static let notices: KeyValuePairs<String, OpenAPISchema> = ["notices": .list(.object(["detail": .text]))]
  static let phases = OpenAPISchema.choice(HostedGame.Phase.allCases.map(\.rawValue))
  private static let standings = OpenAPISchema.list(.reference("Standing"))
  private static let askedQuestion = OpenAPISchema.object(
    ["guid": .text, "number": .count, "opensAt": .number.orNull, "closesAt": .number.orNull, "voided": .boolean],
    optional: ["counts": .list(.count)])
  private static let stageQuestion = OpenAPISchema.object(
    [
      "guid": .text, "kind": .text, "number": .count, "text": .text, "answers": .list(.text), "answered": .count, "voided": .boolean,
    ],
    optional: [
      "least": .number, "most": .number, "step": .number, "unit": .text, "within": .number, "partial": .boolean, "live": .boolean,
      "correctAnswer": .count, "correctAnswers": indices, "correctOrder": indices, "correctNumber": .number, "counts": .list(.count),
      "correctTexts": texts, "texts": .reference("TextCounts"), "tolerance": .count, "words": .boolean, "points": .count,
      "histogram": .reference("Histogram"), "explanation": .text, "picture": .text, "pictureText": .text, "pictureSize": .list(.count),
      "sound": .text, "soundText": .text,
    ])
  private static let sheetProblem = OpenAPISchema.object(["line": .count, "column": .count, "what": .text])
  private static let texts = OpenAPISchema.list(.text)
  private static let indices = OpenAPISchema.list(.count)
  private static let numberedQuestion = OpenAPISchema.object(["question": .count, "content": .reference("Question")])
  private static let stagePlace = OpenAPISchema.object([
    "rank": .count, "player": .text, "score": .integer, "right": .count, "before": .count.orNull,
  ])
  private static let answer = OpenAPISchema.object(
    ["question": .text, "answer": .either(.count, .list(.count), .number, .text), "at": .number])
  /// A player's place on the latest scoreboard.
  private static let place = OpenAPISchema.object([
    "rank": .count, "score": .integer, "right": .count, "answers": .count, "outAt": .count.orNull,
  ])

  private static func contactFields(_ field: OpenAPISchema) -> KeyValuePairs<String, OpenAPISchema> {
    ["name": field, "email": field, "phone": field, "address": field, "message": field]
  }

  // MARK: Requests

  /// The fields that identify the host's console.
  static let console = [
    OpenAPIParameter.query(
      "client", "A name for the console from which the host leads, such as a UUID; none for a command line.", .sized(1...128)),
    .flag("takeover", "Lead the game, whichever console leads it now."),
  ]
  /// A quiz file in one of its formats.
  static let quizFile: [(type: String, schema: OpenAPISchema)] = [
    ("application/json", .reference("Quiz")), ("application/yaml", .text), ("text/csv", .text),
  ]
  static let quizFormat = OpenAPIParameter.query(
    "format", "The format of the quiz file in the body.", .choice(BankFormat.allCases.compactMap(\.fileExtensions.first)))

  static let gameRequest = OpenAPISchema.object(
    ["quiz": .either(.reference("Quiz"), .text)],
    optional: [
      "title": .sized(1...100), "rules": .reference("Rules"), "startsAt": .date.orNull, "entryOpensAt": .date.orNull,
      "automatic": .boolean,
    ])
  static let gameChange = OpenAPISchema.object(
    [:], optional: ["startsAt": .date.orNull, "entryOpensAt": .date.orNull, "automatic": .boolean]
  ).closed
  static let answersRequest = OpenAPISchema.object(["answers": .sizedList(answer, 1...AnswerRequest.most)])
  static let commandRequest = OpenAPISchema.object(
    ["id": .sized(1...128), "command": .choice(HostedGame.Command.names)],
    optional: [
      "seconds": .numbers(0...600), "player": .count, "force": .boolean, "content": .reference("Question"),
      "question": .either(.count, .text), "to": .count, "answer": .count,
    ])
  static let contactRequest = OpenAPISchema.object(["consent": .yes], optional: contactFields(.sized(0...1_000))).closed

  // MARK: Answers

  /// An answer that caches keep for a short time.
  static func cached(_ description: String, _ schema: OpenAPISchema) -> [OpenAPISuccess] {
    [.json(200, description, schema, headers: [.eTag]), OpenAPISuccess(304, "It has not changed.", headers: [.eTag])]
  }

  /// The outcome of an answer.
  static let answerResults = OpenAPISchema.object(
    ["results": .list(.choice(["recorded"] + AnswerWindow.Refusal.allCases.map { $0.rawValue }))],
    optional: ["receipts": .list(.object(["question": .text, "leaf": .text, "signature": .text]).orNull)])

  /// Why no answer of a request is accepted, for status 409. A question that was not asked has status 404 instead.
  static var answerRefusals: [String] { AnswerWindow.Refusal.allCases.filter { $0 != .unknownQuestion }.map { $0.rawValue } }
}

extension OpenAPIParameter {
  /// Where the next page of a long list begins.
  static let nextPage = query("from", "The next of the answer before, for the page after it.", .text)
}
