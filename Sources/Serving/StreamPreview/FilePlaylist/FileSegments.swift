import Basics
import HLSPlaylist
import HLSReading

/// The segments of a file, which follow each other in it, and the playlist over them: each is a byte range of the file, so that nothing is copied.
struct FileSegments: Sendable {
  private struct Open: Sendable {
    /// Where it starts in the file, in bytes.
    var offset: Int
    var start: MediaTime
    /// The latest end of its media, in the time of its own stretch.
    var end: MediaTime
    var isDiscontinuous: Bool
    /// The initialization segment that it needs.
    var map: ByteRange?
  }

  /// The URI of the file in its playlist.
  private let uri: String
  private var segments: [MediaSegment] = []
  private var open: Open?

  /// The minimum duration of segments, unless something else ends them.
  private static let target = MediaTime(seconds: 4)
  /// The maximum number of segments in a playlist: the last one contains the rest of the file.
  static let most = 100_000

  init(uri: String) { self.uri = uri }

  /// Whether no segment has begun.
  var isEmpty: Bool { open == nil }

  /// The end of the media in the open segment.
  var end: MediaTime? { open?.end }

  /// The initialization segment of the open segment.
  var map: ByteRange? { open?.map }

  /// Whether the open segment is long enough if it ends at this time.
  func isLongEnough(at time: MediaTime) -> Bool { open.map { time - $0.start >= Self.target } ?? true }

  /// Begins a segment, and ends the one before.
  ///
  /// - Parameters:
  ///   - offset: Where in the file it starts, in bytes.
  ///   - previousEnd: Where the segment before ends, if that is not at `offset`.
  ///   - time: When the segment is presented, in the time of the stream.
  ///   - isDiscontinuous: Whether the stream's clock or its initialization segment changes here.
  mutating func begin(
    at offset: Int, after previousEnd: Int? = nil, time: MediaTime, isDiscontinuous: Bool = false, map: ByteRange? = nil
  ) {
    if let open {
      guard offset > open.offset, segments.count + 1 < Self.most else { return }
      close(at: min(previousEnd ?? offset, offset), time: isDiscontinuous ? open.end : time)
    }
    open = Open(offset: offset, start: time, end: time, isDiscontinuous: isDiscontinuous, map: map)
  }

  /// Records that the open segment has media that end at this time.
  mutating func extend(to end: MediaTime) {
    guard let known = open?.end, end > known else { return }
    open?.end = end
  }

  /// Ends the last segment at a byte of the file.
  mutating func finish(at offset: Int) {
    if let end = open?.end { close(at: offset, time: end) }
    open = nil
  }

  private mutating func close(at offset: Int, time: MediaTime) {
    guard let open, offset > open.offset else { return }
    var segment = MediaSegment(uri: uri, duration: PlaylistDecimal(max(time - open.start, .zero)))
    segment.byteRange = ByteRange(length: UInt64(offset - open.offset), offset: UInt64(open.offset))
    segment.isDiscontinuous = open.isDiscontinuous
    segment.initializationSegment = open.map.map { InitializationSegment(uri: uri, byteRange: $0) }
    segments.append(segment)
  }

  /// The playlist; `nil` if there is no segment.
  var playlist: MediaPlaylist? {
    guard let longest = segments.map({ $0.duration.rounded }).max() else { return nil }
    var playlist = MediaPlaylist(targetDuration: max(longest, 1), segments: segments)
    playlist.playlistType = .onDemand
    playlist.isEnded = true
    return playlist
  }
}
