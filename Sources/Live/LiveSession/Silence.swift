/// Decides when an input counts as silent, and how many gaps a playlist needs meanwhile, so that players go on waiting.
struct Silence: Equatable, Sendable {
  /// When the latest access unit arrived.
  private var lastUnit: ContinuousClock.Instant
  /// The end of the latest gap; `nil` while the input is not silent.
  private var coveredUntil: ContinuousClock.Instant?

  /// When the thread that watches meant to look next; `nil` while it looks.
  private var nextLook: ContinuousClock.Instant?

  /// A thread that looks this much later was stopped, with the whole process, and so was the input.
  private static let lateness = Duration.milliseconds(500)

  /// - Parameter instant: When the session begins to wait for access units.
  init(from instant: ContinuousClock.Instant) { lastUnit = instant }

  /// Records the arrival of an access unit.
  mutating func end(at instant: ContinuousClock.Instant) { (lastUnit, coveredUntil) = (instant, nil) }

  /// Records until when the thread that watches sleeps, unless something wakes it.
  mutating func sleep(until instant: ContinuousClock.Instant) { nextLook = instant }

  /// Records that the thread that watches looks again. A time for which the process was stopped is no silence: what came meanwhile has not been read.
  mutating func wake(at instant: ContinuousClock.Instant) {
    guard let wanted = nextLook.take(), instant - wanted > Self.lateness else { return }
    lastUnit = min(lastUnit + (instant - wanted), instant)
    coveredUntil = coveredUntil.map { $0 + (instant - wanted) }
  }

  /// Whether viewers are about to notice the silence: after half a target duration, but at least two seconds, and at most a target duration.
  ///
  /// - Parameter target: The target duration.
  func isNoticeable(at instant: ContinuousClock.Instant, target: Duration) -> Bool { instant >= noticed(target) }

  private func noticed(_ target: Duration) -> ContinuousClock.Instant { lastUnit + min(target, max(target / 2, .seconds(2))) }

  private func beginning(_ target: Duration) -> ContinuousClock.Instant { lastUnit + target * 3 / 2 }

  /// When a step is due or the silence becomes noticeable, unless an access unit arrives before.
  func next(after instant: ContinuousClock.Instant, target: Duration) -> ContinuousClock.Instant {
    isNoticeable(at: instant, target: target) ? coveredUntil ?? beginning(target) : noticed(target)
  }

  /// What is due.
  enum Step: Equatable, Sendable {
    /// The silence begins: the rest of the stream has to be sent.
    case begin
    /// Another gap is due.
    case gap
  }

  /// The step that is due now. The silence begins after one and a half target durations.
  ///
  /// - Parameter target: The target duration.
  func step(at instant: ContinuousClock.Instant, target: Duration) -> Step? {
    if let coveredUntil { return instant >= coveredUntil ? .gap : nil }
    return instant >= beginning(target) ? .begin : nil
  }

  /// Records that the rest of the stream was sent. The first gap is due at once.
  mutating func begin(target: Duration) { coveredUntil = beginning(target) }

  /// Records that a gap was listed.
  mutating func cover(target: Duration) { coveredUntil = coveredUntil.map { $0 + target } }
}
