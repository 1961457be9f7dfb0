import LibPQ

/// The tables of a PostgreSQL store: those of SQLite, and further ones for many nodes.
enum PostgreSQLTables {
  /// The versions of the tables. A version that was released is never changed; changes are added as a new version.
  static let versions = [[first, functions], [joining], [approvals], [once, adding, entering], [streams], [teams, teaming, changing]]

  /// `tx` is the transaction that has changed a row last: changes before the oldest transaction under way are finished, and are followed in this
  /// order.
  private static let first = """
    CREATE FUNCTION tx() RETURNS bigint LANGUAGE sql AS 'SELECT pg_current_xact_id()::text::bigint';
    CREATE TABLE setting (name text PRIMARY KEY, value text NOT NULL);
    CREATE TABLE game (id text COLLATE "C" PRIMARY KEY, code text COLLATE "C" NOT NULL UNIQUE, title text NOT NULL, account bigint,
      rules text NOT NULL, quiz text NOT NULL, created_at bigint NOT NULL, host_generation bigint NOT NULL DEFAULT 0,
      tx bigint NOT NULL DEFAULT cuelight.tx());
    CREATE INDEX game_tx ON game (tx);
    CREATE TABLE player (game text COLLATE "C" NOT NULL, player bigint NOT NULL, nickname text NOT NULL, key text COLLATE "C" NOT NULL,
      joined_at bigint, tx bigint NOT NULL DEFAULT cuelight.tx(), PRIMARY KEY (game, player), UNIQUE (game, key));
    CREATE INDEX player_tx ON player (tx);
    CREATE TABLE look (game text COLLATE "C" NOT NULL, look text COLLATE "C" NOT NULL, player bigint NOT NULL, PRIMARY KEY (game, look));
    CREATE INDEX look_player ON look (game, player);
    CREATE TABLE event (game text COLLATE "C" NOT NULL, number bigint NOT NULL, json text NOT NULL,
      tx bigint NOT NULL DEFAULT cuelight.tx(), PRIMARY KEY (game, number));
    CREATE INDEX event_tx ON event (tx);
    CREATE TABLE decision (game text COLLATE "C" NOT NULL, question bigint NOT NULL, kind text COLLATE "C" NOT NULL, guid text NOT NULL,
      json text NOT NULL, PRIMARY KEY (game, question, kind));
    CREATE TABLE batch (id bigserial PRIMARY KEY, game text COLLATE "C" NOT NULL, answers bytea NOT NULL,
      tx bigint NOT NULL DEFAULT cuelight.tx());
    ALTER TABLE batch ALTER COLUMN answers SET STORAGE EXTERNAL;
    CREATE INDEX batch_tx ON batch (tx);
    CREATE INDEX batch_game ON batch (game, id);
    CREATE TABLE closed (game text COLLATE "C" NOT NULL, question bigint NOT NULL, PRIMARY KEY (game, question));
    CREATE TABLE account (id bigserial PRIMARY KEY, name text COLLATE "C" NOT NULL, password text NOT NULL, created_at bigint NOT NULL);
    CREATE UNIQUE INDEX account_name ON account (lower(name));
    CREATE TABLE quiz (id text COLLATE "C" PRIMARY KEY, account bigint NOT NULL, title text NOT NULL, json text NOT NULL,
      created_at bigint NOT NULL);
    CREATE INDEX quiz_account ON quiz (account);
    CREATE TABLE result (game text COLLATE "C" PRIMARY KEY, account bigint, title text NOT NULL, ended_at bigint NOT NULL,
      json text NOT NULL);
    CREATE INDEX result_account ON result (account);
    CREATE TABLE contact (game text COLLATE "C" NOT NULL, player bigint NOT NULL, json text NOT NULL, at bigint NOT NULL,
      PRIMARY KEY (game, player));
    CREATE TABLE revoked (session text COLLATE "C" PRIMARY KEY, until bigint NOT NULL);
    CREATE TABLE activity (game text COLLATE "C" PRIMARY KEY, at bigint NOT NULL);
    CREATE TABLE presence (node text COLLATE "C" NOT NULL, game text COLLATE "C" NOT NULL, viewers bigint NOT NULL,
      at timestamptz NOT NULL, PRIMARY KEY (node, game));
    CREATE TABLE request (id text COLLATE "C" PRIMARY KEY, node text COLLATE "C" NOT NULL, game text COLLATE "C" NOT NULL, json text NOT NULL,
      at timestamptz NOT NULL DEFAULT now(), outcome text, tx bigint NOT NULL DEFAULT cuelight.tx());
    CREATE TABLE lease (game text COLLATE "C" PRIMARY KEY, session text NOT NULL, until timestamptz NOT NULL)
    """

  /// Each statement of these functions sees everything that was committed before it, including commits while it waited for a lock.
  private static let functions = """
    CREATE FUNCTION add_answers(g text, questions bigint[], bytes bytea) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT 1 FROM cuelight.closed WHERE game = g AND question = ANY (questions)) THEN
        RAISE EXCEPTION 'the question takes no answers any more' USING ERRCODE = 'CL001';
      END IF;
      INSERT INTO cuelight.batch (game, answers) VALUES (g, bytes);
    END $$;
    CREATE FUNCTION join_game(g text, name text, k text, looks text[], joined bigint, most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE n bigint;
    BEGIN
      SELECT player INTO n FROM cuelight.player WHERE game = g AND key = k;
      IF FOUND THEN RETURN -10 - n; END IF;
      IF NOT EXISTS (SELECT 1 FROM cuelight.game WHERE id = g) THEN RETURN -3; END IF;
      IF EXISTS (SELECT 1 FROM cuelight.look WHERE game = g AND look = ANY (looks)) THEN RETURN -1; END IF;
      SELECT coalesce(max(player) + 1, 0) INTO n FROM cuelight.player WHERE game = g;
      IF n >= most THEN RETURN -2; END IF;
      INSERT INTO cuelight.player (game, player, nickname, key, joined_at) VALUES (g, n, name, k, joined);
      INSERT INTO cuelight.look (game, look, player) SELECT g, unnest(looks), n;
      RETURN n;
    END $$
    """

  /// Looks each look up separately: as long as the server has no statistics of a new table, it answers a query for any of several looks by a scan of
  /// the whole table.
  private static let joining = """
    CREATE OR REPLACE FUNCTION join_game(g text, name text, k text, looks text[], joined bigint, most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE n bigint; l text;
    BEGIN
      SELECT player INTO n FROM cuelight.player WHERE game = g AND key = k;
      IF FOUND THEN RETURN -10 - n; END IF;
      IF NOT EXISTS (SELECT 1 FROM cuelight.game WHERE id = g) THEN RETURN -3; END IF;
      FOREACH l IN ARRAY looks LOOP
        IF EXISTS (SELECT 1 FROM cuelight.look WHERE game = g AND look = l) THEN RETURN -1; END IF;
      END LOOP;
      SELECT coalesce(max(player) + 1, 0) INTO n FROM cuelight.player WHERE game = g;
      IF n >= most THEN RETURN -2; END IF;
      INSERT INTO cuelight.player (game, player, nickname, key, joined_at) VALUES (g, n, name, k, joined);
      INSERT INTO cuelight.look (game, look, player) SELECT g, unnest(looks), n;
      RETURN n;
    END $$
    """

  private static let approvals = """
    ALTER TABLE game ADD COLUMN approval bigint NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN banned bigint NOT NULL DEFAULT 0
    """

  private static let streams = "ALTER TABLE cuelight.game ADD COLUMN stream text"

  /// A batch has a unique name, so that it is stored once, however often that is tried: of a player's answers the last batch counts, and an old batch
  /// that was stored again would replace a newer one.
  private static let once = """
    ALTER TABLE cuelight.batch ADD COLUMN name text COLLATE "C";
    CREATE UNIQUE INDEX batch_name ON cuelight.batch (name)
    """

  private static let adding = """
    CREATE FUNCTION add_answers(g text, questions bigint[], bytes bytea, n text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT 1 FROM cuelight.batch WHERE name = n) THEN RETURN; END IF;
      IF EXISTS (SELECT 1 FROM cuelight.closed WHERE game = g AND question = ANY (questions)) THEN
        RAISE EXCEPTION 'the question takes no answers any more' USING ERRCODE = 'CL001';
      END IF;
      INSERT INTO cuelight.batch (game, answers, name) VALUES (g, bytes, n) ON CONFLICT (name) DO NOTHING;
    END $$
    """

  /// If the rules end entry, nobody may join who could know a result: the decision is stored before anybody learns of it.
  private static let entering = """
    CREATE FUNCTION join_game(g text, name text, k text, looks text[], joined bigint, most bigint, ends bigint) RETURNS bigint LANGUAGE plpgsql AS $$
    BEGIN
      IF ends = 1 AND EXISTS (SELECT 1 FROM cuelight.decision WHERE game = g)
        AND NOT EXISTS (SELECT 1 FROM cuelight.player WHERE game = g AND key = k) THEN RETURN -4; END IF;
      RETURN cuelight.join_game(g, name, k, looks, joined, most);
    END $$
    """

  /// `changed` is the transaction that has changed a player who was there before. `tx` stays that of the join: players are delivered in the order of
  /// their numbers, and one that came again later would be missing before those behind it.
  private static let teams = """
    ALTER TABLE cuelight.player ADD COLUMN team text;
    ALTER TABLE cuelight.player ADD COLUMN changed bigint;
    CREATE INDEX player_changed ON cuelight.player (changed) WHERE changed IS NOT NULL
    """

  private static let teaming = """
    CREATE FUNCTION join_game(g text, name text, k text, looks text[], joined bigint, most bigint, ends bigint, t text)
      RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE n bigint;
    BEGIN
      n := cuelight.join_game(g, name, k, looks, joined, most, ends);
      IF n >= 0 AND t IS NOT NULL THEN UPDATE cuelight.player SET team = t WHERE game = g AND player = n; END IF;
      RETURN n;
    END $$
    """

  /// Gives a player another nickname and team. The caller has the lock of the game, so that nobody takes the nickname meanwhile.
  private static let changing = """
    CREATE FUNCTION change_player(g text, p bigint, k text, name text, looks text[], t text) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE l text;
    BEGIN
      FOREACH l IN ARRAY looks LOOP
        IF EXISTS (SELECT 1 FROM cuelight.look WHERE game = g AND look = l AND player <> p) THEN
          RAISE EXCEPTION 'the nickname is taken' USING ERRCODE = 'unique_violation';
        END IF;
      END LOOP;
      UPDATE cuelight.player SET nickname = name, team = t, changed = cuelight.tx() WHERE game = g AND player = p AND key = k;
      IF NOT FOUND THEN RETURN; END IF;
      DELETE FROM cuelight.look WHERE game = g AND player = p;
      INSERT INTO cuelight.look (game, look, player) SELECT g, unnest(looks), p;
    END $$
    """

  /// Brings the tables up to date; returns `false` if a newer version has created them.
  static func migrate(_ lane: PostgreSQLLane) throws(PostgreSQLError) -> Bool {
    try lane.transaction { (transaction) throws(PostgreSQLError) in
      // One node at a time.
      transaction.add("SELECT pg_advisory_xact_lock(hashtextextended('cuelight tables', 0))")
      transaction.add("CREATE SCHEMA IF NOT EXISTS cuelight")
      transaction.add("CREATE TABLE IF NOT EXISTS cuelight.version (number bigint PRIMARY KEY)")
      let known = try transaction.rows("SELECT coalesce(max(number), 0) FROM cuelight.version").first?.integer(0) ?? 0
      guard known <= versions.count else { return false }
      for (index, version) in versions.enumerated().dropFirst(Int(known)) {
        for text in version.flatMap({ statements($0) }) { transaction.add(text) }
        transaction.add("INSERT INTO cuelight.version VALUES ($1)", [.integer(index + 1)])
      }
      return true
    }
  }

  /// The statements of a text: each ends with a semicolon at the end of a line, except within a function.
  static func statements(_ text: String) -> [String] {
    var (statements, current, isInside) = ([String](), "", false)
    for line in text.split(separator: "\n") {
      if line.contains("$$") { isInside.toggle() }
      current += "\(line)\n"
      if line.hasSuffix(";"), !isInside {
        statements.append(current)
        current = ""
      }
    }
    return statements + (current.isEmpty ? [] : [current])
  }
}
