import Basics
import GameHosting
import Scoring
import Spreadsheets
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

  /// The spreadsheet has both tables; names that are formulas stay texts, and counts are numbers.
  @Test(.enabled(if: (try? Spreadsheet.requireLibraries()) != nil)) func spreadsheet() async throws {
    try await games { games in
      let (game, host) = await games.make()
      let ann = await games.join("Ann", 1, game)
      _ = await games.join("=1+1", 2, game)
      try await games.play(game, host: host, [(ann.token, 1)])
      let stored = try #require(games.directory.game(game)?.look { game in game })
      let sheets = try Spreadsheet.read(try GameReport.spreadsheet(stored), .all)
      #expect(sheets.map(\.name) == ["Players", "Questions"])
      let points = stored.boards.last?.leaders.first?.score ?? 0
      #expect(
        sheets[0].rows.map { $0.cells.map(\.text) } == [
          ["rank", "nickname", "points", "right", "answered", "out at question", "1: Which is red?", "1: right"],
          ["1", "Ann", "\(points)", "1", "1", "Mars", "yes"], ["2", "=1+1", "0", "0", "0"],
        ])
      #expect(
        sheets[1].rows.last?.cells.map(\.text) == ["1", "Which is red?", "shown", "Mars", "1", "1", "100", "Earth", "0", "Mars", "1"])
      #expect(await games.call("GET", "/v1/games/\(game)/results.xlsx", token: host).text.hasPrefix("PK"))
      #expect(await games.call("GET", "/v1/games/\(game)/results.xlsx", token: ann.token).status == 403)
      #expect(await games.call("GET", "/v1/games/\(game)/results.xlsx").status == 401)
    }
  }

  /// In a game with teams, each player's team has a column.
  @Test func teams() async throws {
    try await games { games in
      let body = #"{"rules":{"delay":2,"teams":["Red","Blue"],"teamPoints":"sum"},"quiz":\#(ServedGames.quiz)}"#
      let made = await games.call("POST", "/v1/games", body, token: games.games.operatorToken())
      let (game, host) = (made.object["id"]?.string ?? "", made.token)
      let known = await games.call("GET", "/v1/games/\(game)").object["teams"]?.object
      #expect(known?.text == #"{"names":["Red","Blue"],"points":"sum"}"#)
      let ann = await games.join("Ann", 1, game, team: "red")
      _ = await games.join("Ben", 2, game)
      #expect(await games.join("Cem", 3, game, team: "Green").kind == "team-invalid")
      #expect(ann.object["team"]?.string == "Red")
      try await games.play(game, host: host, [(ann.token, 1)])
      #expect(
        await rows(games, game, host: host) == [
          "rank,nickname,team,points,right,answered,out at question,1: Which is red?,1: right", "1,Ann,Red,1,1,1,,Mars,yes",
          "2,Ben,,0,0,0,,,",
        ])
      let place = #"{"rank":1,"team":"Red","score":1,"players":1}"#
      for board in ["board", "board/1", "board/2"] {
        #expect(await games.call("GET", "/v1/games/\(game)/\(board)").text.contains(#""teams":[\#(place)]"#), "\(board)")
      }
      let me = await games.call("GET", "/v1/games/\(game)/me", token: ann.token)
      #expect(me.text.contains(#""team":"Red","teamPlace":\#(place)"#), "\(me)")
      let kept = await games.call("GET", "/v1/games/\(game)/players/\(ServedGames.uuid(1))", token: ann.token)
      #expect(kept.object["team"]?.string == "Red")
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
