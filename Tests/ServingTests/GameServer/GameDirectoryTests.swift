import LiveSession
import Basics
import GameHosting
import GameStore
import Questions
import Synchronization
import TestSupport
import Testing

@testable import GameServer

/// Which games are in memory, and which are kept at all.
@Suite struct GameDirectoryTests {
  private let folder: String

  init() throws { folder = try Workshop.newFolder() }

  private static let later = ContinuousClock.now + .seconds(24 * 3_600)

  /// A game that is over leaves the memory, and what is told of it is the same, byte for byte, when it is back.
  @Test func comesBackTheSame() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    var tokens: [String] = []
    for (number, name) in ["Ann", "Ben", "Cem"].enumerated() { tokens.append(await served.join(name, number, game).token) }
    _ = await served.call("POST", "/v1/games/\(game)/commands", #"{"id":"kick","command":"kick","player":2}"#, token: host)
    try await served.play(game, host: host, [(tokens[0], 1), (tokens[1], 0)])
    let paths: [(String, String?)] = [
      ("", nil), ("/board", nil), ("/board/1", nil), ("/board/2", nil), ("/state", nil), ("/me", tokens[0]), ("/record", host),
      ("/players", host),
    ]
    func replies() async -> [ServedGames.Reply] {
      var replies: [ServedGames.Reply] = []
      for (path, token) in paths { replies.append(await served.call("GET", "/v1/games/\(game)\(path)", token: token)) }
      return replies
    }
    let before = await replies()
    #expect(before.allSatisfy { $0.status == 200 } && before[1].object["version"]?.int == 2)
    // Not at once.
    served.directory.dismiss(at: .now)
    #expect(served.directory.all.count == 1)
    served.directory.dismiss(at: Self.later)
    #expect(served.directory.all.isEmpty)
    try await until("nobody is asked for answers any more") { served.directory.writer.sourceCount == 0 }
    #expect(served.directory.answerCounts.recorded == 2)
    #expect(await replies() == before)
    #expect(served.inMemory == [game] && served.directory.answerCounts.recorded == 2)
    // Also by its code, and after a restart, at which it is not read.
    served.directory.dismiss(at: Self.later)
    let code = before[0].object["code"]?.string ?? ""
    #expect(await served.call("GET", "/v1/games?code=\(code.lowercased())") == before[0])
    served.end()
    let again = try ServedGames(folder: folder)
    again.stream.go(to: 30)
    #expect(again.directory.all.isEmpty)
    #expect(await again.call("GET", "/v1/games/\(game)/board/1") == before[2])
    #expect(await again.call("GET", "/v1/games/none").kind == "game-unknown")
    again.end()
  }

  /// A game that is not over stays, and so does one with which somebody has something to do.
  @Test func whoStays() async throws {
    let served = try ServedGames(folder: folder)
    let (open, _) = await served.make()
    let (over, host) = await served.make()
    _ = await served.call("POST", "/v1/games/\(over)/commands", #"{"id":"end","command":"end"}"#, token: host)
    let runner = try #require(served.directory.game(over))
    let listening = runner.feed.listening()
    served.directory.dismiss(at: Self.later)
    #expect(served.inMemory == [open, over])
    listening.end("takeover", JSONObject())
    served.directory.dismiss(at: Self.later)
    #expect(served.inMemory == [open])
    // It is not made a second time.
    let found = try await served.directory.find(over)
    #expect(found === runner && served.inMemory == [open, over])
    served.end()
  }

  /// However many games there were, so many are in memory.
  @Test func bounded() async throws {
    let served = try ServedGames(folder: folder)
    var ids: [String] = []
    for _ in 0..<(GameDirectory.mostFinished + 6) {
      let (game, host) = await served.make()
      _ = await served.call("POST", "/v1/games/\(game)/commands", #"{"id":"end","command":"end"}"#, token: host)
      ids.append(game)
    }
    served.directory.dismiss(at: .now)
    #expect(served.inMemory == Array(ids.suffix(GameDirectory.mostFinished)))
    try await until("their answers are asked for") { served.directory.writer.sourceCount == GameDirectory.mostFinished }
    for id in ids { #expect(await served.call("GET", "/v1/games/\(id)").object["state"]?.string == "ended") }
    #expect(served.directory.all.count <= GameDirectory.mostFinished)
    served.end()
  }

  /// A game in which nothing happens any more is forgotten; one that is to begin later is not, and goes on.
  @Test func forgotten() async throws {
    let time = Mutex<Int64>(0)
    let served = try ServedGames(folder: folder) { time.withLock { $0 } }
    let (idle, _) = await served.make()
    let (planned, _) = await served.make(#","startsAt":"\#(ServedGames.date(inDays: 9))""#)
    let (active, _) = await served.make()
    for game in [idle, planned, active] { #expect(await served.join("Ann", 0, game).status == 201) }
    time.withLock { $0 = 36_000_000 }
    #expect(await served.join("Ben", 1, active).status == 201)
    try await served.directory.forget(before: 1)
    #expect(await served.call("GET", "/v1/games/\(idle)").kind == "game-unknown")
    #expect(served.inMemory == [planned, active])
    #expect(try served.store.game(idle) == nil && served.store.players(of: idle) == [])
    for game in [planned, active] { #expect(await served.join("Cem", 2, game).status == 201) }
    served.end()
  }

  /// Personal data that cannot be forgotten is no secret, and neither is a full disk.
  @Test func failuresAreTold() async throws {
    let (store, log) = (FakeStore(), Log())
    let served = try ServedGames(store, FakeInjector(edge: 5)) { log.add($0) }
    served.directory.writer.start()
    let (game, _) = await served.make()
    #expect(await served.directory.retain(since: 1))
    #expect(log.lines == [])
    store.fail(.full)
    #expect(await !served.directory.retain(since: 1))
    #expect(log.lines.count == 2 && log.lines.contains("nothing can be stored: the disk of the store is full"))
    #expect(log.lines.contains { $0.contains("--retention") && $0.contains("full") })
    let ready = await served.call("GET", "/readyz")
    #expect(ready.status == 503 && ready.text.contains("full"))
    #expect(GameMetrics.text(served.directory).contains("\ncuelight_store_full 1\n"))
    #expect(await served.join("Ann", 0, game).status == 503)
    store.fail(nil)
    try await served.directory.writer.write([])
    #expect(await served.call("GET", "/readyz").status == 200)
    #expect(GameMetrics.text(served.directory).contains("\ncuelight_store_full 0\n"))
    served.end()
  }

  /// A game that cannot be read again stands still: the operator hears of it once, and `/readyz` tells.
  @Test func readingFailuresAreTold() async throws {
    let (store, log) = (FakeStore(), Log())
    let served = try ServedGames(store, FakeInjector(edge: 5)) { log.add($0) }
    served.directory.writer.start()
    let (game, _) = await served.make()
    store.fail(.unavailable("a moment"))
    store.failReading(.foreign("the game is damaged"))
    #expect(await served.join("Ann", 0, game).status == 503)
    store.fail(nil)
    for _ in 0..<3 {
      served.directory.game(game)?.tick()
      try await served.settle()
    }
    #expect(log.lines.filter { $0.hasPrefix(game) } == ["\(game): the game cannot be read, and stands still: the game is damaged"])
    #expect(await served.call("GET", "/readyz").text.contains("the game \(game) cannot be read: the game is damaged"))
    store.failReading(nil)
    served.directory.game(game)?.tick()
    try await served.settle()
    #expect(log.lines.last { $0.hasPrefix(game) } == "\(game): the game goes on")
    #expect(await served.call("GET", "/readyz").status == 200)
    #expect(await served.join("Ann", 0, game).status == 201)
    served.end()
  }

  /// While a game may be about to be forgotten nothing happens in it; where it stays, everything goes on.
  @Test func atRest() async throws {
    let served = try ServedGames(folder: folder)
    let (game, _) = await served.make()
    let runner = try #require(served.directory.game(game))
    await runner.keeper.rest()
    #expect(await served.join("Ann", 0, game).kind == "overloaded")
    runner.keeper.wake()
    #expect(await served.join("Ann", 0, game).status == 201)
    served.end()
  }
}
