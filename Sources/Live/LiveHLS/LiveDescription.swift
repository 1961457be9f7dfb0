import Basics
import CMAF
import DASH
import HLSPlaylist
import LiveGame
import Stamping

/// The contents of the MPD of a live presentation of fragmented MP4: its periods, and the segments of each.
///
/// Within a period each track has one initialization segment, and all segments. A change of these, or a discontinuity, begins another period.
struct LiveDescription: Sendable {
  /// A track of a segment: its files and its coding.
  struct Track: Equatable, Sendable {
    /// The identifier of the track, the same in all periods.
    var id: String
    var isMain: Bool
    /// The name of its initialization segment, and the parts of a media segment's name before and after the number.
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
    /// The start of its first segment, on the programme's timeline, and the date of that in milliseconds since 1970.
    var start: MediaTime
    var wallClock: Int64
    var id: UInt64
    var tracks: [Track]
    var isIndependent = true
    /// The listed segments: their numbers are consecutive.
    var firstNumber: UInt64
    var segments = Queue<MediaPresentation.SegmentTemplate.Segment>()

    /// The date of a time in the period, in milliseconds since 1970.
    func date(of time: MediaTime) -> Int64 { wallClock + (time - start).milliseconds }

    var end: MediaTime { segments.last.map { $0.start + $0.duration } ?? start }
  }

  /// The presentation time of the timeline origin in the segments.
  private let origin: MediaTime
  /// The date of the presentation's first segment, in milliseconds since 1970; `nil` before it.
  private var firstDate: Int64?
  private var periods: [Period] = []
  /// The maximum bit rate of a track's segments, in bits per second.
  private var peaks: [String: UInt64] = [:]
  /// Whether the next segment begins a period.
  private var isInterrupted = true
  private var isEnded = false

  /// Another period begins if the dates of the playlists differ from those that the period gives by more than the rounding, in milliseconds.
  private static let largestDifference: Int64 = 1
  /// Periods without missing segments between them are at most this far apart: dates are rounded.
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
    let all = tracks.map(\.track)
    let differs = periods.last.map { ($0.date(of: record.start) - record.wallClock).magnitude > Self.largestDifference.magnitude } ?? false
    if isInterrupted || record.isDiscontinuous || periods.last?.tracks != all || differs {
      beginPeriod(at: record.wallClock)
      periods.append(
        Period(
          start: record.start, wallClock: record.wallClock, id: record.mediaSequence, tracks: all, firstNumber: record.mediaSequence))
    }
    isInterrupted = false
    let last = periods.count - 1
    periods[last].segments.append(.init(start: origin + record.start, duration: record.duration))
    if !isIndependent { periods[last].isIndependent = false }
  }

  /// Makes room for a period. One whose date goes back, since the machine's clock was set, replaces the periods that would be after it, and if it were
  /// before the start of the presentation, begins that anew.
  private mutating func beginPeriod(at wallClock: Int64) {
    firstDate = min(firstDate ?? wallClock, wallClock)
    periods.removeAll { $0.wallClock >= wallClock }
  }

  /// Records that a segment is missing: the next segment begins a period.
  mutating func interrupt() { isInterrupted = true }

  /// Records that no segment follows.
  mutating func end() { isEnded = true }

  /// Removes the segments before a number.
  mutating func remove(before number: UInt64) {
    for index in periods.indices {
      while periods[index].firstNumber < number, periods[index].segments.popFirst() != nil { periods[index].firstNumber += 1 }
    }
    periods.removeAll { $0.segments.isEmpty }
  }

  /// The MPD; `nil` if there is nothing to play.
  ///
  /// - Parameters:
  ///   - targetDuration: The target duration of the playlists, in seconds.
  ///   - publishTime: The end date of the last segment.
  ///   - clocks: Sources of the current time.
  ///   - events: What is known of the programme, on its timeline.
  ///   - isLowLatency: Whether the playlists list parts.
  func text(
    targetDuration: UInt64, publishTime: PlaylistDate, clocks: [LiveMediaPresentation.Clock], events: [EventStream.Event] = [],
    isLowLatency: Bool = false
  ) -> String? {
    guard let last = periods.last, let start = firstDate.flatMap({ PlaylistDate(milliseconds: $0) }) else { return nil }
    let target = MediaTime(seconds: Int(clamping: targetDuration))
    let depth = periods.reduce(MediaTime.zero) { $0 + $1.segments.elements.reduce(.zero) { $0 + $1.duration } }
    var presentation = LiveMediaPresentation(
      periods: periods.indices.map { period(at: $0, events, hasReference: isLowLatency) }, start: start.text, publishTime: publishTime.text,
      updateInterval: target,
      end: isEnded ? time(of: last.wallClock) + (last.end - origin - last.start) : nil, timeShiftBuffer: depth,
      minimumBuffer: target, delay: MediaTime(ticks: target.ticks * 3), clocks: clocks)
    if isLowLatency { presentation.latency = LiveMediaPresentation.Latency(target: presentation.delay) }
    return presentation.text
  }

  /// The time of a date on the presentation's timeline.
  private func time(of wallClock: Int64) -> MediaTime { MediaTime(ticks: (wallClock - (firstDate ?? wallClock)) * 90) }

  private func period(at index: Int, _ events: [EventStream.Event], hasReference: Bool) -> LiveMediaPresentation.Period {
    let period = periods[index]
    let start = time(of: period.wallClock)
    let length = period.end - origin - period.start
    var written = LiveMediaPresentation.Period(id: String(period.id), start: start, adaptationSets: sets(of: period))
    let end = index + 1 < periods.count ? periods[index + 1].start : MediaTime(ticks: .max)
    written.eventStreams = EventStream.streams(of: events.filter { period.start <= $0.time && $0.time < end }, from: period.start)
    if hasReference, let date = PlaylistDate(milliseconds: period.wallClock) {
      let reference = MediaPresentation.ProducerReference(date: date.text, presentationTime: origin + period.start)
      for set in written.adaptationSets.indices { written.adaptationSets[set].reference = reference }
    }
    // A period with an interruption after it ends before the next one starts.
    if index + 1 < periods.count, time(of: periods[index + 1].wallClock) - start - length > Self.tolerance {
      written.duration = length
    }
    return written
  }

  /// All video is one adaptation set, since players switch within it; each audio has a set of its own.
  private func sets(of period: Period) -> [MediaPresentation.AdaptationSet] {
    var sets: [MediaPresentation.AdaptationSet] = []
    for track in period.tracks {
      let representation = representation(track, of: period)
      if track.isMain, sets.first?.eventSchemes.isEmpty == false {
        sets[0].representations.append(representation)
        continue
      }
      var set = MediaPresentation.AdaptationSet(
        track.isMain && track.resolution != nil ? .video : .audio, representations: [representation])
      set.language = track.language
      if track.isMain { set.eventSchemes = [EventMessageBox.id3Scheme.text, EventMessageBox.spliceScheme.text] }
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
  /// A frame rate in the form of an MPD: a whole number or a fraction, never a decimal (ISO/IEC 23009-1, `FrameRateType`). Playlists have three
  /// decimals.
  var fraction: String {
    let thousandths = billionths / 1_000_000
    guard thousandths % 1_000 != 0 else { return String(thousandths / 1_000) }
    // 29.97 is 30000/1001.
    let whole = (thousandths * 1_001 + 500_000) / 1_000_000
    return abs(whole * 1_000_000 / 1_001 - thousandths) <= 1 ? "\(whole * 1_000)/1001" : "\(thousandths)/1000"
  }
}

extension EventStream {
  /// The streams of a period: one for each scheme.
  ///
  /// - Parameter start: When the period starts, on the programme's timeline.
  fileprivate static func streams(of events: [Event], from start: MediaTime) -> [EventStream] {
    var (splices, messages): ([Event], [Event]) = ([], [])
    for event in events {
      var event = event
      event.time = event.time - start
      switch event.content {
      case .splice: splices.append(event)
      case .message: messages.append(event)
      }
    }
    return [EventStream(scheme: spliceScheme, events: splices), EventStream(scheme: EventMessageBox.id3Scheme.text, events: messages)]
  }
}
