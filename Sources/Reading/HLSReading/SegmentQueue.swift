import Basics
import HLSPlaylist

/// The segments of the playlist as it was loaded last, and how far they are read.
struct SegmentQueue: Sendable {
  /// The playlist.
  private(set) var playlist: MediaPlaylist
  /// The index of the segment that is next.
  private(set) var index: Int
  /// What has been done for the segment that is next.
  var progress = Progress()
  /// How long to wait until the playlist is loaded again, less the time that has gone by.
  private var wait: MediaTime

  /// How far the loading of a segment has come before its own bytes.
  struct Progress: Equatable, Sendable {
    /// Whether it was announced.
    var isBegun = false
    /// Whether its initialization segment could not be loaded.
    var isInitializationMissing = false
  }

  /// No playlist is asked for again sooner than this (half a second), whatever its target duration says.
  private static let shortestWait = MediaTime(ticks: 45_000)

  /// Starts with a playlist in which the segments from an index on are to be read.
  init(_ playlist: MediaPlaylist, from index: Int, wait: PlaylistDecimal?) {
    self.playlist = playlist
    self.index = index
    self.wait = max(Self.shortestWait, wait.map { MediaTime($0) } ?? .zero)
  }

  /// The segment that is next; `nil` at the end of the playlist.
  var current: MediaSegment? { index < playlist.segments.count ? playlist.segments[index] : nil }

  /// The media sequence number of the segment that is next.
  var sequence: UInt64 {
    let (sum, overflows) = playlist.mediaSequence.addingReportingOverflow(UInt64(index))
    return overflows ? .max : sum
  }

  /// How long to wait until the playlist is loaded again.
  var remainingWait: MediaTime { max(wait, .zero) }

  /// Counts time that has gone by.
  mutating func spend(_ time: MediaTime) { wait = wait - max(time, .zero) }

  /// Waits for half a target duration until the next load, because the latest one brought nothing.
  mutating func waitAgain() { wait = max(Self.shortestWait, targetDuration / 2) }

  /// Goes on to the next segment.
  mutating func advance() {
    index += 1
    progress = Progress()
  }

  /// The target duration of the playlist.
  var targetDuration: MediaTime { MediaTime(seconds: Int(clamping: playlist.targetDuration)) }

  /// The discontinuity sequence number of a segment (RFC 8216bis, 4.4.3.3).
  func discontinuitySequence(of index: Int) -> UInt64 {
    let count = playlist.segments.prefix(index + 1).reduce(UInt64(0)) { $0 + ($1.isDiscontinuous ? 1 : 0) }
    let (sum, overflows) = playlist.discontinuitySequence.addingReportingOverflow(count)
    return overflows ? .max : sum
  }
}

extension MediaTime {
  fileprivate static func / (time: MediaTime, divisor: Int64) -> MediaTime { MediaTime(ticks: time.ticks / divisor) }
}
