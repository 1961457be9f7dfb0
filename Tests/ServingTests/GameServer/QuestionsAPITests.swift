import Basics
import GameHosting
import LiveInterface
import LiveSession
import TestSupport
import Testing
import WebSupport

@testable import GameServer

/// The questions of a game, as its hosts see and change them.
@Suite struct QuestionsAPITests {
  private let folder: String

  init() throws { folder = try Workshop.newFolder() }

  private static let secret = "Which planet is a secret?"
  private static let content = #"{"question":"\#(secret)","answers":["Venus","Pluto of old"],"correct":"Pluto of old"}"#

  /// The numbers of a list.
  private func numbers(_ reply: ServedGames.Reply, _ list: String) -> [Int?]? {
    reply.object[list]?.array?.map { $0.object?["question"]?.int }
  }

  private func command(_ served: ServedGames, _ game: String, _ id: String, _ members: String, token: String) async -> String? {
    let reply = await served.call("POST", "/v1/games/\(game)/commands", #"{"id":"\#(id)",\#(members)}"#, token: token)
    return reply.status == 200 ? nil : reply.text
  }

  /// The host writes, moves and skips questions, and finds them after a restart.
  @Test func changesOutlastARestart() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let path = "/v1/games/\(game)/questions"
    #expect(
      await served.call("GET", path, token: host).text
        == #"{"upcoming":[{"question":0,"content":{"question":"Which is red?","answers":["Earth","Mars"],"correct":"Mars"}}],"skipped":[],"asked":[]}"#
        + "\n")
    #expect(await command(served, game, "w", #""command":"write","content":\#(Self.content),"to":0"#, token: host) == nil)
    #expect(await command(served, game, "w", #""command":"write","content":\#(Self.content),"to":0"#, token: host) == nil)
    #expect(await command(served, game, "x", #""command":"write","content":\#(Self.content)"#, token: host) == nil)
    #expect(await command(served, game, "s", #""command":"skip","question":2"#, token: host) == nil)
    #expect(await command(served, game, "m", #""command":"move","question":0,"to":0"#, token: host) == nil)
    let edit = #""command":"edit","question":0,"content":{"question":"Which is blue?","answers":["Earth","Mars"],"correct":"Earth"}"#
    #expect(await command(served, game, "e", edit, token: host) == nil)
    try await served.ask(game, host: host)
    let reply = await served.call("GET", path, token: host)
    #expect(numbers(reply, "upcoming") == [1] && numbers(reply, "skipped") == [2] && numbers(reply, "asked") == [0])
    #expect(reply.object["asked"]?.array?.first?.object?["content"]?.object?["question"]?.string == "Which is blue?")
    served.end()
    let again = try ServedGames(folder: folder)
    #expect(await again.call("GET", path, token: host) == reply)
    #expect(await command(again, game, "s", #""command":"skip","question":1"#, token: host) == nil)
    #expect(await command(again, game, "y", #""command":"skip","question":0"#, token: host)?.contains("asked already") == true)
    again.end()
  }

  /// Nobody but the hosts of a game learns of a question that was not asked, or of a right answer that was not shown.
  @Test func onlyHostsSeeThem() async throws {
    let served = try ServedGames(folder: folder)
    let account = await served.call("POST", "/v1/accounts", #"{"name":"Zoe","password":"quite-a-secret"}"#).token
    let (game, host) = await served.make(token: account)
    let (_, foreign) = await served.make()
    #expect(await served.approve(game).status == 200)
    let runner = try #require(served.directory.game(game))
    let feed = runner.feed.listen()
    #expect(await command(served, game, "w", #""command":"write","content":\#(Self.content)"#, token: host) == nil)
    let player = await served.join("Ann", 1, game).token
    let path = "/v1/games/\(game)/questions"
    for token in [host, account, served.games.operatorToken()] {
      #expect(await served.call("GET", path, token: token).text.contains(Self.secret))
    }
    #expect(await served.call("GET", path).kind == "unauthorized")
    for token in [player, foreign] { #expect(await served.call("GET", path, token: token).kind == "forbidden") }
    // Whatever else there is to read, while a question is to come and while it takes answers.
    func readAll() async -> [String] {
      var texts: [String] = []
      for call in GameAPI.calls where call.route.method == "GET" && call.role != .host {
        let path = call.route.path.replacing("{game}", with: game).replacing("{uuid}", with: ServedGames.uuid(1)).replacing(
          "{version}", with: "1")
        texts.append(await served.call("GET", path, token: player).text)
      }
      texts.append(runner.look { game, now in game.stage(at: now).text })
      return texts
    }
    for text in await readAll() { #expect(!text.contains("secret") && !text.contains("Pluto"), "\(text)") }
    try await served.ask(game, host: host)
    for text in await readAll() { #expect(!text.contains("secret") && !text.contains("correct"), "\(text)") }
    runner.feed.close()
    for await message in feed { #expect(!message.data.contains("secret") && !message.data.contains("correct"), "\(message)") }
    served.end()
  }

  /// A change that is wrong names its place, and changes nothing.
  @Test func mistakes() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    for (members, pointer) in [
      (#""command":"write""#, "/content"), (#""command":"write","content":{"question":"Which?"}"#, "/content"),
      (#""command":"write","content":\#(Self.content),"to":-1"#, "/to"), (#""command":"move","question":0"#, "/to"),
      (#""command":"move","to":0"#, "/question"), (#""command":"skip","question":7"#, "/question"),
      (#""command":"edit","question":0"#, "/content"), (#""command":"shuffle""#, "/command"),
    ] {
      let reply = await served.call("POST", "/v1/games/\(game)/commands", #"{"id":"\#(members.count)",\#(members)}"#, token: host)
      #expect(reply.kind == "invalid" && reply.object["pointer"]?.string == pointer, "\(reply)")
    }
    #expect(served.directory.game(game)?.look { game in game.upcoming } == [0])
    served.end()
  }

  /// Requests travel to the leading node as they are.
  @Test func requests() throws {
    let content = try #require(try JSONValue(parsing: Self.content).object)
    for members in [
      JSONObject(fields: ["command": "write", "content": content, "to": 3]), JSONObject(fields: ["command": "write", "content": content]),
      JSONObject(fields: ["command": "edit", "question": 1, "content": content]),
      JSONObject(fields: ["command": "move", "question": 1, "to": 0]), JSONObject(fields: ["command": "skip", "question": 1]),
    ] {
      let request = try #require(HostRequest(members.with("id", "i")))
      guard case .command(.questions, id: "i") = request else { throw Failure() }
      #expect(HostRequest(request.object) == request && request.object["content"] == members["content"])
    }
  }

  private struct Failure: Error {}
}
