import Basics
import GameEvents
import HLSPlaylist
import HLSReading

/// The data about a rendition that are needed to compare it with others.
struct RenditionFacts: Sendable {
  /// The length and the size of a segment.
  struct Segment: Sendable {
    var duration: MediaTime
    var byteCount: Int
  }

  /// The URI of its playlist, as the multivariant playlist writes it.
  var uri: String
  /// Whether it is a variant, and not a rendition of a group.
  var isVariant = true
  /// The segments that were read. Some are missing if ``areAllRead`` is false.
  var segments: [Segment] = []
  /// Whether all segments of the playlist are in ``segments``.
  var areAllRead = true
  var targetDuration: MediaTime = .zero
  /// The codecs in the form of CODECS; for transport streams only their families.
  var codecs: [String] = []
  /// Whether there is video or audio without a name for CODECS, such as MPEG-2 video.
  var hasUnnamedCodec = false
  var hasVideo = false
  var hasAudio = false
  /// What is coded in a way that not every player plays.
  var codings: [CodedMedia] = []
  /// The transfer characteristic of the video (ISO/IEC 23091-2); `nil` if it is not stated.
  var transfer: UInt8?
  var tagCount = 0
  var eventTimes: [GUID: MediaTime] = [:]

  /// The number of segments that are kept.
  private static let mostSegments = 65_536

  /// Adds a segment that was read completely.
  mutating func add(_ segment: MediaSegment, byteCount: Int) {
    guard segments.count < Self.mostSegments else { return areAllRead = false }
    segments.append(Segment(duration: MediaTime(segment.duration), byteCount: byteCount))
  }

  /// The highest bit rate of contiguous segments that last between 0.5 and 1.5 target durations together (RFC 8216bis, 4.1).
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
