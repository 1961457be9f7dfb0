import Basics
import GameEvents
import GameHosting
import LiveSession
import Synchronization

/// Tells screens what they show. Each message is the whole state, so that a screen that misses one, or comes later, needs no other.
final class Stage: Sendable {
  private struct State {
    /// What was sent last, and the whole time for answers that it had.
    var last = JSONObject()
    var whole: JSONValue?
    var nextInstant = ContinuousClock.now
    /// The latest counts of a live poll, and when its answers may be counted again.
    var counted: (question: GUID, counts: [Int])?
    var countAgain = ContinuousClock.now
  }

  private let game: GameKeeper
  private let feed = LiveFeed(keeping: 8)
  private let state = Mutex(State())
  /// The minimum time between two messages.
  private static let shortestInterval = Duration.milliseconds(250)
  /// How often answers and players are counted for screens.
  private static let interval = Duration.milliseconds(500)
  /// How often the answers to a live poll are counted for players' pages.
  private static let countInterval = Duration.seconds(1)
  /// The maximum number of screens of a game.
  static let mostListeners = 256
  /// The name of the message.
  static let event = "stage"

  init(_ game: GameKeeper) { self.game = game }

  /// The messages from now on, the first of which is the state of this moment; `nil` if there are too many screens.
  func listen() -> (messages: AsyncStream<LiveFeed.Message>, first: JSONObject, number: Int)? {
    guard feed.listenerCount < Self.mostListeners else { return nil }
    let messages = feed.listen()
    let (object, time) = look()
    return (messages, object.with("time", time), feed.lastID)
  }

  /// The counts of a live poll for players' pages; `nil` where none takes answers. However many pages ask, the answers are counted once a second.
  func liveCounts(at now: ContinuousClock.Instant = .now) -> (question: GUID, counts: [Int])? {
    let (counted, isFresh) = state.withLock { ($0.counted, now < $0.countAgain) }
    guard !isFresh else { return counted }
    let counts = game.look { game in game.liveCounts() }
    state.withLock { state in (state.counted, state.countAgain) = (counts, now + Self.countInterval) }
    return counts
  }

  /// Whether no screen listens.
  var isUnused: Bool { feed.listenerCount == 0 }

  /// Sends what has changed; returns when to call this next, unless something changes before.
  func tick() -> ContinuousClock.Instant? {
    guard !isUnused else { return nil }
    let now = ContinuousClock.now
    let due = state.withLock { $0.nextInstant }
    guard due <= now else { return due }
    let (object, time) = look()
    let isNew = state.withLock { state in
      state.nextInstant = now + Self.shortestInterval
      // The time goes on by itself: only another length of it is new.
      let isNew = state.last != object || state.whole != time?["whole"]
      (state.last, state.whole) = (object, time?["whole"])
      return isNew
    }
    if isNew { feed.send(Self.event, object.with("time", time)) }
    // Answers and players come without a change of the game.
    return game.hasEnded ? nil : now + Self.interval
  }

  /// What screens show at this moment, and the time for answers.
  private func look() -> (JSONObject, JSONObject?) { game.look { game, now in (game.stage(at: now), game.stageTime(at: now)) } }

  /// Sends a sign of life.
  func keepAlive() { feed.keepAlive() }

  /// Ends the messages.
  func close() { feed.close() }
}
