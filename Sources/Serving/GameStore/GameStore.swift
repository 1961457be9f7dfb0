package import AnswerIntake
package import Basics
import GameEvents
package import GameHosting

/// Where games live when the process does not. Acknowledged means: ``apply(_:)`` has returned.
///
/// Every call may wait for a disk or a network: none is made from the threads that run Swift's tasks.
package protocol GameStore: Sendable {
  /// Makes all changes, or none, and returns when they will outlive the machine's power.
  ///
  /// - Throws: ``StoreError``.
  func apply(_ changes: [StoreChange]) throws(StoreError)

  /// Writes what is there already, so that a store that could not be written to shows whether it can be again.
  ///
  /// - Throws: ``StoreError``.
  func check() throws(StoreError)

  /// The games that are not over, in the order in which they were made.
  func unfinishedGames() throws(StoreError) -> [StoredGame]
  func game(_ id: String) throws(StoreError) -> StoredGame?
  func game(code: String) throws(StoreError) -> StoredGame?
  /// All games, in the order in which they were made.
  func games() throws(StoreError) -> [StoredGame]
  /// The games that are not over and in which nothing has happened since a moment.
  func idleGames(since moment: Int64) throws(StoreError) -> [String]
  /// What has happened in a game, in order.
  func records(of game: String) throws(StoreError) -> [HostingRecord]
  /// The players of a game, in the order in which they joined.
  func players(of game: String) throws(StoreError) -> [StoredPlayer]
  /// The batches of answers of a game that follow batch `number`, in order, until they have `size` bytes; none where there are no more.
  func batches(of game: String, after number: Int, size: Int) throws(StoreError) -> [StoredBatch]

  /// The accounts with higher numbers than `id`, in order, `most` at most.
  func accounts(after id: Int, most: Int) throws(StoreError) -> [StoredAccount]
  /// The account of a name, letters in either case.
  func account(named name: String) throws(StoreError) -> StoredAccount?
  func account(_ id: Int) throws(StoreError) -> StoredAccount?
  /// What the quizzes of an account are called, in the order in which they were made.
  func quizTitles(of account: Int) throws(StoreError) -> [QuizTitle]
  /// The quizzes of an account after one of them, in the order in which they were made, until they have `size` bytes.
  func quizzes(of account: Int, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredQuiz>
  func quizCount(of account: Int) throws(StoreError) -> Int
  func quiz(_ id: String) throws(StoreError) -> StoredQuiz?
  /// The games of an account that are over, with their results, the latest first, after one of them, until they have `size` bytes; those of the operator
  /// with `nil`.
  func results(of account: Int?, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredResult>
  /// What came of a game; `nil` if it is not over.
  func result(of game: String) throws(StoreError) -> StoredResult?
  /// The contacts of a game in the order of the players, after one of them, until they have `size` bytes.
  func contacts(of game: String, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredContact>
  func contact(of player: Int, in game: String) throws(StoreError) -> StoredContact?
  /// Whether a session was ended.
  func isRevoked(session: String) throws(StoreError) -> Bool
}

extension GameStore {
  /// Calls `body` with each batch of answers of a game, in order.
  package func batches(of game: String, _ body: (StoredBatch) throws(StoreError) -> Void) throws(StoreError) {
    var last = 0
    while true {
      let batches = try batches(of: game, after: last, size: 1 << 20)
      guard let latest = batches.last else { return }
      for batch in batches { try body(batch) }
      last = latest.number
    }
  }

  /// The numbers of the batches of a game that have answers of a player.
  package func batches(of game: String, with player: Int) throws(StoreError) -> [Int] {
    var numbers: [Int] = []
    try batches(of: game) { batch in
      // One that cannot be read is for whoever changes it to complain about.
      let answers = try? batch.decoded(of: game)
      if answers?.contains(where: { Int($0.player) == player }) ?? true { numbers.append(batch.number) }
    }
    return numbers
  }
}

/// Why the store has not done what it was asked.
package enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// It is not there, or has no room; in words.
  case unavailable(String)
  /// Something with this name is there already.
  case exists
  /// The folder is that of a newer version, or of another program.
  case foreign(String)
  /// The question takes no answers any more.
  case closed
  /// The store cannot keep a value, such as text with the character U+0000.
  case unfit(String)
  /// The disk of the store has no room.
  case full
  /// The address of the store cannot be read.
  case address(String)
  /// A library that the store needs is not installed.
  case libraryMissing(String)

  package var description: String {
    switch self {
    case .unavailable(let reason): "the store cannot be used: \(reason)"
    case .exists: "this is there already"
    case .foreign(let reason), .address(let reason), .libraryMissing(let reason): reason
    case .closed: "the question takes no answers any more"
    case .unfit(let reason): "the store cannot keep this: \(reason)"
    case .full: "the disk of the store is full"
    }
  }

  /// A game has answers that nobody can read.
  static func damagedAnswers(of game: String) -> Self { .foreign("the game \(game) has answers that are damaged") }

  /// Whether a change breaks a rule, which says nothing of the store.
  package var isRefusal: Bool { if case .unfit = self { true } else { self == .exists || self == .closed } }
}

/// A game as it is kept.
package struct StoredGame: Equatable, Sendable {
  package var id: String
  package var code: String
  package var title: String
  /// Whose it is; `nil` for the operator's, ``nobody`` where the account is gone.
  package var account: Int?
  /// The rules, as JSON.
  package var rules: String
  /// The questions, as a quiz file in JSON.
  package var quiz: String
  /// Milliseconds since 1970.
  package var createdAt: Int64
  /// How often the host's access was renewed.
  package var hostGeneration: Int
  /// What the operator says of a game of an account.
  package var approval: Approval

  /// What the operator says of a game of an account. The numbers are those of the store.
  package enum Approval: Int, Sendable {
    /// Nothing yet: it does not reach the stream.
    case open = 0
    /// It may be in the stream.
    case approved = 1
    /// It must end.
    case barred = 2
  }

  /// The account of a game whose own account was deleted: the game is not the operator's.
  package static let nobody = -1

  package init(
    id: String, code: String, title: String, account: Int?, rules: String, quiz: String, createdAt: Int64, hostGeneration: Int = 0,
    approval: Approval = .open
  ) {
    (self.id, self.code, self.title, self.account, self.rules, self.quiz) = (id, code, title, account, rules, quiz)
    (self.createdAt, self.hostGeneration, self.approval) = (createdAt, hostGeneration, approval)
  }
}

/// A player as it is kept.
package struct StoredPlayer: Equatable, Sendable {
  /// The place in the roster.
  package var player: Int
  package var nickname: String
  /// What the client identifies itself with.
  package var key: String
  package var joinedAt: MediaTime?

  package init(player: Int, nickname: String, key: String, joinedAt: MediaTime?) {
    (self.player, self.nickname, self.key, self.joinedAt) = (player, nickname, key, joinedAt)
  }
}

/// A batch of answers as it is kept: see `AnswerBatch`.
package struct StoredBatch: Equatable, Sendable {
  /// Its place among all batches, from 1.
  package var number: Int
  package var answers: [UInt8]

  package init(number: Int, answers: [UInt8]) { (self.number, self.answers) = (number, answers) }

  /// The answers one by one.
  ///
  /// - Throws: ``StoreError/foreign(_:)`` if nobody can read them.
  package func decoded(of game: String) throws(StoreError) -> [PackedAnswer] {
    do throws(ParseError) { return try AnswerBatch.decode(answers.span) } catch { throw .damagedAnswers(of: game) }
  }
}

/// Somebody who makes quizzes.
package struct StoredAccount: Equatable, Sendable {
  package var id: Int
  package var name: String
  /// What is kept of the password.
  package var password: String
  package var createdAt: Int64
  /// Whether the operator has banned it: it cannot log in, and its tokens are refused.
  package var isBanned: Bool

  package init(id: Int, name: String, password: String, createdAt: Int64, isBanned: Bool = false) {
    (self.id, self.name, self.password, self.createdAt, self.isBanned) = (id, name, password, createdAt, isBanned)
  }
}

/// A quiz of an account.
package struct StoredQuiz: Equatable, Sendable {
  package var id: String
  package var account: Int
  package var title: String
  /// A quiz file in JSON.
  package var text: String
  package var createdAt: Int64

  package init(id: String, account: Int, title: String, text: String, createdAt: Int64) {
    (self.id, self.account, self.title, self.text, self.createdAt) = (id, account, title, text, createdAt)
  }
}

/// What came of a game.
package struct StoredResult: Equatable, Sendable {
  package var game: String
  package var account: Int?
  package var title: String
  package var endedAt: Int64
  /// Players, winners and standings as JSON.
  package var text: String

  package init(game: String, account: Int?, title: String, endedAt: Int64, text: String) {
    (self.game, self.account, self.title, self.endedAt, self.text) = (game, account, title, endedAt, text)
  }
}

/// What a player has left after a game, with consent.
package struct StoredContact: Equatable, Sendable {
  package var game: String
  package var player: Int
  package var text: String
  package var at: Int64

  package init(game: String, player: Int, text: String, at: Int64) {
    (self.game, self.player, self.text, self.at) = (game, player, text, at)
  }
}

/// A player of whom nothing is to be kept but the place in the roster.
package struct RemovedPlayer: Equatable, Sendable {
  package var game: String
  /// The place in the roster.
  package var player: Int
  /// What the player was called; the name leaves all leaderboards and winners.
  package var nickname: String
  /// What replaces the nickname and the client's key.
  package var mark: String
  /// What came of the game, without the player; `nil` as long as it is not over.
  package var result: String?
  /// The numbers of the batches that have answers of the player; `nil` if nobody has looked.
  package var batches: [Int]?

  package init(game: String, player: Int, nickname: String, mark: String, result: String?, batches: [Int]? = nil) {
    (self.game, self.player, self.nickname, self.mark, self.result) = (game, player, nickname, mark, result)
    self.batches = batches
  }
}

/// A change of what is kept.
package enum StoreChange: Equatable, Sendable {
  case game(StoredGame)
  case player(game: String, StoredPlayer)
  /// Takes a player's name, key, answers and contact out of the store.
  case removePlayer(RemovedPlayer)
  /// How often the access of a game's host was renewed.
  case hostGeneration(game: String, Int)
  case record(game: String, HostingRecord)
  /// A batch of answers: see `AnswerBatch`.
  case answers(game: String, [UInt8])
  case account(StoredAccount)
  /// Takes an account out of the store, with its quizzes and the contacts of its games. Those are nobody's then, and tokens of their hosts hold no more.
  case removeAccount(Int)
  /// Bans an account, whose games must end then and whose hosts' tokens hold no more, or lets it in again.
  case ban(account: Int, Bool)
  /// What the operator says of a game of an account.
  case approval(game: String, StoredGame.Approval)
  case quiz(StoredQuiz)
  case removeQuiz(String)
  case result(StoredResult)
  case contact(StoredContact)
  case removeContacts(game: String)
  /// Ends a session, whose tokens end by themselves then, in seconds since 1970.
  case revoke(session: String, until: Int64)
  /// Forgets games that were over before this moment, and who played in them.
  case forget(before: Int64)
  /// Forgets those of the games that are not over and in which nothing has happened since this moment.
  case forgetIdle([String], since: Int64)
  /// What became of a request that another node has made, as JSON.
  case outcome(request: String, String)

  /// Whether it always takes out of the store what somebody has written or is known by.
  var deletesNames: Bool {
    switch self {
    case .removePlayer, .removeAccount, .removeQuiz, .removeContacts, .forget, .forgetIdle: true
    default: false
    }
  }

  /// The game in which something happens.
  var activeGame: String? {
    switch self {
    case .game(let game): game.id
    case .player(let game, _), .record(let game, _), .answers(let game, _), .hostGeneration(let game, _): game
    default: nil
    }
  }
}

extension HostingRecord {
  /// Reads a record of a game as it is kept.
  ///
  /// - Throws: ``StoreError/foreign(_:)`` for a text that is none: points would be others without it.
  init(stored text: String, of game: String) throws(StoreError) {
    guard let object = (try? JSONValue(parsing: text))?.object else { throw .foreign("the game \(game) has a record that is no object") }
    do throws(JSONFieldError) { self = try Self(object) } catch {
      throw .foreign("the game \(game) has a record that is damaged: \(error)")
    }
  }

  /// The record as it is kept.
  var stored: String { object.text }

  /// What a record decides once and for all.
  var decision: (question: Int, kind: String, guid: GUID, cue: JSONObject)? {
    switch self {
    case .decided(let guid, let question, let cue): (question, "showResults", guid, cue)
    case .ended(let guid, let cue): (-1, "endGame", guid, cue)
    default: nil
    }
  }
}
