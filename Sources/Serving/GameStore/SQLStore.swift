import Foundation
import GameHosting

/// A store in an SQL database: implements the queries for any such database.
protocol SQLStore: GameStore {
  associatedtype Row: SQLRow

  /// Returns the rows of a statement. It may be performed twice.
  func rows(_ statement: SQLStatement, _ values: [(any SQLValue)?]) throws(StoreError) -> [Row]
  /// Returns the rows of a list until they have a size, which is the first value, and whether there are more.
  func part(of list: SQLStatement, size: Int, _ values: [(any SQLValue)?]) throws(StoreError) -> (rows: [Row], hasMore: Bool)
}

extension SQLStore {
  private func rows(_ statement: SQLStatement, _ values: (any SQLValue)?...) throws(StoreError) -> [Row] { try rows(statement, values) }

  /// - Parameter cursor: The element after which the page begins.
  private func page<Element>(
    _ list: SQLStatement, size: Int, _ values: [(any SQLValue)?], _ element: (Row) -> Element, cursor: (Element) -> StoreCursor
  ) throws(StoreError) -> StorePage<Element> {
    let (rows, hasMore) = try part(of: list, size: max(size, 1), values)
    let elements = rows.map(element)
    return StorePage(elements, next: hasMore ? elements.last.map(cursor) : nil)
  }

  package func unfinishedGames() throws(StoreError) -> [StoredGame] { try rows(.unfinishedGames).map { StoredGame($0) } }

  package func game(_ id: String) throws(StoreError) -> StoredGame? { try rows(.game, id).first.map { StoredGame($0) } }

  package func game(code: String) throws(StoreError) -> StoredGame? { try rows(.gameOfCode, code).first.map { StoredGame($0) } }

  package func games() throws(StoreError) -> [StoredGame] { try rows(.games).map { StoredGame($0) } }

  package func idleGames(since moment: Int64) throws(StoreError) -> [String] { try rows(.idleGames, moment).map { $0.text(0) } }

  package func records(of game: String) throws(StoreError) -> [HostingRecord] {
    try rows(.records, game).map { (row) throws(StoreError) in try HostingRecord(stored: row.text(0), of: game) }
  }

  package func players(of game: String) throws(StoreError) -> [StoredPlayer] { try rows(.players, game).map { StoredPlayer($0) } }

  package func batches(of game: String, after number: Int, size: Int) throws(StoreError) -> [StoredBatch] {
    try part(of: .batches, size: max(size, 1), [game, number]).rows.map { StoredBatch($0) }
  }

  package func account(named name: String) throws(StoreError) -> StoredAccount? {
    try rows(.accountOfName, name).first.map { StoredAccount($0) }
  }

  package func account(_ id: Int) throws(StoreError) -> StoredAccount? { try rows(.account, id).first.map { StoredAccount($0) } }

  package func accounts(after id: Int, most: Int) throws(StoreError) -> [StoredAccount] {
    try rows(.accounts, id, most).map { StoredAccount($0) }
  }

  package func quizCount(of account: Int) throws(StoreError) -> Int { try rows(.quizCount, account).first?.number(0) ?? 0 }

  package func quizTitles(of account: Int) throws(StoreError) -> [QuizTitle] {
    try rows(.quizTitles, account).map { QuizTitle(id: $0.text(0), title: $0.text(1), createdAt: Int64($0.number(2))) }
  }

  package func quiz(_ id: String) throws(StoreError) -> StoredQuiz? { try rows(.quiz, id).first.map { StoredQuiz($0) } }

  package func quizzes(of account: Int, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredQuiz> {
    try page(.quizzes, size: size, [account, cursor?.number ?? .min, cursor?.id ?? ""]) {
      StoredQuiz($0)
    } cursor: {
      StoreCursor(number: $0.createdAt, id: $0.id)
    }
  }

  package func results(of account: Int?, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredResult> {
    let place: [(any SQLValue)?] = [cursor.map { 0 &- $0.number } ?? .min, cursor?.id ?? ""]
    return try page(account == nil ? .resultsOfOperator : .results, size: size, place + (account.map { [$0] } ?? [])) {
      StoredResult($0)
    } cursor: {
      StoreCursor(number: $0.endedAt, id: $0.game)
    }
  }

  package func result(of game: String) throws(StoreError) -> StoredResult? { try rows(.result, game).first.map { StoredResult($0) } }

  package func contacts(of game: String, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredContact> {
    try page(.contacts, size: size, [game, cursor?.number ?? -1]) {
      StoredContact($0)
    } cursor: {
      StoreCursor(number: Int64($0.player))
    }
  }

  package func contact(of player: Int, in game: String) throws(StoreError) -> StoredContact? {
    try rows(.contact, game, player).first.map { StoredContact($0) }
  }

  package func isRevoked(session: String) throws(StoreError) -> Bool { try !rows(.revoked, session).isEmpty }
}
