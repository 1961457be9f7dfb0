import HLSPlaylist
import MediaTime

/// A track whose segments are written, and the playlist that names them.
struct WrittenTrack {
  /// A segment that is whole.
  struct Segment {
    var name: String
    /// When its first picture or sound is presented, on the stream's timeline.
    var start: MediaTime
    var byteCount = 0
  }

  /// The media playlist's name.
  var playlist: String
  /// The initialisation section's name, where there is one.
  var map: String?
  var segments: [Segment] = []
  /// When the programme's zero is presented, and when the track ends, on the stream's timeline.
  var zero = MediaTime.zero
  var end = MediaTime.zero

  /// What is said of the programme in every media playlist.
  struct Annotations {
    /// The date and time of the programme's zero.
    var programDateTime: PlaylistDate?
    /// Ranges with the programme time at which each starts, in the order of these times.
    var dateRanges: [(time: MediaTime, range: DateRange)] = []
  }

  /// How long a segment is: up to the start of the next one.
  private func duration(of index: Int) -> MediaTime {
    (index + 1 < segments.count ? segments[index + 1].start : end) - segments[index].start
  }

  /// Bits a second in the segment that has most.
  var peakBitRate: UInt64 { segments.indices.map { Self.bitRate(segments[$0].byteCount, over: duration(of: $0)) }.max() ?? 0 }

  /// Bits a second in all.
  var averageBitRate: UInt64 {
    Self.bitRate(segments.reduce(0) { $0 + $1.byteCount }, over: end - (segments.first?.start ?? zero))
  }

  /// The media playlist: complete, so of type VOD.
  func mediaPlaylist(_ annotations: Annotations) -> Playlist {
    var playlist = MediaPlaylist(targetDuration: 1)
    var ranges = annotations.dateRanges[...]
    for (index, written) in segments.enumerated() {
      var segment = MediaSegment(uri: written.name, duration: PlaylistDecimal(duration(of: index)))
      segment.map = map.map { MediaMap(uri: $0) }
      segment.programDateTime = annotations.programDateTime?.later(by: written.start - zero)
      let next = index + 1 < segments.count ? segments[index + 1].start - zero : MediaTime(ticks: .max)
      let inside = ranges.prefix { $0.time < next }
      segment.dateRanges = inside.map { $0.range }
      ranges = ranges.dropFirst(inside.count)
      playlist.segments.append(segment)
    }
    playlist.version = map == nil ? 3 : 7
    playlist.targetDuration = playlist.smallestTargetDuration
    playlist.playlistType = .onDemand
    playlist.hasIndependentSegments = true
    playlist.isEnded = true
    return .media(playlist)
  }

  /// Bits a second, rounded up.
  private static func bitRate(_ byteCount: Int, over duration: MediaTime) -> UInt64 {
    let ticks = UInt64(max(duration.ticks, 1))
    let (bits, overflow) = UInt64(byteCount).multipliedReportingOverflow(by: 8 * UInt64(MediaTime.ticksPerSecond))
    return overflow ? .max : (bits + ticks - 1) / ticks
  }
}

extension PlaylistDate {
  /// The date so much later, to the nearest millisecond, as UTC.
  func later(by time: MediaTime) -> PlaylistDate? {
    let ticksPerMillisecond = MediaTime.ticksPerSecond / 1_000
    let half = time < .zero ? -ticksPerMillisecond / 2 : ticksPerMillisecond / 2
    return PlaylistDate(milliseconds: milliseconds + (time.ticks + half) / ticksPerMillisecond)
  }
}

extension PlaylistDecimal {
  /// A duration, to the nanosecond: 90 kHz ticks are longer than 11 microseconds.
  fileprivate init(_ time: MediaTime) {
    let (seconds, ticks) = time.ticks.quotientAndRemainder(dividingBy: MediaTime.ticksPerSecond)
    self.init(billionths: seconds * 1_000_000_000 + (ticks * 1_000_000_000 + MediaTime.ticksPerSecond / 2) / MediaTime.ticksPerSecond)
  }
}
