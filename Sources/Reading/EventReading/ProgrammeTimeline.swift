package import Basics
import GameEvents
import TransportStream

/// Maps a programme to the clock of a stream: the timeline origin, and the start and end of the stream.
///
/// All stream times are unwrapped.
package struct ProgrammeTimeline: Equatable, Sendable {
  /// The position in the programme at which a stream starts.
  package struct Start: Equatable, Sendable {
    /// The programme time of its first random-access video frame (or first audio), unless copies of events tell another one.
    package var time = MediaTime.zero
    /// The same time as told by the video of the previous streams.
    package var videoTime = MediaTime.zero
    /// Whether events are kept that tell a time at which the stream is not, as where parts were cut out of it.
    var keepsOtherTimes = false

    /// A position; the start of the programme if none is given.
    package init(time: MediaTime = .zero, videoTime: MediaTime = .zero) { (self.time, self.videoTime) = (time, videoTime) }

    /// Moves both times by the duration that is missing before the stream.
    package mutating func skip(_ duration: MediaTime) {
      time += duration
      videoTime += duration
    }
  }

  /// The stream time of the timeline origin as the video (or the audio) tells it; `nil` until its first random-access frame.
  package private(set) var videoOrigin: MediaTime?
  /// Whether events are kept that tell a time at which the stream is not.
  let keepsOtherTimes: Bool
  private var clock: ProgrammeClock
  private var videoStart: MediaTime
  private var firstTime: MediaTime?
  private var endTime: MediaTime?

  /// The timeline of a stream that starts somewhere in the programme.
  package init(startingAt start: Start) {
    clock = ProgrammeClock(startingAt: start.time)
    videoStart = start.videoTime
    keepsOtherTimes = start.keepsOtherTimes
  }

  /// The stream time of the timeline origin as the copies of events tell it, or else the video, the audio or the first tag.
  var origin: MediaTime? { clock.origin }

  /// The programme time at which the video (or the audio) starts.
  var start: MediaTime? { firstTime.flatMap { programmeTime(of: $0) } }

  /// The programme time at which the video (or the audio) ends so far.
  var end: MediaTime? { endTime.flatMap { programmeTime(of: $0) } }

  /// The same end by the video's time.
  package var videoEnd: MediaTime? { endTime.flatMap { videoTime(of: $0) } }

  /// The programme time of a stream time; `nil` until the origin is known.
  func programmeTime(of time: MediaTime) -> MediaTime? { origin.map { time - $0 } }

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

  /// Moves the end of the stream, if the new one is later.
  package mutating func extend(to end: MediaTime) { endTime = max(endTime ?? end, end) }

  /// Records when the first random-access video frame (or the first audio) is presented. Later calls change nothing.
  package mutating func startVideo(at time: MediaTime) {
    videoOrigin = videoOrigin ?? time - videoStart
    assumeStart(at: time)
  }

  /// Uses a time as the start of the stream, unless the video, the audio or a copy has told it.
  package mutating func assumeStart(at time: MediaTime) { clock.startsAt(time) }

  /// Records that `duration` of the stream is missing here: video that has not started yet starts later in the programme by this duration.
  package mutating func skip(_ duration: MediaTime) {
    if videoOrigin == nil { videoStart += duration }
    clock.skip(duration)
  }

  /// Moves the stream's clock, which jumps by `jump` while the programme continues.
  package mutating func shift(by jump: MediaTime) {
    clock.shift(by: jump)
    videoOrigin = videoOrigin.map { $0 + jump }
    firstTime = firstTime.map { $0 + jump }
    endTime = endTime.map { $0 + jump }
  }

  /// Follows a clock that continues at a stream time, if `missing` of the stream is known to be missing before it. If it goes back by more than ten
  /// seconds, another clock has begun. If it goes forward, parts may be missing.
  package mutating func followClock(to time: MediaTime, missing: MediaTime) {
    if let endTime, isBehind(time) { shift(by: time - endTime - missing) }
  }

  /// Whether a stream time is so far before the current position that the clock must have restarted.
  func isBehind(_ time: MediaTime) -> Bool { position.map { $0 - time > AccessUnitTracker.longestGap } ?? false }

  /// Whether the origin is reliable; see `ProgrammeClock`.
  var isSettled: Bool { clock.isSettled }

  /// Derives the origin from a copy that is presented at a stream time.
  ///
  /// - Returns: The programme time that the copy tells, if it disagrees with earlier copies because its presentation time is damaged.
  @discardableResult
  mutating func accept(_ copy: EventCopy, presentationTime: MediaTime) -> MediaTime? {
    clock.accept(copy, presentationTime: presentationTime) ? nil : copy.programmeTime
  }

  /// The current position of the stream: the end of its video (or audio) so far.
  package var position: MediaTime? { endTime }
}
