package import Basics
package import HLSPlaylist

/// The segments of a track in their order, and the media playlist that lists them.
///
/// Segments are appended once they are complete. In a sliding window, the oldest ones expire. Neither sequence number ever decreases.
package struct TrackTimeline: Sendable {
  /// Which segments the media playlist lists.
  package enum Kind: Equatable, Sendable {
    /// All of them, once the track has ended.
    case onDemand
    /// All of them so far.
    case event
    /// The latest ones, whose total duration is at least this long, and at least three target durations (RFC 8216bis, 6.2.2).
    case window(MediaTime)
  }

  /// A complete segment.
  package struct Segment: Equatable, Sendable {
    /// The name of its file.
    package var name: String
    /// The number of the main track's segment that it goes with, from 0.
    package var number: Int
    /// When its first video or audio frame is presented, on the stream's timeline.
    package var start: MediaTime
    /// Its duration.
    package var duration: MediaTime
    /// The size of its file in bytes.
    package var byteCount = 0
    /// Whether its timestamps or its coding do not continue those of the segment before (EXT-X-DISCONTINUITY).
    package var isDiscontinuous = false
    /// Whether it is missing (EXT-X-GAP).
    package var isGap = false
    /// The date of its start; `nil` if the track's annotations tell it.
    package var programDateTime: PlaylistDate?
    /// The key that it is encrypted with; `nil` if it is not.
    package var key: EncryptionKey?
    /// The name of its initialization segment; `nil` for the track's.
    package var initializationSegment: String?

    /// A segment of a track.
    package init(name: String, number: Int, start: MediaTime, duration: MediaTime, byteCount: Int = 0, isDiscontinuous: Bool = false) {
      (self.name, self.number, self.start, self.duration) = (name, number, start, duration)
      (self.byteCount, self.isDiscontinuous) = (byteCount, isDiscontinuous)
    }
  }

  /// The media playlist's name.
  package let playlistName: String
  let kind: Kind
  /// The initialization segment's name, if there is one for all segments.
  package var initializationSegment: String?
  /// The names of the segments, if they differ only in their numbers.
  package var segmentNames: NumberedNames?
  /// The target duration in seconds; `nil` for the smallest that is valid for the listed segments.
  ///
  /// It must not change while clients reload a playlist. A playlist with a longer segment cannot be encoded.
  package var fixedTargetDuration: UInt64?
  /// When the timeline origin is presented, on the stream's timeline.
  package var origin = MediaTime.zero
  /// Whether no more segments will be appended.
  package var isEnded = false
  /// Whether decoding can start with every segment.
  package var hasIndependentSegments = true
  /// The segments that are listed.
  package private(set) var segments: [Segment] = []
  /// The media sequence number of the first of them (RFC 8216bis, 4.4.3.2).
  package private(set) var mediaSequence: UInt64
  /// The discontinuity sequence number of the first of them (RFC 8216bis, 4.4.3.3).
  package private(set) var discontinuitySequence: UInt64

  /// A track without segments. A track that continues another one's playlist starts with the sequence numbers that follow.
  package init(playlistName: String, _ kind: Kind = .onDemand, mediaSequence: UInt64 = 0, discontinuitySequence: UInt64 = 0) {
    self.playlistName = playlistName
    self.kind = kind
    self.mediaSequence = mediaSequence
    self.discontinuitySequence = discontinuitySequence
  }

  /// The target duration in seconds.
  package var targetDuration: UInt64 { fixedTargetDuration ?? segments.reduce(1) { max($0, PlaylistDecimal($1.duration).rounded) } }

  /// The names of all its files but the playlist.
  var fileNames: [String] { [initializationSegment].compactMap { $0 } + segments.map { $0.name } }

  /// When the last segment ends.
  package var end: MediaTime { segments.last.map { $0.start + $0.duration } ?? origin }

  /// Appends a complete segment.
  ///
  /// - Returns: The segments that have expired, which the next playlist no longer lists. Clients may still load them for the duration of the longest
  ///   playlist that listed them.
  package mutating func append(_ segment: Segment) -> [Segment] {
    segments.append(segment)
    guard case .window(let length) = kind else { return [] }
    let needed = max(length, MediaTime(seconds: 3 * Int(UInt32(clamping: targetDuration))))
    var listed = segments.reduce(MediaTime.zero) { $0 + $1.duration }
    var count = 0
    while count < segments.count, listed - segments[count].duration >= needed {
      listed = listed - segments[count].duration
      count += 1
    }
    let expired = Array(segments.prefix(count))
    segments.removeFirst(count)
    mediaSequence += UInt64(count)
    discontinuitySequence += UInt64(expired.count { $0.isDiscontinuous })
    return expired
  }

  /// What every media playlist of a presentation contains besides its segments.
  package struct Annotations {
    /// The date and time of the timeline origin.
    package var programDateTime: PlaylistDate?
    /// Ranges with the programme time at which each starts, in the order of these times.
    package var dateRanges: [(time: MediaTime, range: DateRange)] = []
    /// When each segment of the main track starts, on the stream's timeline.
    package var mainStarts: [MediaTime] = []

    /// Annotations without date ranges.
    package init(programDateTime: PlaylistDate? = nil, mainStarts: [MediaTime] = []) {
      (self.programDateTime, self.mainStarts) = (programDateTime, mainStarts)
    }
  }

  /// The media playlist as it is now.
  package func mediaPlaylist(_ annotations: Annotations = Annotations()) -> MediaPlaylist {
    var playlist = MediaPlaylist(targetDuration: targetDuration, segments: gaps(annotations))
    var ranges = annotations.dateRanges[...]
    // Date ranges in expired segments are dropped too.
    if mediaSequence > 0, let first = segments.first { ranges = ranges.drop { $0.time < first.start - origin } }
    for (index, listed) in segments.enumerated() {
      var segment = MediaSegment(uri: URIReference(relativePath: listed.name).text, duration: PlaylistDecimal(listed.duration))
      annotate(&segment, start: listed.start, annotations)
      if let name = listed.initializationSegment { segment.initializationSegment = Self.map(name) }
      segment.keys = listed.key.map { [$0] } ?? []
      segment.isDiscontinuous = listed.isDiscontinuous
      segment.isGap = listed.isGap
      segment.programDateTime = listed.programDateTime ?? segment.programDateTime
      let next = index + 1 < segments.count ? segments[index + 1].start - origin : MediaTime(ticks: .max)
      let inside = ranges.prefix { $0.time < next }
      segment.dateRanges = inside.map { $0.range }
      ranges = ranges.dropFirst(inside.count)
      playlist.segments.append(segment)
    }
    playlist.version = playlist.segments.contains { $0.initializationSegment != nil } ? 7 : 3
    playlist.mediaSequence = mediaSequence
    playlist.discontinuitySequence = discontinuitySequence
    playlist.playlistType = kind == .onDemand ? .onDemand : kind == .event ? .event : nil
    playlist.hasIndependentSegments = hasIndependentSegments
    playlist.isEnded = isEnded
    return playlist
  }

  /// If a track begins some segments after the main one, gaps replace them, so that all playlists share a timeline.
  private func gaps(_ annotations: Annotations) -> [MediaSegment] {
    let starts = annotations.mainStarts
    guard let first = segments.first, first.number > 0, first.number < starts.count else { return [] }
    return (0..<first.number).map { number in
      let end = number + 1 < first.number ? starts[number + 1] : first.start
      var gap = MediaSegment(uri: "gap-\(number)", duration: PlaylistDecimal(end - starts[number]))
      gap.isGap = true
      annotate(&gap, start: starts[number], annotations)
      return gap
    }
  }

  private func annotate(_ segment: inout MediaSegment, start: MediaTime, _ annotations: Annotations) {
    segment.initializationSegment = initializationSegment.map(Self.map)
    segment.programDateTime = annotations.programDateTime?.later(by: start - origin)
  }

  private static func map(_ name: String) -> InitializationSegment { InitializationSegment(uri: URIReference(relativePath: name).text) }
}

// Bit rates.
extension TrackTimeline {
  /// The peak segment bit rate (RFC 8216bis, 4.4.6.2): the maximum number of bits per second in any consecutive segments that together last 0.5 to
  /// 1.5 times the target duration, or in the whole track if it is shorter.
  package func peakBitRate(targetDuration: UInt64) -> UInt64 {
    let target = MediaTime(seconds: Int(clamping: targetDuration)).ticks
    var peak: UInt64 = 0
    for first in segments.indices {
      var (time, byteCount) = (MediaTime.zero, 0)
      for index in first..<segments.count where time.ticks <= target * 3 / 2 {
        time += segments[index].duration
        byteCount += segments[index].byteCount
        if time.ticks >= target / 2, time.ticks <= target * 3 / 2 { peak = max(peak, time.bitRate(byteCount: byteCount)) }
      }
    }
    return max(peak, averageBitRate)
  }

  /// Bits per second over all segments.
  package var averageBitRate: UInt64 {
    (end - (segments.first?.start ?? origin)).bitRate(byteCount: segments.reduce(0) { $0 + $1.byteCount })
  }
}

extension PlaylistDate {
  /// Returns the date that is later by a duration, to the nearest millisecond, as UTC.
  func later(by time: MediaTime) -> PlaylistDate? {
    let ticksPerMillisecond = MediaTime.ticksPerSecond / 1_000
    let half = time < .zero ? -ticksPerMillisecond / 2 : ticksPerMillisecond / 2
    return PlaylistDate(milliseconds: milliseconds + (time.ticks + half) / ticksPerMillisecond)
  }
}

extension PlaylistDecimal {
  /// A duration, to the nanosecond: 90 kHz ticks are longer than 11 microseconds.
  package init(_ time: MediaTime) {
    let (seconds, ticks) = time.ticks.quotientAndRemainder(dividingBy: MediaTime.ticksPerSecond)
    self.init(billionths: seconds * 1_000_000_000 + (ticks * 1_000_000_000 + MediaTime.ticksPerSecond / 2) / MediaTime.ticksPerSecond)
  }
}
