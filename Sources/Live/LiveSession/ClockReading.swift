import LibC

/// The clock that nobody sets and the machine's clock, read at one moment.
struct ClockReading: Equatable, Sendable {
  var instant: ContinuousClock.Instant
  /// Milliseconds since 1970.
  var wallClock: Int64

  /// Reads both clocks. A process that is stopped between the two readings reads them again.
  static func now() -> ClockReading {
    while true {
      let before = ContinuousClock.now
      let wallClock = WallClock.now
      let after = ContinuousClock.now
      if after - before < .milliseconds(2) { return ClockReading(instant: after, wallClock: wallClock) }
    }
  }
}
