package import Basics

/// Which date the programme has when. It is fixed where a stretch of the stream begins, and goes on with the media: so dates never contradict the
/// durations of segments.
package struct DateAnchor: Equatable, Sendable {
  /// A time on the programme's timeline, and its date in milliseconds since 1970.
  package var time: MediaTime
  package var wallClock: Int64

  package init(time: MediaTime, wallClock: Int64) { (self.time, self.wallClock) = (time, wallClock) }

  /// The date of a time.
  package func wallClock(of other: MediaTime) -> Int64 { wallClock &+ (other - time).milliseconds }

  /// The time of a date.
  package func time(of date: Int64) -> MediaTime {
    time + MediaTime(milliseconds: date.subtractingReportingOverflow(wallClock).partialValue)
  }
}

extension MediaTime {
  /// A time of milliseconds, saturating.
  package init(milliseconds: Int64) {
    let (ticks, overflow) = milliseconds.multipliedReportingOverflow(by: Self.ticksPerSecond / 1_000)
    self.init(ticks: overflow ? (milliseconds < 0 ? .min : .max) : ticks)
  }

  /// The whole milliseconds.
  package var milliseconds: Int64 { ticks / (Self.ticksPerSecond / 1_000) }
}
