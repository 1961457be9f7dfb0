package import Basics
package import GameEvents
import TransportStream

/// Where a programme lies on the clock of a stream: the timeline origin, and where the stream starts and ends.
///
/// The stream times that come in are unwrapped.
package struct ProgrammeTimeline: Equatable, Sendable {
  /// Where in the programme a stream starts.
  package struct Start: Equatable, Sendable {
    /// The programme time of its first random-access video frame (or first audio), unless copies of events tell another one.
    package var time = MediaTime.zero
    /// The same time as the video of the streams before tells it.
    package var videoTime = MediaTime.zero

    /// A stream that starts at these times.
    package init(time: MediaTime = .zero, videoTime: MediaTime = .zero) {
      self.time = time
      self.videoTime = videoTime
    }

    /// Moves both times by what is missing in front of the stream.
    mutating func skip(_ duration: MediaTime) {
      time += duration
      videoTime += duration
    }
  }

  /// The stream time of the timeline origin as the video (or the audio) tells it; `nil` until its first random-access frame.
  package private(set) var videoOrigin: MediaTime?
  private var clock: ProgrammeClock
  private var videoStart: MediaTime
  private var firstTime: MediaTime?
  private var endTime: MediaTime?

  /// The timeline of a stream that starts somewhere in the programme.
  package init(startingAt start: Start = Start()) {
    clock = ProgrammeClock(startingAt: start.time)
    videoStart = start.videoTime
  }

  /// The stream time of the timeline origin as the copies of events tell it, or else the video, the audio or the first tag.
  package var origin: MediaTime? { clock.origin }

  /// The programme time at which the video (or the audio) starts.
  package var start: MediaTime? { firstTime.flatMap { programmeTime(of: $0) } }

  /// The programme time at which the video (or the audio) ends so far.
  package var end: MediaTime? { endTime.flatMap { programmeTime(of: $0) } }

  /// The same as the video tells it.
  var videoEnd: MediaTime? { endTime.flatMap { videoTime(of: $0) } }

  /// The programme time of a stream time; `nil` until the origin is known.
  package func programmeTime(of time: MediaTime) -> MediaTime? { origin.map { time - $0 } }

  /// The programme times of stream times; `nil` until the origin is known.
  func programmeTimes(of times: ClosedRange<MediaTime>) -> ClosedRange<MediaTime>? {
    origin.map { times.lowerBound - $0...times.upperBound - $0 }
  }

  /// The programme time of a stream time as the video tells it.
  package func videoTime(of time: MediaTime) -> MediaTime? { videoOrigin.map { time - $0 } }

  /// Extends what is known of the stream by a part of its video (or audio).
  package mutating func extend(from start: MediaTime, to end: MediaTime?) {
    firstTime = firstTime ?? start
    if let end { extend(to: end) }
  }

  /// Moves the end of the stream, where it is later than the end so far.
  package mutating func extend(to end: MediaTime) { endTime = max(endTime ?? end, end) }

  /// Records when the first random-access video frame (or the first audio) is presented. Later calls change nothing.
  package mutating func startVideo(at time: MediaTime) {
    videoOrigin = videoOrigin ?? time - videoStart
    assumeStart(at: time)
  }

  /// Uses a time as that of the stream's start, unless the video, the audio or a copy have told it.
  package mutating func assumeStart(at time: MediaTime) { clock.startsAt(time) }

  /// Records that `duration` of the stream is missing here: video that has not come by now starts later in the programme by that.
  package mutating func skip(_ duration: MediaTime) {
    if videoOrigin == nil { videoStart += duration }
    clock.skip(duration)
  }

  /// Moves the stream's clock, which jumps by `jump`, while the programme goes on.
  package mutating func shift(by jump: MediaTime) {
    clock.shift(by: jump)
    videoOrigin = videoOrigin.map { $0 + jump }
    firstTime = firstTime.map { $0 + jump }
    endTime = endTime.map { $0 + jump }
  }

  /// Follows a clock that goes on at a stream time, where `missing` of the stream is known to be missing before it. Where it goes back by more
  /// than ten seconds, another clock has begun. Where it goes forward, parts may be missing.
  mutating func followClock(to time: MediaTime, missing: MediaTime) {
    if let endTime, isBehind(time) { shift(by: time - endTime - missing) }
  }

  /// Whether a stream time is so far behind where the stream is that its clock must have begun anew.
  func isBehind(_ time: MediaTime) -> Bool { position.map { $0 - time > AccessUnitTracker.longestGap } ?? false }

  /// Whether the origin may be relied on; see `ProgrammeClock`.
  package var isSettled: Bool { clock.isSettled }

  /// Lets a copy that is presented at a stream time tell the origin.
  ///
  /// - Returns: The programme time that the copy tells, where it disagrees with the copies before it: its presentation time is damaged.
  @discardableResult
  package mutating func accept(_ copy: EventCopy, presentationTime: MediaTime) -> MediaTime? {
    clock.accept(copy, presentationTime: presentationTime) ? nil : copy.programmeTime
  }

  /// The stream time up to which the stream has come: the end of its video (or audio) so far.
  var position: MediaTime? { endTime }
}
