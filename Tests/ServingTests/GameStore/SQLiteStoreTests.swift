import AnswerIntake
import Basics
import Foundation
import GameEvents
import GameHosting
import GameStore
import Synchronization
import TestSupport
import Testing

/// Games in a folder.
@Suite struct SQLiteStoreTests {
  private let folder: String

  init() throws { folder = try Workshop.newFolder() }

  private static func game(_ id: String, code: String? = nil, account: Int? = nil, at createdAt: Int64 = 1_800_000_000_000) -> StoredGame {
    StoredGame(
      id: id, code: code ?? "CODE-\(id)", title: "Title \u{E9} of \(id)", account: account, rules: "{\"delay\":12}",
      quiz: "{\"questions\":[]}",
      createdAt: createdAt)
  }

  private static func player(_ player: Int, _ nickname: String, key: String? = nil, at ticks: Int64? = nil) -> StoredPlayer {
    StoredPlayer(player: player, nickname: nickname, key: key ?? "key \(player)", joinedAt: ticks.map { MediaTime(ticks: $0) })
  }

  private static func result(_ game: String, account: Int? = nil, at endedAt: Int64) -> StoredResult {
    StoredResult(game: game, account: account, title: "Title", endedAt: endedAt, text: "{\"players\":3}")
  }

  private static let guid = SampleGame.guid("a \"\u{E9}\" \\")
  private static let cue = JSONObject([.init(key: "event", value: .string("showResults")), .init(key: "x", value: .null)])
  private static let records: [HostingRecord] = [
    .planned(startsAt: 5, entryOpensAt: nil), .started(guid), .asked(guid, question: 0), .placed(guid, at: MediaTime(ticks: -7)),
    .closed(question: 0, at: MediaTime(ticks: 1)), .withdrawn(guid), .kicked(player: 3),
    .decided(guid, question: 0, cue: cue), .placed(guid, at: MediaTime(ticks: 5)), .voided(question: 1), .automatic(true),
    .command(id: "x\0y"),
    .ended(guid, cue: cue),
  ]

  private func batches(_ store: SQLiteStore, of game: String) throws -> [[UInt8]] {
    var batches: [[UInt8]] = []
    try store.batches(of: game) { batches.append($0) }
    return batches
  }

  /// Everything that a store has of some games and accounts.
  private struct Contents: Equatable {
    var games: [StoredGame]
    var records: [[HostingRecord]]
    var players: [[StoredPlayer]]
    var batches: [[[UInt8]]]
    var contacts: [[StoredContact]]
    var accounts: [StoredAccount?]
    var quizzes: [[StoredQuiz]]
    var results: [[StoredResult]]
    var revoked: [Bool]
  }

  private func contents(_ store: SQLiteStore) throws -> Contents {
    let (games, accounts) = (["a", "b", "c", "d"], 1...4)
    return Contents(
      games: try games.compactMap { try store.game($0) }, records: try games.map { try store.records(of: $0) },
      players: try games.map { try store.players(of: $0) },
      batches: try games.map { try batches(store, of: $0) }, contacts: try games.map { try store.contacts(of: $0) },
      accounts: try accounts.map { try store.account($0) }, quizzes: try accounts.map { try store.quizzes(of: $0) },
      results: try accounts.map { try store.results(of: $0) }, revoked: try ["s", "t"].map { try store.isRevoked(session: $0) })
  }

  // MARK: Every change

  @Test func games() throws {
    let (first, second) = (Self.game("b", at: 5), Self.game("a", account: 7, at: 5))
    let third = Self.game("c", at: 4)
    do {
      let store = try SQLiteStore(folder: folder)
      #expect(try store.unfinishedGames() == [])
      for game in [first, second, third] { try store.apply([.game(game)]) }
      // In the order in which they were made.
      #expect(try store.unfinishedGames() == [third, second, first])
      #expect(try store.game("a") == second && store.game(code: "CODE-b") == first)
      #expect(try store.game("z") == nil && store.game(code: "CODE-z") == nil)
      // The same again has another title, other rules and questions, and stays the same game otherwise.
      var changed = second
      (changed.title, changed.rules, changed.quiz) = ("Other", "{}", "[]")
      var foreign = changed
      (foreign.code, foreign.account, foreign.createdAt) = ("NEW", 9, 99)
      try store.apply([.game(foreign)])
      #expect(try store.unfinishedGames() == [third, changed, first])
      // Two games have two codes.
      #expect(throws: StoreError.exists) { try store.apply([.game(Self.game("d", code: "CODE-a"))]) }
    }
    let store = try SQLiteStore(folder: folder)
    #expect(try store.unfinishedGames().map(\.id) == ["c", "a", "b"])
    // One that is over is there for who asks for it.
    try store.apply([.result(Self.result("a", at: 9)), .hostGeneration(game: "b", 3)])
    #expect(try store.unfinishedGames().map(\.id) == ["c", "b"] && store.game("a")?.id == "a")
    #expect(try store.game("b")?.hostGeneration == 3 && store.game("c")?.hostGeneration == 0)
    #expect(try Workshop.entries(folder).contains(SQLiteStore.fileName))
  }

  @Test func players() throws {
    let players = [
      Self.player(0, "Ann"), Self.player(1, "B\u{E9}n \u{1F600}", at: 0), Self.player(2, "a\"b'c", at: .max), Self.player(3, "", at: .min),
    ]
    do {
      let store = try SQLiteStore(folder: folder)
      // In whatever order they come, and another game's are its own.
      try store.apply([2, 0, 3, 1].map { StoreChange.player(game: "a", players[$0]) })
      try store.apply([.player(game: "b", Self.player(0, "Ann", key: "key 0"))])
      for wrong in [Self.player(0, "Cem", key: "new"), Self.player(4, "Cem", key: "key 1")] {
        #expect(throws: StoreError.exists) { try store.apply([.player(game: "a", wrong)]) }
      }
      #expect(try store.players(of: "a") == players && store.players(of: "b").count == 1)
    }
    let store = try SQLiteStore(folder: folder)
    #expect(try store.players(of: "a") == players && store.players(of: "c") == [])
  }

  /// What has happened, in order, also what happened twice.
  @Test func records() throws {
    do {
      let store = try SQLiteStore(folder: folder)
      try store.apply(Self.records.map { StoreChange.record(game: "a", $0) })
      for record in Self.records.reversed() { try store.apply([.record(game: "b", record)]) }
      #expect(try store.records(of: "a") == Self.records && store.records(of: "c") == [])
    }
    let store = try SQLiteStore(folder: folder)
    try store.apply([.record(game: "a", .command(id: "later"))])
    #expect(try store.records(of: "a") == Self.records + [.command(id: "later")])
    #expect(try store.records(of: "b") == Array(Self.records.reversed()))
  }

  @Test func answers() throws {
    let packed = (UInt32(0)..<100).map { PackedAnswer(player: $0, question: 1, answer: 2, time: MediaTime(ticks: -Int64($0))) }
    let parts = [AnswerBatch.encode(packed[..<1]), AnswerBatch.encode(packed[1...]), [0, 255]]
    do {
      let store = try SQLiteStore(folder: folder)
      for part in parts { try store.apply([.answers(game: "a", part)]) }
      try store.apply([.answers(game: "b", [1])])
      #expect(try batches(store, of: "a") == parts)
    }
    let store = try SQLiteStore(folder: folder)
    #expect(try batches(store, of: "a") == parts)
    #expect(try batches(store, of: "b") == [[1]])
    #expect(try batches(store, of: "c") == [])
    // Page by page, and with a batch at least on each.
    let first = try store.batches(of: "a", after: 0, size: 22)
    #expect(first.map(\.answers) == Array(parts[..<2]) && first.map(\.number) == first.map(\.number).sorted())
    let last = try #require(first.last)
    #expect(try store.batches(of: "a", after: last.number, size: 1).map(\.answers) == [parts[2]])
    #expect(try store.batches(of: "a", after: .max, size: 1) == [])
  }

  /// Accounts have numbers that the store gives, and that none has again; names are the same in either case.
  @Test func accounts() throws {
    func account(_ id: Int, _ name: String) -> StoredAccount { StoredAccount(id: id, name: name, password: "scrypt$\(name)", createdAt: 7) }
    do {
      let store = try SQLiteStore(folder: folder)
      try store.apply([.account(account(0, "Ann")), .account(account(99, "B\u{E9}n"))])
      #expect(try store.account(1) == account(1, "Ann"))
      #expect(try store.account(named: "ANN") == account(1, "Ann"))
      #expect(try store.account(named: "B\u{E9}n") == account(2, "B\u{E9}n"))
      #expect(try store.account(3) == nil && store.account(named: "Cem") == nil && store.account(named: "") == nil)
      #expect(throws: StoreError.exists) { try store.apply([.account(account(0, "aNN"))]) }
      try store.apply([.removeAccount(2)])
      #expect(try store.account(2) == nil)
    }
    let store = try SQLiteStore(folder: folder)
    try store.apply([.account(account(0, "B\u{E9}n"))])
    let again = try #require(try store.account(named: "B\u{E9}n"))
    #expect(again.id > 2 && again.password == "scrypt$B\u{E9}n")
  }

  @Test func quizzes() throws {
    func quiz(_ id: String, _ account: Int, at createdAt: Int64) -> StoredQuiz {
      StoredQuiz(id: id, account: account, title: "T \(id)", text: "{\"questions\":[\"\(id)\"]}", createdAt: createdAt)
    }
    let (first, second, other) = (quiz("z", 1, at: 3), quiz("y", 1, at: 4), quiz("x", 2, at: 1))
    do {
      let store = try SQLiteStore(folder: folder)
      try store.apply([.quiz(second), .quiz(first), .quiz(other)])
      #expect(try store.quizzes(of: 1) == [first, second] && store.quizzes(of: 2) == [other] && store.quizzes(of: 3) == [])
      #expect(try store.quizCount(of: 1) == 2 && store.quizCount(of: 2) == 1 && store.quizCount(of: 3) == 0)
      #expect(try store.quiz("y") == second && store.quiz("w") == nil)
      #expect(throws: StoreError.exists) { try store.apply([.quiz(quiz("x", 1, at: 9))]) }
      try store.apply([.removeQuiz("z"), .removeQuiz("none")])
    }
    let store = try SQLiteStore(folder: folder)
    #expect(try store.quizzes(of: 1) == [second] && store.quiz("z") == nil)
  }

  @Test func results() throws {
    let (early, late, other) = (Self.result("a", account: 1, at: 5), Self.result("b", account: 1, at: 9), Self.result("c", at: 7))
    do {
      let store = try SQLiteStore(folder: folder)
      try store.apply([.result(early), .result(late), .result(other)])
      // The latest first; those of the operator are nobody's.
      #expect(try store.results(of: 1) == [late, early] && store.results(of: 2) == [])
      var corrected = early
      (corrected.text, corrected.endedAt) = ("{}", 11)
      try store.apply([.result(corrected)])
      #expect(try store.results(of: 1) == [corrected, late])
    }
    let store = try SQLiteStore(folder: folder)
    #expect(try store.results(of: 1).map(\.game) == ["a", "b"])
  }

  @Test func contacts() throws {
    func contact(_ game: String, _ player: Int, _ text: String = "{}") -> StoredContact {
      StoredContact(game: game, player: player, text: text, at: 8)
    }
    let store = try SQLiteStore(folder: folder)
    try store.apply([.contact(contact("a", 2)), .contact(contact("a", 1)), .contact(contact("b", 1))])
    // Who leaves something again has left that.
    try store.apply([.contact(contact("a", 2, "{\"email\":\"a@example.org\"}"))])
    let again = try SQLiteStore(folder: folder)
    #expect(try again.contacts(of: "a") == [contact("a", 1), contact("a", 2, "{\"email\":\"a@example.org\"}")])
    try store.apply([.removeContacts(game: "a")])
    #expect(try again.contacts(of: "a") == [] && again.contacts(of: "b") == [contact("b", 1)])
  }

  @Test func sessions() throws {
    let store = try SQLiteStore(folder: folder)
    #expect(try !store.isRevoked(session: "s"))
    try store.apply([.revoke(session: "s", until: 5), .revoke(session: "s", until: 9)])
    let again = try SQLiteStore(folder: folder)
    #expect(try again.isRevoked(session: "s") && !again.isRevoked(session: "S") && !again.isRevoked(session: ""))
  }

  /// With an account goes what belongs to it, and nothing else.
  @Test func removedAccounts() throws {
    let store = try SQLiteStore(folder: folder)
    func quiz(_ id: String, _ account: Int) -> StoreChange {
      .quiz(StoredQuiz(id: id, account: account, title: "T", text: "{}", createdAt: 1))
    }
    func contact(_ game: String) -> StoreChange { .contact(StoredContact(game: game, player: 0, text: "{}", at: 1)) }
    for name in ["Ann", "Ben"] { try store.apply([.account(StoredAccount(id: 0, name: name, password: "p", createdAt: 1))]) }
    try store.apply([
      .game(Self.game("a", account: 1)), .game(Self.game("b", account: 2)), .game(Self.game("c")), quiz("q1", 1), quiz("q2", 2),
      contact("a"),
      contact("b"), contact("c"), .result(Self.result("a", account: 1, at: 5)), .result(Self.result("b", account: 2, at: 5)),
    ])
    let before = try contents(store)
    try store.apply([.removeAccount(1)])
    let after = try contents(store)
    #expect(after.accounts == [nil, before.accounts[1], nil, nil])
    #expect(after.quizzes == [[], before.quizzes[1], [], []] && after.results == [[], before.results[1], [], []])
    #expect(after.contacts == [[], before.contacts[1], before.contacts[2], []])
    // What was played stays for a while, and is nobody's: not the operator's either. Who led it leads it no more.
    #expect(after.games.map(\.id) == ["a", "b", "c"] && after.games.map(\.account) == [StoredGame.nobody, 2, nil])
    #expect(after.games.map(\.hostGeneration) == [1, 0, 0])
    try store.apply([.forget(before: 6)])
    #expect(try contents(store).games.map(\.id) == ["c"])
  }

  // MARK: All or nothing

  /// Whichever of the changes breaks a rule: none of them is made, and the store goes on.
  @Test func allOrNothing() throws {
    let store = try SQLiteStore(folder: folder)
    try store.apply([
      .game(Self.game("a")), .player(game: "a", Self.player(0, "Ann")),
      .account(StoredAccount(id: 0, name: "Ann", password: "p", createdAt: 1)),
      .quiz(StoredQuiz(id: "q", account: 1, title: "T", text: "{}", createdAt: 1)),
    ])
    let before = try contents(store)
    let right: [StoreChange] = [
      .game(Self.game("b")), .player(game: "b", Self.player(0, "Ben")), .record(game: "a", .started(Self.guid)),
      .record(game: "a", .decided(Self.guid, question: 0, cue: Self.cue)), .answers(game: "a", [1]),
      .account(StoredAccount(id: 0, name: "Ben", password: "p", createdAt: 1)), .removeQuiz("q"), .removeAccount(1),
      .result(Self.result("a", account: 1, at: 1)), .contact(StoredContact(game: "a", player: 0, text: "{}", at: 1)),
      .revoke(session: "s", until: 9), .forget(before: 1),
    ]
    let wrong: [StoreChange] = [
      .game(Self.game("d", code: "CODE-a")), .player(game: "a", Self.player(0, "Cem", key: "new")),
      .player(game: "a", Self.player(1, "Cem", key: "key 0")),
    ]
    for (index, change) in wrong.enumerated() {
      for place in 0...right.count {
        var changes = right
        changes.insert(change, at: place)
        #expect(throws: StoreError.exists, "change \(index) at \(place)") { try store.apply(changes) }
        #expect(try contents(store) == before, "change \(index) at \(place)")
      }
    }
    try store.apply(right)
    #expect(try contents(store) != before)
    // No changes are none.
    let after = try contents(store)
    try store.apply([])
    #expect(try contents(store) == after)
  }

  /// Many threads may use one store: changes come one after the other, and questions are answered meanwhile.
  @Test func manyAtOnce() async throws {
    let store = try SQLiteStore(folder: folder)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          try store.apply([
            .player(game: "a", StoredPlayer(player: number, nickname: "p", key: "\(number)", joinedAt: nil)),
            .record(game: "a", .command(id: "\(number)")),
          ])
        }
        group.addTask { _ = try store.records(of: "a") }
      }
      try await group.waitForAll()
    }
    let records = try store.records(of: "a")
    #expect(records.count == 40 && Set(records.map { JSONValue.object($0.object).text }).count == 40)
    #expect(try store.players(of: "a").map(\.player) == Array(0..<40))
  }

  // MARK: Forgetting

  /// Games that are over are forgotten with all who played in them; their results, too. Others stay, however old they are.
  @Test func forget() throws {
    let store = try SQLiteStore(folder: folder)
    for (id, endedAt) in [("a", 100_000), ("b", 200_000), ("c", nil), ("d", 199_999)] as [(String, Int64?)] {
      try store.apply([
        .game(Self.game(id, at: 1)), .player(game: id, Self.player(0, "Ann")), .record(game: id, .ended(Self.guid, cue: Self.cue)),
        .answers(game: id, [1]), .contact(StoredContact(game: id, player: 0, text: "{}", at: 1)),
      ])
      if let endedAt { try store.apply([.result(Self.result(id, account: 1, at: endedAt))]) }
    }
    try store.apply([.revoke(session: "s", until: 99), .revoke(session: "t", until: 100)])
    let before = try contents(store)
    try store.apply([.forget(before: 100_000)])
    let same = try contents(store)
    #expect(same.games == before.games && same.results == before.results && same.revoked == [false, true])
    try store.apply([.forget(before: 200_000)])
    let after = try contents(store)
    #expect(after.games.map(\.id) == ["b", "c"] && after.results[0].map(\.game) == ["b"])
    for (index, isKept) in [false, true, true, false].enumerated() {
      #expect(
        after.players[index] == (isKept ? before.players[index] : []) && after.records[index] == (isKept ? before.records[index] : []))
      #expect(after.batches[index] == (isKept ? before.batches[index] : []))
      #expect(after.contacts[index] == (isKept ? before.contacts[index] : []))
    }
    #expect(try store.idleGames(since: .max) == ["c"])
    // Its code is free, and its players may come again.
    try store.apply([.game(Self.game("a")), .player(game: "a", Self.player(0, "Ann"))])
    #expect(try store.records(of: "a") == [])
  }

  /// Games that never ended are forgotten once nothing has happened in them for long enough, and only those that are named.
  @Test func forgetIdle() throws {
    let time = Mutex<Int64>(0)
    let store = try SQLiteStore(folder: folder) { time.withLock { $0 } }
    for id in ["a", "b", "c", "d"] {
      try store.apply([.game(Self.game(id)), .player(game: id, Self.player(0, "Ann")), .answers(game: id, [1])])
    }
    try store.apply([.result(Self.result("d", at: 5))])
    // Something within the hour is not written down; what is, is the last thing that happened.
    for (game, moment) in [("a", 3_599_999), ("b", 3_600_000), ("b", 7_000_000)] as [(String, Int64)] {
      time.withLock { $0 = moment }
      try store.apply([.record(game: game, .command(id: "\(moment)"))])
    }
    #expect(try store.idleGames(since: 0) == [] && store.idleGames(since: 1) == ["a", "c"])
    #expect(try store.idleGames(since: 3_600_000) == ["a", "c"] && store.idleGames(since: 3_600_001) == ["a", "b", "c"])
    // One that something has happened in meanwhile stays, and so does one that is over.
    try store.apply([.forgetIdle(["a", "b", "d"], since: 3_600_000)])
    let after = try contents(store)
    #expect(after.games.map(\.id) == ["b", "c", "d"])
    #expect(after.players.map { $0.count } == [0, 1, 1, 1] && after.batches.map { $0.count } == [0, 1, 1, 1])
    #expect(after.records.map { $0.count } == [0, 2, 0, 0])
    #expect(try store.idleGames(since: .max) == ["b", "c"])
  }

  // MARK: Players who delete what is kept of them

  /// Nothing of the player is left, and everything of the others is.
  @Test func removedPlayers() throws {
    func cue(_ names: [String]) -> JSONObject {
      var cue = JSONObject()
      cue.append("event", "showResults")
      cue.append("winners", names)
      cue.append(
        "leaderboard",
        names.map { name in
          var entry = JSONObject()
          entry.append("nickname", name)
          entry.append("score", 1)
          return entry
        })
      return cue
    }
    func answer(_ player: UInt32, _ answer: UInt8) -> PackedAnswer {
      PackedAnswer(player: player, question: 0, answer: answer, time: MediaTime(seconds: 1))
    }
    let secret = "Secret Name 4711"
    let removed = RemovedPlayer(game: "a", player: 1, nickname: secret, mark: "-", result: "{\"players\":1}")
    let expected: Contents
    do {
      let store = try SQLiteStore(folder: folder)
      for game in ["a", "b"] {
        try store.apply([
          .game(Self.game(game)), .player(game: game, Self.player(0, "Ann")),
          .player(game: game, Self.player(1, secret, key: "key of secret")),
          .answers(game: game, AnswerBatch.encode([answer(0, 1), answer(1, 2)])), .answers(game: game, AnswerBatch.encode([answer(1, 1)])),
          .answers(game: game, AnswerBatch.encode([answer(0, 2)])), .record(game: game, .kicked(player: 7)),
          .record(game: game, .decided(Self.guid, question: 0, cue: cue([secret, "Ann"]))),
          .record(game: game, .ended(Self.guid, cue: cue(["Ann", secret]))),
          .contact(StoredContact(game: game, player: 0, text: "{}", at: 1)),
          .contact(StoredContact(game: game, player: 1, text: "{\"email\":\"\(secret)\"}", at: 1)),
          .result(StoredResult(game: game, account: 5, title: "T", endedAt: 9, text: "{\"winners\":[\"\(secret)\"]}")),
        ])
      }
      let other = try store.players(of: "b")
      try store.apply([.removePlayer(removed), .record(game: "a", .command(id: "x"))])
      #expect(try store.players(of: "a") == [Self.player(0, "Ann"), StoredPlayer(player: 1, nickname: "-", key: "-", joinedAt: nil)])
      #expect(try batches(store, of: "a") == [AnswerBatch.encode([answer(0, 1)]), AnswerBatch.encode([answer(0, 2)])])
      #expect(
        try store.records(of: "a") == [
          .kicked(player: 7), .decided(Self.guid, question: 0, cue: cue(["Ann"])), .ended(Self.guid, cue: cue(["Ann"])), .command(id: "x"),
        ])
      #expect(try store.contacts(of: "a").map { $0.player } == [0] && store.contact(of: 1, in: "a") == nil)
      #expect(
        try store.results(of: 5).first { $0.game == "a" }
          == StoredResult(game: "a", account: 5, title: "T", endedAt: 9, text: "{\"players\":1}"))
      // Another game's player of the same place and name is somebody else.
      #expect(try store.players(of: "b") == other && batches(store, of: "b").count == 3)
      #expect(try store.contact(of: 1, in: "b")?.text == "{\"email\":\"\(secret)\"}")
      // The same again changes nothing.
      let before = try contents(store)
      try store.apply([.removePlayer(removed)])
      expected = try contents(store)
      #expect(expected == before)
    }
    #expect(try contents(try SQLiteStore(folder: folder)) == expected)
  }

  /// The file has nothing of a player any more, not even where the database takes it for free.
  @Test func nothingIsInTheFiles() throws {
    let secret = "Secret Name 4711"
    func isThere() throws -> Bool {
      try ["", "-wal", "-shm"].contains { ending in
        String(decoding: try Workshop.bytes("\(folder)/\(SQLiteStore.fileName)\(ending)"), as: UTF8.self).contains(secret)
      }
    }
    let store = try SQLiteStore(folder: folder)
    let contact = StoreChange.contact(StoredContact(game: "a", player: 0, text: "{\"email\":\"\(secret)\"}", at: 1))
    let changes: [StoreChange] = [
      .removePlayer(RemovedPlayer(game: "a", player: 0, nickname: secret, mark: ".", result: nil)), .removeContacts(game: "a"),
      .removeAccount(1), .forget(before: 10),
    ]
    for (number, change) in changes.enumerated() {
      switch change {
      case .removeAccount: try store.apply([.account(StoredAccount(id: 0, name: secret, password: "p", createdAt: 1))])
      case .removePlayer: try store.apply([.game(Self.game("a")), .player(game: "a", Self.player(0, secret)), contact])
      case .forget:
        try store.apply([
          .game(Self.game("b")), .player(game: "b", Self.player(0, secret)), .result(Self.result("b", at: 5)),
        ])
      default: try store.apply([contact])
      }
      #expect(try isThere(), "\(number)")
      // Also while the server goes on.
      try store.apply([change])
      #expect(try !isThere(), "\(number)")
    }
  }

  // MARK: Folders

  /// What is acknowledged outlives the machine's power.
  @Test func synchronous() throws {
    let store = try SQLiteStore(folder: folder)
    #expect(store.isSynchronous)
    try store.apply([.game(Self.game("a"))])
    #expect(store.isSynchronous)
  }

  private func copy(_ name: String) throws -> String {
    let copy = try Workshop.newFolder() + "/\(name)"
    try FileManager.default.copyItem(atPath: folder, toPath: copy)
    return copy
  }

  /// The files of a folder are a backup, whether or not somebody has it open.
  @Test func backups() throws {
    let open: String
    let expected: Contents
    do {
      let store = try SQLiteStore(folder: folder)
      try store.apply([.game(Self.game("a")), .player(game: "a", Self.player(0, "Ann"))])
      for record in Self.records { try store.apply([.record(game: "a", record)]) }
      for number in UInt8(0)..<50 { try store.apply([.answers(game: "a", [UInt8](repeating: number, count: 5_000))]) }
      open = try copy("open")
      expected = try contents(store)
    }
    let closed = try copy("closed")
    for path in [open, closed] {
      let backup = try SQLiteStore(folder: path)
      #expect(try contents(backup) == expected, "\(path)")
      // It can be gone on with, and the one that it was copied from does not know.
      try backup.apply([.game(Self.game("b"))])
      #expect(try backup.unfinishedGames().count == 2)
    }
    #expect(try SQLiteStore(folder: folder).unfinishedGames().count == 1)
  }

  @Test func foldersThatAreNone() throws {
    for path in [folder + "/none", "/dev/null"] {
      let error = #expect(throws: StoreError.self) { try SQLiteStore(folder: path) }
      guard case .unavailable(let reason)? = error else { return #expect(Bool(false)) }
      #expect(!reason.isEmpty)
    }
    // A file of somebody else stays as it is.
    let text = Array(String(repeating: "this is no database\n", count: 100).utf8)
    try Workshop.write(text, to: "\(folder)/\(SQLiteStore.fileName)")
    let error = #expect(throws: StoreError.self) { try SQLiteStore(folder: folder) }
    guard case .foreign(let reason)? = error else { return #expect(Bool(false)) }
    #expect(reason.hasPrefix("games.sqlite is no database, or is damaged"))
    #expect(try Workshop.bytes("\(folder)/\(SQLiteStore.fileName)") == text)
  }

  static let hasSQLite = Programs.run("sqlite3", ["-version"]) != nil

  private func sqlite(_ statement: String) throws -> String {
    try #require(Programs.run("sqlite3", ["\(folder)/\(SQLiteStore.fileName)", statement]))
  }

  /// The folder of a version that comes later is refused, and stays as it is.
  @Test(.enabled(if: hasSQLite)) func aNewerVersion() throws {
    do {
      let store = try SQLiteStore(folder: folder)
      try store.apply([.game(Self.game("a"))])
    }
    _ = try sqlite("INSERT INTO grdb_migrations (identifier) VALUES ('99'); CREATE TABLE later (x)")
    let before = try sqlite(".dump")
    let error = #expect(throws: StoreError.self) { try SQLiteStore(folder: folder) }
    #expect(error == .foreign("\(folder): a newer version of cuelight-server has made this folder; use that one"))
    #expect(try sqlite(".dump") == before)
    _ = try sqlite("DELETE FROM grdb_migrations WHERE identifier = '99'")
    #expect(try SQLiteStore(folder: folder).unfinishedGames().count == 1)
  }

  /// A folder of the first version is brought up to date, and its games count as if something had happened in them today.
  @Test(.enabled(if: hasSQLite)) func anOlderVersion() throws {
    do { try SQLiteStore(folder: folder).apply([.game(Self.game("a"))]) }
    _ = try sqlite(
      "DROP TABLE activity; ALTER TABLE game DROP COLUMN hostGeneration; DELETE FROM grdb_migrations WHERE identifier = '2'")
    let store = try SQLiteStore(folder: folder)
    #expect(try store.unfinishedGames() == [Self.game("a")])
    // In the year 2001 nothing had happened yet, and by the end of all times nothing will have for long.
    #expect(try store.idleGames(since: 1_000_000_000_000) == [] && store.idleGames(since: .max) == ["a"])
  }

  /// A record that nobody can read is no record that may be passed over: points would be others.
  @Test(.enabled(if: hasSQLite)) func damagedRecords() throws {
    do {
      let store = try SQLiteStore(folder: folder)
      try store.apply([.record(game: "a", .started(Self.guid)), .record(game: "b", .started(Self.guid))])
    }
    for text in ["", "{", "[]", "{\"type\":\"later\"}", "{\"type\":\"started\"}"] {
      _ = try sqlite("UPDATE event SET json = '\(text)' WHERE game = 'a'")
      let store = try SQLiteStore(folder: folder)
      #expect(throws: StoreError.foreign("the game a has a record that is damaged")) { try store.records(of: "a") }
      #expect(try store.records(of: "b") == [.started(Self.guid)])
    }
  }

  /// What was acknowledged is on the disk: the file itself has it, not only this process.
  @Test(.enabled(if: hasSQLite)) func otherProgramsReadIt() throws {
    let store = try SQLiteStore(folder: folder)
    try store.apply([
      .game(Self.game("a")), .record(game: "a", .decided(Self.guid, question: 3, cue: Self.cue)),
      .record(game: "a", .ended(Self.guid, cue: Self.cue)),
    ])
    #expect(try sqlite("SELECT id, code FROM game") == "a|CODE-a\n")
    #expect(try sqlite("SELECT question, kind FROM decision ORDER BY question") == "-1|endGame\n3|showResults\n")
    // What is decided another time takes the place of what was decided before.
    try store.apply([.record(game: "a", .decided(Self.guid, question: 3, cue: JSONObject()))])
    #expect(try sqlite("SELECT json FROM decision WHERE question = 3") == "{}\n")
    #expect(try sqlite("PRAGMA integrity_check") == "ok\n")
    #expect(try store.records(of: "a").count == 3)
  }

  @Test func words() {
    #expect("\(StoreError.exists)" == "this is there already" && "\(StoreError.foreign("no"))" == "no")
    #expect("\(StoreError.unavailable("disk full"))" == "the store cannot be used: disk full")
  }
}
