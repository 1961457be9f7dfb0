import Basics
import Dispatch
import GameHosting
import GameStore
import LiveSession

/// The processes that serve the same games. One of them leads: it alone writes down what happens in games, apart from answers and players who join.
protocol Cluster: Sendable {
  /// Whether this process leads.
  var isLeading: Bool { get }

  /// How long it may take until this process knows of a question that another one has asked; `nil` if there is no other one.
  var questionLag: DispatchTimeInterval? { get }

  /// Whether answers that this process has stored come back with those of the others.
  var returnsAnswers: Bool { get }

  /// How far the numbers of messages of two processes may be apart for the same thing.
  var messageOverlap: Int { get }

  /// Why nothing can be stored, or why what others store is not known; `nil` if all is well.
  var failure: StoreError? { get }

  /// The same once it has lasted so long that this process should get no more requests.
  var lastingFailure: StoreError? { get }

  /// How long ago everything that was finished was known here, and how many changes are under way that nobody can know yet; `nil` if nobody else
  /// changes anything.
  var lag: (seconds: Double, underway: Int)? { get }

  /// The feed of a game, whose numbers all processes agree about.
  func makeFeed() -> LiveFeed

  func start(_ listener: any ClusterListener)

  /// Lets another process lead, and no longer leads.
  func leave()

  func end()

  /// Changes games while nothing that others have done changes them.
  func exclusively<Value: Sendable>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value

  /// Stops taking answers to a question in all processes, and calls `done` once this one knows all that were taken.
  func close(question: Int, of game: String, _ done: @escaping @Sendable (StoreError?) -> Void)

  /// Asks the process that leads for something; returns why it was not done, or `nil`.
  func ask(_ request: HostRequest, of game: String) async -> HostingProblem?

  /// Lets a player join a game; one who has joined before stays the same player.
  func join(_ nickname: String, key: String, position: MediaTime?, in game: GameKeeper) async throws(GameFailure) -> HostedGame.Joined

  /// Lets a console lead a game for a while; `nil` if this process alone decides that.
  func lease(_ game: String, to console: HostLease.Console, takesOver: Bool) async -> Bool?

  /// Ends the lead of a session, or of whoever leads; with `nil` in all games.
  func endLease(_ game: String?, of session: String?) async
}

/// What changes games in a process of a cluster.
protocol ClusterListener: AnyObject, Sendable {
  /// Learns what has happened. Nothing else changes games meanwhile.
  func follow(_ news: StoreNews)

  /// This process leads from now on, or no longer leads.
  func lead(_ leads: Bool)

  /// Lets games go on, once what they ask for says that this process leads.
  func tellAll()

  /// Another process asks this one, which leads, for something; the answer is what became of it.
  func answer(_ request: StoreRequest) async -> HostingProblem?

  /// How many viewers this process counts, by games.
  var ownViewers: [String: Int] { get }

  /// Learns how many the others count, who leads as host, and which games there are.
  func meet(_ others: [String: Int], _ nodes: Nodes)

  /// Receives messages for the operator.
  var say: @Sendable (String) -> Void { get }
}

/// A cluster of one: a process that serves its games alone.
final class LoneProcess: Cluster {
  private let writer: StoreWriter

  /// - Parameter writer: What everything is stored by.
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

  func join(_ nickname: String, key: String, position: MediaTime?, in game: GameKeeper) async throws(GameFailure) -> HostedGame.Joined {
    try await game.change { [id = game.stored.id] (hosted, now) throws(HostingProblem) in
      let joined = try hosted.join(nickname, key: key, position: position, now: now)
      let player = StoredPlayer(player: joined.player, nickname: joined.nickname, key: key, joinedAt: joined.joinedAt)
      return (joined, HostedGame.Change(), joined.isKnown ? [] : [.player(game: id, player)])
    }
  }
}
