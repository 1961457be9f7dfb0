import Basics

/// Decides when the access units of a file or of a loaded presentation are due, to make a live stream of it.
struct Pacer: Sendable {
  /// The speed; 1 for the stream's own.
  let pace: Double
  /// A longer delay is not made up for.
  private let patience: Duration
  private var unwrapper = TimestampUnwrapper()
  private var anchor: (time: MediaTime, instant: ContinuousClock.Instant)?

  /// Access units that are further apart than this have different clocks.
  private static let longestStep = MediaTime(seconds: 1)
  private var last: MediaTime?
  /// The distance of the two latest access units of one clock.
  private var step = MediaTime.zero

  /// - Parameter patience: The longest delay that is made up for.
  init(pace: Double, patience: Duration = .seconds(1)) { (self.pace, self.patience) = (pace, patience) }

  /// Makes the next access unit due now, and those after it at their distance from it.
  mutating func hurry() { (anchor, last) = (nil, nil) }

  /// When an access unit is due, by its decoding time in 33 bits.
  mutating func due(_ timestamp: UInt64, now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    let time = unwrapper.unwrap(timestamp)
    let isJump = last.map { time < $0 || time - $0 > Self.longestStep } ?? true
    defer {
      if let last, !isJump { step = time - last }
      last = time
    }
    guard let anchor, !isJump else {
      // After a jump the access unit is due a usual step after the one before, but at most 0.1 s ago.
      let instant = self.anchor.flatMap { anchor in last.map { anchor.instant + duration($0 + step - anchor.time) } } ?? now
      self.anchor = (time, max(instant, now - .milliseconds(100)))
      return max(instant, now - .milliseconds(100))
    }
    let due = anchor.instant + duration(time - anchor.time)
    // A stream that was stopped continues from here.
    if now - due > patience { self.anchor = (time, now) }
    return due
  }

  private func duration(_ time: MediaTime) -> Duration { .nanoseconds(Int64(Double(time.ticks) / pace * 100_000 / 9)) }
}
