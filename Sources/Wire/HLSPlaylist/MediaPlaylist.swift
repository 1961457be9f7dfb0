import Basics

/// A media playlist: the segments of one rendition (RFC 8216bis, 4.4.3).
///
/// Tags that are not understood are kept as text where they stand: at the playlist, before a segment, or after the last one. Those of low-latency
/// HLS (partial segments, preload hints, server control) are among them. Comments and blank lines are not kept.
package struct MediaPlaylist: Equatable, Sendable {
  /// Whether segments may disappear (EXT-X-PLAYLIST-TYPE).
  package enum PlaylistType: String, Sendable {
    /// Segments are only ever added.
    case event = "EVENT"
    /// The playlist does not change.
    case onDemand = "VOD"
  }

  /// The version that the playlist states. The writer raises it to `requiredVersion`.
  package var version: Int?
  /// The target duration in seconds, which no segment's rounded duration may exceed.
  package var targetDuration: UInt64
  /// The media sequence number of the first segment.
  package var mediaSequence: UInt64 = 0
  /// The discontinuity sequence number of the first segment.
  package var discontinuitySequence: UInt64 = 0
  /// Whether segments may disappear; `nil` if that is not stated.
  package var playlistType: PlaylistType?
  /// Whether every segment can be decoded without another.
  package var hasIndependentSegments = false
  /// Whether every segment is one I-frame.
  package var isIFramesOnly = false
  /// Whether no more segments will be added (EXT-X-ENDLIST).
  package var isEnded = false
  /// Where a player should start.
  package var start: StartPoint?
  /// The variables that are defined, with their values. References to them are replaced already.
  package var variables: [PlaylistVariable] = []
  /// Tags of the whole playlist that are not understood, in their order: those before the first tag of a segment.
  package var unknownTags: [String] = []
  /// The segments.
  package var segments: [MediaSegment]
  /// The date ranges after the last segment.
  package var dateRanges: [DateRange] = []
  /// Other tags after the last segment, complete and in their order: unknown ones, and those of a segment that is yet to be added.
  package var trailingTags: [String] = []
  /// Mistakes in the text that the reader tolerated. They are not written again.
  package var slips: [PlaylistSlip] = []

  /// A playlist of segments, with defaults for everything else.
  package init(targetDuration: UInt64, segments: [MediaSegment] = []) {
    (self.targetDuration, self.segments) = (targetDuration, segments)
  }
}

extension MediaPlaylist {
  /// Every date range, in order.
  package var allDateRanges: [DateRange] { segments.flatMap { $0.dateRanges } + dateRanges }

  /// The media sequence number after the last segment's. Saturates at 2^64 - 1; reading refuses playlists beyond that.
  package var endSequence: UInt64 { mediaSequence.addingSaturated(UInt64(segments.count)) }

  /// The indices of the segments whose rounded duration is above the target duration.
  ///
  /// The specification forbids them (4.4.3.1). Players play them anyway, so reading accepts them; writing does not.
  package var overlongSegments: [Int] { segments.indices.filter { segments[$0].duration.rounded > targetDuration } }

  /// The lowest EXT-X-VERSION that the content of the playlist needs (RFC 8216bis, section 8).
  ///
  /// For an initialization segment outside of an I-frame playlist it is 7 rather than 6: fragmented MP4 is version 7 to packagers and players.
  package var requiredVersion: Int {
    var version = variables.isEmpty ? 1 : 8
    if isIFramesOnly { version = max(version, 4) }
    for segment in segments where version < 8 {
      if !segment.duration.isWhole { version = max(version, 3) }
      if segment.byteRange != nil { version = max(version, 4) }
      if let initializationSegment = segment.initializationSegment {
        version = max(version, isIFramesOnly ? 5 : 7)
        for key in initializationSegment.keys { version = max(version, key.requiredVersion) }
      }
      for key in segment.keys { version = max(version, key.requiredVersion) }
    }
    return version
  }
}

extension EncryptionKey {
  fileprivate var requiredVersion: Int {
    if keyFormat != nil || keyFormatVersions != nil { 5 } else if initializationVector != nil { 2 } else { 1 }
  }
}
