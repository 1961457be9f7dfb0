import Basics
import GameHosting
import Scoring
import TestSupport
import Testing

@testable import GameServer

/// The results of a game as tables for spreadsheets.
@Suite struct GameReportTests {
  private func games(_ body: (ServedGames) async throws -> Void) async throws {
    let games = try ServedGames(folder: try Workshop.newFolder())
    try await body(games)
    games.end()
  }

  private func rows(_ games: ServedGames, _ game: String, host: String, _ query: String = "") async -> [String] {
    let reply = await games.call("GET", "/v1/games/\(game)/results.csv\(query)", token: host)
    #expect(reply.status == 200 && reply.text.unicodeScalars.first == "\u{FEFF}")
    return reply.text.unicodeScalars.dropFirst().split(separator: "\r\n".unicodeScalars.first ?? "\r").map {
      String(String.UnicodeScalarView($0)).replacing("\n", with: "")
    }.filter { !$0.isEmpty }
  }

  /// Ann is right, Ben is wrong, and a player whose name is a formula has not answered.
  @Test func tables() async throws {
    try await games { games in
      let (game, host) = await games.make()
      let ann = await games.join("Ann", 1, game)
      let ben = await games.join("Ben, B.", 2, game)
      _ = await games.join("=1+1", 3, game)
      try await games.ask(game, host: host)
      _ = await games.answer(1, game, token: ann.token)
      _ = await games.answer(0, game, token: ben.token)
      let header = "rank,nickname,points,right,answered,out at question,1: Which is red?,1: right"
      #expect(await rows(games, game, host: host) == [header, "1,'=1+1,0,0,0,,,", "1,Ann,0,0,0,,Mars,", "1,\"Ben, B.\",0,0,0,,Earth,"])
      try await games.finish(game, host: host)
      let points = games.directory.game(game)?.look { game in game.board(game.boards.count)?.leaders.first?.score } ?? 0
      #expect(points > 0)
      #expect(
        await rows(games, game, host: host) == [
          header, "1,Ann,\(points),1,1,,Mars,yes", "2,'=1+1,0,0,0,,,", "2,\"Ben, B.\",0,0,1,,Earth,no",
        ])
      #expect(
        await rows(games, game, host: host, "?of=questions") == [
          "number,question,category,state,right answer,answered,right,right in percent,answer 1,count 1,answer 2,count 2",
          "1,Which is red?,,shown,Mars,2,1,50,Earth,1,Mars,1",
        ])
    }
  }

  /// Only the host gets them, and a table that there is not is refused.
  @Test func refused() async throws {
    try await games { games in
      let (game, host) = await games.make()
      let ann = await games.join("Ann", 1, game)
      #expect(await games.call("GET", "/v1/games/\(game)/results.csv", token: ann.token).status == 403)
      #expect(await games.call("GET", "/v1/games/\(game)/results.csv").status == 401)
      #expect(await games.call("GET", "/v1/games/\(game)/results.csv?of=teams", token: host).kind == "invalid")
    }
  }
}
