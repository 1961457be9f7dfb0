public import Basics
public import CuelightClient
public import GameEvents
public import Observation
public import StateMachine

/// A viewer's game for views that observe it: `state` changes when something is to be shown, and at no other time.
///
/// ```swift
/// @State private var game = GameModel()
/// Text(game.state.question?.content.question ?? "")
/// ```
///
/// Give it what the player hands over, as a ``CuelightClient/GameClient``, or let it play the events of a URL. All times are those of the player's clock.
@available(macOS 14, iOS 17, tvOS 17, visionOS 1, *)
@MainActor @Observable public final class GameModel {
  /// What to show.
  public private(set) var state: GameState
  /// The latest transitions, at most ``mostTransitions``, the newest last: for effects.
  public private(set) var transitions: [GameTransition] = []
  /// Whether the question that is shown is over, because the viewer went back to before its result.
  public private(set) var isQuestionOver = false
  @ObservationIgnored private var client: GameClient

  /// How many transitions are kept.
  public static let mostTransitions = 32

  /// A game that knows nothing yet.
  public init(_ client: GameClient = GameClient()) {
    self.client = client
    state = client.state
  }

  /// A game that shows a state, for previews. The first event that it receives replaces the state.
  public init(showing state: GameState) {
    client = GameClient()
    self.state = state
  }

  /// The player's time at which to call ``advance(to:)`` at the latest.
  public var nextDeadline: MediaTime? { client.nextDeadline }

  /// Receives an ID3 tag, as ``CuelightClient/GameClient/receive(tag:presentedAt:now:)`` does.
  public func receive(tag: some Sequence<UInt8>, presentedAt time: MediaTime, now: MediaTime) {
    show(client.receive(tag: tag, presentedAt: time, now: now))
  }

  /// Receives a `TXXX` frame, as ``CuelightClient/GameClient/receive(text:description:presentedAt:now:)`` does.
  public func receive(text: String, description: String, presentedAt time: MediaTime, now: MediaTime) {
    show(client.receive(text: text, description: description, presentedAt: time, now: now))
  }

  /// Receives a copy.
  public func receive(_ copy: EventCopy, presentedAt time: MediaTime, now: MediaTime) {
    show(client.receive(copy, presentedAt: time, now: now))
  }

  /// The player's clock goes on.
  public func advance(to now: MediaTime) { show(client.advance(to: now)) }

  /// The viewer has moved.
  public func seek(to now: MediaTime) { show(client.seek(to: now)) }

  /// An ad, or the programme after it, begins at a time, or now.
  public func discontinuity(at time: MediaTime? = nil) {
    client.discontinuity(at: time)
    show([])
  }

  /// The viewer selects an answer.
  ///
  /// - Returns: What became of it.
  @discardableResult public func select(_ answer: GivenAnswer, now: MediaTime) -> SelectionOutcome {
    let (outcome, transitions) = client.select(answer, now: now)
    show(transitions)
    return outcome
  }

  /// The stream has ended.
  public func finish(now: MediaTime) { show(client.finish(now: now)) }

  /// Plays the events of a stream as they are read, whatever the time is: for a live stream without a player, and for recordings. The player's clock is
  /// the programme's.
  ///
  /// - Throws: What the events throw.
  public func play(_ events: CuelightEvents) async throws {
    var end = MediaTime.zero
    for try await event in events {
      end = max(end, event.time)
      receive(event.copy, presentedAt: event.time, now: event.time)
    }
    finish(now: end)
  }

  private func show(_ new: [GameTransition]) {
    if !new.isEmpty { transitions = (transitions + new).suffix(Self.mostTransitions) }
    // Every assignment notifies observers.
    if state != client.state { state = client.state }
    if isQuestionOver != client.isQuestionOver { isQuestionOver = client.isQuestionOver }
  }
}
