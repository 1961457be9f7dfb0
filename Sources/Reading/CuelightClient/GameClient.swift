public import Basics
public import GameEvents
import Seals
public import StateMachine

/// A viewer's game, for a player that delivers timed metadata: tags or texts in, the state to show out.
///
/// All times are those of the player's clock. The copies of events determine where the programme lies on it; nothing happens before the first copy.
/// A time that is more than 2^32 ticks (13 h 15 min) from the player's clock is a presentation time that has wrapped: 2^33 ticks are added or taken away. If
/// that does not bring it nearer than 2^32 ticks, the event is unusable.
///
/// Ads and cuts are found by the copies after them. If the player announces them (``discontinuity(at:)``), no question closes meanwhile.
///
/// ```swift
/// var client = GameClient()
/// for transition in client.receive(tag: bytes, presentedAt: time, now: now) { show(transition) }
/// ```
public struct GameClient: Sendable {
  /// How the seals of answers are checked.
  public enum SealPolicy: Sendable {
    /// They are checked: a result that does not open its question's seal does not count.
    case verify
    /// They are not checked, and are marked ``GameState/Seal/unchecked``.
    case trust
    /// Another check than that of the wire format.
    case custom(SealCheck)
  }

  /// A copy, and its presentation time on the player's clock.
  struct TimedCopy: Sendable {
    var copy: EventCopy
    var time: MediaTime
  }

  /// The number of unusable events: they were damaged, not signed as required, or dated implausibly far from the player's clock.
  public internal(set) var unusable = 0
  var game: GameStateMachine
  var timeline = PlayerTimeline()
  var parser: CopyParser
  var now: MediaTime?
  /// Copies that contradict the timeline, held until another one agrees with them.
  var withheld: [TimedCopy] = []
  /// Copies that are held until they are presented, in the order of their times: those without a time of their own, and those that arrived before
  /// the programme began.
  var early: [TimedCopy] = []
  /// The events that were announced as opened or begun since the viewer moved.
  var opened: [GUID] = []

  /// The questions whose results the viewer has seen. Going back to before a result does not open its question again.
  var revealed: [GUID] = []

  /// The maximum number of held copies, and of remembered announcements and results.
  static let mostHeld = 256
  /// If a discontinuity is announced at most this long after the start of an interval, it means that start: players announce it a little late.
  static let discontinuitySlack = MediaTime(seconds: 2)
  /// How far the player's clock may go back although the viewer did not move: several threads read it.
  static let clockJitter = MediaTime(seconds: 1)
  /// After how much presentation times of 33 bits begin again.
  static let wrap = MediaTime(ticks: 1 << 33)
  /// How far a time may be from the player's clock.
  static let farthest = MediaTime(ticks: 1 << 32)
  /// How long after the end of the video events still happen. Not more than the jitter, or else the player's clock would go back afterwards.
  static let endSlack = clockJitter

  /// A client that knows nothing yet.
  ///
  /// - Parameters:
  ///   - seals: How the seals of answers are checked.
  ///   - signatures: Checks the signature that every event must have, or else it counts as ``unusable``; `nil` if signatures are not required.
  ///   - limits: How much is kept, and how long to wait for missing events.
  public init(seals: SealPolicy = .verify, signatures: SignatureCheck? = nil, limits: EventLog.Limits = EventLog.Limits()) {
    parser = CopyParser(requiring: signatures)
    let check: SealCheck? =
      switch seals {
      case .verify: AnswerSeal.verify
      case .trust: nil
      case .custom(let check): check
      }
    game = GameStateMachine(limits: limits, verifySeal: check)
  }

  /// The state to show.
  public var state: GameState { game.state }

  /// Whether the viewer has seen the result of the question in ``state``, and has gone back to before it: the question is shown again, and takes no
  /// answers. ``select(_:now:)-(Int,_)`` returns ``SelectionOutcome/tooLate``.
  public var isQuestionOver: Bool { isQuestionOver(in: state) }

  /// Whether the question of a state of this game is over, as ``isQuestionOver`` says it of the present one.
  package func isQuestionOver(in state: GameState) -> Bool {
    state.phase == .asking && state.question.map { revealed.contains($0.guid) } ?? false
  }

  /// Totals so far.
  public var counters: GameStateMachine.Counters { game.counters }

  /// The player's time of the timeline origin at the current position; `nil` before the first copy, and while the programme is paused.
  public var origin: MediaTime? { now.flatMap { timeline.origin(at: $0) } }

  /// The programme time now, to be compared with ``GameState/Question/closesAt`` and the other times of the state. `nil` before the first
  /// copy.
  public var programmeTime: MediaTime? { now.flatMap { timeline.programmeTime(at: $0) } }

  /// The player's time at which the programme reaches `time`, from now on; `nil` if that is not known.
  public func playerTime(ofProgrammeTime time: MediaTime) -> MediaTime? { now.flatMap { timeline.playerTime(of: time, from: $0) } }

  /// The player's time at which something changes next if no copy arrives: set a timer, and call ``advance(to:)`` then.
  public var nextDeadline: MediaTime? {
    guard let now else { return nil }
    var next = game.nextDeadline.flatMap { timeline.playerTime(of: $0, from: now) }
    if let start = timeline.nextInterval(after: now).map({ timeline.intervals[$0].start }) { next = min(next ?? start, start) }
    if let first = early.first, !timeline.isUnknown { next = min(next ?? first.time, first.time) }
    return next
  }
}
