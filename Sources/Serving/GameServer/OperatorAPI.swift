import Basics
import GameHosting
import GameStore
import HTTPTypes
import LiveInterface
import LiveServer
import WebSupport

/// The calls by which the operator manages accounts and their games.
extension GameAPI {
  static let operatorCalls = [
    Entry(
      "getStatus", Endpoint.getStatus.route, .operator, .leading, "games",
      "Tell what runs here: the streams, and the games that are not over.",
      [.json(200, "What runs.", .reference("ServerStatus"))],
      .server { (api, _) throws(Problem) in api.status }),
    Entry(
      "listAccounts", Route("GET", "/v1/accounts"), .operator, .leading, "accounts",
      "List the accounts and their games that are not over; only the operator can.",
      [
        .json(
          200, "The accounts, 1,000 at most, and the number of the next one, if there are more.",
          .object(["accounts": .list(.reference("AccountEntry"))], optional: ["next": .count]))
      ], parameters: [.query("from", "The number of the first account that is listed.", .count)], problems: [422: ["invalid"]],
      .function(GameAPI.listAccounts)),
    Entry(
      "deleteAccount", Route("DELETE", "/v1/accounts/{account}"), .operator, .leading, "accounts",
      "Delete an account with all that belongs to it; only the operator can.", [.done], problems: [404: ["account-unknown"]],
      .server { (api, call) throws(Problem) in try await api.end(call) { .removeAccount($0) } }),
    Entry(
      "banAccount", Route("PUT", "/v1/accounts/{account}/ban"), .operator, .leading, "accounts",
      "Ban an account: its tokens stop at once, and its games end; only the operator can.", [.done], problems: [404: ["account-unknown"]],
      .server { (api, call) throws(Problem) in try await api.end(call) { .ban(account: $0, true) } }),
    Entry(
      "unbanAccount", Route("DELETE", "/v1/accounts/{account}/ban"), .operator, .leading, "accounts",
      "Let a banned account log in again; only the operator can.", [.done], problems: [404: ["account-unknown"]],
      .server { (api, call) throws(Problem) in
        try await api.write([.ban(account: try await api.namedAccount(call), false)])
        return .noContent
      }),
    Entry(
      "approveGame", Route("POST", "/v1/games/{game}/approval"), .operator, .leading, "hosts",
      "Let a game of an account into the stream; only the operator can.", [.json(200, "The game.", .reference("Game"))],
      problems: [409: ["not-now", "game-over"]], .game { (api, _, game) throws(Problem) in try await api.approve(game, true) }),
    Entry(
      "disapproveGame", Route("DELETE", "/v1/games/{game}/approval"), .operator, .leading, "hosts",
      "Keep a game of an account out of the stream; one that has begun ends.", [.json(200, "The game.", .reference("Game"))],
      problems: [409: ["not-now", "game-over"]], .game { (api, _, game) throws(Problem) in try await api.approve(game, false) }),
  ]

  /// What runs here.
  var status: Answer {
    let games = directory.running.map { runner in
      runner.look { game, now in
        JSONObject(fields: [
          "game": runner.stored.id, "title": runner.stored.title, "state": game.phase(at: now).rawValue, "players": game.playerCount,
          "viewers": runner.audience.viewers(at: .now),
        ])
      }
    }
    return secret(ServerStatus.object(about, streams(), games: games))
  }

  /// Ends the games of an account that is deleted or banned.
  private func end(_ call: GameCall, _ change: (Int) -> StoreChange) async throws(Problem) -> Answer {
    let account = try await namedAccount(call)
    try await write([change(account)])
    await directory.endGames(of: account)
    return .noContent
  }

  /// The maximum number of accounts in one answer.
  private static let mostListed = 1_000

  /// The accounts with their unfinished games, starting with one of them; the answer has `next` if there are more.
  private func listAccounts(_ call: GameCall) async throws(Problem) -> Answer {
    let last = try call.number("from", in: 1...1 << 53).map { $0 - 1 } ?? 0
    let games = Dictionary(grouping: directory.all.filter { $0.stored.account != nil && !$0.isEnding }) { $0.stored.account ?? 0 }
    return try await list(call) { (store) throws(StoreError) in
      let accounts = try store.accounts(after: last, most: Self.mostListed + 1)
      let listed = accounts.prefix(Self.mostListed).map { account in
        JSONObject(fields: [
          "account": account.id, "name": account.name, "createdAt": Self.date(account.createdAt), "banned": account.isBanned,
          "games": games[account.id, default: []].map { self.object($0) },
        ])
      }
      return JSONObject(fields: ["accounts": listed]).with("next", accounts.count > Self.mostListed ? accounts.last?.id : nil)
    }
  }

  /// The account that the path of a call names.
  private func namedAccount(_ call: GameCall) async throws(Problem) -> Int {
    let id = call.parts["account"].flatMap { Int($0, in: .counts) } ?? 0
    let account = try await read { (store) throws(StoreError) in try store.account(id) }
    guard account != nil else { throw Problem("account-unknown", .notFound, "there is no such account") }
    return id
  }

  /// Lets a game of an account into the stream, or withdraws that.
  func approve(_ runner: GameRunner, _ isApproved: Bool) async throws(Problem) -> Answer {
    guard runner.stored.account != nil else { throw Problem("not-now", .conflict, "games of the operator need no approval") }
    guard !runner.isEnding, !isApproved || runner.access.approval != .barred else { throw Problem(HostingProblem.ended) }
    do throws(StoreError) { try await directory.approve(runner, isApproved) } catch { throw Problem(error) }
    return Answer(.ok, object(runner))
  }
}
