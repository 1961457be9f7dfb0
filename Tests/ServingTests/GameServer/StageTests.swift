import Basics
import GameEvents
import GameHosting
import LiveSession
import TestSupport
import Testing

@testable import GameServer

/// What screens are told.
@Suite struct StageTests {
  private func games(_ body: (ServedGames) async throws -> Void) async throws {
    let games = try ServedGames(folder: try Workshop.newFolder())
    try await body(games)
    games.end()
  }

  /// What a screen that begins to listen is told first.
  private func stage(_ games: ServedGames, _ game: String) throws -> JSONObject {
    try #require(games.directory.game(game)?.stage.listen()).first
  }

  private func state(_ stage: JSONObject) -> String? { stage["state"]?.string }

  /// From the lobby to the podium: nothing of a result is there before the result is in the stream.
  @Test func fromTheLobbyToThePodium() async throws {
    try await games { games in
      let (game, host) = await games.make()
      let lobby = try stage(games, game)
      #expect(state(lobby) == "lobby" && lobby["names"]?.array == [] && lobby["title"]?.string == "Quiz" && lobby["question"] == .null)
      #expect(lobby["code"]?.string?.isEmpty == false && lobby["address"] == .null && lobby["board"] == .null)
      let ann = await games.join("Ann", 1, game)
      let ben = await games.join("Ben", 2, game)
      #expect(try stage(games, game)["names"]?.array == [.string("Ben"), .string("Ann")])

      try await games.ask(game, host: host)
      _ = await games.answer(1, game, token: ann.token)
      let open = try stage(games, game)
      #expect(state(open) == "question" && open["time"]?.object?["whole"]?.int == 10 && open["time"]?.object?["left"]?.int == 7)
      let question = try #require(open["question"]?.object)
      let guid = question["guid"]?.string ?? ""
      let wanted = JSONObject(fields: [
        "guid": guid, "kind": "single", "number": 1, "text": "Which is red?", "answers": ["Earth", "Mars"], "answered": 1, "voided": false,
      ])
      #expect(question == wanted)
      _ = await games.answer(0, game, token: ben.token)
      games.stream.go(to: 16)
      let closed = try stage(games, game)
      #expect(state(closed) == "closed" && closed["question"]?.object?["answered"]?.int == 2 && closed["time"] == nil)
      #expect(closed["question"]?.object?["correctAnswer"] == nil && closed["question"]?.object?["counts"] == nil)

      try await games.finish(game, host: host)
      let podium = try stage(games, game)
      #expect(state(podium) == "podium")
      #expect(podium["winners"]?.array == [.string("Ann")])
      let board = try #require(podium["board"]?.array)
      #expect(board.compactMap { $0.object?["player"]?.string } == ["Ann", "Ben"] && board.first?.object?["rank"]?.int == 1)
    }
  }

  /// Players' pages are told what others have chosen in a live poll while it is open, counted once a second, and in no other question.
  @Test func countsOfALivePoll() async throws {
    try await games { games in
      let quiz = #"{"questions":[{"question":"What next?","kind":"poll","answers":["Music","Films"],"live":true}]}"#
      let made = await games.call("POST", "/v1/games", #"{"rules":{"delay":2},"quiz":\#(quiz)}"#, token: games.games.operatorToken())
      let game = made.object["id"]?.string ?? ""
      let stage = try #require(games.directory.game(game)?.stage)
      let ann = await games.join("Ann", 1, game)
      #expect(stage.liveCounts() == nil)
      try await games.ask(game, host: made.token)
      let start = ContinuousClock.now + .seconds(2)
      #expect(stage.liveCounts(at: start)?.counts == [0, 0])
      _ = await games.answer(1, game, token: ann.token)
      #expect(stage.liveCounts(at: start + .milliseconds(999))?.counts == [0, 0])
      #expect(stage.liveCounts(at: start + .seconds(1))?.counts == [0, 1])
      let question = await games.call("GET", "/v1/games/\(game)/state").object["question"]?.object
      #expect(question?["counts"]?.array?.map(\.int) == [0, 1] && question?["guid"]?.string == stage.liveCounts()?.question.text)
      try await games.finish(game, host: made.token)
      #expect(stage.liveCounts(at: start + .seconds(9)) == nil)

      let (other, host) = await games.make()
      try await games.ask(other, host: host)
      #expect(await games.call("GET", "/v1/games/\(other)/state").object["question"]?.object?["counts"] == nil)
    }
  }

  /// A host is told how many have answered, however many answers each of them has chosen.
  @Test func answeredByPlayers() async throws {
    try await games { games in
      let quiz = #"{"questions":[{"question":"Even?","kind":"multiple","answers":["1","2","4"],"correct":["2","4"]}]}"#
      let made = await games.call("POST", "/v1/games", #"{"rules":{"delay":2},"quiz":\#(quiz)}"#, token: games.games.operatorToken())
      let game = made.object["id"]?.string ?? ""
      let ann = await games.join("Ann", 1, game)
      try await games.ask(game, host: made.token)
      let guid = await games.call("GET", "/v1/games/\(game)/state").object["question"]?.object?["guid"]?.string ?? ""
      _ = await games.call(
        "POST", "/v1/games/\(game)/answers", #"{"answers":[{"question":"\#(guid)","answer":[0,1,2],"at":8}]}"#, token: ann.token)
      let runner = try #require(games.directory.game(game))
      let progress = runner.look { game in GameClock.progress(&game, 0) }
      #expect(progress["answered"]?.int == 1 && progress["counts"]?.array?.map(\.int) == [1, 1, 1])
    }
  }

  /// A screen hears of a change once, and a client beyond the limit is refused.
  @Test func changes() async throws {
    try await games { games in
      let (game, _) = await games.make()
      let runner = try #require(games.directory.game(game))
      let (messages, _, _) = try #require(runner.stage.listen())
      _ = runner.stage.tick()
      var iterator = messages.makeAsyncIterator()
      let first = await iterator.next()
      #expect(first?.event == "stage" && first?.data.contains(#""state":"lobby""#) == true && (first?.id ?? 0) > 0)
      #expect(runner.isAtRest == false)
      var others: [AsyncStream<LiveFeed.Message>] = []
      while let listening = runner.stage.listen() { others.append(listening.messages) }
      #expect(others.count == Stage.mostListeners - 1)
      let refused = await games.call("GET", "/v1/games/\(game)/stage")
      #expect(refused.status == 503 && refused.kind == "overloaded")
    }
  }
}
