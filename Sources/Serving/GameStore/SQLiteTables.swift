import GRDB

/// The tables of a SQLite store. `PostgreSQLTables` has the same tables, with names as `SQLStatement` translates them, and further ones.
enum SQLiteTables {
  /// The versions of the tables. A version that was released is never changed; changes are added as a new version.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for (index, version) in [first, additions, approvals, streams, teams].enumerated() {
      migrator.registerMigration("\(index + 1)") { database in try database.execute(sql: version) }
    }
    return migrator
  }

  private static let first = """
    CREATE TABLE game (id TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, title TEXT NOT NULL, account INTEGER, rules TEXT NOT NULL,
      quiz TEXT NOT NULL, createdAt INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE player (game TEXT NOT NULL, player INTEGER NOT NULL, nickname TEXT NOT NULL, key TEXT NOT NULL, joinedAt INTEGER,
      PRIMARY KEY (game, player), UNIQUE (game, key)) WITHOUT ROWID;
    CREATE TABLE event (id INTEGER PRIMARY KEY, game TEXT NOT NULL, json TEXT NOT NULL);
    CREATE INDEX eventOfGame ON event (game);
    CREATE TABLE decision (game TEXT NOT NULL, question INTEGER NOT NULL, kind TEXT NOT NULL, guid TEXT NOT NULL, json TEXT NOT NULL,
      PRIMARY KEY (game, question, kind)) WITHOUT ROWID;
    CREATE TABLE batch (id INTEGER PRIMARY KEY, game TEXT NOT NULL, answers BLOB NOT NULL);
    CREATE TABLE account (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE, password TEXT NOT NULL,
      createdAt INTEGER NOT NULL);
    CREATE TABLE quiz (id TEXT PRIMARY KEY, account INTEGER NOT NULL, title TEXT NOT NULL, json TEXT NOT NULL, createdAt INTEGER NOT NULL)
      WITHOUT ROWID;
    CREATE TABLE result (game TEXT PRIMARY KEY, account INTEGER, title TEXT NOT NULL, endedAt INTEGER NOT NULL, json TEXT NOT NULL)
      WITHOUT ROWID;
    CREATE TABLE contact (game TEXT NOT NULL, player INTEGER NOT NULL, json TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (game, player))
      WITHOUT ROWID;
    CREATE TABLE revoked (session TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
    """

  /// The time of the last change of a game has a table of its own, since a row of `game` contains the whole quiz.
  private static let additions = """
    ALTER TABLE game ADD COLUMN hostGeneration INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE activity (game TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO activity (game, at) SELECT id, CAST(strftime('%s', 'now') AS INTEGER) * 1000 FROM game;
    """

  private static let approvals = """
    ALTER TABLE game ADD COLUMN approval INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN banned INTEGER NOT NULL DEFAULT 0;
    """

  private static let streams = "ALTER TABLE game ADD COLUMN stream TEXT;"

  private static let teams = "ALTER TABLE player ADD COLUMN team TEXT;"
}
