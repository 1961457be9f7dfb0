import AnswerIntake
import Basics
import Foundation
import GameEvents
import GameHosting
import Synchronization
import TestSupport
import Testing

@testable import GameStore

/// What holds of a folder; `GameStoreTests` have what holds of every store.
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

  private static func result(_ game: String, at endedAt: Int64) -> StoredResult {
    StoredResult(game: game, account: nil, title: "Title", endedAt: endedAt, text: "{\"players\":3}")
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

  /// Everything that a store has of the game `a`.
  private struct Contents: Equatable {
    var games: [StoredGame]
    var records: [HostingRecord]
    var players: [StoredPlayer]
    var batches: [StoredBatch]
  }

  private func contents(_ store: SQLiteStore) throws -> Contents {
    Contents(
      games: try store.games(), records: try store.records(of: "a"), players: try store.players(of: "a"),
      batches: try store.batches(of: "a", after: 0, size: .max))
  }

  // MARK: Players who delete what is kept of them

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
      .removeAccount(1), .forget(before: 10), .removeQuiz("q"), .contact(StoredContact(game: "a", player: 0, text: "{}", at: 2)),
    ]
    for (number, change) in changes.enumerated() {
      switch change {
      case .removeAccount: try store.apply([.account(StoredAccount(id: 0, name: secret, password: "p", createdAt: 1))])
      case .removeQuiz: try store.apply([.quiz(StoredQuiz(id: "q", account: 1, title: secret, text: "{}", createdAt: 1))])
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

  // MARK: Failures

  /// A full disk is one, and what is too large for the tables is nothing of the store's.
  @Test func kindsOfFailures() throws {
    #expect(SQLiteStore.error(code: 13, "database or disk is full") == .full)
    let tooLarge = SQLiteStore.error(code: 18, "too big")
    #expect(tooLarge == .unfit("too big") && tooLarge.isRefusal && !StoreError.full.isRefusal)
    let store = try SQLiteStore(folder: folder)
    try store.apply([.game(Self.game("a"))])
    let before = try contents(store)
    try store.check()
    #expect(try contents(store) == before)
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
    let (noObject, damaged) = ("the game a has a record that is no object", "the game a has a record that is damaged")
    for (text, reason) in [
      ("", noObject), ("{", noObject), ("[]", noObject), ("{\"type\":\"later\"}", "\(damaged): \(JSONFieldError("type"))"),
      ("{\"type\":\"started\"}", "\(damaged): \(JSONFieldError("guid"))"),
    ] {
      _ = try sqlite("UPDATE event SET json = '\(text)' WHERE game = 'a'")
      let store = try SQLiteStore(folder: folder)
      #expect(throws: StoreError.foreign(reason)) { try store.records(of: "a") }
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
