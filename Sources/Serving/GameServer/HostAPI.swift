import AccessTokens
import Basics
import GameHosting
import GameStore
import HTTPTypes
import Hummingbird
import LiveInterface
import LiveSession
import Scoring
import Spreadsheets
import WebSupport

/// The calls of hosts.
extension GameAPI {
  static let hostCalls = [
    Entry(
      "command", Route("POST", "/v1/games/{game}/commands"), .host, .leading, largestBody: 16 << 10, "hosts",
      "Lead the game: start, next, close, reveal, void, settle, extend, end or kick; or write, edit, move or skip a question that was not asked.",
      [.json(200, "It is done.", .object(["id": .text, "state": GameOpenAPI.phases]))], parameters: GameOpenAPI.console,
      body: .json(GameOpenAPI.commandRequest),
      problems: [404: ["player-unknown"], 409: ["not-now", "stream-not-ready", "game-over", "host-busy"]], .function(GameAPI.command)),
    Entry(
      "listen", Route("GET", "/v1/games/{game}/events"), .host, .leading, "hosts", "Listen to what happens, as server-sent events.",
      [
        .text(
          "Messages: counts, started, asked, injected, closed, decision, voided, kicked, questions, waiting, picture, lag, delay, ended, takeover and access-ended.",
          "text/event-stream")
      ], parameters: [.lastEventID, .flag("watch", "Listen without leading: another console may lead.")] + GameOpenAPI.console,
      problems: [409: ["host-busy"], 503: ["overloaded"]], .function(GameAPI.listen)),
    Entry(
      "getRecord", Route("GET", "/v1/games/{game}/record"), .host, .reading, "hosts",
      "Give what the players did, as cuelight replay --answers reads it.",
      [.text("An object a line: a player, or a player with question, answer and time.", "application/x-ndjson")], .function(GameAPI.record)),
    Entry(
      "getResults", Route("GET", "/v1/games/{game}/results.csv"), .host, .reading, "hosts",
      "Give the results as a table for spreadsheets: a row for each player, or for each question.",
      [.text("The table, in UTF-8 with a byte order mark.", "text/csv")],
      parameters: [
        .query("of", "What has a row: players, who are the default, or questions.", .choice(GameReport.allCases.map(\.rawValue)))
      ],
      problems: [422: ["invalid"]],
      .game { (api, call, game) throws(Problem) in try await api.heavy(call) { (_) throws(Problem) in try api.results(call, game) } }),
    Entry(
      "getSpreadsheet", Route("GET", "/v1/games/{game}/results.xlsx"), .host, .reading, "hosts",
      "Give the results as a spreadsheet of Office Open XML: a sheet of the players, and one of the questions.",
      [.text("The spreadsheet.", GameAPI.spreadsheetType)], problems: [503: ["overloaded"]],
      .game { (api, call, game) throws(Problem) in try await api.heavy(call) { (_) throws(Problem) in try api.spreadsheet(call, game) } }),
    Entry(
      "listPlayers", Route("GET", "/v1/games/{game}/players"), .host, .leading, "hosts", "List the players.",
      [
        .json(
          200, "The players, 10,000 at most, and the number of the next one, if there are more.",
          .object(["players": .list(.reference("Player"))], optional: ["next": .count]))
      ], parameters: [.query("from", "The number of the first player that is listed.", .count)], problems: [422: ["invalid"]],
      .game { (api, call, game) throws(Problem) in try await api.heavy(call) { (_) throws(Problem) in try api.players(call, game) } }),
    Entry(
      "renewHost", Route("POST", "/v1/games/{game}/host-token"), .owner, .making, "hosts",
      "End all tokens of the game's host, and give another one.", [.json(201, "The token.", .reference("Session"))],
      .game { (api, _, game) throws(Problem) in try await api.renewHost(game) }),
  ]

  /// Checks that the caller leads the game. An operator's command line, which names no console, may do everything, whoever leads.
  ///
  /// - Throws: `Problem` if another console leads the game.
  func leads(_ call: GameCall, _ runner: GameRunner) async throws(Problem) {
    let console = try Self.console(call)
    guard console.client != nil || call.token?.isOperator != true else { return }
    guard await runner.access.lead(console, takesOver: call.query["takeover"] != nil) else { throw Self.hostBusy }
  }

  static let hostBusy = Problem("host-busy", .conflict, "another console leads this game; say ?takeover to take the lead from it")

  /// The console from which a call comes.
  static func console(_ call: GameCall) throws(Problem) -> HostLease.Console {
    let client = call.query["client"]
    guard client.map({ (1...128).contains($0.utf8.count) }) ?? true else {
      throw .invalid("", "?client is a name for the console, of 1 to 128 bytes")
    }
    return HostLease.Console(session: call.token?.session ?? "", client: client)
  }

  func command(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    let object = try call.object()
    guard let id = object["id"]?.string, (1...128).contains(id.utf8.count) else {
      throw .invalid("/id", "write a UUID of your own for this command")
    }
    let command: HostedGame.Command
    do throws(HostingProblem) { command = try HostedGame.Command(object) } catch { throw Problem(error) }
    try await leads(call, runner)
    do throws(GameFailure) { try await runner.carryOut(.command(command, id: id)) } catch { throw Problem(error) }
    return Answer(.ok, JSONObject(fields: ["id": id, "state": runner.look { game, now in game.phase(at: now).rawValue }]))
  }

  /// The maximum number of players in one answer.
  private static let mostListed = 10_000

  /// The players for the host, starting with one of them; the answer has `next` if there are more.
  func players(_ call: GameCall, _ runner: GameRunner) throws(Problem) -> Answer {
    let first = try call.number("from", in: .counts) ?? 0
    let (list, next): ([(player: Int, nickname: String, team: String?)], Int?) = runner.look { game in
      let nicknames = game.scored.roster.nicknames
      let places = nicknames.indices.dropFirst(first).prefix(Self.mostListed)
      let list = places.filter { !game.isKicked($0) }.map { player in (player, nicknames[player].text, game.team(of: player)) }
      return (list, places.upperBound < nicknames.count ? places.upperBound : nil)
    }
    let players = list.map { JSONObject(fields: ["player": $0.player, "nickname": $0.nickname]).with("team", $0.team) }
    return secret(JSONObject(fields: ["players": players]).with("next", next))
  }

  /// The results as a table for spreadsheets.
  func results(_ call: GameCall, _ runner: GameRunner) throws(Problem) -> Answer {
    guard let report = GameReport(rawValue: call.query["of"] ?? GameReport.players.rawValue) else {
      throw .invalid("", "?of is players or questions")
    }
    // The table of many players takes a while, during which the game goes on.
    var game = runner.look { game in game }
    return Self.file("cuelight-\(game.settings.code)-\(report.rawValue).csv", "text/csv; charset=utf-8", report.csv(&game))
  }

  static let spreadsheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

  /// The results as a spreadsheet.
  func spreadsheet(_ call: GameCall, _ runner: GameRunner) throws(Problem) -> Answer {
    let game = runner.look { game in game }
    do throws(SpreadsheetError) {
      return Self.file("cuelight-\(game.settings.code).xlsx", Self.spreadsheetType, try GameReport.spreadsheet(game))
    } catch {
      throw .overloaded("\(error); results.csv has the same tables")
    }
  }

  /// A file that browsers keep, and caches do not.
  static func file(_ name: String, _ type: String, _ bytes: [UInt8]) -> Answer {
    Answer(
      .ok, type, bytes, headers: [(.cacheControl, "private, no-store"), (.contentDisposition, "attachment; filename=\"\(name)\"")])
  }

  // MARK: Listening

  /// Messages for the host, as server-sent events. The caller leads from then on, unless only the head is wanted.
  func listen(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    guard !call.isHead else { return Answer(.ok, "text/event-stream", []) }
    var after = call.headers.lastEventID
    // Message numbers differ between nodes. A host that comes from another node gets the latest messages again, so that it misses none.
    after = after.map { max($0 - directory.cluster.messageOverlap, 0) }
    let listening = runner.feed.listening(after: after)
    let takesOver = call.query["takeover"] != nil
    let end = listening.end
    let console = try Self.console(call)
    let stop: @Sendable (HostLease.Ending) -> Void = { end($0.rawValue, JSONObject()) }
    let stream: Int
    if call.query["watch"] != nil, !takesOver {
      guard let number = runner.access.watch(console, end: stop) else { throw .overloaded("too many consoles watch this game") }
      stream = number
    } else {
      guard let number = await runner.access.listen(console, takesOver: takesOver, end: stop) else { throw Self.hostBusy }
      stream = number
    }
    // The host that begins to listen is told how many play.
    runner.keeper.changed()
    let viewers = runner.audience.viewers(at: .now)
    let leader = runner.access.leader
    let first = runner.look { game in GameClock.progress(&game, viewers, leader: leader) }
    return MessageStream.answer(listening.messages, first: ("counts", first)) { runner.access.lease.leave(stream) }
  }

  /// The players' actions in the format of `cuelight replay --answers`.
  func record(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    // Reads the record once to find its length, so that the client knows whether it has received all of it.
    let (length, reader) = try await heavy(call) { (store) throws(Problem) in
      try Problem.of { () throws(StoreError) in try RecordReader(runner).measured(store) }
    }
    var answer = Answer(.ok, "application/x-ndjson", [], headers: [(.cacheControl, "no-store")])
    answer.stream = ResponseBody(contentLength: length) { [store = directory.writer] writer in
      var (rest, left) = (reader, length)
      while left > 0 {
        let (piece, next) = try await store.read { [rest] (store) throws(StoreError) in
          var next = rest
          return (try next.next(store), next)
        }
        // A game that is forgotten in the meantime has no more data: the connection ends, and the client sees that the record is incomplete.
        guard (1...left).contains(piece.count) else { throw StoreError.unavailable("the record has changed") }
        try await writer.write(ByteBuffer(bytes: piece))
        (rest, left) = (next, left - piece.count)
      }
      try await writer.finish(nil)
    }
    return answer
  }

  // MARK: The host's access

  /// Ends all tokens of the game's host, and returns a new one.
  func renewHost(_ runner: GameRunner) async throws(Problem) -> Answer {
    do throws(StoreError) { try await runner.access.renew() } catch { throw Problem(error) }
    return secret(issued(Self.hostToken(of: runner)), .created)
  }

  /// A token for the host of a game.
  static func hostToken(of runner: GameRunner) -> AccessToken {
    AccessToken(
      role: .host, game: runner.stored.id, session: newSession(), generation: runner.access.generation, expires: now + tokenLife)
  }
}
