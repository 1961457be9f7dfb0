package import AnswerIntake
package import Basics
import GameEvents
package import GameHosting

/// Stores games beyond the life of the process. A change is acknowledged once ``apply(_:)`` has returned.
///
/// Every call may wait for a disk or a network, so none is made from the threads that run Swift's tasks.
package protocol GameStore: Sendable {
  /// Makes all changes, or none, and returns when they will survive a loss of power.
  ///
  /// - Throws: ``StoreError``.
  func apply(_ changes: [StoreChange]) throws(StoreError)

  /// Writes data that are there already, so that a store that could not be written to shows whether it can be again.
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
  /// The batches of answers of a game that follow batch `number`, in order, until they have `size` bytes; none if there are no more.
  func batches(of game: String, after number: Int, size: Int) throws(StoreError) -> [StoredBatch]

  /// The accounts with higher numbers than `id`, in order; at most `most`.
  func accounts(after id: Int, most: Int) throws(StoreError) -> [StoredAccount]
  /// The account of a name, in either case.
  func account(named name: String) throws(StoreError) -> StoredAccount?
  func account(_ id: Int) throws(StoreError) -> StoredAccount?
  /// The titles of an account's quizzes, in the order in which they were made.
  func quizTitles(of account: Int) throws(StoreError) -> [QuizTitle]
  /// The quizzes of an account that follow one of them, in the order in which they were made, until they have `size` bytes.
  func quizzes(of account: Int, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredQuiz>
  func quizCount(of account: Int) throws(StoreError) -> Int
  func quiz(_ id: String) throws(StoreError) -> StoredQuiz?
  /// The finished games of an account with their results, the latest first, that follow one of them, until they have `size` bytes; those of the
  /// operator for `nil`.
  func results(of account: Int?, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredResult>
  /// The result of a game; `nil` if it is not over.
  func result(of game: String) throws(StoreError) -> StoredResult?
  /// The contacts of a game in the order of the players, that follow one of them, until they have `size` bytes.
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

  /// The numbers of the batches of a game with answers of a player.
  package func batches(of game: String, with player: Int) throws(StoreError) -> [Int] {
    var numbers: [Int] = []
    try batches(of: game) { batch in
      // A batch that cannot be read is included, so that the caller that changes it reports the error.
      let answers = try? batch.decoded(of: game)
      if answers?.contains(where: { Int($0.player) == player }) ?? true { numbers.append(batch.number) }
    }
    return numbers
  }
}

/// Why the store has not carried out a request.
package enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The store cannot be reached, or has no room; in words.
  case unavailable(String)
  /// Something with this name exists already.
  case exists
  /// The folder belongs to a newer version, or to another program.
  case foreign(String)
  /// The question no longer accepts answers.
  case closed
  /// The store cannot keep a value, such as text with the character U+0000.
  case unfit(String)
  /// The disk of the store is full.
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

  /// The error that a game has answers that cannot be read.
  static func damagedAnswers(of game: String) -> Self { .foreign("the game \(game) has answers that are damaged") }

  /// Whether the change itself breaks a rule, so that the error says nothing about the state of the store.
  package var isRefusal: Bool { if case .unfit = self { true } else { self == .exists || self == .closed } }
}

/// A game in its stored form.
package struct StoredGame: Equatable, Sendable {
  package var id: String
  package var code: String
  package var title: String
  /// The account that has made it; `nil` for the operator's games, ``nobody`` if the account is gone.
  package var account: Int?
  /// The rules, as JSON.
  package var rules: String
  /// The questions, as a quiz file in JSON.
  package var quiz: String
  /// Milliseconds since 1970.
  package var createdAt: Int64
  /// How many times the host's access was renewed.
  package var hostGeneration: Int
  /// The operator's decision about a game of an account.
  package var approval: Approval
  /// The name of the stream on which it is played; `nil` for the first one.
  package var stream: String?

  /// The operator's decision about a game of an account. The raw values are those of the store.
  package enum Approval: Int, Sendable {
    /// No decision yet: the game does not reach the stream.
    case open = 0
    /// It may be in the stream.
    case approved = 1
    /// It must end.
    case barred = 2
  }

  /// The account of a game whose own account was deleted: the game does not become the operator's.
  package static let nobody = -1

  package init(
    id: String, code: String, title: String, account: Int?, rules: String, quiz: String, createdAt: Int64, hostGeneration: Int = 0,
    approval: Approval = .open, stream: String? = nil
  ) {
    (self.id, self.code, self.title, self.account, self.rules, self.quiz) = (id, code, title, account, rules, quiz)
    (self.createdAt, self.hostGeneration, self.approval, self.stream) = (createdAt, hostGeneration, approval, stream)
  }
}

/// A player in the stored form.
package struct StoredPlayer: Equatable, Sendable {
  /// The place in the roster.
  package var player: Int
  package var nickname: String
  /// The identifier of the client.
  package var key: String
  package var joinedAt: MediaTime?
  /// The name of the player's team; `nil` for none.
  package var team: String?

  package init(player: Int, nickname: String, key: String, joinedAt: MediaTime?, team: String? = nil) {
    (self.player, self.nickname, self.key, self.joinedAt, self.team) = (player, nickname, key, joinedAt, team)
  }
}

/// A batch of answers in its stored form: see `AnswerBatch`.
package struct StoredBatch: Equatable, Sendable {
  /// Its number among all batches, from 1.
  package var number: Int
  package var answers: [UInt8]

  package init(number: Int, answers: [UInt8]) { (self.number, self.answers) = (number, answers) }

  /// The answers one by one.
  ///
  /// - Throws: ``StoreError/foreign(_:)`` if they cannot be read.
  package func decoded(of game: String) throws(StoreError) -> [PackedAnswer] {
    do throws(ParseError) { return try AnswerBatch.decode(answers.span) } catch { throw .damagedAnswers(of: game) }
  }
}

/// An account of a person who makes quizzes.
package struct StoredAccount: Equatable, Sendable {
  package var id: Int
  package var name: String
  /// The stored form of the password.
  package var password: String
  package var createdAt: Int64
  /// Whether the operator has banned the account: it cannot log in, and its tokens are refused.
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

/// The result of a game.
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

/// The contact that a player has left after a game, with consent.
package struct StoredContact: Equatable, Sendable {
  package var game: String
  package var player: Int
  package var text: String
  package var at: Int64

  package init(game: String, player: Int, text: String, at: Int64) {
    (self.game, self.player, self.text, self.at) = (game, player, text, at)
  }
}

/// A player of whom only the place in the roster is to be kept.
package struct RemovedPlayer: Equatable, Sendable {
  package var game: String
  /// The place in the roster.
  package var player: Int
  /// The player's nickname; it is removed from all leaderboards and winners.
  package var nickname: String
  /// Replaces the nickname and the client's key.
  package var mark: String
  /// The result of the game without the player; `nil` if the game is not over.
  package var result: String?
  /// The numbers of the batches with answers of the player; `nil` if they were not searched for.
  package var batches: [Int]?

  package init(game: String, player: Int, nickname: String, mark: String, result: String?, batches: [Int]? = nil) {
    (self.game, self.player, self.nickname, self.mark, self.result) = (game, player, nickname, mark, result)
    self.batches = batches
  }
}

/// A change of the store.
package enum StoreChange: Equatable, Sendable {
  case game(StoredGame)
  case player(game: String, StoredPlayer)
  /// Gives a player who is there another nickname and team. Fails with ``StoreError/exists`` if several nodes share the store and the nickname is
  /// taken.
  case changePlayer(game: String, StoredPlayer)
  /// Removes a player's name, key, answers and contact.
  case removePlayer(RemovedPlayer)
  /// How many times the access of a game's host was renewed.
  case hostGeneration(game: String, Int)
  case record(game: String, HostingRecord)
  /// A batch of answers: see `AnswerBatch`.
  case answers(game: String, [UInt8])
  case account(StoredAccount)
  /// Removes an account, with its quizzes and the contacts of its games. Its games then belong to ``StoredGame/nobody``, and tokens of their hosts
  /// are no longer valid.
  case removeAccount(Int)
  /// Bans an account, so that its games must end and the tokens of their hosts are no longer valid, or lifts the ban.
  case ban(account: Int, Bool)
  /// The operator's decision about a game of an account.
  case approval(game: String, StoredGame.Approval)
  case quiz(StoredQuiz)
  case removeQuiz(String)
  case result(StoredResult)
  case contact(StoredContact)
  case removeContacts(game: String)
  /// Ends a session. Its tokens expire by themselves at this time, in seconds since 1970.
  case revoke(session: String, until: Int64)
  /// Forgets games that were over before this moment, and their players.
  case forget(before: Int64)
  /// Forgets those of the games that are unfinished and in which nothing has happened since this moment.
  case forgetIdle([String], since: Int64)
  /// The outcome of a request of another node, as JSON.
  case outcome(request: String, String)

  /// Whether it always removes data that people have written or can be identified by.
  var deletesNames: Bool {
    switch self {
    case .changePlayer, .removePlayer, .removeAccount, .removeQuiz, .removeContacts, .forget, .forgetIdle: true
    default: false
    }
  }

  /// The game in which something happens.
  var activeGame: String? {
    switch self {
    case .game(let game): game.id
    case .player(let game, _), .changePlayer(let game, _), .record(let game, _), .answers(let game, _), .hostGeneration(let game, _): game
    default: nil
    }
  }
}

extension HostingRecord {
  /// Reads a stored record of a game.
  ///
  /// - Throws: ``StoreError/foreign(_:)`` if the text is not a record: without it the points would differ.
  init(stored text: String, of game: String) throws(StoreError) {
    guard let object = (try? JSONValue(parsing: text))?.object else { throw .foreign("the game \(game) has a record that is no object") }
    do throws(JSONFieldError) { self = try Self(object) } catch {
      throw .foreign("the game \(game) has a record that is damaged: \(error)")
    }
  }

  /// The stored form of the record.
  var stored: String { object.text }

  /// The final decision in a record.
  var decision: (question: Int, kind: String, guid: GUID, cue: JSONObject)? {
    switch self {
    case .decided(let guid, let question, let cue): (question, "showResults", guid, cue)
    case .settled(let guid, let question, _, let cue): (question, "settled", guid, cue)
    case .ended(let guid, let cue): (-1, "endGame", guid, cue)
    default: nil
    }
  }
}
