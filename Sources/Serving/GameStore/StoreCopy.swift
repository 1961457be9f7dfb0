import Basics
import GameHosting

/// Copies the contents of one store to another one.
package struct StoreCopy: Equatable, Sendable {
  /// The numbers of copied objects.
  package var games = 0
  package var accounts = 0
  package var quizzes = 0
  /// Games that the target had already, which stay as they are.
  package var known: [String] = []

  /// How many bytes of answers are held at a time.
  private static let pageSize = 1 << 20

  /// Copies all accounts, quizzes and games. Accounts with the same name are taken for the same account.
  ///
  /// If it fails halfway, it may be repeated: games that the target has are left out, and a game is copied with everything that belongs to it or not
  /// at all.
  ///
  /// - Throws: ``StoreError``.
  package init(from source: any GameStore, to target: any GameStore) throws(StoreError) {
    // Each store assigns its own numbers to accounts.
    var numbers: [Int: Int] = [:]
    var last = 0
    while case let page = try source.accounts(after: last, most: 1_000), let latest = page.last {
      last = latest.id
      for account in page {
        if try target.account(named: account.name) == nil {
          try target.apply([.account(account)])
          accounts += 1
        }
        guard let made = try target.account(named: account.name) else { throw .unavailable("the account is not there") }
        numbers[account.id] = made.id
        quizzes += try Self.copyQuizzes(of: account.id, to: made.id, source, target)
      }
    }
    for game in try source.games() {
      guard try target.game(game.id) == nil else {
        known.append(game.id)
        continue
      }
      try Self.copy(game, numbers, source, target)
      games += 1
    }
  }

  /// Copies the quizzes of an account that the target does not have; returns how many.
  private static func copyQuizzes(
    of account: Int, to made: Int, _ source: any GameStore, _ target: any GameStore
  ) throws(StoreError) -> Int {
    var count = 0
    try source.each { (cursor) throws(StoreError) in
      try source.quizzes(of: account, after: cursor, size: pageSize)
    } _: { (quiz) throws(StoreError) in
      guard try target.quiz(quiz.id) == nil else { return }
      var quiz = quiz
      quiz.account = made
      try target.apply([.quiz(quiz)])
      count += 1
    }
    return count
  }

  private static func copy(
    _ game: StoredGame, _ numbers: [Int: Int], _ source: any GameStore, _ target: any GameStore
  ) throws(StoreError) {
    var number = 0
    // Answers are copied first, piece by piece: without their game they belong to nobody, and they count once however often they are stored.
    while case let batches = try source.batches(of: game.id, after: number, size: pageSize), let last = batches.last {
      try target.apply(batches.map { .answers(game: game.id, $0.answers) })
      number = last.number
    }
    var made = game
    made.account = game.account.map { numbers[$0] ?? StoredGame.nobody }
    var changes: [StoreChange] = [.game(made)]
    changes += try source.players(of: game.id).map { .player(game: game.id, $0) }
    changes += try source.records(of: game.id).map { .record(game: game.id, $0) }
    try source.each { (cursor) throws(StoreError) in
      try source.contacts(of: game.id, after: cursor, size: pageSize)
    } _: { contact in
      changes.append(.contact(contact))
    }
    if var result = try source.result(of: game.id) {
      result.account = made.account
      changes.append(.result(result))
    }
    try target.apply(changes)
  }
}
