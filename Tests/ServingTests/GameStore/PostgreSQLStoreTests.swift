import AnswerIntake
import Basics
import GameEvents
import GameHosting
import GameStore
import TestSupport
import Testing

/// What many nodes need of PostgreSQL; `GameStoreTests` have what holds of every store.
@Suite(.enabled(if: PostgreSQLServer.shared != nil, "needs PostgreSQL's server (Debian: postgresql)")) struct PostgreSQLStoreTests {
  private let address: String

  init() throws { address = try #require(PostgreSQLServer.shared).newDatabase() }

  private func open() throws -> PostgreSQLStore { try PostgreSQLStore(address: address, patience: .seconds(2)) }

  private static let game = StoredGame(
    id: "a", code: "CODE", title: "Title", account: nil, rules: "{}", quiz: "{\"questions\":[]}", createdAt: 1)

  private static func batch(_ player: UInt32, _ question: UInt32) -> [UInt8] {
    AnswerBatch.encode([PackedAnswer(player: player, question: question, answer: 1, time: .zero)])
  }

  private static func joining(_ nickname: String, _ key: String, most: Int = 100) -> JoiningPlayer {
    JoiningPlayer(game: "a", nickname: nickname, key: key, joinedAt: MediaTime(ticks: 5), most: most)
  }

  /// What is finished is told once, in order, to whoever asks from where they have come to.
  @Test func news() throws {
    let (first, second) = (try open(), try open())
    let start = try second.place()
    try first.apply([.game(Self.game), .record(game: "a", .command(id: "1"))])
    #expect(try second.join([Self.joining("Ann", "k1")]) == [.joined(0)])
    try first.apply([.answers(game: "a", Self.batch(0, 0))])
    try first.apply([.record(game: "a", .command(id: "2"))])
    let news = try second.news(after: start)
    #expect(news.games == [Self.game] && news.place > start && news.underway == 0)
    #expect(
      news.entries == [
        .init(game: "a", event: .record(number: 1, .command(id: "1"))), .init(game: "a", event: .answers(Self.batch(0, 0))),
        .init(game: "a", event: .record(number: 2, .command(id: "2"))),
      ])
    #expect(news.players.map(\.player) == [StoredPlayer(player: 0, nickname: "Ann", key: "k1", joinedAt: MediaTime(ticks: 5))])
    let later = try second.news(after: news.place)
    #expect(later.entries == [] && later.games == [] && later.players.isEmpty)
    // Somebody else's access to a game is news, too.
    try first.apply([.hostGeneration(game: "a", 4)])
    #expect(try second.news(after: later.place).games.map(\.hostGeneration) == [4])
  }

  /// What is not finished is not passed over: it is told once it is.
  @Test func nothingIsPassedOver() async throws {
    let stores = [try open(), try open(), try open()]
    let start = try stores[0].place()
    try stores[0].apply([.game(Self.game)])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, store) in stores.enumerated() {
        group.addTask {
          for number in 0..<40 {
            if number % 4 == 0 { _ = try store.join([Self.joining("P\(index)x\(number)", "\(index) \(number)")]) }
            try store.apply([.answers(game: "a", Self.batch(UInt32(index * 1_000 + number), 0))])
          }
        }
      }
      group.addTask {
        let reader = try open()
        var (place, answers, players) = (start, [UInt32](), [Int]())
        for _ in 0..<20_000 where answers.count < 120 || players.count < 30 {
          let news = try reader.news(after: place)
          place = news.place
          players += news.players.map(\.player.player)
          for case .answers(let bytes) in news.entries.map(\.event) { answers += try AnswerBatch.decode(bytes.span).map(\.player) }
        }
        #expect(answers.sorted() == (0..<3).flatMap { index in (0..<40).map { UInt32(index * 1_000 + $0) } })
        #expect(players == Array(0..<30))
      }
      try await group.waitForAll()
    }
  }

  /// Numbers and nicknames are those of one game, whichever node players come to.
  @Test func joining() throws {
    let (first, second) = (try open(), try open())
    #expect(try first.join([Self.joining("Ann", "k1")]) == [.gone])
    try first.apply([.game(Self.game)])
    #expect(try first.join([Self.joining("Ann", "k1"), Self.joining("Ben", "k2")]) == [.joined(0), .joined(1)])
    // One that looks like another's is taken, also by somebody who comes together with it.
    #expect(
      try second.join([Self.joining("ANN", "k3"), Self.joining("Cem", "k3"), Self.joining("C\u{E9}m", "k4"), Self.joining("Ann", "k1")])
        == [.nicknameTaken, .joined(2), .nicknameTaken, .known(0)])
    #expect(try first.join([Self.joining("Dan", "k5", most: 3), Self.joining("Dan", "k5", most: 4)]) == [.full, .joined(3)])
    // Who has left has left the name free.
    try first.apply([.removePlayer(RemovedPlayer(game: "a", player: 0, nickname: "Ann", mark: ".", result: nil))])
    #expect(try second.join([Self.joining("Ann", "k1")]) == [.joined(4)])
    #expect(try first.players(of: "a").map(\.nickname) == [".", "Ben", "Cem", "Dan", "Ann"])
  }

  /// A question closes for all nodes at once, and whoever closes it has all answers to it.
  @Test func closing() throws {
    let (first, second) = (try open(), try open())
    try first.apply([.game(Self.game)])
    let place = try first.place()
    try second.apply([.answers(game: "a", Self.batch(1, 0))])
    try first.close(question: 0, of: "a")
    #expect(try first.unfinishedNews(after: place).entries == [.init(game: "a", event: .answers(Self.batch(1, 0)))])
    for store in [first, second] {
      #expect(throws: StoreError.closed) { try store.apply([.answers(game: "a", Self.batch(2, 0))]) }
      try store.apply([.answers(game: "a", Self.batch(2, 1))])
    }
    // The same again is closed already, and another game's question is its own.
    try second.close(question: 0, of: "a")
    try second.apply([.answers(game: "b", Self.batch(2, 0))])
  }

  /// One leads, until it goes.
  @Test func leading() async throws {
    let (second, third) = (try open(), try open())
    do {
      let first = try open()
      #expect(try first.leadNumber == nil && first.lead() == 1 && first.leadNumber == 1)
      #expect(try first.lead() == 1 && second.lead() == nil && second.leadNumber == nil)
      first.standDown()
      #expect(first.leadNumber == nil)
    }
    try await until("somebody else leads") { (try? second.lead()) == 1 }
    // From then on only the one that leads writes what happens in games that are there.
    for store in [third, second] { store.requireLead() }
    try third.apply([.game(Self.game), .record(game: "a", .command(id: "1"))])
    #expect(throws: StoreError.unavailable("another node leads")) { try third.apply([.record(game: "a", .command(id: "2"))]) }
    #expect(throws: StoreError.unavailable("another node leads")) { try third.close(question: 0, of: "a") }
    try second.apply([.record(game: "a", .command(id: "2"))])
    // What the server ends is lost.
    let server = try #require(PostgreSQLServer.shared)
    let name = try #require(address.split(separator: "/").last)
    _ = server.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)' AND application_name = 'cuelight main'",
      in: "postgres")
    #expect(throws: StoreError.self) { try second.apply([.record(game: "a", .command(id: "3"))]) }
    #expect(second.leadNumber == nil)
    try await until("it leads again") { (try? second.lead()) == 2 }
  }

  /// Answers wait for a server, and are stored once it is there again, although their connection was cut.
  @Test func patience() throws {
    let store = try open()
    try store.apply([.answers(game: "a", Self.batch(1, 0))])
    let server = try #require(PostgreSQLServer.shared)
    let name = try #require(address.split(separator: "/").last)
    _ = server.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)' AND pid <> pg_backend_pid()", in: "postgres")
    try store.apply([.answers(game: "a", Self.batch(2, 0))])
    #expect(try store.batches(of: "a", after: 0, size: 100).map(\.answers) == [Self.batch(1, 0), Self.batch(2, 0)])
  }

  /// What one node asks for, another one does.
  @Test func requests() throws {
    let (first, second) = (try open(), try open())
    let request = StoreRequest(id: "r1", game: "a", text: "{\"x\":1}")
    let place = try first.place()
    try first.ask(request)
    try first.ask(request)
    #expect(try second.openRequests() == [request])
    try second.apply([.record(game: "a", .command(id: "1")), .outcome(request: "r1", "{}")])
    #expect(try second.openRequests() == [])
    let news = try first.news(after: place)
    #expect(news.outcomes.map(\.request) == ["r1"] && news.outcomes.map(\.outcome) == ["{}"] && news.entries.count == 1)
    #expect(try second.news(after: place).outcomes.isEmpty)
  }

  @Test func viewersLeasesAndSecrets() throws {
    let (first, second) = (try open(), try open())
    #expect(try first.exchange(viewers: ["a": 3, "b": 1]) == [:])
    #expect(try second.exchange(viewers: ["a": 4]) == ["a": 3, "b": 1])
    #expect(try first.exchange(viewers: ["a": 5]) == ["a": 4])
    #expect(try first.lease("a", to: "s1", milliseconds: 60_000, takesOver: false))
    #expect(try second.lease("a", to: "s1", milliseconds: 60_000, takesOver: false))
    #expect(try !second.lease("a", to: "s2", milliseconds: 60_000, takesOver: false))
    #expect(try second.lease("a", to: "s2", milliseconds: 0, takesOver: true))
    #expect(try first.lease("a", to: "s1", milliseconds: 60_000, takesOver: false))
    try second.endLease(nil, of: "s1")
    #expect(try second.lease("a", to: "s2", milliseconds: 60_000, takesOver: false))
    #expect(try first.secret("key", orNew: "x") == "x" && second.secret("key", orNew: "y") == "x")
    #expect(first.problem() == nil)
  }

  @Test func addresses() throws {
    for (address, reason) in [
      ("postgresql://[", "this is no address of PostgreSQL; write postgresql://USER@HOST:PORT/DATABASE"),
      ("postgresql://u:secret@localhost/x", "a password in the address can be seen by others; put it into PGPASSWORD or a file"),
      ("host=localhost password=secret", "a password in the address can be seen by others; put it into PGPASSWORD or a file"),
    ] {
      #expect(throws: StoreError.address(reason)) { try PostgreSQLStore(address: address) }
    }
    let error = #expect(throws: StoreError.self) { try PostgreSQLStore(address: "postgresql://cuelight@127.0.0.1:1/x") }
    guard case .unavailable(let reason)? = error else { return #expect(Bool(false)) }
    #expect(reason.contains("127.0.0.1"))
  }

  /// A database of a version that comes later is refused, and stays as it is.
  @Test func aNewerVersion() throws {
    try open().apply([.game(Self.game)])
    let server = try #require(PostgreSQLServer.shared)
    _ = server.sql("INSERT INTO cuelight.version VALUES (99)", in: address)
    #expect(throws: StoreError.foreign("a newer version of cuelight-server has made this database; use that one")) { try open() }
    _ = server.sql("DELETE FROM cuelight.version WHERE number = 99", in: address)
    #expect(try open().games() == [Self.game])
  }
}
