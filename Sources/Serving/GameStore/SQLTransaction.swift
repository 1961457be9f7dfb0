import AnswerIntake
import Basics
import Foundation
import GameEvents
import GameHosting

/// A transaction of an SQL database, which makes changes.
protocol SQLTransaction: ~Copyable {
  associatedtype Row: SQLRow
  associatedtype Failure: Error

  /// The tables with a column `game`, except `activity` and `result`.
  static var tablesOfGames: [String] { get }
  /// The error that ends the transaction if the store has data that cannot be read.
  static func damage(_ error: StoreError) -> Failure

  mutating func run(_ statement: SQLStatement, _ values: [(any SQLValue)?]) throws(Failure)
  /// Returns the rows of a statement, which runs after those before it.
  mutating func rows(_ statement: SQLStatement, _ values: [(any SQLValue)?]) throws(Failure) -> [Row]
}

extension SQLTransaction where Self: ~Copyable {
  private mutating func run(_ statement: SQLStatement, _ values: (any SQLValue)?...) throws(Failure) { try run(statement, values) }

  /// Stores when something last happened in the changed games, always in the same order.
  mutating func note(_ changes: [StoreChange], at moment: Int64) throws(Failure) {
    for game in Set(changes.compactMap(\.activeGame)).sorted() { try run(.note, game, moment) }
  }

  /// Makes a change.
  mutating func apply(_ change: StoreChange) throws(Failure) {
    switch change {
    case .game(let game):
      try run(
        .addGame, game.id, game.code, game.title, game.account, game.rules, game.quiz, game.createdAt, game.hostGeneration,
        game.approval.rawValue, game.stream)
    case .player(let game, let player):
      try run(.addPlayer, game, player.player, player.nickname, player.key, player.joinedAt?.ticks, player.team)
    case .changePlayer(let game, let player):
      try run(.changePlayer, game, player.player, player.nickname, player.team, player.key)
    case .removePlayer(let removed): try remove(removed)
    case .hostGeneration(let game, let number): try run(.renewHost, number, game)
    case .record(let game, let record):
      try run(.addRecord, game, record.stored)
      try keep(record, game)
    case .answers(let game, let bytes): try run(.addBatch, game, Data(bytes))
    case .account(let account): try run(.addAccount, account.name, account.password, account.createdAt, account.isBanned)
    case .removeAccount(let id):
      try run(.removeAccount, id)
      try run(.removeQuizzes, id)
      try run(.removeContactsOfAccount, id)
      // The results are kept as long as games are, and belong to nobody.
      try run(.moveResults, id, StoredGame.nobody)
      try run(.moveGames, id, StoredGame.nobody)
    case .ban(let id, let isBanned):
      try run(.ban, id, isBanned)
      if isBanned { try run(.barGames, id, StoredGame.Approval.barred.rawValue) }
    case .approval(let game, let approval): try run(.approve, game, approval.rawValue)
    case .quiz(let quiz): try run(.addQuiz, quiz.id, quiz.account, quiz.title, quiz.text, quiz.createdAt)
    case .removeQuiz(let id): try run(.removeQuiz, id)
    case .result(let result): try run(.addResult, result.game, result.account, result.title, result.endedAt, result.text)
    case .contact(let contact): try run(.addContact, contact.game, contact.player, contact.text, contact.at)
    case .removeContacts(let game): try run(.removeContacts, game)
    case .revoke(let session, let until): try run(.revoke, session, until)
    case .forget(let moment):
      try forget(SQLStatement.over, [moment])
      try run(.forget(SQLStatement.over, in: "result"), moment)
      try run(.forgetRevoked, moment / 1_000)
    case .forgetIdle(let games, let moment): for game in games { try forget("\(SQLStatement.idle) AND game = $2", [moment, game]) }
    // Only a shared store has other nodes with requests.
    case .outcome: break
    }
  }

  /// Forgets the selected games, and their players.
  private mutating func forget(_ games: String, _ values: [(any SQLValue)?]) throws(Failure) {
    for table in Self.tablesOfGames { try run(.forget(games, in: table), values) }
    try run(.forget(games, in: "game", column: "id"), values)
    // Deleted last, since the selection may read it.
    try run(.forget(games, in: "activity"), values)
  }

  /// Removes everything of a player but the place in the roster, on which the numbers of the others depend.
  private mutating func remove(_ removed: RemovedPlayer) throws(Failure) {
    let game = removed.game
    try run(.blankPlayer, game, removed.player, removed.mark)
    try run(.removeContact, game, removed.player)
    if let result = removed.result { try run(.changeResult, game, result) }
    var numbers = removed.batches ?? []
    if removed.batches == nil { numbers = try rows(.batchNumbers, [game]).map { $0.number(0) } }
    for number in numbers {
      guard let batch = try rows(.batch, [game, number]).first?.bytes(0) else { continue }
      let left: [UInt8]
      do throws(ParseError) {
        left = try AnswerBatch.removing(UInt32(truncatingIfNeeded: removed.player), from: batch.span)
      } catch {
        throw Self.damage(.damagedAnswers(of: game))
      }
      if left.isEmpty {
        try run(.removeBatch, number)
      } else if left.count < batch.count {
        try run(.changeBatch, number, Data(left))
      }
    }
    for row in try rows(.records, [game]) {
      let record: HostingRecord
      do throws(StoreError) { record = try HostingRecord(stored: row.text(0), of: game) } catch { throw Self.damage(error) }
      let left = record.without(nickname: removed.nickname)
      if left != record { try run(.changeRecord, game, row.number(1), left.stored) }
      try keep(left, game)
    }
  }

  /// Stores final decisions. A different result from the injector replaces the stored one, and so does the same result without the name of a removed
  /// player.
  private mutating func keep(_ record: HostingRecord, _ game: String) throws(Failure) {
    guard let decision = record.decision else { return }
    try run(.decide, game, decision.question, decision.kind, decision.guid.text, decision.cue.text)
  }
}
