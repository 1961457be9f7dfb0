import Basics
import HLSPlaylist

/// The segments of the latest playlist, and how far they are read.
struct SegmentQueue: Sendable {
  /// The playlist.
  private(set) var playlist: MediaPlaylist
  /// The index of the next segment.
  private(set) var index: Int
  /// The progress of the next segment.
  var progress = Progress()
  /// The remaining time until the playlist is reloaded.
  private var wait: MediaTime

  /// The progress of loading a segment, up to its own bytes.
  struct Progress: Equatable, Sendable {
    /// Whether it was announced.
    var isBegun = false
    /// Whether its initialization segment could not be loaded.
    var isInitializationMissing = false
  }

  /// The minimum time between two loads of a playlist (half a second), whatever its target duration is.
  private static let shortestWait = MediaTime(ticks: 45_000)

  /// Starts with a playlist whose segments are read from an index on.
  init(_ playlist: MediaPlaylist, from index: Int, wait: PlaylistDecimal?) {
    (self.playlist, self.index) = (playlist, index)
    self.wait = max(Self.shortestWait, wait.map { MediaTime($0) } ?? .zero)
  }

  /// The next segment; `nil` at the end of the playlist.
  var current: MediaSegment? { index < playlist.segments.count ? playlist.segments[index] : nil }

  /// The media sequence number of the next segment.
  var sequence: UInt64 { playlist.mediaSequence.addingSaturated(UInt64(index)) }

  /// How long to wait until the playlist is loaded again.
  var remainingWait: MediaTime { max(wait, .zero) }

  /// Subtracts elapsed time from the wait.
  mutating func spend(_ time: MediaTime) { wait = wait - max(time, .zero) }

  /// Waits for half a target duration until the next load, because the latest one had nothing new.
  mutating func waitAgain() { wait = max(Self.shortestWait, MediaTime(ticks: targetDuration.ticks / 2)) }

  /// Advances to the next segment.
  mutating func advance() {
    index += 1
    progress = Progress()
  }

  /// The target duration of the playlist.
  var targetDuration: MediaTime { MediaTime(seconds: Int(clamping: playlist.targetDuration)) }

  /// The discontinuity sequence number of a segment (RFC 8216bis, 4.4.3.3).
  func discontinuitySequence(of index: Int) -> UInt64 {
    playlist.discontinuitySequence.addingSaturated(UInt64(playlist.segments.prefix(index + 1).count { $0.isDiscontinuous }))
  }
}
