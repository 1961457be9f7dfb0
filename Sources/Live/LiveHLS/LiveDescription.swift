import Basics
import CMAF
import DASH
import HLSPlaylist
import LiveGame
import Stamping

/// What the MPD of a live presentation of fragmented MP4 says: its periods, and the segments of each.
///
/// Within a period each track has one initialization segment, and all segments. Where that changes, and behind a discontinuity, another one begins.
struct LiveDescription: Sendable {
  /// A track of a segment: where it is, and how it is coded.
  struct Track: Equatable, Sendable {
    /// What the track is called, the same in all periods.
    var id: String
    var isMain: Bool
    /// The name of its initialization segment, and the parts of a media segment's name before and after its number.
    var initialization: String
    var prefix: String
    var suffix: String
    var codecs: String?
    var language: String?
    var channelCount: Int?
    var resolution: Resolution?
    var frameRate: PlaylistDecimal?
  }

  private struct Period: Sendable {
    /// When its first segment starts, on the programme's timeline, and the date of that in milliseconds since 1970.
    var start: MediaTime
    var wallClock: Int64
    var id: UInt64
    var tracks: [Track]
    var isIndependent = true
    /// The listed segments: their numbers follow each other.
    var firstNumber: UInt64
    var segments = Queue<MediaPresentation.SegmentTemplate.Segment>()

    var end: MediaTime { segments.last.map { $0.start + $0.duration } ?? start }
  }

  /// When the timeline origin is presented in the segments.
  private let origin: MediaTime
  /// The date of the presentation's first segment, in milliseconds since 1970; `nil` before it.
  private var firstDate: Int64?
  private var periods: [Period] = []
  /// The most bits a second that a segment of a track has.
  private var peaks: [String: UInt64] = [:]
  /// Whether the next segment begins a period.
  private var isInterrupted = true
  private var isEnded = false

  /// Where no segment is missing, periods follow each other this closely: dates are rounded.
  private static let tolerance = MediaTime(ticks: 9_000)

  /// - Parameter firstDate: The date of the first segment of an earlier session; `nil` for none.
  init(origin: MediaTime, firstDate: Int64? = nil) { (self.origin, self.firstDate) = (origin, firstDate) }

  /// Appends a segment.
  ///
  /// - Parameters:
  ///   - tracks: Its tracks, the main one first, with their sizes in bytes.
  ///   - isIndependent: Whether decoding can start with it.
  mutating func append(_ record: JournalRecord.SegmentRecord, _ tracks: [(track: Track, size: Int)], isIndependent: Bool) {
    for (track, size) in tracks {
      peaks[track.id] = max(peaks[track.id] ?? 0, record.duration.bitRate(byteCount: size))
    }
    firstDate = firstDate ?? record.wallClock
    let all = tracks.map(\.track)
    if isInterrupted || record.isDiscontinuous || periods.last?.tracks != all {
      periods.append(
        Period(
          start: record.start, wallClock: record.wallClock, id: record.mediaSequence, tracks: all, firstNumber: record.mediaSequence))
    }
    isInterrupted = false
    let last = periods.count - 1
    periods[last].segments.append(.init(start: origin + record.start, duration: record.duration))
    if !isIndependent { periods[last].isIndependent = false }
  }

  /// Records that a segment is missing: what follows begins a period.
  mutating func interrupt() { isInterrupted = true }

  /// Records that nothing follows.
  mutating func end() { isEnded = true }

  /// Lists nothing any more that is before a number.
  mutating func remove(before number: UInt64) {
    for index in periods.indices {
      while periods[index].firstNumber < number, periods[index].segments.popFirst() != nil { periods[index].firstNumber += 1 }
    }
    periods.removeAll { $0.segments.isEmpty }
  }

  /// The MPD; `nil` where there is nothing to play.
  ///
  /// - Parameters:
  ///   - targetDuration: That of the playlists, in seconds.
  ///   - publishTime: The date at which the last segment ends.
  ///   - clocks: Sources of the time that it is.
  func text(targetDuration: UInt64, publishTime: PlaylistDate, clocks: [LiveMediaPresentation.Clock]) -> String? {
    guard let last = periods.last, let start = firstDate.flatMap({ PlaylistDate(milliseconds: $0) }) else { return nil }
    let target = MediaTime(seconds: Int(clamping: targetDuration))
    let depth = periods.reduce(MediaTime.zero) { $0 + $1.segments.elements.reduce(.zero) { $0 + $1.duration } }
    let presentation = LiveMediaPresentation(
      periods: periods.indices.map { period(at: $0) }, start: start.text, publishTime: publishTime.text, updateInterval: target,
      end: isEnded ? time(of: last.wallClock) + (last.end - origin - last.start) : nil, timeShiftBuffer: depth,
      minimumBuffer: target, delay: MediaTime(ticks: target.ticks * 3), clocks: clocks)
    return presentation.text
  }

  /// The time of a date on the presentation's timeline.
  private func time(of wallClock: Int64) -> MediaTime { MediaTime(ticks: (wallClock - (firstDate ?? wallClock)) * 90) }

  private func period(at index: Int) -> LiveMediaPresentation.Period {
    let period = periods[index]
    let start = time(of: period.wallClock)
    let length = period.end - origin - period.start
    var written = LiveMediaPresentation.Period(id: String(period.id), start: start, adaptationSets: sets(of: period))
    // Where nothing came for a while, it ends before the next one starts.
    if index + 1 < periods.count, time(of: periods[index + 1].wallClock) - start - length > Self.tolerance {
      written.duration = length
    }
    return written
  }

  /// The pictures are one set, since players change among them; each audio is one of its own.
  private func sets(of period: Period) -> [MediaPresentation.AdaptationSet] {
    var sets: [MediaPresentation.AdaptationSet] = []
    for track in period.tracks {
      let representation = representation(track, of: period)
      if track.isMain, sets.first?.eventScheme != nil {
        sets[0].representations.append(representation)
        continue
      }
      var set = MediaPresentation.AdaptationSet(
        track.isMain && track.resolution != nil ? .video : .audio, representations: [representation])
      set.language = track.language
      if track.isMain { set.eventScheme = EventMessageBox.id3Scheme.text }
      set.startsWithKeyFrames = period.isIndependent
      sets.append(set)
    }
    return sets
  }

  private func representation(_ track: Track, of period: Period) -> MediaPresentation.Representation {
    var media = MediaPresentation.SegmentTemplate.Media(prefix: track.prefix, suffix: track.suffix)
    (media.firstNumber, media.digitCount) = (period.firstNumber, 1)
    let template = MediaPresentation.SegmentTemplate(
      initialization: track.initialization, media: media, start: origin + period.start, segments: Array(period.segments.elements))
    var representation = MediaPresentation.Representation(id: track.id, bandwidth: peaks[track.id] ?? 1, segments: template)
    (representation.codecs, representation.channelCount) = (track.codecs, track.channelCount)
    (representation.width, representation.height) = (
      track.resolution.map { Int(clamping: $0.width) }, track.resolution.map { Int(clamping: $0.height) }
    )
    representation.frameRate = track.frameRate?.fraction
    return representation
  }
}

extension PlaylistDecimal {
  /// A frame rate as an MPD has it: a whole number or a fraction, never a decimal (ISO/IEC 23009-1, `FrameRateType`). Playlists have three decimals.
  var fraction: String {
    let thousandths = billionths / 1_000_000
    guard thousandths % 1_000 != 0 else { return String(thousandths / 1_000) }
    // 29.97 is 30000/1001.
    let whole = (thousandths * 1_001 + 500_000) / 1_000_000
    return abs(whole * 1_000_000 / 1_001 - thousandths) <= 1 ? "\(whole * 1_000)/1001" : "\(thousandths)/1000"
  }
}
