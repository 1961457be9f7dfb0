public import Basics
public import GameEvents

/// Checks whether the right answer and `salt` open the `seal` of the question `guid` (see the wire format, "Sealed answers").
///
/// `AnswerSeal.verify` of the module `Seals` is the check of the wire format. Without a check, seals are not verified:
/// ``GameState/Seal/unchecked``. The answer must depend on the arguments alone: the check is repeated whenever the state is folded again.
public typealias SealCheck = @Sendable (_ seal: String, _ salt: String, _ guid: GUID, _ right: RightAnswer) -> Bool

/// Plays the game: receives the copies of events that a reader finds, the time and the player's answers, and returns what changes.
///
/// It has no clock: the caller advances it to times of the programme's timeline, and to ``nextDeadline`` when that is reached.
/// ``state`` at a time is a fold over the events that have happened by then and the player's selections, so every order of arrival of the
/// same copies leads to the same state, unless they contradict each other. Transitions are to be announced. What a late event adds to the
/// past affects only the state.
public struct GameStateMachine: Sendable {
  /// Totals so far.
  public struct Counters: Equatable, Sendable {
    /// Copies of events.
    public internal(set) var copies = 0
    /// Events: first copies.
    public internal(set) var events = 0
    /// Repeats of known events, those that corrected an unverified copy among them.
    public internal(set) var duplicates = 0
    /// Copies with a known GUID and another content.
    public internal(set) var conflicts = 0
    /// Events that are missing and have not been recovered.
    public internal(set) var lost = 0
  }

  /// The latest time; `nil` before the first.
  public internal(set) var time: MediaTime?
  /// The state at ``time``.
  public internal(set) var state: GameState
  /// The events.
  public internal(set) var log: EventLog
  var tally = Counters()
  var selections = Selections()
  let verifySeal: SealCheck?

  /// The events that have happened, and their fold.
  var folded: FoldedEntries
  /// The same fold, advanced to `time`.
  var current: GameFold
  /// The events that are known before they happen, the next one last.
  var coming: [EventLog.Entry] = []
  /// The games of which an event has arrived.
  var metGames: Set<GameID> = []

  /// A machine that knows nothing yet.
  ///
  /// - Parameters:
  ///   - limits: How much the log keeps, and how long to wait for missing events.
  ///   - verifySeal: Checks the seals of answers; with `nil` they are not verified (``GameState/Seal/unchecked``).
  public init(limits: EventLog.Limits = EventLog.Limits(), verifySeal: SealCheck?) {
    log = EventLog(limits: limits)
    self.verifySeal = verifySeal
    folded = FoldedEntries(verifySeal: verifySeal)
    current = folded.fold
    state = current.state
  }

  /// Totals so far.
  public var counters: Counters {
    var counters = tally
    for game in log.games {
      let (sum, overflow) = counters.lost.addingReportingOverflow(log.lost(of: game).count)
      counters.lost = overflow ? .max : sum
    }
    return counters
  }

  /// When something changes next if no copy arrives: entry opens, the game starts, a question closes, an event that arrived before its time
  /// happens, a missing one is lost.
  public var nextDeadline: MediaTime? { earlier(earlier(current.nextDeadline, coming.last?.time), log.nextDeadline) }

  /// The earlier of two times, either of which may be missing.
  private func earlier(_ time: MediaTime?, _ other: MediaTime?) -> MediaTime? {
    guard let time, let other else { return time ?? other }
    return min(time, other)
  }
}

// MARK: - Time

extension GameStateMachine {
  /// Advances to `time` and meets the deadlines before it, in order. An earlier time changes nothing.
  public mutating func advance(to time: MediaTime) -> [GameTransition] {
    guard let now = self.time else {
      self.time = time
      return []
    }
    var transitions: [GameTransition] = []
    while let deadline = nextDeadline, deadline <= time { transitions += meetDeadline(at: max(deadline, self.time ?? now)) }
    self.time = max(time, now)
    advanceFold(to: max(time, now))
    return transitions
  }

  /// Moves to `time`, backwards or forwards: the events stay, the state becomes that of the time. Events in between are not announced, and
  /// missing ones there are not lost.
  public mutating func seek(to time: MediaTime) -> [GameTransition] {
    let old = state
    self.time = time
    log.seek(to: time)
    refold()
    return GameTransition.between(old, state, at: time, isSeek: true)
  }

  /// Ends the stream: missing events are lost, and an open question closes when its time is up, since no event can close it.
  public mutating func finish() -> [GameTransition] {
    let losses = Self.announcing(log.finish(), at: time, state)
    guard state.phase == .asking, let question = state.question else { return losses }
    return losses + advance(to: question.closesAt)
  }

  /// Meets one deadline: that of the state first, as the fold does.
  mutating func meetDeadline(at time: MediaTime) -> [GameTransition] {
    self.time = time
    if let deadline = current.nextDeadline, deadline <= time {
      let old = state
      current.meetDeadline(selections)
      state = current.state(at: time, selections)
      return GameTransition.between(old, state, at: time)
    }
    if let event = coming.last?.time, event <= time { return include(removeComing(at: event)) }
    return Self.announcing(log.losses(upTo: time), at: time, state)
  }

  /// Advances from the latest entry to `time`.
  mutating func advanceFold(to time: MediaTime) {
    current.advance(to: time, selections)
    state = current.state(at: time, selections)
  }

  // Static, because a closure copies what it captures, and here that would be the whole machine.
  private static func announcing(_ losses: [EventLog.Loss], at time: MediaTime?, _ state: GameState) -> [GameTransition] {
    guard let time else { return [] }
    return losses.map { loss in
      GameTransition(kind: .eventLost(sequences: loss.sequences), time: time, eventTime: time, guid: nil, game: loss.game, state: state)
    }
  }
}

// MARK: - The player

extension GameStateMachine {
  /// Selects an answer at `time`, after advancing to that. Until the question closes, another answer may replace it.
  ///
  /// - Parameters:
  ///   - answer: The index of the answer.
  ///   - time: When it was selected; a time that has passed already counts as now.
  /// - Returns: The outcome, and the transitions of advancing.
  public mutating func select(answer: Int, at time: MediaTime) -> (outcome: SelectionOutcome, transitions: [GameTransition]) {
    select(.one(answer), at: time)
  }

  /// Selects an answer to a question of any kind at `time`, after advancing to that. Until the question closes, another answer may replace it.
  ///
  /// - Parameters:
  ///   - answer: The answer, in the form that the question takes.
  ///   - time: When it was selected; a time that has passed already counts as now.
  /// - Returns: The outcome, and the transitions of advancing.
  public mutating func select(_ answer: GivenAnswer, at time: MediaTime) -> (outcome: SelectionOutcome, transitions: [GameTransition]) {
    let transitions = advance(to: time)
    return (select(answer), transitions)
  }

  private mutating func select(_ answer: GivenAnswer) -> SelectionOutcome {
    guard let time, let game = state.game, let question = state.question else { return .noQuestion }
    guard let answer = question.content.form.answer(as: answer) else { return .unknownAnswer }
    guard state.phase == .asking else { return .tooLate }
    selections.select(answer, of: question.guid, game: game, at: time)
    advanceFold(to: time)
    return .accepted
  }
}
