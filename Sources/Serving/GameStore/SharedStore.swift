package import Basics
package import GameHosting

/// A store that several processes share: each of them is a node that serves all games.
///
/// One node at a time leads: it alone writes the records of games that have begun. All others read them, and make the same games of them.
package protocol SharedStore: GameStore {
  /// What this node is called: nobody else is called so.
  var node: String { get }

  // MARK: Leading

  /// Takes the lead where nobody has it, or makes sure that this node still has it; returns ``leadNumber``. The lead is lost with its connection, and a
  /// change that needs it fails then.
  @discardableResult
  func lead() throws(StoreError) -> Int?
  /// How often this node has taken the lead, as long as it has it as far as it knows: another number says that others may have led meanwhile.
  var leadNumber: Int? { get }
  /// From now on records of games that are there already need the lead.
  func requireLead()
  /// Lets another node lead.
  func standDown()

  // MARK: Following

  /// Changes that were finished before this place are in every later answer of the store.
  func place() throws(StoreError) -> Int64
  /// What has happened from a place on, in the order in which it was finished; where that is much, the first part of it.
  func news(after place: Int64) throws(StoreError) -> StoreNews
  /// Everything that is committed and that ``news(after:)`` has not told yet, also what it has to wait with. It is told again.
  func unfinishedNews(after place: Int64) throws(StoreError) -> StoreNews
  /// Waits until somebody says that something has happened, or for a time.
  func waitForNews(for time: Duration) throws(StoreError)

  // MARK: What several nodes do at once

  /// Lets players join; each gets the next number of the game.
  func join(_ players: [JoiningPlayer]) throws(StoreError) -> [JoinOutcome]
  /// Stops taking answers to a question, on all nodes: all that were taken are committed then.
  func close(question: Int, of game: String) throws(StoreError)
  /// Tells how many viewers this node has, by games, and gives how many the others have.
  func exchange(viewers: [String: Int]) throws(StoreError) -> [String: Int]
  /// Asks the leading node for something.
  func ask(_ request: StoreRequest) throws(StoreError)
  /// What is asked for and not done yet.
  func openRequests() throws(StoreError) -> [StoreRequest]
  /// Lets a session lead a game as its host for a time; returns whether it does. Another one that leads goes where `takesOver` is true. A console of a
  /// session is called by the session, a space, and a name.
  func lease(_ game: String, to session: String, milliseconds: Int, takesOver: Bool) throws(StoreError) -> Bool
  /// Ends the lead of a session, with all of its consoles; with `nil` of whoever leads.
  func endLease(_ game: String?, of session: String?) throws(StoreError)
  /// The names of all games.
  func gameNames() throws(StoreError) -> Set<String>
  /// A secret that all nodes share: the one that is there, or else this one.
  func secret(_ name: String, orNew value: String) throws(StoreError) -> String
  /// What keeps the store from being used, in words; `nil` where nothing does.
  func problem() -> String?
}

/// A player who wants to join.
package struct JoiningPlayer: Equatable, Sendable {
  package var game: String
  package var nickname: String
  package var key: String
  package var joinedAt: MediaTime?
  /// The most players of the game.
  package var most: Int
  /// Whether nobody may join once a question of the game is decided.
  package var endsEntry: Bool

  package init(game: String, nickname: String, key: String, joinedAt: MediaTime?, most: Int, endsEntry: Bool = false) {
    (self.game, self.nickname, self.key, self.joinedAt, self.most) = (game, nickname, key, joinedAt, most)
    self.endsEntry = endsEntry
  }
}

/// What became of a player who wanted to join.
package enum JoinOutcome: Equatable, Sendable {
  case joined(Int)
  /// The client has joined before, as this player.
  case known(Int)
  case nicknameTaken
  case full
  /// The rules let nobody join any more.
  case entryClosed
  /// The game is not there any more.
  case gone
}

/// Something that a node asks the leading one for.
package struct StoreRequest: Equatable, Sendable {
  package var id: String
  package var game: String
  /// What it is, as JSON.
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
  /// Whether there is more that is finished, from the place on.
  package var hasMore = false
  /// How many changes of the database were under way that could not be told yet.
  package var underway = 0
  /// Games that are new, or whose host's access was renewed.
  package var games: [StoredGame] = []
  package var players: [(game: String, player: StoredPlayer)] = []
  package var entries: [Entry] = []
  /// What became of requests of this node, by their identifiers.
  package var outcomes: [(request: String, outcome: String)] = []

  package init(place: Int64) { self.place = place }
}
