/// Decides from when on an input counts as silent, and how many gaps a playlist needs meanwhile, so that players go on waiting.
struct Silence: Equatable, Sendable {
  /// When the latest access unit came.
  private var lastUnit: ContinuousClock.Instant
  /// Until when the silence is in the playlist; `nil` while the input is not silent.
  private var coveredUntil: ContinuousClock.Instant?

  /// - Parameter instant: From when on something is waited for.
  init(from instant: ContinuousClock.Instant) { lastUnit = instant }

  /// Records that an access unit has come.
  mutating func end(at instant: ContinuousClock.Instant) { (lastUnit, coveredUntil) = (instant, nil) }

  /// Whether nothing has come for so long that viewers are about to see it: half a target duration, and two seconds if that is longer.
  ///
  /// - Parameter target: The target duration.
  func isNoticeable(at instant: ContinuousClock.Instant, target: Duration) -> Bool { instant >= noticed(target) }

  private func noticed(_ target: Duration) -> ContinuousClock.Instant { lastUnit + min(target, max(target / 2, .seconds(2))) }

  private func beginning(_ target: Duration) -> ContinuousClock.Instant { lastUnit + target * 3 / 2 }

  /// When something is due or noticeable next, if nothing comes until then.
  func next(after instant: ContinuousClock.Instant, target: Duration) -> ContinuousClock.Instant {
    isNoticeable(at: instant, target: target) ? coveredUntil ?? beginning(target) : noticed(target)
  }

  /// What a moment asks for.
  enum Step: Equatable, Sendable {
    /// The input has just fallen silent: what was left of it is to come out.
    case begin
    /// Another gap is due.
    case gap
  }

  /// What is due now. The silence counts from one and a half target durations on.
  ///
  /// - Parameter target: The target duration.
  func step(at instant: ContinuousClock.Instant, target: Duration) -> Step? {
    if let coveredUntil { return instant >= coveredUntil ? .gap : nil }
    return instant >= beginning(target) ? .begin : nil
  }

  /// Records that what was left has come out: the first gap is due at once.
  mutating func begin(target: Duration) { coveredUntil = beginning(target) }

  /// Records that a gap was listed.
  mutating func cover(target: Duration) { coveredUntil = coveredUntil.map { $0 + target } }
}
