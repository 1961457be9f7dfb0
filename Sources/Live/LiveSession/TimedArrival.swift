import Basics
import LiveGame

/// An event that waits for an access unit, and for how long it may.
///
/// Its deadline is a date, which the journal keeps for a restart. Within a process the clock that nobody sets decides: if the machine's clock is set, the
/// event neither expires earlier nor waits longer.
struct TimedArrival: Sendable {
  let arrival: LiveGame.Arrival
  /// After this moment the event no longer goes into the stream; `nil` if it may wait.
  private let expiry: ContinuousClock.Instant?

  /// An event that begins to wait, or goes on waiting after a restart.
  ///
  /// - Parameter reading: The clocks now, of which the deadline counts by the machine's.
  init(_ arrival: LiveGame.Arrival, at reading: ClockReading) {
    self.arrival = arrival
    expiry = arrival.deadline.map { reading.instant + .milliseconds($0.subtractingSaturated(reading.wallClock)) }
  }

  /// Whether the event no longer goes into the stream.
  func hasExpired(at instant: ContinuousClock.Instant) -> Bool { expiry.map { $0 < instant } ?? false }
}
