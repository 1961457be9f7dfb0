import AnswerIntake
import Basics
import Foundation
import GameHosting
import GameStore
import LiveSession
import Scoring
import Synchronization
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

  private var leaders: [ServedGames] { nodes.filter { $0.directory.cluster.isLeading } }

  /// Waits until every node says the same of a game.
  private func agree(_ what: String, _ game: String, _ isSo: @escaping @Sendable (HostedGame, HostedGame.Moment) -> Bool) async throws {
    try await until(what) { [nodes] in
      nodes.allSatisfy { node in node.directory.game(game)?.look { game, now in isSo(game, now) } ?? false }
    }
  }

  /// What a call comes to that is made again where a node says that it cannot be now, as clients do.
  private func call(
    _ node: ServedGames, _ method: String, _ path: String, _ body: String = "", token: String
  ) async throws -> ServedGames.Reply {
    var reply = await node.call(method, path, body, token: token)
    for _ in 0..<20 where reply.status == 503 { reply = await node.call(method, path, body, token: token) }
    return reply
  }

  /// What the operator says on one node of games and accounts of others holds on all.
  @Test func approvalsAndBans() async throws {
    try await until("one leads") { [nodes] in nodes.contains { $0.directory.cluster.isLeading } }
    let account = await nodes[0].call("POST", "/v1/accounts", #"{"name":"Zoe","password":"quite-a-secret"}"#).token
    let (game, host) = await nodes[0].make(token: account)
    try await agree("all know the game", game) { _, _ in true }
    let operatorToken = nodes[0].games.operatorToken()
    #expect(try await call(nodes[1], "POST", "/v1/games/\(game)/approval", token: operatorToken).status == 200)
    try await until("all know that it is approved") { [nodes] in nodes.allSatisfy { $0.directory.next?.stored.id == game } }
    #expect(try await call(nodes[2], "POST", "/v1/games/\(game)/commands", #"{"id":"n","command":"next"}"#, token: host).status == 200)
    try await agree("it has begun on all", game) { game, _ in game.start != nil }
    #expect(try await call(nodes[1], "PUT", "/v1/accounts/1/ban", token: operatorToken).status == 204)
    // The account's own tokens stop at once; those of its hosts once a node knows.
    for node in nodes { #expect(await node.call("GET", "/v1/me", token: account).kind == "forbidden") }
    try await agree("it has ended on all", game) { game, _ in game.end != nil }
    for node in nodes {
      try await until("its host is out") { await node.call("GET", "/v1/games/\(game)/players", token: host).kind == "token-expired" }
    }
    end()
  }

  /// Questions that are changed on any node are the same on all, and are asked in this order; all nodes know which console leads.
  @Test func questionsAndConsoles() async throws {
    try await until("one leads") { [nodes] in nodes.contains { $0.directory.cluster.isLeading } }
    let (game, host) = await nodes[0].make()
    try await agree("all know the game", game) { _, _ in true }
    let content = #"{"question":"Which is blue?","answers":["Earth","Mars"],"correct":"Earth"}"#
    for (index, members) in [
      #""command":"write","content":\#(content)"#, #""command":"write","content":\#(content),"to":0"#, #""command":"skip","question":0"#,
      #""command":"edit","question":1,"content":\#(content.replacing("blue", with: "round"))"#, #""command":"move","question":1,"to":0"#,
    ].enumerated() {
      let reply = try await call(nodes[index % 3], "POST", "/v1/games/\(game)/commands", #"{"id":"\#(index)",\#(members)}"#, token: host)
      #expect(reply.status == 200, "\(reply)")
    }
    try await agree("all have the questions", game) { game, _ in game.upcoming == [1, 2] }
    let lists = await withTaskGroup(of: String.self) { group in
      for node in nodes { group.addTask { await node.call("GET", "/v1/games/\(game)/questions", token: host).text } }
      return await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(lists.count == 1 && lists.first?.contains("Which is round?") == true)
    let asked = try await call(nodes[1], "POST", "/v1/games/\(game)/commands", #"{"id":"n","command":"next"}"#, token: host)
    #expect(asked.status == 200)
    try await agree("the first one is asked", game) { game, _ in game.asked.map(\.quizIndex) == [1] && game.upcoming == [2] }
    // A console that watches on another node is told which one leads, once the nodes have exchanged who does.
    #expect(await nodes[2].call("GET", "/v1/games/\(game)/events?client=two&watch", token: host).status == 200)
    let takes = await nodes[0].call("GET", "/v1/games/\(game)/events?client=one&takeover", token: host)
    #expect(takes.status == 200)
    let runner = try #require(nodes[2].directory.game(game))
    let messages = runner.feed.listen()
    nodes[2].directory.nodes?.exchange()
    #expect(runner.access.leader == "one")
    runner.feed.close()
    for await _ in messages {}
    end()
  }

  /// A game whose calls come to whichever node there is.
  @Test func aGame() async throws {
    try await until("one leads") { [nodes] in nodes.contains { $0.directory.cluster.isLeading } }
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
      let reply = try await call(node, "POST", "/v1/games/\(game)/commands", body, token: host)
      #expect(reply.status == 200, "\(reply)")
    }
    try await agree("the question is asked", game) { game, _ in game.asked.first?.phase == .open }
    // Another console leads nowhere, also with the same token.
    let busy = await nodes[2].call("POST", "/v1/games/\(game)/commands?client=other", #"{"id":"z","command":"end"}"#, token: host)
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
    let (restored, _) = try GameKeeper.restored(
      try #require(nodes[0].directory.game(game)).look { game, _ in game.settings }, from: nodes[0].store)
    #expect(
      restored.boards.first?.leaders.map(\.score)
        == nodes[1].directory.game(game)?.look { game, _ in game.boards.first?.leaders.map(\.score) })
    // Whichever node the host listens to, it tells everything.
    let runners = try nodes.map { try #require($0.directory.game(game)) }
    end()
    var heard: [[String]] = []
    for runner in runners {
      var messages: [String] = []
      for await message in runner.feed.listen(after: 0) where !["counts", ""].contains(message.event) {
        messages.append("\(message.event) \(message.data)")
      }
      heard.append(messages)
    }
    for messages in heard {
      #expect(Set(messages) == Set(heard[0]))
      for name in ["started", "asked", "decision"] { #expect(messages.count { $0.hasPrefix("\(name) ") } == 1, "\(messages)") }
    }
  }

  /// A node that is to end says so, and lets another one lead; until then it does everything else.
  @Test func leaving() async throws {
    try await until("one leads") { [nodes] in nodes.contains { $0.directory.cluster.isLeading } }
    let (game, host) = await nodes[0].make()
    try await agree("all know the game", game) { _, _ in true }
    let old = try #require(leaders.first)
    let ann = await old.join("Ann", 1, game)
    _ = try await call(old, "POST", "/v1/games/\(game)/commands", #"{"id":"ask","command":"next"}"#, token: host)
    try await agree("the question is asked", game) { game, _ in game.asked.first?.phase == .open && game.playerCount == 1 }
    stream.go(to: 8)
    #expect(await old.call("GET", "/readyz").status == 200)
    old.directory.leave()
    let ready = await old.call("GET", "/readyz")
    #expect(ready.status == 503 && ready.text.contains("this server ends"), "\(ready)")
    try await until("another one leads") { [nodes] in
      nodes.contains { $0.directory !== old.directory && $0.directory.cluster.isLeading }
    }
    #expect(await old.answer(1, game, token: ann.token).status == 202)
    #expect(try await call(old, "POST", "/v1/games/\(game)/commands", #"{"id":"close","command":"close"}"#, token: host).status == 200)
    try await agree("all know the answer", game) { game, _ in
      var game = game
      return game.counts(0) == [0, 1]
    }
    end()
  }

  /// A node that has missed a record, as where another one has led before it has noticed, makes the game again from the store.
  @Test func aMissedRecord() async throws {
    try await until("one leads") { [nodes] in nodes.contains { $0.directory.cluster.isLeading } }
    let (game, host) = await nodes[0].make()
    try await agree("all know the game", game) { _, _ in true }
    let other = try #require(nodes.first { !$0.directory.cluster.isLeading })
    let runner = try #require(other.directory.game(game))
    let number = runner.keeper.state.withLock { $0.recordNumber }
    runner.keeper.follow([], [.record(number: number + 2, .automatic(true))])
    try await until("the game is whole") {
      runner.keeper.state.withLock { !$0.isBroken && $0.recordNumber == number && !$0.game.isAutomatic }
    }
    _ = try await call(other, "POST", "/v1/games/\(game)/commands", #"{"id":"ask","command":"next"}"#, token: host)
    try await agree("the question is asked", game) { game, _ in game.asked.first?.phase == .open }
    end()
  }

  /// Every number of `/metrics` is in the page for those who operate nodes.
  @Test func metrics() async throws {
    try await until("one leads") { [nodes] in nodes.contains { $0.directory.cluster.isLeading } }
    try nodes[0].store.apply([])
    let text = GameMetrics.text(nodes[0].directory)
    let names = Set(text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) })
    let file = URL(filePath: #filePath).appending(path: "../../../../Sources/cuelight/cuelight.docc/Nodes.md").standardizedFileURL
    let page = try String(contentsOf: file, encoding: .utf8)
    for name in names { #expect(page.contains("`\(name)`"), "\(name)") }
    #expect(nodes.map { GameMetrics.text($0.directory) }.count { $0.contains("\ncuelight_leading 1\n") } == 1)
    #expect(text.contains("cuelight_store_commit_seconds_bucket{le=\"+Inf\"} 0\n"))
    end()
  }

  /// Each node counts those who watch there, and all say how many there are.
  @Test func viewers() async throws {
    let (game, _) = await nodes[0].make()
    try await agree("all know the game", game) { _, _ in true }
    for node in nodes { #expect(await node.call("POST", "/v1/games/\(game)/presence").status == 204) }
    try await until("all count all of them") { [nodes] in
      for node in nodes { node.directory.nodes?.exchange() }
      return nodes.allSatisfy { node in node.directory.game(game)?.audience.viewers(at: .now) == 3 }
    }
    end()
  }

  /// Another node may close a question while answers to it are on their way here: they are refused, and others are taken.
  @Test func closedMeanwhile() async throws {
    try await until("one leads") { [nodes] in nodes.contains { $0.directory.cluster.isLeading } }
    let (game, host) = await nodes[0].make()
    try await agree("all know the game", game) { _, _ in true }
    let ann = await nodes[0].join("Ann", 1, game)
    _ = try await call(nodes[0], "POST", "/v1/games/\(game)/commands", #"{"id":"ask","command":"next"}"#, token: host)
    try await agree("the question is asked", game) { game, _ in game.asked.first?.phase == .open && game.playerCount == 1 }
    stream.go(to: 8)
    try leaders.first?.directory.nodes?.store.close(question: 0, of: game)
    let late = await nodes[1].answer(1, game, token: ann.token)
    #expect(late.status == 409 && late.text.contains("after-reveal"), "\(late)")
    end()
  }

  /// Teams and other nicknames travel as joins do, whichever nodes are called: the database decides who gets a nickname.
  @Test func teams() async throws {
    try await until("one leads") { [nodes] in nodes.contains { $0.directory.cluster.isLeading } }
    let body = #"{"rules":{"delay":2,"teams":"free"},"quiz":\#(ServedGames.quiz)}"#
    let made = await nodes[0].call("POST", "/v1/games", body, token: nodes[0].games.operatorToken())
    let game = made.object["id"]?.string ?? ""
    try await agree("all know the game", game) { _, _ in true }
    #expect(await nodes[1].join("Ann", 1, game, team: "Reds").object["team"]?.string == "Reds")
    #expect(await nodes[2].join("Ben", 2, game, team: "Blues").status == 201)
    try await agree("all know both", game) { game, _ in game.playerCount == 2 && game.team(of: 1) == "Blues" }
    // The nickname of another one is taken on every node, and one that was given up is free on all.
    #expect(await nodes[0].join("Ben", 1, game).kind == "nickname-taken")
    #expect(await nodes[0].join("Anna", 1, game, team: "blues").object["team"]?.string == "Blues")
    try await agree("all know the change", game) { game, _ in
      game.scored.roster.nicknames.map(\.text) == ["Anna", "Ben"] && game.team(of: 0) == "Blues" && game.teams.count == 1
    }
    #expect(await nodes[2].join("Ann", 3, game).status == 201)
    #expect(await nodes[1].join("A nna", 3, game).kind == "nickname-taken")
    try await agree("all know the third", game) { game, _ in game.playerCount == 3 }
    // A node that begins later reads the same.
    let players = try nodes[0].store.players(of: game).map { "\($0.nickname) \($0.team ?? "-")" }
    #expect(players == ["Anna Blues", "Ben Blues", "Ann -"])
    end()
  }

  /// Viewers are counted over all nodes, and a player who leaves is forgotten by all.
  @Test func removal() async throws {
    try await until("one leads") { [nodes] in nodes.contains { $0.directory.cluster.isLeading } }
    let (game, _) = await nodes[0].make()
    try await agree("all know the game", game) { _, _ in true }
    let ann = await nodes[1].join("Ann", 1, game)
    try await agree("all know the player", game) { game, _ in game.playerCount == 1 }
    for node in nodes {
      let reply = try await call(node, "DELETE", "/v1/games/\(game)/players/\(ServedGames.uuid(1))", token: ann.token)
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

extension GameDirectory {
  /// The cluster of many nodes.
  fileprivate var nodes: Nodes? { cluster as? Nodes }
}
