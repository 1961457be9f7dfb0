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

  /// What a store tells once it tells enough: what others do in the same server meanwhile, in whichever database, holds it back.
  private func news(_ store: PostgreSQLStore, after place: Int64, _ isEnough: @escaping @Sendable (StoreNews) -> Bool) async throws
    -> StoreNews
  {
    try await until("the news are told") { (try? store.news(after: place)).map(isEnough) ?? false }
    return try store.news(after: place)
  }

  private static let game = StoredGame(
    id: "a", code: "CODE", title: "Title", account: nil, rules: "{}", quiz: "{\"questions\":[]}", createdAt: 1)

  private static func batch(_ player: UInt32, _ question: UInt32) -> [UInt8] {
    AnswerBatch.encode([PackedAnswer(player: player, question: question, answer: 1, time: .zero)])
  }

  private static func joining(_ nickname: String, _ key: String, most: Int = 100) -> JoiningPlayer {
    JoiningPlayer(game: "a", nickname: nickname, key: key, joinedAt: MediaTime(ticks: 5), most: most)
  }

  /// What is finished is told once, in order, to whoever asks from where they have come to.
  @Test func news() async throws {
    let (first, second) = (try open(), try open())
    let start = try second.place()
    try first.apply([.game(Self.game), .record(game: "a", .command(id: "1"))])
    #expect(try second.join([Self.joining("Ann", "k1")]) == [.joined(0)])
    try first.apply([.answers(game: "a", Self.batch(0, 0))])
    try first.apply([.record(game: "a", .command(id: "2"))])
    let news = try await self.news(second, after: start) { $0.entries.count == 3 }
    #expect(news.games == [Self.game] && news.place > start)
    #expect(
      news.entries == [
        .init(game: "a", event: .record(number: 1, .command(id: "1"))),
        .init(game: "a", event: .answers(StoredBatch(number: 1, answers: Self.batch(0, 0)))),
        .init(game: "a", event: .record(number: 2, .command(id: "2"))),
      ])
    #expect(news.players.map(\.player) == [StoredPlayer(player: 0, nickname: "Ann", key: "k1", joinedAt: MediaTime(ticks: 5))])
    let later = try second.news(after: news.place)
    #expect(later.entries == [] && later.games == [] && later.players.isEmpty)
    // Somebody else's access to a game is news, too.
    try first.apply([.hostGeneration(game: "a", 4)])
    let renewed = try await self.news(second, after: later.place) { !$0.games.isEmpty }
    #expect(renewed.games.map(\.hostGeneration) == [4])
  }

  /// A player who changes is news again, and the ones who have joined since are not held up by it.
  @Test func changedPlayers() async throws {
    let (first, second) = (try open(), try open())
    try first.apply([.game(Self.game)])
    let start = try second.place()
    var joining = Self.joining("Ann", "k1")
    joining.team = "Reds"
    #expect(try first.join([joining, Self.joining("Ben", "k2")]) == [.joined(0), .joined(1)])
    let all = try await news(second, after: start) { $0.players.count == 2 }
    #expect(all.players.map(\.player.team) == ["Reds", nil])
    var ann = all.players[0].player
    (ann.nickname, ann.team) = ("Anna", "Blues")
    try second.change(ann, of: "a")
    let changed = try await news(first, after: all.place) { !$0.players.isEmpty }
    #expect(changed.players.map(\.player) == [ann])
    #expect(try await news(first, after: start) { !$0.players.isEmpty }.players.map(\.player.nickname) == ["Anna", "Ben"])
    // Nobody gets a nickname that is taken, and the old one is free.
    ann.nickname = "b e n"
    #expect(throws: StoreError.exists) { try first.change(ann, of: "a") }
    #expect(try first.join([Self.joining("Anna", "k3"), Self.joining("Ann", "k4")]) == [.nicknameTaken, .joined(2)])
    #expect(try first.players(of: "a").map(\.nickname) == ["Anna", "Ben", "Ann"])
  }

  /// A value that the database cannot keep is refused by itself, and says nothing of the store.
  @Test func unfitValues() throws {
    let store = try open()
    for (change, isRefused) in [
      (StoreChange.removeQuiz("a\0b"), true), (.revoke(session: "\0", until: 1), true), (.removeQuiz("a"), false),
    ] {
      var failure: StoreError?
      do throws(StoreError) { try store.apply([change]) } catch { failure = error }
      #expect(failure?.isRefusal == (isRefused ? true : nil), "\(String(describing: failure))")
    }
    var failure: StoreError?
    do throws(StoreError) { _ = try store.game("\0") } catch { failure = error }
    #expect(failure?.isRefusal == true)
    try store.apply([.game(Self.game)])
    #expect(try store.game("a") == Self.game)
    try store.check()
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
          for case .answers(let batch) in news.entries.map(\.event) { answers += try AnswerBatch.decode(batch.answers.span).map(\.player) }
        }
        let sent: [UInt32] = [0, 1_000, 2_000].flatMap { (first: UInt32) in first..<first + 40 }
        #expect(answers.sorted() == sent)
        #expect(players == Array(0..<30))
      }
      try await group.waitForAll()
    }
  }

  /// Who was away for long hears of everything piece by piece, and of a transaction at once.
  @Test func aLongAbsence() throws {
    let (writer, reader) = (try open(), try PostgreSQLStore(address: address, newsSize: 100))
    let start = try reader.place()
    try writer.apply([.game(Self.game)])
    for number in 0..<20 { try writer.apply([.answers(game: "a", Self.batch(UInt32(number), 0)), .answers(game: "b", Self.batch(0, 0))]) }
    var (place, answers, pieces) = (start, [UInt32](), 0)
    while true {
      let news = try reader.news(after: place)
      pieces += 1
      #expect(news.entries.count { $0.game == "a" } == news.entries.count { $0.game == "b" } && news.entries.count <= 6)
      for case .answers(let batch) in news.entries.filter({ $0.game == "a" }).map(\.event) {
        answers += try AnswerBatch.decode(batch.answers.span).map(\.player)
      }
      place = news.place
      if !news.hasMore, answers.count >= 20 { break }
      try #require(pieces < 10_000)
    }
    #expect(answers == Array(0..<20) && pieces >= 7)
    #expect(try reader.news(after: place).entries == [])
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

  /// Where the rules end entry, nobody new joins once a question is decided, whatever a node knows of it; who has joined before stays the same player.
  @Test func entryEnds() throws {
    let (first, second) = (try open(), try open())
    func joining(_ nickname: String, _ key: String, endsEntry: Bool = true) -> JoiningPlayer {
      JoiningPlayer(game: "a", nickname: nickname, key: key, joinedAt: nil, most: 100, endsEntry: endsEntry)
    }
    try first.apply([.game(Self.game), .record(game: "a", .asked(SampleGame.guid("q"), question: 0))])
    #expect(try second.join([joining("Ann", "k1")]) == [.joined(0)])
    try first.apply([.record(game: "a", .decided(SampleGame.guid("r"), question: 0, cue: JSONObject()))])
    #expect(
      try second.join([joining("Ben", "k2"), joining("Ann", "k1"), joining("Cem", "k3", endsEntry: false)])
        == [.entryClosed, .known(0), .joined(1)])
  }

  /// A batch that is tried again is there once, in its place, also when its question was closed meanwhile.
  @Test func aBatchThatIsTriedAgain() throws {
    let store = try open()
    let server = try #require(PostgreSQLServer.shared)
    func add(_ name: String) -> String? {
      server.sql("SELECT cuelight.add_answers('a', ARRAY[0]::bigint[], '\\x01', '\(name)')", in: address)
    }
    for name in ["one", "two", "one"] { _ = add(name) }
    _ = try store.lead()
    try store.close(question: 0, of: "a")
    for name in ["one", "three"] { _ = add(name) }
    #expect(try store.batches(of: "a", after: 0, size: 100).map(\.number) == [1, 2])
  }

  /// A player who joins costs the same however many there are: what is looked for is found in an index, also while the server has not counted yet what
  /// new tables hold.
  @Test func joiningStaysCheap() async throws {
    let (store, count) = (try open(), 600)
    try store.apply([.game(Self.game)])
    for start in stride(from: 0, to: count, by: 100) {
      #expect(
        try store.join((start..<start + 100).map { Self.joining("Player \($0)", "key \($0)", most: count) })
          == (start..<start + 100).map { .joined($0) })
    }
    let server = try #require(PostgreSQLServer.shared)
    let figures = { @Sendable [address] (select: String) -> Int? in
      let text = server.sql("SELECT \(select) WHERE schemaname = 'cuelight' AND relname IN ('player', 'look')", in: address)
      return text.flatMap { Int($0.filter { $0.isNumber }) }
    }
    // The server tells what a connection has read only once that one does something more.
    try await until("the server tells of all who have joined") {
      _ = try? store.join([Self.joining("Player 0", "key 0")])
      return (figures("sum(n_tup_ins) FROM pg_stat_user_tables") ?? 0) >= 2 * count
    }
    let read = try #require(figures("sum(idx_tup_read + idx_tup_fetch) FROM pg_stat_user_indexes"))
    #expect(read < 20 * count, "\(read) rows were read for \(count) who have joined")
  }

  /// A question closes for all nodes at once, and whoever closes it has all answers to it.
  @Test func closing() throws {
    let (first, second) = (try open(), try open())
    try first.apply([.game(Self.game)])
    let place = try first.place()
    try second.apply([.answers(game: "a", Self.batch(1, 0))])
    try first.close(question: 0, of: "a")
    let batch = StoredBatch(number: 1, answers: Self.batch(1, 0))
    #expect(try first.unfinishedNews(after: place).entries == [.init(game: "a", event: .answers(batch))])
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
  @Test func requests() async throws {
    let (first, second) = (try open(), try open())
    let request = StoreRequest(id: "r1", game: "a", text: "{\"x\":1}")
    let place = try first.place()
    try first.ask(request)
    try first.ask(request)
    #expect(try second.openRequests() == [request])
    try second.apply([.record(game: "a", .command(id: "1")), .outcome(request: "r1", "{}")])
    #expect(try second.openRequests() == [])
    let news = try await self.news(first, after: place) { $0.entries.count == 1 }
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

  /// With TLS, a certificate that is looked at, and a password, which no message repeats.
  @Test(.enabled(if: PostgreSQLServer.secure != nil, "needs openssl")) func encrypted() throws {
    let server = try #require(PostgreSQLServer.secure)
    let certificate = try #require(server.certificate)
    func open(_ options: String, password: String? = PostgreSQLServer.password) throws -> PostgreSQLStore {
      try PostgreSQLStore(address: "postgresql://cuelight@localhost:\(server.port)/postgres?\(options)", password: password)
    }
    let store = try open("sslmode=verify-full&sslrootcert=\(certificate)")
    try store.apply([.game(Self.game)])
    #expect(try store.games() == [Self.game])
    // Neither without TLS, nor with somebody else's certificate, nor with another password.
    for (options, password) in [
      ("sslmode=disable", PostgreSQLServer.password), ("sslmode=verify-full&sslrootcert=/dev/null", PostgreSQLServer.password),
      ("sslmode=require", "another-secret"), ("sslmode=require", nil),
    ] {
      let error = #expect(throws: StoreError.self) { try open(options, password: password) }
      guard case .unavailable(let reason)? = error else { return #expect(Bool(false), "\(options): \(String(describing: error))") }
      #expect(!reason.contains("secret") && !reason.contains(PostgreSQLServer.password), "\(reason)")
    }
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
