package import Basics
package import GameEvents

/// When a question takes answers, and which.
package struct AnswerWindow: Equatable, Sendable {
  /// The question's index among those that the game has asked.
  package var question: UInt32
  /// Which answers the question takes.
  package var form: AnswerForm
  /// When it begins to take answers, on the programme's timeline.
  package var opensAt: MediaTime
  /// When it stops taking answers, exclusively.
  package var closesAt: MediaTime
  /// The maximum delay of players behind the live edge.
  package var delay: MediaTime
  /// Whether no more answers are taken: the result is being decided, or it is.
  package var isClosed: Bool

  /// A window.
  package init(question: UInt32, form: AnswerForm, opensAt: MediaTime, closesAt: MediaTime, delay: MediaTime, isClosed: Bool = false) {
    (self.question, self.form, self.opensAt, self.closesAt) = (question, form, opensAt, closesAt)
    (self.delay, self.isClosed) = (delay, isClosed)
  }

  /// Why an answer is not taken.
  package enum Refusal: String, CaseIterable, Sendable {
    /// The question is not one that was asked.
    case unknownQuestion = "unknown-question"
    /// The question has no such answer.
    case unknownAnswer = "unknown-answer"
    /// At the player's position the question had not been asked, or the player had not joined.
    case tooEarly = "too-early"
    /// At the player's position the time was up.
    case tooLate = "too-late"
    /// The position is further behind the live edge than is allowed: a player who claims it may have had more time.
    case tooFarBehind = "too-far-behind"
    /// The position is ahead of the live edge, where nobody can be.
    case ahead = "ahead-of-live"
    /// The result is decided.
    case revealed = "after-reveal"
    /// The player is out of the game.
    case eliminated = "eliminated"
  }

  /// Players' clocks are not exact; this much deviation is tolerated.
  package static let tolerance = MediaTime(ticks: 45_000)

  /// Why an answer is refused; `nil` if it is taken.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - time: The player's position.
  ///   - edge: The programme's time at the live edge.
  ///   - joined: When the player joined.
  package func refusal(_ answer: GivenAnswer, at time: MediaTime, edge: MediaTime, joined: MediaTime) -> Refusal? {
    guard !isClosed else { return .revealed }
    guard form.code(of: answer) != nil else { return .unknownAnswer }
    guard time <= edge + Self.tolerance else { return .ahead }
    guard time >= opensAt, time >= joined else { return .tooEarly }
    guard time < closesAt else { return .tooLate }
    guard time >= edge - delay - Self.tolerance else { return .tooFarBehind }
    return nil
  }
}
