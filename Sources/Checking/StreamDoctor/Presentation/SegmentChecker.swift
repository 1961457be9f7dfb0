import Basics
import HLSPlaylist
import HLSReading

/// Compares the segments of one rendition with its media playlist: their durations, and whether they start with a key frame.
struct SegmentChecker: Sendable {
  /// The latest segment, which ends where the next one starts.
  private struct Latest: Sendable {
    var times: SegmentTimes
    var segment: MediaSegment
    var sequence: UInt64
    var line: Int?
  }

  /// The playlist as it was loaded last.
  private(set) var playlist: MediaPlaylist?
  private var layout: PlaylistLayout?
  private var playlistURI = ""
  /// Whether each segment must start with a key frame.
  private var isIndependent = false
  private var latest: Latest?

  /// The maximum difference between EXTINF and the measured duration (0.1 s).
  private static let durationTolerance = MediaTime(ticks: 9_000)
  /// How far timestamps may go back from the end of a segment (half a second): a larger step means another clock.
  private static let longestOverlap = MediaTime(ticks: 45_000)
  /// How far timestamps may advance after a segment (ten seconds): a larger step means another clock.
  private static let longestGap = MediaTime(seconds: 10)

  /// Replaces the media playlist.
  mutating func load(_ playlist: MediaPlaylist, _ layout: PlaylistLayout, _ uri: String, isIndependent: Bool) {
    (self.playlist, self.layout, playlistURI, self.isIndependent) = (playlist, layout, uri, isIndependent)
  }

  /// The segment in the playlist; `nil` for initialization segments and for segments that are not listed.
  func segment(_ part: HLSPortion.Part?) -> MediaSegment? { index(of: part).flatMap { playlist?.segments[$0] } }

  /// Records that the next segment does not continue the latest one.
  mutating func interrupt() { latest = nil }

  /// Checks a segment with its measured times.
  mutating func check(_ part: HLSPortion.Part, _ times: SegmentTimes?, _ log: inout FindingLog) {
    guard let index = index(of: part), let segment = playlist?.segments[index] else { return }
    let sequence = part.source.mediaSequence
    if let latest, let times, latest.sequence &+ 1 == sequence {
      // Players and tools that measure durations may leave out pictures before the first key frame.
      checkDuration(latest, until: times.earliest, tolerance: times.lead, &log)
    }
    latest = times.map { Latest(times: $0, segment: segment, sequence: sequence, line: layout?.line("#EXTINF", index)) }
    if isIndependent, let times, times.isVideo { checkStart(times, &log) }
  }

  /// Ends the rendition.
  mutating func finish(_ log: inout FindingLog) {
    // The last I-frame is shown for as long as the last segment of the video.
    guard let latest, playlist?.isIFramesOnly != true else { return }
    checkDuration(latest, until: latest.times.end, tolerance: latest.times.endTolerance, &log)
  }

  private func index(of part: HLSPortion.Part?) -> Int? {
    guard let playlist, let part, part.kind == .segment, part.source.mediaSequence >= playlist.mediaSequence else { return nil }
    let index = Int(clamping: part.source.mediaSequence - playlist.mediaSequence)
    return playlist.segments.indices.contains(index) ? index : nil
  }

  /// Whether the bytes of a segment follow those of the segment before in the same resource, or begin one.
  func continuesBytes(_ part: HLSPortion.Part) -> Bool {
    guard let playlist, let index = index(of: part), let range = playlist.segments[index].byteRange, range.offset > 0 else { return true }
    guard !playlist.isIFramesOnly, index > 0 else { return false }
    let previous = playlist.segments[index - 1]
    return previous.uri == playlist.segments[index].uri && previous.byteRange?.end == range.offset
  }

  private func checkStart(_ times: SegmentTimes, _ log: inout FindingLog) {
    guard !times.isRandomAccess || times.earliest < times.first else { return }
    let found = times.isRandomAccess ? "pictures that are presented before the key frame at the start" : "no key frame at the start"
    log.add(.independent, at: 0, found)
  }

  private func checkDuration(_ latest: Latest, until end: MediaTime, tolerance more: MediaTime = .zero, _ log: inout FindingLog) {
    let duration = latest.segment.duration
    let measured = end - latest.times.earliest
    // Before version 3 durations are whole seconds.
    let isRounded = duration.isWhole && (playlist?.version ?? 1) < 3
    let tolerance = isRounded ? MediaTime(seconds: 1) : Self.durationTolerance
    guard (measured - MediaTime(duration)).magnitude > tolerance + more + latest.times.lead else { return }
    let step = end - latest.times.end
    if step < .zero - Self.longestOverlap - more || step > Self.longestGap {
      let jump = "timestamps that go \(step < .zero ? "back" : "on") by \(step.magnitude.shortestDecimalSeconds) s"
      return log.add(
        .discontinuity, in: playlistURI, line: latest.line, "\(jump) after \(latest.segment.uri), without EXT-X-DISCONTINUITY")
    }
    let found = "EXTINF \(duration.text) for \(latest.segment.uri), which lasts \(measured.shortestDecimalSeconds) s"
    log.add(.segmentDuration, in: playlistURI, line: latest.line, found)
  }
}
