/// Decides which of two inputs feeds a session. It touches no clock: the caller says when something happens.
package struct InputChoice: Sendable {
  /// One of the inputs.
  package enum Source: String, CaseIterable, Sendable {
    case main, backup

    package var other: Source { self == .main ? .backup : .main }
  }

  /// What is known of an input.
  struct Facts: Equatable, Sendable {
    /// When its latest access unit arrived; `nil` before the first one.
    var latestUnit: ContinuousClock.Instant?
    /// Whether it has ended, or is known to be interrupted.
    var isDown = false
  }

  /// The input that feeds the session.
  private(set) package var feeding = Source.main
  /// How many times that has changed.
  private(set) package var switches = 0
  /// What the operator has asked for, until it is done.
  private var wish: (source: Source, since: ContinuousClock.Instant)?
  private var facts: [Source: Facts] = [:]
  private let start: ContinuousClock.Instant

  /// An input counts as silent after this time without an access unit.
  static var patience: Duration { .milliseconds(500) }
  /// How long the first access unit of the main input is awaited.
  static var patienceAtStart: Duration { .seconds(3) }
  /// How long after its last access unit the other input takes over at the latest, even if no key frame has arrived since.
  static var longestPause: Duration { .milliseconds(900) }
  /// How long a key frame is awaited if the operator has asked for the other input.
  static var longestWish: Duration { .seconds(10) }

  init(from start: ContinuousClock.Instant) { self.start = start }

  mutating func note(_ facts: Facts, of source: Source) { self.facts[source] = facts }

  /// Whether access units of an input arrive.
  func isUp(_ source: Source, at now: ContinuousClock.Instant) -> Bool {
    guard let facts = facts[source], !facts.isDown, let latest = facts.latestUnit else { return false }
    return now - latest < Self.patience
  }

  /// Records that the operator has asked for an input.
  mutating func ask(for source: Source, at now: ContinuousClock.Instant) { wish = source == feeding ? nil : (source, now) }

  /// A change that is due.
  struct Step: Equatable, Sendable {
    var source: Source
    /// It begins with a key frame since this moment,
    var since: ContinuousClock.Instant
    /// or, from this moment on, with the latest one before.
    var deadline: ContinuousClock.Instant
  }

  /// The change that is due; `nil` if there is none.
  func step(at now: ContinuousClock.Instant) -> Step? {
    let isFeeding = isUp(feeding, at: now)
    if let wish, isUp(wish.source, at: now) {
      return Step(source: wish.source, since: wish.since, deadline: isFeeding ? wish.since + Self.longestWish : now)
    }
    guard !isFeeding, isUp(feeding.other, at: now) else { return nil }
    guard let last = facts[feeding]?.latestUnit else {
      let isGone = facts[feeding]?.isDown == true
      return isGone || now >= start + Self.patienceAtStart ? Step(source: feeding.other, since: now, deadline: now) : nil
    }
    return Step(source: feeding.other, since: last, deadline: last + Self.longestPause)
  }

  /// When ``step(at:)`` may have another answer, if nothing arrives; `nil` if it has not.
  func nextMoment(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    if let step = step(at: now) { return max(step.deadline, now + .milliseconds(10)) }
    guard let last = facts[feeding]?.latestUnit else { return max(start + Self.patienceAtStart, now + .milliseconds(100)) }
    // The other one may end, too.
    return max(last + Self.patience, now + .milliseconds(100))
  }

  /// Records that an input feeds the session from now on.
  mutating func change(to source: Source) {
    (feeding, wish) = (source, nil)
    switches += 1
  }
}
