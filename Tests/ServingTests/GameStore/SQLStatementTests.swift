import AnswerIntake
import Basics
import GameEvents
import GameHosting
import Synchronization
import TestSupport
import Testing

@testable import GameStore

/// The statements that both databases take.
@Suite struct SQLStatementTests {
  @Test func words() {
    let statement = SQLStatement("UPDATE game SET host_generation = $1, created_at = $2, tx = tx() WHERE id = $3")
    #expect(statement.sqlite == "UPDATE game SET hostGeneration = ?1, createdAt = ?2 WHERE id = ?3")
    #expect(statement.postgreSQL == "UPDATE game SET host_generation = $1, created_at = $2, tx = tx() WHERE id = $3")
    #expect(SQLStatement.batch.sqlite == "SELECT answers FROM batch WHERE game = ?1 AND id = ?2")
    #expect(SQLStatement.records.sqlite == "SELECT json, event.id FROM event WHERE game = ?1 ORDER BY event.id")
  }

  /// Everything that a store says, but for the numbers of batches, which are each store's own.
  private struct Contents: Equatable {
    var games: [StoredGame]
    var unfinished: [StoredGame]
    var idle: [[String]]
    var records: [[HostingRecord]]
    var players: [[StoredPlayer]]
    var batches: [[[UInt8]]]
    var contacts: [StorePage<StoredContact>]
    var contact: StoredContact?
    var accounts: [StoredAccount]
    var account: [StoredAccount?]
    var titles: [[QuizTitle]]
    var counts: [Int]
    var quizzes: [StorePage<StoredQuiz>]
    var results: [StorePage<StoredResult>]
    var result: StoredResult?
    var revoked: Bool

    init(_ store: any GameStore) throws {
      let (games, owners, size) = (["a", "b", "c"], [1, 2, StoredGame.nobody], 500)
      self.games = try store.games()
      unfinished = try store.unfinishedGames()
      idle = try [0, 36_000_000, Int64.max].map { try store.idleGames(since: $0) }
      records = try games.map { try store.records(of: $0) }
      players = try games.map { try store.players(of: $0) }
      batches = try games.map { try store.batches(of: $0, after: 0, size: .max).map(\.answers) }
      contacts = try games.map { try store.contacts(of: $0, after: StoreCursor(number: 0), size: size) }
      contact = try store.contact(of: 1, in: "a")
      accounts = try store.accounts(after: 1, most: 3)
      account = [try store.account(2), try store.account(named: "ACCOUNT 1"), try store.account(named: "none")]
      titles = try owners.map { try store.quizTitles(of: $0) }
      counts = try owners.map { try store.quizCount(of: $0) }
      quizzes = try owners.map { try store.quizzes(of: $0, after: StoreCursor(number: 1, id: "q1"), size: size) }
      results = try ([nil] + owners).map { try store.results(of: $0, after: StoreCursor(number: 7, id: "a"), size: size) }
      result = try store.result(of: "b")
      revoked = try store.isRevoked(session: "s")
    }
  }

  private static func change(_ number: Int, _ numbers: inout SeededNumbers) -> StoreChange {
    let (game, player) = (["a", "b", "c"][numbers.below(3)], numbers.below(4))
    let (account, moment) = (1 + numbers.below(3), Int64(numbers.below(10)))
    let text = String(repeating: "\u{E9}\"", count: numbers.below(100))
    func cue() -> JSONObject { JSONObject([.init(key: "winners", value: .array([.string("P\(player)")]))]) }
    let guid = SampleGame.guid("x")
    switch numbers.below(22) {
    case 0, 1:
      return .game(
        StoredGame(
          id: game, code: "CODE-\(moment)", title: text, account: player == 0 ? nil : account, rules: "{}", quiz: text, createdAt: moment,
          hostGeneration: player))
    case 2, 3:
      let time = moment < 5 ? nil : MediaTime(ticks: moment)
      return .player(game: game, StoredPlayer(player: player, nickname: "P\(player)", key: "\(moment)", joinedAt: time))
    case 4:
      return .removePlayer(
        RemovedPlayer(game: game, player: player, nickname: "P\(player)", mark: "-\(player)", result: moment < 5 ? nil : "{}"))
    case 5: return .hostGeneration(game: game, player)
    case 6, 7: return .record(game: game, .decided(guid, question: player, cue: cue()))
    case 8: return .record(game: game, .ended(guid, cue: cue()))
    case 9, 10:
      let answers = (0...player).map { PackedAnswer(player: UInt32($0), question: 1, answer: 2, time: MediaTime(ticks: moment)) }
      return .answers(game: game, AnswerBatch.encode(answers))
    case 11: return .account(StoredAccount(id: 0, name: "Account \(number)", password: text, createdAt: moment, isBanned: player == 0))
    case 12: return .removeAccount(account)
    case 13: return .ban(account: account, player != 0)
    case 14: return .approval(game: game, .approved)
    case 15, 16: return .quiz(StoredQuiz(id: "q\(moment)", account: account, title: "T", text: text, createdAt: moment))
    case 17: return .removeQuiz("q\(moment)")
    case 18: return .result(StoredResult(game: game, account: player == 0 ? nil : account, title: "T", endedAt: moment, text: text))
    case 19: return .contact(StoredContact(game: game, player: player, text: text, at: moment))
    case 20: return moment < 5 ? .removeContacts(game: game) : .forgetIdle([game], since: moment * 3_600_000)
    default: return moment < 5 ? .revoke(session: "s", until: moment) : .forget(before: moment - 2)
    }
  }

  /// Whatever is changed, both stores have the same of it, and refuse the same.
  @Test(.enabled(if: PostgreSQLServer.shared != nil, "needs PostgreSQL's server (Debian: postgresql)"), arguments: 0..<UInt64(4))
  func bothSayTheSame(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    // Some time goes by between changes, so that games fall asleep.
    let time = Mutex<Int64>(0)
    let stores = try StorePlace.Kind.allCases.map { try $0.newPlace().open { time.withLock { $0 } } }
    for number in 0..<150 {
      time.withLock { $0 += 1_200_000 }
      var changes = (0...numbers.below(2)).map { Self.change(2 * number + $0, &numbers) }
      // An account that is refused with something else would cost PostgreSQL a number.
      if let account = changes.first(where: { if case .account = $0 { true } else { false } }) { changes = [account] }
      let failures = stores.map { store -> StoreError? in
        do throws(StoreError) {
          try store.apply(changes)
          return nil
        } catch {
          return error
        }
      }
      try #require(failures[0] == failures[1], "\(number): \(changes)")
      if number % 10 == 9 { try #require(try Contents(stores[0]) == Contents(stores[1]), "\(number)") }
    }
  }
}
