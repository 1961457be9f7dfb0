import Basics

/// The programme's time for a viewer, on a clock of this machine.
struct PlayClock {
  /// The number of programme seconds per second.
  let speed: Double
  private var anchor: (instant: SuspendingClock.Instant, time: MediaTime)

  /// A clock that shows `time` at `instant`.
  init(showing time: MediaTime, at instant: SuspendingClock.Instant, speed: Double) {
    self.speed = speed
    anchor = (instant, time)
  }

  /// The programme's time at `instant`.
  func time(at instant: SuspendingClock.Instant) -> MediaTime {
    anchor.time + MediaTime(seconds: anchor.instant.duration(to: instant) / .seconds(1) * speed)
  }

  /// Shows `time` at `instant`: after a pause, or if the stream is late.
  mutating func set(to time: MediaTime, at instant: SuspendingClock.Instant) { anchor = (instant, time) }
}
