import Basics
import GameEvents
import HLSPlaylist

/// What is kept of a rendition for comparing it with others.
struct RenditionFacts: Sendable {
  /// A segment that was read whole.
  struct Segment: Sendable {
    var duration: MediaTime
    var byteCount: Int
  }

  /// Its playlist, as the multivariant playlist names it.
  var uri: String
  /// Whether it is a variant, and not one of a group.
  var isVariant = true
  /// The segments, one after another, as long as all were read.
  var segments: [Segment] = []
  var areAllRead = true
  var targetDuration: MediaTime = .zero
  /// What the media is, as CODECS would name it; of transport streams only the families.
  var codecs: [String] = []
  var hasPictures = false
  var tagCount = 0
  var eventTimes: [GUID: MediaTime] = [:]

  /// So many segments are kept.
  static let mostSegments = 65_536

  /// The highest bit rate of segments one after another that last between half the target duration and one and a half (RFC 8216bis, 4.1).
  var peakBitRate: Double {
    var peak = 0.0
    for start in segments.indices {
      var (ticks, bytes): (Int64, Int) = (0, 0)
      for segment in segments[start...] {
        ticks += segment.duration.ticks
        bytes += segment.byteCount
        guard 2 * ticks <= 3 * targetDuration.ticks else { break }
        if 2 * ticks >= targetDuration.ticks, ticks > 0 {
          peak = max(peak, Double(bytes) * 8 * Double(MediaTime.ticksPerSecond) / Double(ticks))
        }
      }
    }
    return peak
  }
}
