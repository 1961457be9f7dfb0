import Basics
import GameEvents
import GameHosting
import GameStore
import TestSupport
import Testing

@testable import GameServer

/// New games of games that are over.
@Suite struct AgainAPITests {
  private func again(_ games: ServedGames, _ game: String, _ token: String?) async -> ServedGames.Reply {
    await games.call("POST", "/v1/games/\(game)/again", token: token)
  }

  /// The same quiz and rules, another identifier, code and GUIDs, and no players; a repeated call gives the same game until it is over, too.
  @Test func again() async throws {
    let games = try ServedGames(folder: try Workshop.newFolder())
    let (game, host) = await games.make(#","title":"Friday""#)
    #expect(await again(games, game, host).kind == "not-now")
    let ann = await games.join("Ann", 1, game)
    try await games.play(game, host: host, [(ann.token, 1)])
    let second = await again(games, game, host)
    #expect(second.status == 201)
    let made = second.object
    let id = made["id"]?.string ?? ""
    #expect(id != game && made["state"]?.string == "lobby" && made["title"]?.string == "Friday" && made["players"]?.int(in: .counts) == 0)
    let (first, next) = (games.directory.game(game)?.stored, games.directory.game(id)?.stored)
    #expect(first?.quiz == next?.quiz && first?.rules == next?.rules && first?.code != next?.code)
    let repeated = await again(games, game, host)
    #expect(repeated.status == 200 && repeated.object["id"] == made["id"])
    // The tokens of the first game lead the new one no more than those of strangers.
    #expect(await games.call("GET", "/v1/games/\(id)/questions", token: host).status == 403)
    #expect(await games.call("GET", "/v1/games/\(id)/me", token: ann.token).status == 403)
    let ben = await games.join("Ann", 2, id)
    try await games.play(id, host: second.token, [(ben.token, 0)])
    func guids(_ game: String) -> [String] { games.directory.game(game)?.look { game in game.asked.map(\.guid.text) } ?? [] }
    #expect(guids(game).count == 1 && guids(id).count == 1 && guids(game) != guids(id))
    let third = await again(games, game, host)
    #expect(third.status == 201 && third.object["id"]?.string != id)
    #expect(await again(games, id, second.token).object["id"] == third.object["id"])
    games.end()
  }

  /// Many calls at once make one game.
  @Test func once() async throws {
    let games = try ServedGames(folder: try Workshop.newFolder())
    let (game, host) = await games.make()
    _ = await games.call("POST", "/v1/games/\(game)/commands", #"{"id":"end","command":"end"}"#, token: host)
    let replies = await withTaskGroup(of: ServedGames.Reply.self) { group in
      for _ in 0..<8 { group.addTask { await self.again(games, game, host) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(
      Set(replies.map { $0.object["id"]?.string ?? $0.text }).count == 1 && replies.allSatisfy { $0.status == 200 || $0.status == 201 })
    #expect(games.inMemory.count == 2)
    games.end()
  }

  /// Players and strangers make none; that of an account belongs to the account, and waits for the operator's approval again.
  @Test func refused() async throws {
    let games = try ServedGames(folder: try Workshop.newFolder())
    let account = await games.call("POST", "/v1/accounts", #"{"name":"quizzer","password":"long-enough-1"}"#)
    let (game, host) = await games.make(token: account.token)
    let ann = await games.join("Ann", 1, game)
    _ = await games.approve(game)
    _ = await games.call("POST", "/v1/games/\(game)/commands", #"{"id":"end","command":"end"}"#, token: host)
    #expect(await again(games, game, ann.token).status == 403)
    #expect(await again(games, game, nil).status == 401)
    let made = await again(games, game, host)
    let id = made.object["id"]?.string ?? ""
    #expect(
      made.object["approved"]?.bool == false && games.directory.game(id)?.stored.account == games.directory.game(game)?.stored.account)
    #expect(await again(games, game, account.token).object["id"]?.string == id)
    games.end()
  }
}
