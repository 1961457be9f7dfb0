package import Basics

/// Decides where the segments of a live stream start, of which only the past is known.
///
/// A segment starts at the random-access point that is nearest to its duration, as far as the latest distance between such points tells. The first
/// segment decides on the target duration, which must not change afterwards (RFC 8216bis, 6.2.1): a segment that would become longer is split.
package struct SegmentClock: Equatable, Sendable {
  /// Why a segment starts with an access unit.
  package enum Boundary: Equatable, Sendable {
    /// Decoding can start there.
    case randomAccess
    /// The segment before would have become longer than the target duration: decoding cannot start there.
    case split
    /// The stream's clock has jumped, or the stream was interrupted.
    case discontinuity
  }

  /// How long segments should be.
  private let duration: MediaTime
  /// The target duration in seconds; `nil` until the first segment is complete.
  package private(set) var targetDuration: UInt64?
  private var start: MediaTime?
  private var lastRandomAccess: MediaTime?
  private var groupDuration = MediaTime.zero
  private var isInterrupted = false
  /// The latest time so far, and the longest step from one latest time to the next: where frames are reordered, it is several frames.
  private var latest: MediaTime?
  private var longestStep = MediaTime.zero

  /// The first segment lasts at most this many times as long as segments should.
  private static let mostOfFirst = 3

  /// A longer step (half a second) says nothing of how frames are reordered.
  private static let usualStep = MediaTime(ticks: 45_000)

  /// - Parameter targetDuration: The target duration of a playlist that is continued, in seconds.
  package init(duration: MediaTime, targetDuration: UInt64? = nil) {
    self.duration = max(duration, MediaTime(ticks: 9_000))
    self.targetDuration = targetDuration
  }

  /// Lets the next access unit start a segment, because the stream was interrupted before it.
  package mutating func interrupt() { isInterrupted = start != nil }

  /// Receives the next access unit, by its time on the timeline; returns why a segment starts with it, or `nil`.
  package mutating func push(_ time: MediaTime, isRandomAccess: Bool, hasJumped: Bool, frameDuration: MediaTime) -> Boundary? {
    let step = latest.map { time - $0 } ?? frameDuration
    if step > .zero { longestStep = max(longestStep, min(step, Self.usualStep), frameDuration) }
    let boundary = boundary(time, isRandomAccess: isRandomAccess, hasJumped: hasJumped || isInterrupted, isLatest: step > .zero)
    latest = max(latest ?? time, time)
    if isRandomAccess {
      if let lastRandomAccess, !hasJumped, !isInterrupted { groupDuration = time - lastRandomAccess }
      lastRandomAccess = time
    }
    if boundary != nil {
      if let start, targetDuration == nil { targetDuration = max(Self.wholeSeconds(time - start), Self.wholeSeconds(duration)) }
      start = time
      isInterrupted = false
    }
    return boundary
  }

  private func boundary(_ time: MediaTime, isRandomAccess: Bool, hasJumped: Bool, isLatest: Bool) -> Boundary? {
    guard let start else { return isRandomAccess ? .randomAccess : nil }
    if hasJumped { return .discontinuity }
    let elapsed = time - start
    // EXTINF rounded to the nearest second is at most the target duration.
    let longest =
      targetDuration.map { MediaTime(seconds: Int(clamping: $0)) + MediaTime(ticks: 44_999) }
      ?? MediaTime(ticks: duration.ticks * Int64(Self.mostOfFirst))
    if isRandomAccess {
      let isNearest = elapsed + MediaTime(ticks: groupDuration.ticks / 2) >= duration
      return isNearest || elapsed + groupDuration > longest ? .randomAccess : nil
    }
    // The next access unit that could start a segment may be too late for it.
    return isLatest && elapsed + longestStep > longest ? .split : nil
  }

  /// To the nearest second, at least one.
  private static func wholeSeconds(_ time: MediaTime) -> UInt64 {
    UInt64(max((time.ticks + MediaTime.ticksPerSecond / 2) / MediaTime.ticksPerSecond, 1))
  }
}
