package import Basics
package import HLSPlaylist
import PacketStamping
import Stamping

/// The playlists of a live stream, and which segments clients may still load.
///
/// Neither sequence number goes back, the target duration stays, and dates follow the media: they are fixed anew only behind a discontinuity.
package struct LivePlaylist: Sendable {
  /// Which segments are listed.
  package enum Kind: Equatable, Sendable {
    /// The latest ones, which last this long together.
    case window(MediaTime)
    /// All since the start.
    case event
  }

  /// Where a playlist goes on that another process has begun.
  package struct Continuation: Equatable, Sendable {
    /// The sequence numbers of the segment that comes next.
    package var mediaSequence: UInt64
    package var discontinuitySequence: UInt64
    package var targetDuration: UInt64
    /// The latest segments that clients can still load, one behind the other up to the one that comes next.
    package var segments: [Listed] = []

    package init(mediaSequence: UInt64, discontinuitySequence: UInt64, targetDuration: UInt64) {
      (self.mediaSequence, self.discontinuitySequence) = (mediaSequence, discontinuitySequence)
      self.targetDuration = targetDuration
    }
  }

  /// A segment that is in the playlist now.
  package struct Listed: Equatable, Sendable {
    package var name: String
    package var mediaSequence: UInt64
    /// The discontinuity sequence number of the segment.
    package var discontinuitySequence: UInt64
    package var isDiscontinuous: Bool
    package var targetDuration: UInt64
    package var start: MediaTime
    package var duration: MediaTime
    /// The date of its start, in milliseconds since 1970.
    package var wallClock: Int64
    /// The names of segments that nobody may load any more.
    package var removable: [String] = []

    package init(
      name: String, mediaSequence: UInt64, discontinuitySequence: UInt64, isDiscontinuous: Bool, targetDuration: UInt64, start: MediaTime,
      duration: MediaTime, wallClock: Int64
    ) {
      (self.name, self.mediaSequence, self.discontinuitySequence) = (name, mediaSequence, discontinuitySequence)
      (self.isDiscontinuous, self.targetDuration) = (isDiscontinuous, targetDuration)
      (self.start, self.duration, self.wallClock) = (start, duration, wallClock)
    }
  }

  private var timeline: TrackTimeline
  private let prefix: String
  /// Segments that are not listed any more, and until when clients may load them: in listed time.
  private var expired = Queue<(name: String, until: MediaTime)>()
  /// How much time was ever listed.
  private var listedTime = MediaTime.zero
  /// The discontinuity sequence number of the latest segment.
  private var discontinuitySequence: UInt64
  private var peakBitRate: UInt64 = 1
  private var isInterrupted: Bool
  /// The codecs as RFC 6381 writes them; `nil` where they are not known.
  private var codecs: String?

  /// The names of the playlists.
  package static let multivariantName = "index.m3u8"
  package static let mediaName = "media.m3u8"

  /// - Parameters:
  ///   - prefix: What the names of segments begin with: another one in each session, so that no cache confuses them.
  ///   - continuation: Where the playlist of an earlier session goes on.
  package init(_ kind: Kind, prefix: String, following continuation: Continuation? = nil) {
    self.prefix = prefix
    let timelineKind: TrackTimeline.Kind =
      switch kind {
      case .window(let length): .window(length)
      case .event: .event
      }
    let first = continuation?.segments.first
    timeline = TrackTimeline(
      playlistName: Self.mediaName, timelineKind, mediaSequence: first?.mediaSequence ?? continuation?.mediaSequence ?? 0,
      // That of the segment before the first one that is listed.
      discontinuitySequence: first.map { $0.discontinuitySequence - ($0.isDiscontinuous ? 1 : 0) } ?? continuation?.discontinuitySequence
        ?? 0)
    timeline.fixedTargetDuration = continuation?.targetDuration
    discontinuitySequence = timeline.discontinuitySequence
    isInterrupted = false
    for segment in continuation?.segments ?? [] {
      _ = append(
        name: segment.name, segment.start, segment.duration, byteCount: 0, isDiscontinuous: segment.isDiscontinuous,
        wallClock: segment.wallClock)
    }
    isInterrupted = continuation != nil
  }

  /// Whether there is anything to play.
  package var isEmpty: Bool { timeline.segments.isEmpty }

  /// When the last segment or gap ends, on the programme's timeline.
  package var listedEnd: MediaTime { timeline.end }

  /// The target duration in seconds; `nil` without segments.
  package var targetDuration: UInt64? { timeline.fixedTargetDuration }

  /// The media sequence number of the next segment.
  package var nextSequence: UInt64 { timeline.mediaSequence + UInt64(timeline.segments.count) }

  /// Appends a segment.
  ///
  /// - Parameters:
  ///   - wallClock: The date of its start, in milliseconds since 1970.
  package mutating func append(_ segment: LiveSegment, wallClock: Int64) -> Listed {
    let isDiscontinuous = segment.boundary == .discontinuity || isInterrupted
    isInterrupted = false
    if timeline.fixedTargetDuration == nil { timeline.fixedTargetDuration = segment.targetDuration }
    codecs = codecs ?? SegmentCodecs.codecs(of: segment.bytes)
    if !segment.isIndependent { timeline.hasIndependentSegments = false }
    let bits = UInt64(segment.bytes.count) * 8
    peakBitRate = max(peakBitRate, bits * UInt64(MediaTime.ticksPerSecond) / UInt64(max(segment.duration.ticks, 1)) + 1)
    return append(
      name: "\(prefix)-\(nextSequence).ts", segment.start, segment.duration, byteCount: segment.bytes.count,
      isDiscontinuous: isDiscontinuous, wallClock: wallClock)
  }

  /// Appends a gap: nothing has come from the input for so long. What follows is discontinuous.
  package mutating func appendGap(_ duration: MediaTime, wallClock: Int64) -> Listed? {
    guard !isEmpty else { return nil }
    isInterrupted = true
    return append(
      name: "\(prefix)-\(nextSequence)-gap.ts", listedEnd, duration, byteCount: 0, isDiscontinuous: false, wallClock: wallClock, isGap: true
    )
  }

  private mutating func append(
    name: String, _ start: MediaTime, _ duration: MediaTime, byteCount: Int, isDiscontinuous: Bool, wallClock: Int64, isGap: Bool = false
  ) -> Listed {
    let mediaSequence = nextSequence
    // Where frames are missing, a segment may last longer than any may: clients would refuse the playlist. The date of the next one is right.
    let longest = MediaTime(seconds: Int(clamping: timeline.targetDuration)) + MediaTime(ticks: 44_999)
    let duration = timeline.fixedTargetDuration == nil ? duration : min(duration, longest)
    var segment = TrackTimeline.Segment(name: name, number: 0, start: start, duration: duration)
    segment.byteCount = byteCount
    segment.isDiscontinuous = isDiscontinuous
    segment.isGap = isGap
    segment.programDateTime = PlaylistDate(milliseconds: wallClock)
    if isDiscontinuous { discontinuitySequence += 1 }
    let lengthBefore = listedLength
    listedTime += duration
    for gone in timeline.append(segment) where !gone.isGap {
      expired.append((gone.name, listedTime + lengthBefore + gone.duration))
    }
    var removable: [String] = []
    while let first = expired.first, first.until <= listedTime {
      removable.append(first.name)
      _ = expired.popFirst()
    }
    var listed = Listed(
      name: name, mediaSequence: mediaSequence, discontinuitySequence: discontinuitySequence, isDiscontinuous: isDiscontinuous,
      targetDuration: timeline.targetDuration, start: start, duration: duration, wallClock: wallClock)
    listed.removable = removable
    return listed
  }

  private var listedLength: MediaTime { timeline.segments.reduce(.zero) { $0 + $1.duration } }

  /// Ends the playlist: no segment follows.
  package mutating func end() { timeline.isEnded = true }

  /// The names of all segments that clients may load.
  package var names: [String] { expired.elements.map(\.name) + timeline.segments.filter { !$0.isGap }.map(\.name) }

  /// The media playlist's text.
  ///
  /// - Throws: `PlaylistError`; names and numbers of ours give no reason for it.
  package func mediaText() throws(PlaylistError) -> [UInt8] { try Playlist.media(timeline.mediaPlaylist()).encode() }

  /// The multivariant playlist's text.
  ///
  /// - Throws: `PlaylistError` as ``mediaText()`` does.
  package func multivariantText() throws(PlaylistError) -> [UInt8] {
    var variant = Variant(uri: Self.mediaName, bandwidth: peakBitRate)
    variant.codecs = codecs
    var playlist = MultivariantPlaylist(variants: [variant])
    playlist.version = 3
    playlist.hasIndependentSegments = timeline.hasIndependentSegments
    return try Playlist.multivariant(playlist).encode()
  }
}
