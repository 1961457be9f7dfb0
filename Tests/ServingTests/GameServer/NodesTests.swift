import AnswerIntake
import Basics
import GameHosting
import GameStore
import Scoring
import TestSupport
import Testing

@testable import GameServer

/// Several nodes that serve the same games: whatever is called on one of them, all have the same game.
@Suite(.enabled(if: PostgreSQLServer.shared != nil, "needs PostgreSQL's server (Debian: postgresql)")) struct NodesTests {
  private let stream = FakeInjector(edge: 5)
  private let nodes: [ServedGames]

  init() throws {
    let (address, stream) = (try #require(PostgreSQLServer.shared).newDatabase(), stream)
    nodes = try (0..<3).map { _ in try ServedGames(PostgreSQLStore(address: address), stream) }
    for node in nodes { node.directory.start() }
  }

  private func end() { for node in nodes { node.end() } }

  private var leaders: [ServedGames] { nodes.filter { $0.directory.nodes?.isLeading ?? false } }

  /// Waits until every node says the same of a game.
  private func agree(_ what: String, _ game: String, _ isSo: @escaping @Sendable (HostedGame, HostedGame.Moment) -> Bool) async throws {
    try await until(what) { [nodes] in
      nodes.allSatisfy { node in node.directory.game(game)?.look { game, now in isSo(game, now) } ?? false }
    }
  }

  private func state(_ node: ServedGames, _ game: String) async -> JSONObject { await node.call("GET", "/v1/games/\(game)/state").object }

  /// A game whose calls come to whichever node there is.
  @Test func aGame() async throws {
    try await until("one leads") { [nodes] in nodes.contains { $0.directory.nodes?.isLeading ?? false } }
    let (game, host) = await nodes[0].make()
    try await agree("all know the game", game) { _, _ in true }
    // Numbers and nicknames are those of the game.
    let ann = await nodes[0].join("Ann", 1, game)
    let ben = await nodes[1].join("Ben", 2, game)
    #expect(ann.status == 201 && ben.status == 201)
    #expect(Set([ann, ben].compactMap { $0.object["player"]?.int }) == [0, 1])
    let taken = await nodes[2].join("ANN", 3, game)
    #expect(taken.status == 409 && taken.text.contains("nickname-taken"), "\(taken)")
    #expect(await nodes[2].join("Ben", 2, game).status == 200)
    try await agree("all know both", game) { game, _ in game.playerCount == 2 }
    // The host's commands are carried out by whoever leads, and each once.
    let body = #"{"id":"ask","command":"next"}"#
    for node in nodes {
      let reply = await node.call("POST", "/v1/games/\(game)/commands", body, token: host)
      #expect(reply.status == 200, "\(reply)")
    }
    try await agree("the question is asked", game) { game, _ in game.asked.first?.phase == .open }
    // Another host leads nowhere.
    let other = nodes[2].games.operatorToken()
    let busy = await nodes[2].call("POST", "/v1/games/\(game)/commands", #"{"id":"z","command":"end"}"#, token: other)
    #expect(busy.status == 409 && busy.text.contains("host-busy"))
    stream.go(to: 8)
    #expect(await nodes[2].answer(1, game, token: ann.token).status == 202)
    #expect(await nodes[0].answer(0, game, token: ben.token).status == 202)
    try await agree("all know the answers", game) { game, _ in
      var game = game
      return game.counts(0) == [1, 1]
    }
    // Who leads goes, and another one decides.
    let old = try #require(leaders.first)
    old.directory.nodes?.store.standDown()
    stream.go(to: 30)
    try await agree("the result is shown", game) { game, _ in game.boards.count == 1 }
    let boards = await withTaskGroup(of: String.self) { group in
      for node in nodes { group.addTask { await node.call("GET", "/v1/games/\(game)/board").text } }
      return await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(boards.count == 1)
    #expect(Set(stream.puts.filter { $0.cue["event"]?.string == "showResults" }.map(\.cue.text)).count == 1)
    for node in nodes {
      let me = await node.call("GET", "/v1/games/\(game)/me", token: ann.token)
      #expect(me.object["rank"]?.int == 1 && me.object["right"]?.int == 1, "\(me)")
      // Nobody answers any more, wherever they try it.
      #expect(await node.answer(0, game, token: ben.token).status == 409)
    }
    // From the store alone the same game is made.
    let (restored, _) = try GameRunner.restored(
      try #require(nodes[0].directory.game(game)).look { game, _ in game.settings }, from: nodes[0].store)
    #expect(
      restored.boards.first?.leaders.map(\.score)
        == nodes[1].directory.game(game)?.look { game, _ in game.boards.first?.leaders.map(\.score) })
    end()
  }

  /// Another node may close a question while answers to it are on their way here: they are refused, and others are taken.
  @Test func closedMeanwhile() async throws {
    try await until("one leads") { [nodes] in nodes.contains { $0.directory.nodes?.isLeading ?? false } }
    let (game, host) = await nodes[0].make()
    try await agree("all know the game", game) { _, _ in true }
    let ann = await nodes[0].join("Ann", 1, game)
    _ = await nodes[0].call("POST", "/v1/games/\(game)/commands", #"{"id":"ask","command":"next"}"#, token: host)
    try await agree("the question is asked", game) { game, _ in game.asked.first?.phase == .open && game.playerCount == 1 }
    stream.go(to: 8)
    try leaders.first?.directory.nodes?.store.close(question: 0, of: game)
    let late = await nodes[1].answer(1, game, token: ann.token)
    #expect(late.status == 409 && late.text.contains("after-reveal"), "\(late)")
    end()
  }

  /// Viewers are counted over all nodes, and a player who leaves is forgotten by all.
  @Test func removal() async throws {
    try await until("one leads") { [nodes] in nodes.contains { $0.directory.nodes?.isLeading ?? false } }
    let (game, _) = await nodes[0].make()
    try await agree("all know the game", game) { _, _ in true }
    let ann = await nodes[1].join("Ann", 1, game)
    try await agree("all know the player", game) { game, _ in game.playerCount == 1 }
    for node in nodes {
      let reply = await node.call("DELETE", "/v1/games/\(game)/players/\(ServedGames.uuid(1))", token: ann.token)
      #expect(reply.status == 204, "\(reply)")
      try await agree("all have forgotten", game) { game, _ in game.isRemoved(0) && game.playerCount == 0 }
    }
    #expect(await nodes[2].join("Ann", 2, game).status == 201)
    end()
  }
}

extension JSONObject {
  fileprivate var text: String { JSONValue.object(self).text }
}
