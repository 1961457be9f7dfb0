import Basics
import GameHosting
import LibPQ
import Synchronization

/// The functions for many nodes.
extension PostgreSQLStore: SharedStore {
  // MARK: Leading

  package var leadNumber: Int? { main.isHolding ? leadCount.load(ordering: .acquiring) : nil }

  @discardableResult
  package func lead() throws(StoreError) -> Int? {
    try Self.attempt { () throws(PostgreSQLError) in
      try main.with { (connection) throws(PostgreSQLError) in
        // A session may take a lock that it has already, and would have to release it as many times.
        let isHeld = main.isHolding
        let text = isHeld ? "SELECT true" : "SELECT pg_try_advisory_lock(hashtextextended('cuelight lead', 0))"
        let leads = try connection.run([PostgreSQLStatement(text)], within: .seconds(2)).first?.first?.bool(0) ?? false
        if leads, !isHeld { leadCount.add(1, ordering: .releasing) }
        // Recorded before another thread gets its turn with the connection.
        main.hold(leads)
      }
    }
    return leadNumber
  }

  package func requireLead() { isFenced.store(true, ordering: .releasing) }

  package func standDown() { main.close() }

  // MARK: Following

  private static let horizon = "pg_snapshot_xmin(pg_current_snapshot())::text::bigint"

  package func place() throws(StoreError) -> Int64 {
    let place = try rows("SELECT \(Self.horizon)", on: following, patience: .seconds(2)).first?.integer(0)
    guard let place else { throw .unavailable("the server gives no place") }
    return place
  }

  package func waitForNews(for time: Duration) throws(StoreError) {
    try Self.attempt { () throws(PostgreSQLError) in
      try listening.with { (connection) throws(PostgreSQLError) in
        if !listening.isHolding {
          _ = try connection.run([PostgreSQLStatement("LISTEN cuelight")], within: PostgreSQLLane.time)
          listening.hold(true)
        }
        _ = try connection.wait(for: time)
      }
    }
  }

  package func news(after place: Int64) throws(StoreError) -> StoreNews { try news(after: place, withUnfinished: false) }

  package func unfinishedNews(after place: Int64) throws(StoreError) -> StoreNews { try news(after: place, withUnfinished: true) }

  /// The end of the finished changes, the end of the changes under way, and the place up to which news is delivered at once: after the change with
  /// which they reach a size.
  private static let bounds = """
    SELECT \(horizon), pg_snapshot_xmax(pg_current_snapshot())::text::bigint, least(
      (SELECT min(tx) FROM batch WHERE tx > (SELECT tx FROM (
        SELECT tx, id, sum(length(answers)) OVER (ORDER BY tx, id) AS size, row_number() OVER (ORDER BY tx, id) AS number FROM (
          SELECT tx, id, answers FROM batch WHERE tx >= $1 ORDER BY tx, id LIMIT $3) AS page) AS sums
        WHERE size >= $2 OR number = $3 ORDER BY tx, id LIMIT 1)),
      (SELECT min(tx) FROM player WHERE tx > (SELECT tx FROM player WHERE tx >= $1 ORDER BY tx OFFSET $3 LIMIT 1)))
    """
  /// The maximum number of batches, and of players, that are delivered at once.
  private static let mostNews: Int64 = 10_000

  private func news(after place: Int64, withUnfinished: Bool) throws(StoreError) -> StoreNews {
    let (node, newsSize) = (node, newsSize)
    let (bounds, results) = try Self.attempt { () throws(PostgreSQLError) in
      try following.with { (connection) throws(PostgreSQLError) in
        // All of these statements see the same snapshot.
        let begun = try connection.run(
          [
            PostgreSQLStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
            PostgreSQLStatement(Self.bounds, [.integer(place), .integer(newsSize), .integer(Self.mostNews)]),
          ], within: .seconds(8))
        guard begun.count == 2, let row = begun[1].first, let horizon = row.integer(0) else {
          throw .statement(code: "CL002", message: "the server gives no place")
        }
        let end = withUnfinished ? Int64.max : min(row.integer(2) ?? horizon, horizon)
        let (changed, range) = ("tx >= $1 AND tx < $2", [PostgreSQLStatement.Value.integer(place), .integer(end)])
        let results = try connection.run(
          [
            PostgreSQLStatement("SELECT \(SQLStatement.gameColumns) FROM game WHERE \(changed) ORDER BY created_at, id", range),
            PostgreSQLStatement(
              "SELECT game, \(SQLStatement.playerColumns) FROM player WHERE \(changed) OR (changed >= $1 AND changed < $2) "
                + "ORDER BY game, player", range),
            PostgreSQLStatement("SELECT game, tx, number, json FROM event WHERE \(changed) ORDER BY tx, game, number", range),
            PostgreSQLStatement("SELECT game, tx, id, answers FROM batch WHERE \(changed) ORDER BY tx, id", range),
            PostgreSQLStatement(
              "SELECT id, outcome FROM request WHERE \(changed) AND node = $3 AND outcome IS NOT NULL", range + [.text(node)]),
            PostgreSQLStatement("COMMIT"),
          ], within: .seconds(8))
        return ((horizon: horizon, end: end, last: row.integer(1) ?? horizon), results)
      }
    }
    guard results.count == 6 else { throw .unavailable("the server tells only a part") }
    var news = StoreNews(place: min(bounds.end, bounds.horizon))
    news.underway = Int(max(bounds.last - bounds.horizon, 0))
    news.hasMore = bounds.end < bounds.horizon
    news.games = results[0].map { StoredGame($0) }
    news.players = results[1].map { ($0.text(0), StoredPlayer($0, from: 1)) }
    news.entries = try Self.merged(records: results[2], batches: results[3])
    news.outcomes = results[4].map { ($0.text(0), $0.text(1)) }
    return news
  }

  /// Records and answers in the order in which they were committed: a result comes after all answers that it counts.
  private static func merged(records: [PostgreSQLRow], batches: [PostgreSQLRow]) throws(StoreError) -> [StoreNews.Entry] {
    var (entries, rest) = ([StoreNews.Entry](), batches[...])
    for row in records {
      while let batch = rest.first, (batch.integer(1) ?? 0) <= (row.integer(1) ?? 0) {
        entries.append(answers(batch))
        rest.removeFirst()
      }
      let record = try HostingRecord(stored: row.text(3), of: row.text(0))
      entries.append(.init(game: row.text(0), event: .record(number: row.number(2), record)))
    }
    return entries + rest.map { answers($0) }
  }

  private static func answers(_ row: PostgreSQLRow) -> StoreNews.Entry {
    StoreNews.Entry(game: row.text(0), event: .answers(StoredBatch(row, from: 2)))
  }

  // MARK: Concurrent changes

  package func join(_ players: [JoiningPlayer]) throws(StoreError) -> [JoinOutcome] {
    // A player who has joined already stays the same player, so that joining may be tried again.
    let results = try transaction(on: joins, patience: patience) { (transaction) throws(PostgreSQLError) -> [[PostgreSQLRow]] in
      // Nothing is written before the locks are taken: the transaction that gets the lock first gives the lower number, and is delivered first.
      let games = Set(players.map(\.game)).sorted()
      for game in games { transaction.add("SELECT pg_advisory_xact_lock(hashtextextended($1, 1))", [.text(game)]) }
      for player in players {
        transaction.add(
          "SELECT join_game($1, $2, $3, $4, $5, $6, $7, $8)",
          [
            .text(player.game), .text(player.nickname), .text(player.key), .texts(PostgreSQLTransaction.looks(of: player.nickname)),
            .init(player.joinedAt?.ticks), .integer(player.most), .init(player.endsEntry), .init(player.team),
          ])
      }
      for game in games { transaction.run(.note, [game, clock()]) }
      transaction.add("NOTIFY cuelight")
      return Array(try transaction.send().dropFirst(1 + games.count).prefix(players.count))
    }
    return results.map { rows in
      switch rows.first?.integer(0) ?? -3 {
      case -1: .nicknameTaken
      case -2: .full
      case -3: .gone
      case -4: .entryClosed
      case let number where number >= 0: .joined(Int(number))
      case let number: .known(Int(-10 - number))
      }
    }
  }

  package func change(_ player: StoredPlayer, of game: String) throws(StoreError) {
    try transaction(on: joins, patience: patience) { (transaction) throws(PostgreSQLError) in
      // The same lock as for joining: changes of one game come one after another, and are delivered in this order.
      transaction.add("SELECT pg_advisory_xact_lock(hashtextextended($1, 1))", [.text(game)])
      try transaction.apply(.changePlayer(game: game, player), batch: "")
      transaction.run(.note, [game, clock()])
      transaction.add("NOTIFY cuelight")
    }
  }

  package func close(question: Int, of game: String) throws(StoreError) {
    try transaction(on: main) { (transaction) throws(PostgreSQLError) in
      try checkLead()
      // A transaction that adds an answer holds the lock until it is committed.
      transaction.add("SELECT pg_advisory_xact_lock(hashtextextended($1, 2))", [.text("\(game)/\(question)")])
      transaction.add("INSERT INTO closed (game, question) VALUES ($1, $2) ON CONFLICT DO NOTHING", [.text(game), .integer(question)])
    }
  }

  /// Prevents changes by a node that has lost the lead: the lead is lost with the connection on which this is asked.
  func checkLead() throws(PostgreSQLError) {
    guard !isFenced.load(ordering: .acquiring) || main.isHolding else { throw .statement(code: "CL002", message: "another node leads") }
  }

  package func exchange(viewers: [String: Int]) throws(StoreError) -> [String: Int] {
    let rows = try transaction(on: joins) { (transaction) throws(PostgreSQLError) in
      for (game, count) in viewers.sorted(by: { $0.key < $1.key }) {
        transaction.add(
          "INSERT INTO presence (node, game, viewers, at) VALUES ($1, $2, $3, now()) ON CONFLICT (node, game) DO UPDATE "
            + "SET viewers = excluded.viewers, at = excluded.at", [.text(node), .text(game), .integer(count)])
      }
      transaction.add("DELETE FROM presence WHERE at < now() - interval '1 minute'")
      transaction.add("DELETE FROM request WHERE at < now() - interval '1 minute'")
      return try transaction.rows(
        "SELECT game, sum(viewers)::bigint FROM presence WHERE node <> $1 AND at > now() - interval '25 seconds' GROUP BY game",
        [.text(node)])
    }
    return Dictionary(rows.map { ($0.text(0), $0.number(1)) }) { $1 }
  }

  package func ask(_ request: StoreRequest) throws(StoreError) {
    try transaction(on: joins, patience: .seconds(2)) { (transaction) throws(PostgreSQLError) in
      transaction.add(
        "INSERT INTO request (id, node, game, json) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING",
        [.text(request.id), .text(node), .text(request.game), .text(request.text)])
      transaction.add("NOTIFY cuelight")
    }
  }

  package func openRequests() throws(StoreError) -> [StoreRequest] {
    try rows("SELECT id, game, json FROM request WHERE outcome IS NULL ORDER BY at, id", on: following).map {
      StoreRequest(id: $0.text(0), game: $0.text(1), text: $0.text(2))
    }
  }

  package func lease(_ game: String, to session: String, milliseconds: Int, takesOver: Bool) throws(StoreError) -> Bool {
    try rows(
      "INSERT INTO lease (game, session, until) VALUES ($1, $2, now() + $3 * interval '1 millisecond') ON CONFLICT (game) DO UPDATE "
        + "SET session = excluded.session, until = excluded.until "
        + "WHERE lease.session = excluded.session OR lease.until < now() OR $4 = 1 RETURNING 1",
      [.text(game), .text(session), .integer(milliseconds), .init(takesOver)], on: joins, patience: .seconds(2)
    ).count == 1
  }

  package func leader(of game: String) throws(StoreError) -> String? {
    try rows("SELECT session FROM lease WHERE game = $1 AND until > now()", [.text(game)], on: joins, patience: .seconds(2)).first?.text(0)
  }

  package func endLease(_ game: String?, of session: String?) throws(StoreError) {
    _ = try rows(
      "DELETE FROM lease WHERE ($1::text IS NULL OR game = $1) AND ($2::text IS NULL OR session = $2 OR starts_with(session, $2 || ' '))",
      [.init(game), .init(session)], on: joins, patience: .seconds(2))
  }

  package func gameNames() throws(StoreError) -> Set<String> { Set(try rows("SELECT id FROM game", on: joins).map { $0.text(0) }) }

  package func secret(_ name: String, orNew value: String) throws(StoreError) -> String {
    _ = try rows("INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", [.text(name), .text(value)], on: main)
    // A secret that only this node knows would be useless.
    guard let row = try rows("SELECT value FROM setting WHERE name = $1", [.text(name)], on: main).first else {
      throw .unavailable("the server does not keep the secret \(name)")
    }
    return row.text(0)
  }

  package func problem() -> String? {
    do throws(PostgreSQLError) {
      _ = try joins.rows("SELECT 1")
      return nil
    } catch {
      return "\(error)"
    }
  }
}
