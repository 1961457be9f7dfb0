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
    "Cuelight games", "Takes answers, and puts results into a running stream.", of: GameEndpoint.self,
    tags: [
      "games": "What everybody may know of games.", "players": "What players do.", "hosts": "What leads a game.",
      "accounts": "People who make quizzes, and their sessions.", "quizzes": "Quizzes of accounts.",
    ],
    schemas: schemas, problem: "GameProblem", parts: ["uuid": .uuid, "version": .integers(1...1_000_000), "account": .count]
  ) { $0.operation }

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
  fileprivate static let nextPage = query("from", "The next of the answer before, for the page after it.", .text)
}

extension GameEndpoint {
  /// What the document says of the call.
  fileprivate var operation: OpenAPIOperation {
    var operation = described
    operation.security =
      switch role {
      case .everybody: .everybody
      case .anyToken: .tokenOrOther
      case .player, .host, .account, .maker, .owner, .operator, .session: .token
      }
    if operation.successes.contains(where: { $0.status == 304 }) { operation.parameters.append(.ifNoneMatch) }
    operation.problems.merge(usualProblems(hasBody: operation.body != nil)) { own, usual in usual + own }
    return operation
  }

  /// The problems that calls of this kind have, whatever they do.
  private func usualProblems(hasBody: Bool) -> [Int: [String]] {
    // A token that is none of this server's is refused even where none is needed.
    var problems = [401: ["unauthorized", "token-expired"]]
    let parts = OpenAPIPaths.parts(of: route.path)
    if !parts.isEmpty {
      problems[404] = parts.contains("game") ? ["notFound", "game-unknown"] : ["notFound"]
      // A part such as `..` makes it another call's path.
      problems[405] = ["methodNotAllowed"]
    }
    if role != .everybody { problems[403] = ["forbidden"] }
    if limit != nil { problems[429] = ["rate-limited"] }
    if hasBody {
      problems[400] = ["invalid"]
      problems[413] = ["tooLarge"]
      problems[422] = ["invalid"]
    }
    // Tokens of accounts are looked up in the store.
    if [.host, .account, .maker, .owner, .operator, .session, .anyToken].contains(role) { problems[503] = ["overloaded"] }
    return problems
  }

  private var described: OpenAPIOperation {
    switch self {
    case .findGame, .makeGame, .getGame, .changeGame, .getState, .getBoard, .getBoardVersion: describedOfGames
    case .join, .getPlayer, .removePlayer, .answer, .getMe, .presence, .leaveContact: describedOfPlayers
    case .command, .listen, .getRecord, .listPlayers, .getContacts, .removeContacts, .renewHost, .approveGame, .disapproveGame:
      describedOfHosts
    case .makeQuiz, .listQuizzes, .getQuiz, .removeQuiz: describedOfQuizzes
    case .makeAccount, .getAccount, .removeAccount, .listResults, .makeSession, .endSession, .listAccounts, .deleteAccount, .banAccount,
      .unbanAccount:
      describedOfAccounts
    }
  }

  private var describedOfGames: OpenAPIOperation {
    switch self {
    case .findGame:
      OpenAPIOperation(
        "games", "Find a game by its code, or the one that comes next.", GameOpenAPI.cached("The game.", .reference("Game")),
        parameters: [
          .query("code", "The code that players type, in either case.", .text),
          .flag("next", "The game that runs, or begins first; where there is no code."),
        ],
        problems: [404: ["game-unknown"], 422: ["invalid"]])
    case .makeGame:
      OpenAPIOperation(
        "games", "Make a game of a quiz.",
        [.json(201, "The game, and a token for its host.", .reference("MadeGame"), headers: [.location])],
        parameters: [GameOpenAPI.quizFormat],
        // With a format the body is a quiz file; without one it is JSON that has a quiz, and more.
        body: OpenAPIBody([
          ("application/json", .either(GameOpenAPI.gameRequest, .reference("Quiz"))), ("application/yaml", .text), ("text/csv", .text),
        ]),
        problems: [409: ["not-now"]])
    case .getGame:
      OpenAPIOperation("games", "Tell what everybody may know of a game.", GameOpenAPI.cached("The game.", .reference("Game")))
    case .changeGame:
      OpenAPIOperation(
        "hosts", "Change when a game begins, or whether it follows its plan by itself.", [.json(200, "The game.", .reference("Game"))],
        parameters: [.header("If-Match", "The ETag of the game that is to be changed.", .text)] + GameOpenAPI.console,
        body: .json(GameOpenAPI.gameChange), problems: [409: ["not-now", "host-busy"], 412: ["changed"]])
    case .getState:
      OpenAPIOperation("games", "Tell how far the game is.", GameOpenAPI.cached("The state.", .reference("GameState")))
    case .getBoard:
      OpenAPIOperation("games", "Give the latest scoreboard.", GameOpenAPI.cached("The scoreboard.", .reference("Board")))
    default:
      OpenAPIOperation("games", "Give a scoreboard.", GameOpenAPI.cached("The scoreboard.", .reference("Board")))
    }
  }

  private var describedOfPlayers: OpenAPIOperation {
    switch self {
    case .join:
      OpenAPIOperation(
        "players", "Join a game; the same again gives the same player.",
        [
          .json(201, "The player is new.", .reference("Joined")), .json(200, "The player was there before.", .reference("Joined")),
        ],
        body: .json(.object(["nickname": .sized(1...Nickname.largestLength)], optional: ["at": .number])),
        problems: [
          403: ["kicked"], 409: ["nickname-taken", "joined-otherwise", "game-full", "too-early", "entry-closed", "game-over"],
          422: ["nickname-invalid"], 503: ["overloaded"],
        ])
    case .getPlayer:
      OpenAPIOperation(
        "players", "Give all that is kept of a player.", [.json(200, "What is kept.", .reference("KeptPlayer"))],
        problems: [503: ["overloaded"]])
    case .removePlayer:
      OpenAPIOperation(
        "players", "Delete all that is kept of a player, who leaves the game.", [.done], problems: [503: ["overloaded"]])
    case .answer:
      OpenAPIOperation(
        "players", "Answer questions. What is recorded is on the disk when this is answered.",
        [.json(202, "What became of each answer; at least one is recorded.", GameOpenAPI.answerResults)],
        body: .json(GameOpenAPI.answersRequest),
        problems: [404: ["unknown-question"], 409: GameOpenAPI.answerRefusals, 429: ["rate-limited"], 503: ["overloaded"]])
    case .getMe:
      OpenAPIOperation(
        "players", "Tell a player's place on the latest scoreboard.", [.json(200, "The place.", .reference("Me"))],
        problems: [403: ["kicked"]])
    case .presence:
      OpenAPIOperation(
        "players", "Tell that somebody watches.", [.done],
        parameters: [.query("share", "The share of viewers that the state has asked to say so.", .numbers(0...1))])
    default:
      OpenAPIOperation(
        "players", "Leave an address after the game, with consent.", [.done], body: .json(GameOpenAPI.contactRequest),
        problems: [409: ["too-early"], 503: ["overloaded"]])
    }
  }

  private var describedOfHosts: OpenAPIOperation {
    switch self {
    case .command:
      OpenAPIOperation(
        "hosts", "Lead the game: start, next, close, reveal, void, extend, end or kick.",
        [.json(200, "It is done.", .object(["id": .text, "state": GameOpenAPI.phases]))], parameters: GameOpenAPI.console,
        body: .json(GameOpenAPI.commandRequest),
        problems: [404: ["player-unknown"], 409: ["not-now", "stream-not-ready", "game-over", "host-busy"]])
    case .listen:
      OpenAPIOperation(
        "hosts", "Listen to what happens, as server-sent events.",
        [
          .text(
            "Messages: counts, started, asked, injected, closed, decision, voided, kicked, waiting, picture, lag, delay, ended, takeover and access-ended.",
            "text/event-stream")
        ],
        parameters: [.lastEventID] + GameOpenAPI.console, problems: [409: ["host-busy"]])
    case .getRecord:
      OpenAPIOperation(
        "hosts", "Give what the players did, as cuelight replay --answers reads it.",
        [.text("An object a line: a player, or a player with question, answer and time.", "application/x-ndjson")])
    case .listPlayers:
      OpenAPIOperation(
        "hosts", "List the players.",
        [
          .json(
            200, "The players, 10,000 at most, and the number of the next one, where there are more.",
            .object(["players": .list(.reference("Player"))], optional: ["next": .count]))
        ],
        parameters: [.query("from", "The number of the first player that is listed.", .count)], problems: [422: ["invalid"]])
    case .getContacts:
      OpenAPIOperation(
        "hosts", "Give the addresses that players have left.",
        [.json(200, "The addresses.", .object(["contacts": .list(.reference("Contact"))], optional: ["next": .text]))],
        parameters: [.nextPage], problems: [422: ["invalid"]])
    case .renewHost:
      OpenAPIOperation(
        "hosts", "End all tokens of the game's host, and give another one.", [.json(201, "The token.", .reference("Session"))])
    case .approveGame:
      OpenAPIOperation(
        "hosts", "Let a game of an account into the stream; only the operator can.", [.json(200, "The game.", .reference("Game"))],
        problems: [409: ["not-now", "game-over"]])
    case .disapproveGame:
      OpenAPIOperation(
        "hosts", "Keep a game of an account out of the stream; one that has begun ends.", [.json(200, "The game.", .reference("Game"))],
        problems: [409: ["not-now", "game-over"]])
    default: OpenAPIOperation("hosts", "Forget the addresses that players have left.", [.done])
    }
  }

  private var describedOfQuizzes: OpenAPIOperation {
    switch self {
    case .makeQuiz:
      OpenAPIOperation(
        "quizzes", "Keep a quiz, in any format that cuelight questions reads.",
        [
          .json(
            201, "The quiz is kept.", .all(.reference("QuizEntry"), .object(["questions": .count])), headers: [.location])
        ],
        parameters: [GameOpenAPI.quizFormat], body: OpenAPIBody(GameOpenAPI.quizFile), problems: [409: ["too-many"]])
    case .listQuizzes:
      OpenAPIOperation(
        "quizzes", "List the quizzes of the account.", [.json(200, "The quizzes.", .object(["quizzes": .list(.reference("QuizEntry"))]))])
    case .getQuiz:
      OpenAPIOperation(
        "quizzes", "Give a quiz.", [.json(200, "The quiz.", .reference("Quiz"))], problems: [404: ["quiz-unknown"]])
    default: OpenAPIOperation("quizzes", "Forget a quiz.", [.done], problems: [404: ["quiz-unknown"]])
    }
  }

  private var describedOfAccounts: OpenAPIOperation {
    switch self {
    case .makeAccount:
      OpenAPIOperation(
        "accounts", "Make an account.", [.json(201, "The account is made.", .reference("Session"))],
        body: .json(.reference("Credentials")),
        problems: [403: ["forbidden"], 409: ["account-taken"], 503: ["overloaded"]])
    case .getAccount:
      OpenAPIOperation(
        "accounts", "Give all that is kept of the account, page by page.", [.json(200, "The account.", .reference("Account"))],
        parameters: [.nextPage], problems: [422: ["invalid"]])
    case .removeAccount: OpenAPIOperation("accounts", "Forget the account and all that belongs to it.", [.done])
    case .listResults:
      OpenAPIOperation(
        "accounts", "List the results of all games of the account, or of the operator.",
        [.json(200, "The results, the latest first.", .object(["results": .list(.reference("Result"))], optional: ["next": .text]))],
        parameters: [.nextPage], problems: [422: ["invalid"]])
    case .makeSession:
      OpenAPIOperation(
        "accounts", "Log in; or, with a token of a host or an account and no body, get another one.",
        [.json(201, "A token; with its account, where somebody has logged in.", .reference("Session"))],
        body: .json(.reference("Credentials"), isRequired: false), problems: [401: ["credentials"]])
    case .listAccounts:
      OpenAPIOperation(
        "accounts", "List the accounts and their games that are not over; only the operator can.",
        [
          .json(
            200, "The accounts, 1,000 at most, and the number of the next one, if there are more.",
            .object(["accounts": .list(.reference("AccountEntry"))], optional: ["next": .count]))
        ],
        parameters: [.query("from", "The number of the first account that is listed.", .count)], problems: [422: ["invalid"]])
    case .deleteAccount:
      OpenAPIOperation(
        "accounts", "Delete an account with all that belongs to it; only the operator can.", [.done], problems: [404: ["account-unknown"]])
    case .banAccount:
      OpenAPIOperation(
        "accounts", "Ban an account: its tokens stop at once, and its games end; only the operator can.", [.done],
        problems: [404: ["account-unknown"]])
    case .unbanAccount:
      OpenAPIOperation(
        "accounts", "Let a banned account log in again; only the operator can.", [.done], problems: [404: ["account-unknown"]])
    default: OpenAPIOperation("accounts", "Log out: the session's tokens end.", [.done])
    }
  }
}
