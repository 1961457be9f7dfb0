import Basics
import HLSPlaylist

/// A track whose segments are written, and the playlist that names them.
struct WrittenTrack {
  /// A segment that is whole.
  struct Segment {
    var name: String
    /// Which segment of the main track it goes with, from 0.
    var number: Int
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
    /// When each segment of the main track starts, on the stream's timeline.
    var mainStarts: [MediaTime] = []
    /// The target duration in seconds.
    var targetDuration: UInt64 = 1
  }

  /// Where a track begins segments later than the main one, these are absent from it, so that the playlists keep one timeline.
  private func gaps(_ annotations: Annotations) -> [MediaSegment] {
    let starts = annotations.mainStarts
    guard let first = segments.first, first.number > 0, first.number < starts.count else { return [] }
    return (0..<first.number).map { number in
      let end = number + 1 < first.number ? starts[number + 1] : first.start
      var gap = MediaSegment(uri: "gap-\(number)", duration: PlaylistDecimal(end - starts[number]))
      gap.isGap = true
      gap.map = map.map { InitializationSegment(uri: URIReference(relativePath: $0).text) }
      gap.programDateTime = annotations.programDateTime?.later(by: starts[number] - zero)
      return gap
    }
  }

  /// How long a segment is: up to the start of the next one.
  private func duration(of index: Int) -> MediaTime {
    (index + 1 < segments.count ? segments[index + 1].start : end) - segments[index].start
  }

  /// The smallest target duration that is right for the segments.
  var smallestTargetDuration: UInt64 {
    segments.indices.reduce(1) { max($0, PlaylistDecimal(duration(of: $1)).rounded) }
  }

  /// The peak segment bit rate (RFC 8216bis, 4.4.6.2): the most bits a second in any segments in a row that last between 0.5 and 1.5 times the
  /// target duration; of a track that is shorter, in all of it.
  func peakBitRate(targetDuration: UInt64) -> UInt64 {
    let target = MediaTime(seconds: Int(clamping: targetDuration)).ticks
    var peak: UInt64 = 0
    for first in segments.indices {
      var (time, byteCount) = (MediaTime.zero, 0)
      for index in first..<segments.count where time.ticks <= target * 3 / 2 {
        time += duration(of: index)
        byteCount += segments[index].byteCount
        if time.ticks >= target / 2, time.ticks <= target * 3 / 2 { peak = max(peak, Self.bitRate(byteCount, over: time)) }
      }
    }
    return max(peak, averageBitRate)
  }

  /// Bits a second in all.
  var averageBitRate: UInt64 {
    Self.bitRate(segments.reduce(0) { $0 + $1.byteCount }, over: end - (segments.first?.start ?? zero))
  }

  /// The media playlist: complete, so of type VOD.
  func mediaPlaylist(_ annotations: Annotations) -> Playlist {
    var playlist = MediaPlaylist(targetDuration: annotations.targetDuration)
    var ranges = annotations.dateRanges[...]
    playlist.segments = gaps(annotations)
    for (index, written) in segments.enumerated() {
      var segment = MediaSegment(uri: URIReference(relativePath: written.name).text, duration: PlaylistDecimal(duration(of: index)))
      segment.map = map.map { InitializationSegment(uri: URIReference(relativePath: $0).text) }
      segment.programDateTime = annotations.programDateTime?.later(by: written.start - zero)
      let next = index + 1 < segments.count ? segments[index + 1].start - zero : MediaTime(ticks: .max)
      let inside = ranges.prefix { $0.time < next }
      segment.dateRanges = inside.map { $0.range }
      ranges = ranges.dropFirst(inside.count)
      playlist.segments.append(segment)
    }
    playlist.version = map == nil ? 3 : 7
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
