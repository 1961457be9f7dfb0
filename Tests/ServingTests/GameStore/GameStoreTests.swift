import AnswerIntake
import Basics
import Foundation
import GameEvents
import GameHosting
import GameStore
import Synchronization
import TestSupport
import Testing

/// Where a store keeps what it has.
enum StorePlace: Sendable, CustomTestStringConvertible {
  case sqlite(folder: String)
  case postgreSQL(address: String)

  /// What a store may be.
  enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite, postgreSQL

    /// Those that there are here.
    static let available = allCases.filter { $0 == .sqlite || PostgreSQLServer.shared != nil }

    var testDescription: String { rawValue }

    /// A place where nothing is.
    func newPlace() throws -> StorePlace {
      switch self {
      case .sqlite: .sqlite(folder: try Workshop.newFolder())
      case .postgreSQL: .postgreSQL(address: try #require(PostgreSQLServer.shared).newDatabase())
      }
    }
  }

  var testDescription: String { if case .sqlite = self { "sqlite" } else { "postgreSQL" } }

  func open(clock: (@Sendable () -> Int64)? = nil) throws(StoreError) -> any GameStore {
    switch self {
    case .sqlite(let folder): try SQLiteStore(folder: folder, clock: clock)
    case .postgreSQL(let address): try PostgreSQLStore(address: address, clock: clock)
    }
  }
}

extension GameStore {
  /// A whole list, which is read one element at a time.
  fileprivate func quizzes(of account: Int) throws -> [StoredQuiz] {
    try whole { (cursor) throws(StoreError) in try quizzes(of: account, after: cursor, size: 1) }
  }

  fileprivate func results(of account: Int?) throws -> [StoredResult] {
    try whole { (cursor) throws(StoreError) in try results(of: account, after: cursor, size: 1) }
  }

  fileprivate func contacts(of game: String) throws -> [StoredContact] {
    try whole { (cursor) throws(StoreError) in try contacts(of: game, after: cursor, size: 1) }
  }

  private func whole<Element>(_ page: (StoreCursor?) throws(StoreError) -> StorePage<Element>) throws -> [Element] {
    var elements: [Element] = []
    try each(page) { elements.append($0) }
    return elements
  }
}

/// What holds of every store. Where PostgreSQL's server is not installed, only SQLite is tested, and `PostgreSQLStoreTests` say that they are skipped.
@Suite struct GameStoreTests {

  private static func game(_ id: String, code: String? = nil, account: Int? = nil, at createdAt: Int64 = 1_800_000_000_000) -> StoredGame {
    StoredGame(
      id: id, code: code ?? "CODE-\(id)", title: "Title \u{E9} of \(id)", account: account, rules: "{\"delay\":12}",
      quiz: "{\"questions\":[]}",
      createdAt: createdAt)
  }

  private static func player(_ player: Int, _ nickname: String, key: String? = nil, at ticks: Int64? = nil) -> StoredPlayer {
    StoredPlayer(player: player, nickname: nickname, key: key ?? "key \(player)", joinedAt: ticks.map { MediaTime(ticks: $0) })
  }

  /// A player's team is kept with the player; a change is kept, and one of a player of another client changes nothing.
  @Test(arguments: StorePlace.Kind.available) func teams(kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    var (ann, ben) = (Self.player(0, "Ann"), Self.player(1, "Ben"))
    ann.team = "Reds"
    do {
      let store = try place.open()
      try store.apply([.game(Self.game("a")), .player(game: "a", ann), .player(game: "a", ben)])
      #expect(try store.players(of: "a") == [ann, ben])
      (ann.nickname, ann.team, ben.team) = ("Anna", nil, "Blues")
      try store.apply([.changePlayer(game: "a", ann), .changePlayer(game: "a", ben)])
      try store.apply([.changePlayer(game: "a", StoredPlayer(player: 0, nickname: "Eve", key: "another", joinedAt: nil))])
      #expect(try store.players(of: "a") == [ann, ben])
    }
    let again = try place.open()
    #expect(try again.players(of: "a") == [ann, ben])
    try again.apply([.removePlayer(RemovedPlayer(game: "a", player: 1, nickname: "Ben", mark: "-", result: nil))])
    #expect(try again.players(of: "a") == [ann, StoredPlayer(player: 1, nickname: "-", key: "-", joinedAt: nil)])
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

  private func batches(_ store: any GameStore, of game: String) throws -> [[UInt8]] {
    var batches: [[UInt8]] = []
    try store.batches(of: game) { batches.append($0.answers) }
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

  private func contents(_ store: any GameStore) throws -> Contents {
    let (games, accounts) = (["a", "b", "c", "d"], 1...4)
    return Contents(
      games: try games.compactMap { try store.game($0) }, records: try games.map { try store.records(of: $0) },
      players: try games.map { try store.players(of: $0) },
      batches: try games.map { try batches(store, of: $0) }, contacts: try games.map { try store.contacts(of: $0) },
      accounts: try accounts.map { try store.account($0) }, quizzes: try accounts.map { try store.quizzes(of: $0) },
      results: try accounts.map { try store.results(of: $0) }, revoked: try ["s", "t"].map { try store.isRevoked(session: $0) })
  }

  // MARK: Every change

  @Test(arguments: StorePlace.Kind.available) func games(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    let (first, second) = (Self.game("b", at: 5), Self.game("a", account: 7, at: 5))
    let third = Self.game("c", at: 4)
    do {
      let store = try place.open()
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
    let store = try place.open()
    #expect(try store.unfinishedGames().map(\.id) == ["c", "a", "b"])
    // One that is over is there for who asks for it.
    try store.apply([.result(Self.result("a", at: 9)), .hostGeneration(game: "b", 3)])
    #expect(try store.unfinishedGames().map(\.id) == ["c", "b"] && store.game("a")?.id == "a")
    #expect(try store.game("b")?.hostGeneration == 3 && store.game("c")?.hostGeneration == 0)
  }

  @Test(arguments: StorePlace.Kind.available) func players(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    let players = [
      Self.player(0, "Ann"), Self.player(1, "B\u{E9}n \u{1F600}", at: 0), Self.player(2, "a\"b'c", at: 1 << 53),
      Self.player(3, "", at: -1 << 53),
    ]
    do {
      let store = try place.open()
      // In whatever order they come, and another game's are its own.
      try store.apply([2, 0, 3, 1].map { StoreChange.player(game: "a", players[$0]) })
      try store.apply([.player(game: "b", Self.player(0, "Ann", key: "key 0"))])
      for wrong in [Self.player(0, "Cem", key: "new"), Self.player(4, "Cem", key: "key 1")] {
        #expect(throws: StoreError.exists) { try store.apply([.player(game: "a", wrong)]) }
      }
      #expect(try store.players(of: "a") == players && store.players(of: "b").count == 1)
    }
    let store = try place.open()
    #expect(try store.players(of: "a") == players && store.players(of: "c") == [])
  }

  /// What has happened, in order, also what happened twice.
  @Test(arguments: StorePlace.Kind.available) func records(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    do {
      let store = try place.open()
      try store.apply(Self.records.map { StoreChange.record(game: "a", $0) })
      for record in Self.records.reversed() { try store.apply([.record(game: "b", record)]) }
      #expect(try store.records(of: "a") == Self.records && store.records(of: "c") == [])
    }
    let store = try place.open()
    try store.apply([.record(game: "a", .command(id: "later"))])
    #expect(try store.records(of: "a") == Self.records + [.command(id: "later")])
    #expect(try store.records(of: "b") == Array(Self.records.reversed()))
  }

  @Test(arguments: StorePlace.Kind.available) func answers(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    let packed = (UInt32(0)..<100).map { PackedAnswer(player: $0, question: 1, answer: 2, time: MediaTime(ticks: -Int64($0))) }
    let parts = [AnswerBatch.encode(packed[..<1]), AnswerBatch.encode(packed[1...]), [0, 255]]
    do {
      let store = try place.open()
      for part in parts { try store.apply([.answers(game: "a", part)]) }
      try store.apply([.answers(game: "b", [1])])
      #expect(try batches(store, of: "a") == parts)
    }
    let store = try place.open()
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
  @Test(arguments: StorePlace.Kind.available) func accounts(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    func account(_ id: Int, _ name: String) -> StoredAccount { StoredAccount(id: id, name: name, password: "scrypt$\(name)", createdAt: 7) }
    do {
      let store = try place.open()
      try store.apply([.account(account(0, "Ann")), .account(account(99, "B\u{E9}n"))])
      #expect(try store.account(1) == account(1, "Ann"))
      #expect(try store.account(named: "ANN") == account(1, "Ann"))
      #expect(try store.account(named: "B\u{E9}n") == account(2, "B\u{E9}n"))
      #expect(try store.account(3) == nil && store.account(named: "Cem") == nil && store.account(named: "") == nil)
      #expect(throws: StoreError.exists) { try store.apply([.account(account(0, "aNN"))]) }
      try store.apply([.removeAccount(2)])
      #expect(try store.account(2) == nil)
    }
    let store = try place.open()
    try store.apply([.account(account(0, "B\u{E9}n"))])
    let again = try #require(try store.account(named: "B\u{E9}n"))
    #expect(again.id > 2 && again.password == "scrypt$B\u{E9}n")
  }

  @Test(arguments: StorePlace.Kind.available) func quizzes(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    func quiz(_ id: String, _ account: Int, at createdAt: Int64) -> StoredQuiz {
      StoredQuiz(id: id, account: account, title: "T \(id)", text: "{\"questions\":[\"\(id)\"]}", createdAt: createdAt)
    }
    let (first, second, other) = (quiz("z", 1, at: 3), quiz("y", 1, at: 4), quiz("x", 2, at: 1))
    do {
      let store = try place.open()
      try store.apply([.quiz(second), .quiz(first), .quiz(other)])
      #expect(try store.quizzes(of: 1) == [first, second] && store.quizzes(of: 2) == [other] && store.quizzes(of: 3) == [])
      #expect(try store.quizCount(of: 1) == 2 && store.quizCount(of: 2) == 1 && store.quizCount(of: 3) == 0)
      #expect(try store.quiz("y") == second && store.quiz("w") == nil)
      #expect(throws: StoreError.exists) { try store.apply([.quiz(quiz("x", 1, at: 9))]) }
      try store.apply([.removeQuiz("z"), .removeQuiz("none")])
    }
    let store = try place.open()
    #expect(try store.quizzes(of: 1) == [second] && store.quiz("z") == nil)
  }

  /// A long list is read page by page: a page ends with the element that fills it, and the next one begins after it, also among those of one moment.
  @Test(arguments: StorePlace.Kind.available) func pages(_ kind: StorePlace.Kind) throws {
    let store = try kind.newPlace().open()
    let text = "\"\(String(repeating: "x", count: 1_000))\""
    let quizzes = (0..<10).map { StoredQuiz(id: "q\($0)", account: 1, title: "T", text: text, createdAt: $0 < 5 ? 3 : 4) }
    try store.apply(quizzes.map { .quiz($0) })
    let first = try store.quizzes(of: 1, after: nil, size: 3_000)
    #expect(first.elements == Array(quizzes[..<3]) && first.next == StoreCursor(number: 3, id: "q2"))
    let second = try store.quizzes(of: 1, after: first.next, size: 4_000)
    #expect(second.elements == Array(quizzes[3..<7]) && second.next == StoreCursor(number: 4, id: "q6"))
    let last = try store.quizzes(of: 1, after: second.next, size: 4_000)
    #expect(last.elements == Array(quizzes[7...]) && last.next == nil)
    #expect(try store.quizTitles(of: 1).map(\.id) == quizzes.map(\.id) && store.quizTitles(of: 2) == [])
    for text in ["", "x", "5", "-", "x-y", "9007199254740993-a", "9223372036854775808-a", "1-\0"] {
      #expect(StoreCursor(text) == nil, "\(text)")
    }
    for cursor in [StoreCursor(number: -1 << 53, id: ""), StoreCursor(number: 1 << 53, id: "a-b")] {
      // A number below zero begins with the sign that separates.
      #expect(StoreCursor("\(cursor)") == (cursor.number < 0 ? nil : cursor))
      #expect(try store.quizzes(of: 1, after: cursor, size: 1).elements.count == (cursor.number < 0 ? 1 : 0))
      #expect(try store.results(of: 1, after: cursor, size: 1) == StorePage())
      #expect(try store.contacts(of: "a", after: cursor, size: 1) == StorePage())
    }
  }

  /// What the operator says of accounts and games outlives a restart; a ban takes the access of the account's hosts.
  @Test(arguments: StorePlace.Kind.available) func approvals(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    do {
      let store = try place.open()
      for name in ["Ann", "Ben", "Cem"] { try store.apply([.account(StoredAccount(id: 0, name: name, password: "p", createdAt: 1))]) }
      for (id, account) in [("a", 1), ("b", 2), ("c", nil)] as [(String, Int?)] {
        try store.apply([.game(Self.game(id, account: account))])
      }
      #expect(try ["a", "b", "c"].map { try store.game($0)?.approval } == [.open, .open, .open])
      try store.apply([.approval(game: "a", .approved), .approval(game: "b", .approved), .ban(account: 2, true), .ban(account: 3, true)])
      try store.apply([.ban(account: 3, false)])
    }
    let store = try place.open()
    #expect(try ["a", "b", "c"].map { try store.game($0)?.approval } == [.approved, .barred, .open])
    #expect(try ["a", "b", "c"].map { try store.game($0)?.hostGeneration } == [0, 1, 0])
    #expect(try store.accounts(after: 0, most: 9).map(\.isBanned) == [false, true, false])
    #expect(try store.accounts(after: 1, most: 1).map(\.name) == ["Ben"] && store.accounts(after: 3, most: 1) == [])
    // Both go along where games move.
    let target = try StorePlace.Kind.sqlite.newPlace().open()
    _ = try StoreCopy(from: store, to: target)
    #expect(try ["a", "b", "c"].map { try target.game($0)?.approval } == [.approved, .barred, .open])
    #expect(try target.accounts(after: 0, most: 9).map(\.isBanned) == [false, true, false])
  }

  @Test(arguments: StorePlace.Kind.available) func results(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    let (early, late, other) = (Self.result("a", account: 1, at: 5), Self.result("b", account: 1, at: 9), Self.result("c", at: 7))
    do {
      let store = try place.open()
      try store.apply([.result(early), .result(late), .result(other)])
      // The latest first; those of the operator are nobody's.
      #expect(try store.results(of: 1) == [late, early] && store.results(of: 2) == [] && store.results(of: nil) == [other])
      var corrected = early
      (corrected.text, corrected.endedAt) = ("{}", 11)
      try store.apply([.result(corrected)])
      #expect(try store.results(of: 1) == [corrected, late])
    }
    let store = try place.open()
    #expect(try store.results(of: 1).map(\.game) == ["a", "b"])
  }

  @Test(arguments: StorePlace.Kind.available) func contacts(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    func contact(_ game: String, _ player: Int, _ text: String = "{}") -> StoredContact {
      StoredContact(game: game, player: player, text: text, at: 8)
    }
    let store = try place.open()
    try store.apply([.contact(contact("a", 2)), .contact(contact("a", 1)), .contact(contact("b", 1))])
    // Who leaves something again has left that.
    try store.apply([.contact(contact("a", 2, "{\"email\":\"a@example.org\"}"))])
    let again = try place.open()
    #expect(try again.contacts(of: "a") == [contact("a", 1), contact("a", 2, "{\"email\":\"a@example.org\"}")])
    try store.apply([.removeContacts(game: "a")])
    #expect(try again.contacts(of: "a") == [] && again.contacts(of: "b") == [contact("b", 1)])
  }

  @Test(arguments: StorePlace.Kind.available) func sessions(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    let store = try place.open()
    #expect(try !store.isRevoked(session: "s"))
    try store.apply([.revoke(session: "s", until: 5), .revoke(session: "s", until: 9)])
    let again = try place.open()
    #expect(try again.isRevoked(session: "s") && !again.isRevoked(session: "S") && !again.isRevoked(session: ""))
  }

  /// With an account goes what belongs to it, and nothing else.
  @Test(arguments: StorePlace.Kind.available) func removedAccounts(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    let store = try place.open()
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
  @Test(arguments: StorePlace.Kind.available) func allOrNothing(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    let store = try place.open()
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
  @Test(arguments: StorePlace.Kind.available) func manyAtOnce(_ kind: StorePlace.Kind) async throws {
    let place = try kind.newPlace()
    let store = try place.open()
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
  @Test(arguments: StorePlace.Kind.available) func forget(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    let store = try place.open()
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
  @Test(arguments: StorePlace.Kind.available) func forgetIdle(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
    let time = Mutex<Int64>(0)
    let store = try place.open { time.withLock { $0 } }
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
  @Test(arguments: StorePlace.Kind.available) func removedPlayers(_ kind: StorePlace.Kind) throws {
    let place = try kind.newPlace()
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
    func answer(_ player: UInt32, _ answer: UInt32) -> PackedAnswer {
      PackedAnswer(player: player, question: 0, answer: answer, time: MediaTime(seconds: 1))
    }
    let secret = "Secret Name 4711"
    let removed = RemovedPlayer(game: "a", player: 1, nickname: secret, mark: "-", result: "{\"players\":1}")
    let expected: Contents
    do {
      let store = try place.open()
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
    #expect(try contents(try place.open()) == expected)
  }

  /// Answers or records that nobody can read keep a player from being removed by halves: nothing changes, and whoever asks hears of it.
  @Test(arguments: StorePlace.Kind.available) func removalFromDamagedGames(_ kind: StorePlace.Kind) throws {
    let store = try kind.newPlace().open()
    try store.apply([.game(Self.game("a")), .player(game: "a", Self.player(0, "Ann")), .answers(game: "a", [2, 3])])
    let before = try contents(store)
    #expect(try store.batches(of: "a", with: 0).count == 1)
    for batches in [nil, try store.batches(of: "a", with: 0)] {
      #expect(throws: StoreError.foreign("the game a has answers that are damaged")) {
        try store.apply([
          .removePlayer(RemovedPlayer(game: "a", player: 0, nickname: "Ann", mark: "-", result: nil, batches: batches))
        ])
      }
    }
    #expect(try contents(store) == before)
    // It is nothing that the next change minds.
    try store.apply([.removePlayer(RemovedPlayer(game: "a", player: 0, nickname: "Ann", mark: "-", result: nil, batches: []))])
    #expect(try store.players(of: "a").map(\.nickname) == ["-"])
  }

  // MARK: Moving

  /// Everything moves from one store to another, and back; what is there already stays.
  @Test(arguments: StorePlace.Kind.available) func copies(_ kind: StorePlace.Kind) throws {
    let source = try StorePlace.Kind.sqlite.newPlace().open()
    // The numbers of accounts are others there.
    for name in ["Gone", "Ann"] { try source.apply([.account(StoredAccount(id: 0, name: name, password: "p \(name)", createdAt: 1))]) }
    try source.apply([.removeAccount(1), .quiz(StoredQuiz(id: "q", account: 2, title: "T", text: "{}", createdAt: 1))])
    for (id, account) in [("a", nil), ("b", 2)] as [(String, Int?)] {
      var game = Self.game(id, account: account)
      game.hostGeneration = 3
      try source.apply([.game(game), .player(game: id, Self.player(0, "Ann", at: 7)), .player(game: id, Self.player(1, "Ben"))])
      try source.apply(Self.records.map { .record(game: id, $0) })
      for batch in [[1], [0, 255], [UInt8](repeating: 3, count: 2_000_000), [2]] as [[UInt8]] {
        try source.apply([.answers(game: id, batch)])
      }
      try source.apply([.contact(StoredContact(game: id, player: 0, text: "{}", at: 1))])
    }
    try source.apply([.result(Self.result("b", account: 2, at: 5))])
    let target = try kind.newPlace().open()
    #expect(try StoreCopy(from: source, to: target).counts == [2, 1, 1, 0])
    #expect(try StoreCopy(from: source, to: target).counts == [0, 0, 0, 2])
    let back = try StorePlace.Kind.sqlite.newPlace().open()
    #expect(try StoreCopy(from: target, to: back).counts == [2, 1, 1, 0])
    let account = try #require(try back.account(named: "Ann"))
    #expect(account.password == "p Ann")
    #expect(try back.quiz("q")?.account == account.id && back.results(of: account.id).map(\.game) == ["b"])
    for id in ["a", "b"] {
      var game = try #require(try source.game(id))
      if game.account != nil { game.account = account.id }
      #expect(try back.game(id) == game && back.players(of: id) == source.players(of: id) && back.records(of: id) == source.records(of: id))
      #expect(try batches(back, of: id) == batches(source, of: id) && back.contacts(of: id) == source.contacts(of: id))
    }
  }
}

extension StoreCopy {
  fileprivate var counts: [Int] { [games, accounts, quizzes, known.count] }
}
