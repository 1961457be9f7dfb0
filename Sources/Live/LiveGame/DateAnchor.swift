package import Basics

/// Ties the programme's time to the date. The tie is made where a stretch of the stream begins and holds for all of it: so dates never
/// contradict the durations of segments.
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
