package import Basics

/// Maps programme time to dates. The anchor is set at the start of a stretch and holds for all of it, so that dates never contradict the durations of
/// segments.
package struct DateAnchor: Equatable, Sendable {
  /// A time on the programme's timeline.
  package var time: MediaTime
  /// Its date, in milliseconds since 1970.
  package var wallClock: Int64

  /// An anchor at a time with this date.
  package init(time: MediaTime, wallClock: Int64) { (self.time, self.wallClock) = (time, wallClock) }

  /// The date of a time.
  package func wallClock(of other: MediaTime) -> Int64 { wallClock &+ (other - time).milliseconds }

  /// The time of a date.
  package func time(of date: Int64) -> MediaTime {
    time + MediaTime(milliseconds: date.subtractingReportingOverflow(wallClock).partialValue)
  }
}
