package import Basics

/// Decides where the segments of a live stream start, knowing only its past.
///
/// A segment starts at the random-access point that is nearest to the wanted duration, estimated from the latest distance between such points. The
/// first segment determines the target duration, which must not change afterwards (RFC 8216bis, 6.2.1), so a longer segment is split.
package struct SegmentClock: Equatable, Sendable {
  /// Why a segment starts with an access unit.
  package enum Boundary: Equatable, Sendable {
    /// Decoding can start there.
    case randomAccess
    /// The previous segment would have exceeded the target duration. Decoding cannot start there.
    case split
    /// The stream's clock has jumped, or the stream was interrupted.
    case discontinuity
  }

  /// The wanted duration of segments.
  private let duration: MediaTime
  /// The target duration in seconds, once the first segment is complete.
  private var fixedTarget: UInt64?
  private var start: MediaTime?
  /// The end of the latest access unit of the segment, and the longest step to it from earlier ones. If frames are reordered, some are several frames
  /// ahead.
  private var end = MediaTime.zero
  private var latest = MediaTime.zero
  private var longestStep = MediaTime.zero
  private var lastRandomAccess: MediaTime?
  private var groupDuration = MediaTime.zero
  private var isInterrupted = false

  /// The maximum duration of the first segment, as a multiple of the wanted duration.
  private static let mostOfFirst = 3

  /// A clock before the first access unit.
  ///
  /// - Parameters:
  ///   - duration: The wanted duration of segments.
  ///   - targetDuration: The target duration of a playlist that is continued, in seconds; `nil` if the first segment determines it.
  package init(duration: MediaTime, targetDuration: UInt64? = nil) {
    self.duration = max(duration, MediaTime(ticks: 9_000))
    fixedTarget = targetDuration
  }

  /// The target duration in seconds. Until the first segment is complete, its value if the segment ended now.
  package var targetDuration: UInt64 {
    fixedTarget ?? max(start.map { Self.wholeSeconds(end - $0) } ?? 1, Self.wholeSeconds(duration))
  }

  /// Makes the next access unit start a segment, because the stream was interrupted before it. The previous segment ends with its last access unit.
  package mutating func interrupt() {
    guard start != nil else { return }
    fixedTarget = targetDuration
    isInterrupted = true
  }

  /// Receives the next access unit, by its time on the timeline; returns why a segment starts with it, or `nil`.
  package mutating func push(_ time: MediaTime, isRandomAccess: Bool, hasJumped: Bool, frameDuration: MediaTime) -> Boundary? {
    if isRandomAccess {
      if let lastRandomAccess, !hasJumped, !isInterrupted { groupDuration = time - lastRandomAccess }
      lastRandomAccess = time
    }
    let boundary = boundary(time, isRandomAccess: isRandomAccess, hasJumped: hasJumped || isInterrupted, frameDuration: frameDuration)
    if let boundary {
      if start != nil, fixedTarget == nil {
        if boundary != .discontinuity { end = max(end, time) }
        fixedTarget = targetDuration
      }
      (start, latest, longestStep) = (time, time, .zero)
      end = time + frameDuration
      isInterrupted = false
    } else {
      longestStep = max(longestStep, time - latest)
      latest = max(latest, time)
      end = max(end, time + frameDuration)
    }
    return boundary
  }

  /// How long a segment may last: EXTINF rounded to the nearest second is at most the target duration (RFC 8216bis, 4.4.3.1).
  package static func longestSegment(targetDuration: UInt64) -> MediaTime {
    MediaTime(seconds: Int(clamping: targetDuration)) + MediaTime(ticks: 44_999)
  }

  private func boundary(_ time: MediaTime, isRandomAccess: Bool, hasJumped: Bool, frameDuration: MediaTime) -> Boundary? {
    guard let start else { return isRandomAccess ? .randomAccess : nil }
    if hasJumped { return .discontinuity }
    let elapsed = time - start
    let longest =
      fixedTarget.map { Self.longestSegment(targetDuration: $0) }
      ?? MediaTime(ticks: duration.ticks * Int64(Self.mostOfFirst))
    // After a pause this long, the next access unit cannot belong to the segment.
    if fixedTarget != nil, elapsed > longest { return .discontinuity }
    if isRandomAccess {
      let isNearest = elapsed + MediaTime(ticks: groupDuration.ticks / 2) >= duration
      return isNearest || elapsed + groupDuration > longest ? .randomAccess : nil
    }
    guard time > latest else { return nil }
    return elapsed + max(frameDuration, longestStep, time - latest) > longest ? .split : nil
  }

  /// Rounds to the nearest second, at least one.
  private static func wholeSeconds(_ time: MediaTime) -> UInt64 {
    UInt64(max((time.ticks + MediaTime.ticksPerSecond / 2) / MediaTime.ticksPerSecond, 1))
  }
}
