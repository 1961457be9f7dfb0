package import Basics
package import GameHosting

/// A store that several processes share: each of them is a node that serves all games.
///
/// One node at a time leads: it alone writes the records of games that have begun. All others read them, and make the same games from them.
package protocol SharedStore: GameStore {
  /// The unique name of this node.
  var node: String { get }

  // MARK: Leading

  /// Takes the lead if no node has it, or checks that this node still has it; returns ``leadNumber``. The lead is lost with its connection, and a
  /// change that needs it fails then.
  @discardableResult
  func lead() throws(StoreError) -> Int?
  /// How many times this node has taken the lead; `nil` if it knows that it does not lead. A different number means that others may have led in the
  /// meantime.
  var leadNumber: Int? { get }
  /// From now on, records of existing games need the lead.
  func requireLead()
  /// Gives up the lead, so that another node can take it.
  func standDown()

  // MARK: Following

  /// A place in the order of changes: changes that were finished before it are in every later answer of the store.
  func place() throws(StoreError) -> Int64
  /// The changes after a place, in the order in which they were finished; if there are many, the first part of them.
  func news(after place: Int64) throws(StoreError) -> StoreNews
  /// All committed changes that ``news(after:)`` has not delivered yet, including those that it has to hold back. They are delivered again later.
  func unfinishedNews(after place: Int64) throws(StoreError) -> StoreNews
  /// Waits for a notification that something has happened, or until a time has passed.
  func waitForNews(for time: Duration) throws(StoreError)

  // MARK: Concurrent changes

  /// Adds players; each gets the next number of the game.
  func join(_ players: [JoiningPlayer]) throws(StoreError) -> [JoinOutcome]
  /// Gives a player who has joined another nickname and team.
  ///
  /// - Throws: ``StoreError/exists`` if another player has the nickname, or one that looks like it.
  func change(_ player: StoredPlayer, of game: String) throws(StoreError)
  /// Stops accepting answers to a question, on all nodes: all accepted ones are committed then.
  func close(question: Int, of game: String) throws(StoreError)
  /// Stores how many viewers this node has, by games, and returns how many the others have.
  func exchange(viewers: [String: Int]) throws(StoreError) -> [String: Int]
  /// Sends a request to the leading node.
  func ask(_ request: StoreRequest) throws(StoreError)
  /// The requests that are not carried out yet.
  func openRequests() throws(StoreError) -> [StoreRequest]
  /// Lets a session lead a game as its host for a time; returns whether it does. `takesOver` ends the lead of another session. The name of a console
  /// is its session, a space, and the console's own name.
  func lease(_ game: String, to session: String, milliseconds: Int, takesOver: Bool) throws(StoreError) -> Bool
  /// The name of the console that leads a game; `nil` if none does.
  func leader(of game: String) throws(StoreError) -> String?
  /// Ends the lead of a session with all of its consoles, or of any session for `nil`; in all games if `game` is `nil`.
  func endLease(_ game: String?, of session: String?) throws(StoreError)
  /// The names of all games.
  func gameNames() throws(StoreError) -> Set<String>
  /// A secret that all nodes share: the stored one, or else this one, which is then stored.
  func secret(_ name: String, orNew value: String) throws(StoreError) -> String
  /// Why the store cannot be used, in words; `nil` if it can.
  func problem() -> String?
}

/// A player who wants to join.
package struct JoiningPlayer: Equatable, Sendable {
  package var game: String
  package var nickname: String
  package var key: String
  package var joinedAt: MediaTime?
  /// The maximum number of players in the game.
  package var most: Int
  /// Whether nobody may join after a question of the game is decided.
  package var endsEntry: Bool
  /// The name of the player's team; `nil` for none.
  package var team: String?

  package init(
    game: String, nickname: String, key: String, joinedAt: MediaTime?, most: Int, endsEntry: Bool = false, team: String? = nil
  ) {
    (self.game, self.nickname, self.key, self.joinedAt, self.most) = (game, nickname, key, joinedAt, most)
    (self.endsEntry, self.team) = (endsEntry, team)
  }
}

/// The outcome of joining a game.
package enum JoinOutcome: Equatable, Sendable {
  case joined(Int)
  /// The client has joined before, as this player.
  case known(Int)
  case nicknameTaken
  case full
  /// The rules no longer let anybody join.
  case entryClosed
  /// The game does not exist any more.
  case gone
}

/// A request of a node to the leading one.
package struct StoreRequest: Equatable, Sendable {
  package var id: String
  package var game: String
  /// The request as JSON.
  package var text: String

  package init(id: String, game: String, text: String) { (self.id, self.game, self.text) = (id, game, text) }
}

/// What has happened in a shared store.
package struct StoreNews: Sendable {
  /// Something that has happened in a game.
  package enum Event: Equatable, Sendable {
    case record(number: Int, HostingRecord)
    case answers(StoredBatch)
  }

  package struct Entry: Equatable, Sendable {
    package var game: String
    package var event: Event

    package init(game: String, event: Event) { (self.game, self.event) = (game, event) }
  }

  /// Where the next news begins.
  package var place: Int64
  /// Whether there are more finished changes after the place.
  package var hasMore = false
  /// How many changes of the database were under way and could not be delivered yet.
  package var underway = 0
  /// Games that are new, or whose host's access was renewed.
  package var games: [StoredGame] = []
  package var players: [(game: String, player: StoredPlayer)] = []
  package var entries: [Entry] = []
  /// The outcomes of this node's requests, by their identifiers.
  package var outcomes: [(request: String, outcome: String)] = []
}
