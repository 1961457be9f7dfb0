import Basics
import LiveGame

/// The programme time and the dates of a session, which its access units state. The time is passed in.
struct DeskClock: Sendable {
  /// The dates that playlists list.
  private(set) var dates: DateAnchor?
  /// The dates at which events take place.
  private(set) var measured: DateAnchor?
  /// The timecode of the stream.
  private(set) var timecode = StreamTimecode.unknown
  /// The time of the latest access unit; `nil` before the first one.
  private var time: MediaTime?
  /// When it arrived.
  private var arrival = ContinuousClock.now
  /// The latest time that was returned. Programme time does not go back.
  private var latest = MediaTime.zero

  /// Without an access unit, programme time stops after a second.
  private static let longestStep = MediaTime(seconds: 1)

  /// Records an access unit. One with an earlier time than before, as happens if frames are reordered, changes only the dates.
  ///
  /// - Parameters:
  ///   - measured: The dates at which events take place; `nil` for those that playlists list.
  ///   - timecode: The timecode of the stream.
  /// - Returns: Whether the time has changed, and the dates or timecodes at which events take place.
  mutating func advance(
    to unitTime: MediaTime, _ dates: DateAnchor, measured: DateAnchor? = nil, timecode: StreamTimecode = .unknown,
    at instant: ContinuousClock.Instant
  ) -> (time: Bool, dates: Bool) {
    let measured = measured ?? dates
    let haveDatesChanged = self.measured != measured || self.timecode != timecode
    (self.dates, self.measured, self.timecode) = (dates, measured, timecode)
    guard unitTime > time ?? MediaTime(ticks: .min) else { return (false, haveDatesChanged) }
    (time, arrival) = (unitTime, instant)
    return (true, haveDatesChanged)
  }

  /// The programme time: that of the latest access unit, and the time since then, at most a second.
  mutating func now(at instant: ContinuousClock.Instant, wallClock: Int64) -> LiveGame.Now {
    guard let time else { return LiveGame.Now(time: nil, wallClock: wallClock) }
    let (seconds, attoseconds) = (instant - arrival).components
    latest = max(latest, time + min(MediaTime(ticks: seconds * 90_000 + attoseconds / 11_111_111_111_111), Self.longestStep))
    return LiveGame.Now(
      time: latest, wallClock: wallClock, dates: measured, programmeDate: dates?.wallClock(of: latest), timecode: timecode)
  }

  /// When the programme will be at a time, without further access units; `nil` if it needs some.
  func instant(of wanted: MediaTime, now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    guard let time else { return nil }
    guard wanted > max(latest, time) else { return now }
    let left = wanted - time
    return left <= Self.longestStep ? arrival + .nanoseconds((left.ticks * 100_000 + 8) / 9) : nil
  }
}
