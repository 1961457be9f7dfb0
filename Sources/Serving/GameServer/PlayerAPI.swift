import AccessTokens
import AnswerIntake
import Basics
import GameEvents
import GameHosting
import GameStore
import HTTPTypes
import LiveInterface
import Scoring
import WebShell
import WebSupport

/// The calls of players.
extension GameAPI {
  static let joinRoute = Route("PUT", "/v1/games/{game}/players/{uuid}")
  private static let joining = CallLimit(perMinute: 10, burst: 50)

  static let playerCalls = [
    Entry(
      "join", joinRoute, .everybody, joining, "players",
      "Join a game; the same again gives the same player, also with another nickname or team until the show begins.",
      [.json(201, "The player is new.", .reference("Joined")), .json(200, "The player was there before.", .reference("Joined"))],
      body: .json(
        .object(["nickname": .sized(1...Nickname.largestLength)], optional: ["team": .sized(1...Nickname.largestLength), "at": .number])),
      problems: [
        403: ["kicked"], 409: ["nickname-taken", "joined-otherwise", "game-full", "too-early", "entry-closed", "game-over"],
        422: ["nickname-invalid", "team-invalid"], 503: ["overloaded"],
      ], .function(GameAPI.join)),
    Entry(
      "getPlayer", Route("GET", "/v1/games/{game}/players/{uuid}"), .player, joining, "players", "Give all that is kept of a player.",
      [.json(200, "What is kept.", .reference("KeptPlayer"))], problems: [503: ["overloaded"]], .function(GameAPI.exportPlayer)),
    Entry(
      "removePlayer", Route("DELETE", "/v1/games/{game}/players/{uuid}"), .player, joining, "players",
      "Delete all that is kept of a player, who leaves the game.", [.done], problems: [503: ["overloaded"]], .function(GameAPI.removePlayer)
    ),
    // Each player also has an allowance of answers.
    Entry(
      "answer", Route("POST", "/v1/games/{game}/answers"), .player, .watching, largestBody: AnswerReading.largestBody, "players",
      "Answer questions. What is recorded is on the disk when this is answered.",
      [.json(202, "What became of each answer; at least one is recorded.", GameOpenAPI.answerResults)],
      body: .json(GameOpenAPI.answersRequest), problems: [404: ["unknown-question"], 409: GameOpenAPI.answerRefusals, 503: ["overloaded"]],
      .function(GameAPI.takeAnswers)),
    Entry(
      "getMe", Route("GET", "/v1/games/{game}/me"), .player, .looking, "players", "Tell a player's place on the latest scoreboard.",
      [.json(200, "The place.", .reference("Me"))], problems: [403: ["kicked"]], .function(GameAPI.me)),
    Entry(
      "presence", Route("POST", "/v1/games/{game}/presence"), .everybody, CallLimit(perMinute: 60, burst: 100), "players",
      "Tell that somebody watches.", [.done],
      parameters: [.query("share", "The share of viewers that the state has asked to say so.", .numbers(0...1))],
      .game { (api, call, game) throws(Problem) in
        game.audience.add(api.viewer(call, game), share: call.share)
        return .noContent
      }),
  ]

  func join(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    guard directory.isServed(runner) else { throw .unknownGame }
    let key = (call.parts["uuid"] ?? "").lowercased()
    guard key.isUUID else { throw .invalid("", "the address ends with a UUID that the client makes for itself") }
    let object = try call.object()
    guard let nickname = object["nickname"]?.string else { throw .invalid("/nickname", "write a nickname") }
    let (position, team) = (try Self.position(object), try Self.team(object))
    let game = runner.stored.id
    let joined: HostedGame.Joined
    do throws(GameFailure) { joined = try await runner.join(nickname, key: key, team: team, position: position) } catch {
      throw Problem(error)
    }
    // A player who joins days before the show gets a token that is valid through it.
    let begins = runner.look { game in game.start == nil ? game.startsAt : nil }
    let token = AccessToken(
      role: .player, game: game, subject: joined.player, session: PlayerKey.text(PlayerKey.hash(key)),
      expires: min(max(Self.now, (begins ?? 0) / 1_000), Self.now + TokenKey.longestLife - Self.playerTokenLife) + Self.playerTokenLife)
    let player = JSONObject(fields: ["player": joined.player, "nickname": joined.nickname]).with("team", joined.team)
    return secret(issued(token, player), joined.isKnown ? .ok : .created)
  }

  /// The team that a player wants to be in; `nil` if the client names none.
  private static func team(_ object: JSONObject) throws(Problem) -> String? {
    guard let value = object["team"], value != .null else { return nil }
    guard let team = value.string else { throw .invalid("/team", "write the name of a team") }
    return team
  }

  /// The position of the stream of a player who joins in mid-game; `nil` if the client does not say it.
  private static func position(_ object: JSONObject) throws(Problem) -> MediaTime? {
    guard let value = object["at"], value != .null else { return nil }
    guard let time = value.number.flatMap({ MediaTime(decimalSeconds: $0.text) }) else {
      throw .invalid("/at", "write the position of the stream in seconds")
    }
    return time
  }

  /// The player of a call.
  ///
  /// - Throws: `Problem` if the game of the token was over an hour ago.
  func player(_ token: AccessToken, _ runner: GameRunner) throws(Problem) -> Int {
    let isOver =
      runner.hasEnded
      && runner.look { game, now in
        guard let ended = game.finishedAt else { return false }
        return now.wallClock - ended > Self.afterEnd * 1_000
      }
    guard !isOver else { throw .expired }
    try requireKnown(token, runner)
    return token.subject
  }

  /// - Throws: `Problem` if a token does not belong to a player of the game.
  private func requireKnown(_ token: AccessToken, _ runner: GameRunner) throws(Problem) {
    guard !runner.desk.knows(token.subject, key: token.session) else { return }
    // A player who has just joined on another node will be known here in a moment.
    throw runner.desk.isBehind(token.subject) ? .overloaded : .unauthorized
  }

  /// The sender of a viewer's report: a player of the game, or a viewer at an address.
  func viewer(_ call: GameCall, _ runner: GameRunner) -> AudienceCount.Viewer {
    if let token = call.token, token.role == .player, token.game == runner.stored.id, runner.desk.knows(token.subject, key: token.session) {
      return .player(token.subject)
    }
    return .address(IPAddress.place(of: call.caller.address))
  }

  func me(_ call: GameCall, _ runner: GameRunner) throws(Problem) -> Answer {
    guard let token = call.token else { throw .unauthorized }
    let player = try player(token, runner)
    let (found, isOut, team, place) = runner.look { game in
      (game.standing(of: player), game.isKicked(player), game.team(of: player), game.teamPlace(of: player))
    }
    guard let standing = isOut ? nil : found else { throw Problem(.kicked) }
    var object = JSONObject(fields: ["player": player, "nickname": standing.nickname.text])
    object.appendAbsent(Self.object(standing))
    return secret(object.with("team", team).with("teamPlace", place?.object))
  }

  private static func object(_ standing: Standing) -> JSONObject {
    JSONObject(fields: [
      "rank": standing.rank, "score": standing.score, "right": standing.right, "answers": standing.answered, "outAt": standing.outAt,
    ])
  }

  /// Reads the answers of a request, and who sends them.
  func submission(_ token: AccessToken?, _ body: [UInt8], _ runner: GameRunner) throws(Problem) -> (answers: [AnswerRequest], player: Int) {
    guard let token else { throw .unauthorized }
    guard token.role == .player, token.game == runner.stored.id else { throw .forbidden }
    return (try AnswerReading.requests(body), try player(token, runner))
  }

  /// The long path of answers; the short one is `AnswerHandler`, which has no limits for each caller.
  func takeAnswers(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    let (requests, player) = try submission(call.token, call.body, runner)
    let outcome = await withCheckedContinuation { continuation in
      runner.desk.take(requests, of: player) { continuation.resume(returning: $0) }
    }
    return try AnswerReading.answer(outcome, receipts: runner.receipts(requests, of: player, outcome))
  }

  // MARK: Stored data of a player

  /// The token of a player whose client has the UUID of the address.
  private func ownToken(_ call: GameCall) throws(Problem) -> AccessToken {
    guard let token = call.token else { throw .unauthorized }
    let key = (call.parts["uuid"] ?? "").lowercased()
    guard token.session == PlayerKey.text(PlayerKey.hash(key)) else { throw .forbidden }
    return token
  }

  /// Exports everything that is stored about a player.
  func exportPlayer(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    let token = try ownToken(call)
    try requireKnown(token, runner)
    let (id, player) = (runner.stored.id, token.subject)
    let (answers, contact) = try await heavy(call) { (store) throws(Problem) in
      try Problem.of { () throws(StoreError) in
        var answers: [PackedAnswer] = []
        try store.batches(of: id) { (batch) throws(StoreError) in
          answers += try batch.decoded(of: id).filter { Int($0.player) == player }
        }
        return (answers, try store.contact(of: player, in: id).map { (contact) throws(StoreError) in try Self.object(contact) })
      }
    }
    let object = runner.look { game in
      let isOut = game.isKicked(player)
      let joinedAt = isOut ? nil : game.scored.roster.joinTime(of: PlayerID(player))
      let standing = isOut ? nil : game.standing(of: player)
      return JSONObject(fields: [
        "player": player, "nickname": game.scored.roster.nicknames[player].text, "uuid": game.key(of: player), "joinedAt": joinedAt,
        "kicked": isOut, "standing": standing.map { Self.object($0) }, "answers": answers.compactMap { Self.object($0, game) },
        "contact": contact,
      ]).with("team", game.team(of: player))
    }
    return secret(object)
  }

  private static func object(_ answer: PackedAnswer, _ game: HostedGame) -> JSONObject? {
    guard game.asked.indices.contains(Int(answer.question)) else { return nil }
    return JSONObject(fields: [
      "question": game.asked[Int(answer.question)].guid.text, "answer": game.given(answer), "at": answer.time,
    ])
  }

  private static func object(_ contact: StoredContact) throws(StoreError) -> JSONObject {
    guard let value = (try? JSONValue(parsing: contact.text))?.object else {
      throw .foreign("the game \(contact.game) has a contact that is damaged")
    }
    var object = JSONObject(fields: ["leftAt": date(contact.at)])
    object.appendAbsent(value)
    return object
  }

  /// Deletes everything that is stored about a player, who leaves the game.
  func removePlayer(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    let token = try ownToken(call)
    // A repeated request has nothing left to do, and no data by which the token could be checked.
    guard !runner.look({ game in game.isRemoved(token.subject) }) else { return .noContent }
    try requireKnown(token, runner)
    do throws(GameFailure) { try await runner.carryOut(.remove(player: token.subject)) } catch { throw Problem(error) }
    return .noContent
  }
}

extension String {
  /// Whether it is a UUID in its hexadecimal notation, in lower case (RFC 9562, 4).
  fileprivate var isUUID: Bool {
    utf8.elementsEqual("00000000-0000-0000-0000-000000000000".utf8) { found, wanted in
      wanted == UInt8(ascii: "-") ? found == wanted : found.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(found)
    }
  }
}
