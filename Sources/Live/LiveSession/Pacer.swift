import Basics

/// Tells when the access units of a file, or of a presentation that was loaded, are due, so that it is a live stream.
struct Pacer: Sendable {
  /// How many times as fast as it should be; 1 for a stream in its own time.
  let pace: Double
  /// What comes later than this is not caught up with.
  private let patience: Duration
  private var unwrapper = TimestampUnwrapper()
  private var anchor: (time: MediaTime, instant: ContinuousClock.Instant)?

  /// Access units that are further apart than this belong to two clocks.
  private static let longestStep = MediaTime(seconds: 1)
  private var last: MediaTime?
  /// How far the two latest access units of one clock were apart.
  private var step = MediaTime.zero

  /// - Parameter patience: How late access units may come whose delay is caught up with.
  init(pace: Double, patience: Duration = .seconds(1)) { (self.pace, self.patience) = (pace, patience) }

  /// Lets the next access unit come at once, and those behind it at their distance from it.
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
      // Behind a jump the access unit is due a usual step after the one before, but at most 0.1 s ago.
      let instant = self.anchor.flatMap { anchor in last.map { anchor.instant + duration($0 + step - anchor.time) } } ?? now
      self.anchor = (time, max(instant, now - .milliseconds(100)))
      return max(instant, now - .milliseconds(100))
    }
    let due = anchor.instant + duration(time - anchor.time)
    // A stream that was stopped goes on from there.
    if now - due > patience { self.anchor = (time, now) }
    return due
  }

  private func duration(_ time: MediaTime) -> Duration { .nanoseconds(Int64(Double(time.ticks) / pace * 100_000 / 9)) }
}
