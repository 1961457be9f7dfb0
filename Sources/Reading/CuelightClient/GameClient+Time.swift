public import Basics
public import GameEvents
public import StateMachine

/// Time, and what the viewer does.
extension GameClient {
  /// Advances to `now`, and does everything that is due until then. Before the first copy nothing is due.
  ///
  /// Call it at ``nextDeadline``, and also a few times a second. If the clock goes back by more than a second, the viewer has moved.
  public mutating func advance(to now: MediaTime) -> [GameTransition] {
    guard let before = self.now else {
      self.now = now
      return []
    }
    guard now >= before else { return before - now > Self.clockJitter ? seek(to: now) : [] }
    var transitions: [GameTransition] = []
    var position = before
    // Several copies may be due at once.
    while position < now || early.first.map({ $0.time <= now }) == true {
      let interval = timeline.nextInterval(after: position).flatMap { timeline.intervals[$0].start <= now ? $0 : nil }
      let stop = interval.map { timeline.intervals[$0].start } ?? now
      if let first = early.first, first.time <= stop {
        early.removeFirst()
        self.now = first.time
        transitions += follow(first.time) + play(first, now: first.time)
        position = max(position, first.time)
        continue
      }
      // The end of an interval precedes the next one.
      if let interval, let time = timeline.programmeTime(at: stop, in: interval - 1) { transitions += move(to: time) }
      self.now = stop
      transitions += follow(stop)
      position = stop
    }
    return transitions
  }

  /// Moves to `now`, because the viewer did. Events in between are not announced. A question that is open there is announced, even if it was before.
  public mutating func seek(to now: MediaTime) -> [GameTransition] {
    self.now = now
    timeline.forgetContradictions()
    withheld = []
    let held = early.prefix(early.partitionIndex { $0.time > now })
    early.removeFirst(held.count)
    opened = []
    guard let time = timeline.programmeTime(at: now) else { return [] }
    var transitions = announced(game.seek(to: time))
    // Copies that were held until the programme began are received now if the viewer has moved beyond its beginning.
    for timed in held where timed.copy.programmeTime != nil { transitions += play(timed, now: now) }
    return transitions
  }

  /// Records that the player announces a discontinuity, at `time` or now: the start of an ad, or of the programme after it. The programme is paused
  /// until the next copy determines its time, unless a copy that is presented later has already done so.
  ///
  /// Call it for an ad before the programme, too, before any tag is received: then the programme does not begin before its first copy is
  /// presented, however early that is received.
  public mutating func discontinuity(at time: MediaTime? = nil) {
    // Before the player has started, nothing can be paused, so the time does not matter.
    timeline.stop(at: time ?? now ?? .zero, slack: Self.discontinuitySlack)
  }

  /// Selects an answer of the open question. Until the question closes, another answer may replace it. Once its result was shown, it is too late, even
  /// if the viewer goes back.
  ///
  /// - Parameters:
  ///   - answer: The index of the answer.
  ///   - now: The player's time.
  /// - Returns: The outcome, and the transitions that were due.
  public mutating func select(_ answer: Int, now: MediaTime) -> (outcome: SelectionOutcome, transitions: [GameTransition]) {
    select(.one(answer), now: now)
  }

  /// Selects an answer of the open question, which may be of any kind, as ``select(_:now:)-(Int,_)`` does.
  ///
  /// - Parameters:
  ///   - answer: The answer, in the form that the question takes.
  ///   - now: The player's time.
  /// - Returns: The outcome, and the transitions that were due.
  public mutating func select(_ answer: GivenAnswer, now: MediaTime) -> (outcome: SelectionOutcome, transitions: [GameTransition]) {
    let transitions = advance(to: now)
    guard let time = timeline.programmeTime(at: now) else { return (.noQuestion, transitions) }
    if isQuestionOver { return (.tooLate, transitions) }
    let (outcome, further) = game.select(answer, at: time)
    return (outcome, transitions + announced(further))
  }

  /// Ends the stream: what is due within a second still happens, since a video may be a little shorter than its metadata. Then an open question
  /// closes, and missing events are lost.
  public mutating func finish(now: MediaTime) -> [GameTransition] {
    var transitions = advance(to: now)
    if let next = nextDeadline, next <= now + Self.endSlack { transitions += advance(to: now + Self.endSlack) }
    return transitions + announced(game.finish())
  }

  /// Advances the game to the programme time of `now`.
  mutating func follow(_ now: MediaTime) -> [GameTransition] { timeline.programmeTime(at: now).map { move(to: $0) } ?? [] }

  /// Moves the game to a programme time. If that is earlier than the game's time, there was an unannounced ad.
  private mutating func move(to time: MediaTime) -> [GameTransition] {
    guard let before = game.time, time < before else { return announced(game.advance(to: time)) }
    return announced(game.seek(to: time))
  }

  /// Leaves out questions that were announced before: after an unannounced ad, the programme goes back to where it was.
  mutating func announced(_ transitions: [GameTransition]) -> [GameTransition] {
    for transition in transitions {
      guard let question = transition.state.result?.content.questionGuid, !revealed.contains(question) else { continue }
      revealed.append(question)
      if revealed.count > Self.mostHeld { revealed.removeFirst() }
    }
    return transitions.filter { transition in
      guard transition.kind.isOpening, let guid = transition.guid else { return true }
      guard !opened.contains(guid) else { return false }
      opened.append(guid)
      if opened.count > Self.mostHeld { opened.removeFirst() }
      return true
    }
  }
}

extension GameTransition.Kind {
  /// Whether it announces that a question opens.
  fileprivate var isOpening: Bool { if case .questionAsked = self { true } else { false } }
}
