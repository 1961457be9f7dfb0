import Basics
import Dispatch
import GameHosting
import GameStore
import LiveSession

/// The processes that serve the same games. One of them leads: it alone records what happens in games, apart from answers and joining players.
protocol Cluster: Sendable {
  /// Whether this process leads.
  var isLeading: Bool { get }

  /// The maximum time until this process knows of a question that another one has asked; `nil` if there is no other one.
  var questionLag: DispatchTimeInterval? { get }

  /// Whether the answers that this process has stored are delivered to it again with those of the others.
  var returnsAnswers: Bool { get }

  /// The maximum difference between the numbers that two processes give to the same message.
  var messageOverlap: Int { get }

  /// Why nothing can be stored, or why what others store is unknown; `nil` if all is well.
  var failure: StoreError? { get }

  /// The same, once it has lasted so long that this process should get no more requests.
  var lastingFailure: StoreError? { get }

  /// How long ago this process last knew of all finished changes, and how many unfinished changes nobody can know yet; `nil` if no other process
  /// changes anything.
  var lag: (seconds: Double, underway: Int)? { get }

  /// The feed of a game, with message numbers that all processes share.
  func makeFeed() -> LiveFeed

  func start(_ listener: any ClusterListener)

  /// Gives up the lead, so that another process can take it.
  func leave()

  func end()

  /// Changes games while no change by another process is applied to them.
  func exclusively<Value: Sendable>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value

  /// Stops accepting answers to a question in all processes, and calls `done` once this process knows all accepted ones.
  func close(question: Int, of game: String, _ done: @escaping @Sendable (StoreError?) -> Void)

  /// Passes a request to the process that leads; returns why it was not carried out, or `nil`.
  func ask(_ request: HostRequest, of game: String) async -> HostingProblem?

  /// Adds a player to a game; a client that has joined before stays the same player.
  func join(
    _ nickname: String, key: String, team: String?, position: MediaTime?, in game: GameKeeper
  ) async throws(GameFailure) -> HostedGame.Joined

  /// Lets a console lead a game for a while; `nil` if this process alone decides that.
  func lease(_ game: String, to console: HostLease.Console, takesOver: Bool) async -> Bool?

  /// Ends the lead of a session, or of any session for `nil`; in all games if `game` is `nil`.
  func endLease(_ game: String?, of session: String?) async
}

/// Receives the changes of a cluster for the games of a process.
protocol ClusterListener: AnyObject, Sendable {
  /// Applies what has happened. No other change is applied to games in the meantime.
  func follow(_ news: StoreNews)

  /// This process leads from now on, or no longer leads.
  func lead(_ leads: Bool)

  /// Lets games continue, once ``Cluster/isLeading`` says that this process leads.
  func tellAll()

  /// Answers a request of another process to this one, which leads; returns why it was not carried out, or `nil`.
  func answer(_ request: StoreRequest) async -> HostingProblem?

  /// The numbers of viewers that this process counts, by games.
  var ownViewers: [String: Int] { get }

  /// Receives the numbers of viewers of the other nodes. Also checks who leads as host, and which games there are.
  func meet(_ others: [String: Int], _ nodes: Nodes)

  /// Receives messages for the operator.
  var say: @Sendable (String) -> Void { get }
}

/// A cluster of one: a process that serves its games alone.
final class LoneProcess: Cluster {
  private let writer: StoreWriter

  /// - Parameter writer: Writes everything to the store.
  init(_ writer: StoreWriter) { self.writer = writer }

  var isLeading: Bool { true }
  var questionLag: DispatchTimeInterval? { nil }
  var returnsAnswers: Bool { false }
  var messageOverlap: Int { 0 }
  var failure: StoreError? { writer.lastFailure }
  var lastingFailure: StoreError? { writer.lastFailure }
  var lag: (seconds: Double, underway: Int)? { nil }

  func makeFeed() -> LiveFeed { LiveFeed() }
  func start(_ listener: any ClusterListener) {}
  func leave() {}
  func end() {}
  func exclusively<Value: Sendable>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value { try body() }
  func close(question: Int, of game: String, _ done: @escaping @Sendable (StoreError?) -> Void) { done(nil) }
  func ask(_ request: HostRequest, of game: String) async -> HostingProblem? { .unavailable }
  func lease(_ game: String, to console: HostLease.Console, takesOver: Bool) async -> Bool? { nil }
  func endLease(_ game: String?, of session: String?) async {}

  func join(
    _ nickname: String, key: String, team: String?, position: MediaTime?, in game: GameKeeper
  ) async throws(GameFailure) -> HostedGame.Joined {
    try await game.change { [id = game.stored.id] (hosted, now) throws(HostingProblem) in
      let joined = try hosted.join(nickname, key: key, team: team, position: position, now: now)
      let player = StoredPlayer(joined, key: key)
      let change: StoreChange? =
        joined.isChanged ? .changePlayer(game: id, player) : joined.isKnown ? nil : .player(game: id, player)
      return (joined, HostedGame.Change(), change.map { [$0] } ?? [])
    }
  }
}

extension StoredPlayer {
  /// A player of a client as it is after joining.
  init(_ joined: HostedGame.Joined, key: String) {
    self.init(player: joined.player, nickname: joined.nickname, key: key, joinedAt: joined.joinedAt, team: joined.team)
  }
}
