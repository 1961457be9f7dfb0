package import Basics
import DASH
package import HLSPlaylist
package import LiveGame
import PacketStamping
package import Stamping

/// The playlists of a live stream, and the segments that clients may still load.
///
/// Neither sequence number goes back, the target duration stays, and dates follow the media: they are set anew only after a discontinuity. If audio
/// has tracks of its own, or there are other renditions, their playlists have the same numbers as the main one.
package struct LivePlaylist: Sendable {
  /// The choice of listed segments.
  package enum Kind: Equatable, Sendable {
    /// The latest ones, with this total duration.
    case window(MediaTime)
    /// All since the start.
    case event
  }

  /// The point at which a playlist continues that of another process.
  package struct Continuation: Equatable, Sendable {
    /// The media sequence number of the next segment.
    package var mediaSequence: UInt64
    /// The discontinuity sequence number of the last segment. The next segment is discontinuous, and has the next number.
    package var discontinuitySequence: UInt64
    /// In seconds.
    package var targetDuration: UInt64
    /// The latest segments that clients can still load, consecutive up to the next segment.
    package var segments: [JournalRecord.SegmentRecord] = []
    /// The date of the very first segment, in milliseconds since 1970, from which the MPD counts; `nil` if it is unknown.
    package var firstDate: Int64?
    /// Whether players may have loaded parts of the segment that was being written, which was never completed.
    package var hasBegunSegment = false
    /// Whether the next segment continues where the last one ended: then it is not discontinuous.
    package var isSeamless = false
    /// The initialization segments of the last segment, the main track's first, with which those of a seamless segment are compared; empty for none.
    package var initializations: [[UInt8]] = []

    /// A continuation without segments that clients can still load.
    package init(mediaSequence: UInt64, discontinuitySequence: UInt64, targetDuration: UInt64) {
      (self.mediaSequence, self.discontinuitySequence) = (mediaSequence, discontinuitySequence)
      self.targetDuration = targetDuration
    }
  }

  /// A segment that was added to the playlists.
  package struct Listed: Equatable, Sendable {
    /// The record from which the next session continues.
    package var record: JournalRecord.SegmentRecord
    /// The files that clients may load from now on.
    package var files: [SegmentFile] = []
    /// The names of files that clients may not load any more.
    package var removable: [String] = []
    /// Parts that clients of low-latency HLS may load from now on, and those that they may not load any more.
    package var parts: [SegmentFile] = []
    package var removableParts: [String] = []
  }

  private let kind: TrackTimeline.Kind
  let names: SegmentNames
  /// The main track, audio in the order of its numbers, and other renditions in the order of theirs.
  var tracks: [LiveTrack]
  /// The listed segments and gaps, as in ``timeline``.
  private var records = Queue<JournalRecord.SegmentRecord>()
  /// Segments that are no longer listed, and until when clients may load them, in listed time.
  private var expired = Queue<(record: JournalRecord.SegmentRecord, until: MediaTime)>()
  /// The total duration that was ever listed.
  private var listedTime = MediaTime.zero
  /// The discontinuity sequence number of the latest segment.
  private var discontinuitySequence: UInt64
  /// Whether the next segment does not continue where the one before ended.
  private var isInterrupted = false
  /// True until the first segment after a restart.
  private var isBehindRestart = false
  /// The initialization segments of the other node of a pair, until this one has some; empty for none.
  private var earlierInitializations: [[UInt8]] = []
  /// The segments of this session for the MPD; `nil` for none.
  private var description: LiveDescription?
  /// The date ranges that all media playlists list.
  package var dateRanges = LiveDateRanges()
  /// Whether playlists over HTTP offer delta updates that leave date ranges out.
  let offersRangeDeltas: Bool
  /// Whether a segment that an earlier session has begun is to be listed as a gap: players may have parts of it.
  package private(set) var needsGap = false

  /// The files of an earlier session that clients may not load any more.
  package private(set) var leftovers: [String] = []

  /// The names of the playlists.
  package static let multivariantName = "index.m3u8"
  /// The name of the media playlist.
  package static let mediaName = LiveTrack.Role.main.playlistName
  /// The name of another rendition's media playlist, by its number from 0.
  package static func mediaName(ofRendition index: Int) -> String { LiveTrack.Role.rendition(index).playlistName }
  /// The name of the MPD.
  package static let descriptionName = "index.mpd"
  private static let audioGroup = "audio"

  /// A playlist without segments, or with those of an earlier session.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of segments' names: a different one in each session, so that no cache confuses them.
  ///   - renditionCount: The number of renditions besides the main one.
  ///   - hasParts: Whether clients of low-latency HLS get parts of segments.
  ///   - offersRangeDeltas: Whether playlists over HTTP offer delta updates that leave date ranges out.
  ///   - fragmentOrigin: The presentation time of the timeline origin in fragmented MP4, for an MPD; `nil` for none.
  ///   - continuation: The point at which it continues the playlist of an earlier session.
  package init(
    _ kind: Kind, _ type: SegmentType = .transportStream, prefix: String, renditionCount: Int = 0, hasParts: Bool = false,
    offersRangeDeltas: Bool = false, fragmentOrigin: MediaTime? = nil, following continuation: Continuation? = nil
  ) {
    if type == .fragmentedMP4 { description = fragmentOrigin.map { LiveDescription(origin: $0, firstDate: continuation?.firstDate) } }
    names = SegmentNames(prefix: prefix, type: type)
    self.offersRangeDeltas = offersRangeDeltas
    self.kind =
      switch kind {
      case .window(let length): .window(length)
      case .event: .event
      }
    let first = continuation?.segments.first
    // If no segment is listed, the number of the begun one is skipped.
    let skipped: UInt64 = continuation?.hasBegunSegment == true && first == nil ? 1 : 0
    // hls.js treats a playlist whose last segment has the number 0 as empty, and does not ask for the next part.
    let begin: UInt64 = hasParts ? 1 : 0
    var timeline = TrackTimeline(
      playlistName: Self.mediaName, self.kind,
      mediaSequence: first?.mediaSequence ?? continuation.map { $0.mediaSequence + skipped } ?? begin,
      // The discontinuity sequence number of the segment before the first listed one.
      discontinuitySequence: first.map { $0.discontinuitySequence - ($0.isDiscontinuous ? 1 : 0) } ?? continuation?.discontinuitySequence
        ?? 0)
    timeline.fixedTargetDuration = continuation?.targetDuration
    discontinuitySequence = timeline.discontinuitySequence
    tracks = ([.main] + (0..<renditionCount).map { .rendition($0) }).map { LiveTrack($0, hasParts: hasParts) }
    tracks[0].timeline = timeline
    for record in continuation?.segments ?? [] { leftovers += append(record).removable }
    isBehindRestart = continuation.map { !$0.isSeamless } ?? false
    earlierInitializations = continuation?.initializations ?? []
    needsGap = continuation?.hasBegunSegment == true && first != nil
  }

  /// The main track's segments.
  var timeline: TrackTimeline { tracks[0].timeline }

  /// Whether clients of low-latency HLS get parts of segments.
  package var hasParts: Bool { tracks[0].parts != nil }

  /// Whether there is nothing to play.
  package var isEmpty: Bool { timeline.segments.isEmpty }

  /// The end of the last segment or gap, on the programme's timeline.
  package var listedEnd: MediaTime { timeline.end }

  /// The date at which the last segment or gap ends, in milliseconds since 1970; `nil` without segments.
  package var endDate: Int64? { records.last.map { $0.wallClock + $0.duration.milliseconds } }

  /// The target duration in seconds; `nil` without segments.
  package var targetDuration: UInt64? { timeline.fixedTargetDuration }

  /// The format of the main rendition; `nil` before its first segment.
  package var format: StreamFormat? { tracks[0].format }

  /// The media sequence number of the next segment.
  package var nextSequence: UInt64 { timeline.mediaSequence + UInt64(timeline.segments.count) }

  // MARK: Segments

  /// Appends a segment.
  ///
  /// - Parameters:
  ///   - wallClock: The date of its start, in milliseconds since 1970.
  package mutating func append(_ segment: LiveSegment, wallClock: Int64) -> Listed {
    var lastParts = segment.parts.flatMap { append($0, wallClock: wallClock) }
    for (index, part) in segment.variants.enumerated() {
      lastParts += part?.parts.flatMap { append($0, ofRendition: index) } ?? []
    }
    let hasOtherCoding = hasOtherCoding(segment.program)
    let isDiscontinuous = isDiscontinuous(segment.boundary) || hasOtherCoding
    (isInterrupted, isBehindRestart) = (false, false)
    if timeline.fixedTargetDuration == nil { tracks[0].timeline.fixedTargetDuration = segment.targetDuration }
    if !segment.isIndependent || segment.isGroupOpen || segment.variants.contains(where: { $0?.isGroupOpen == true }) {
      tracks[0].timeline.hasIndependentSegments = false
    }
    var files = updateTracks(segment, isDiscontinuous: isDiscontinuous)
    var record = record(
      names.segment(nextSequence), segment.start, segment.duration, isDiscontinuous: isDiscontinuous, wallClock: wallClock)
    // The end of a segment that is listed with a shorter duration does not match the next timestamp.
    if record.duration == segment.duration { record.nextTimestamp = segment.nextTimestamp }
    if record.nextTimestamp != nil { record.bursts = segment.bursts }
    for role in tracks.map(\.role) {
      guard let bytes = segment.bytes(of: role), record[role] != nil else { continue }
      let name = names.segment(nextSequence, role)
      record[role]?.name = name
      files.append(SegmentFile(name: name, bytes: bytes))
    }
    let described = descriptions(of: segment, record)
    description?.append(record, described, isIndependent: segment.isIndependent && !segment.isGroupOpen)
    var listed = append(record)
    listed.files = files
    listed.parts = lastParts
    return listed
  }

  /// Whether the first program after a takeover has other tracks than those of the other node, or another coding of one.
  private mutating func hasOtherCoding(_ program: LiveProgram?) -> Bool {
    guard let program, !earlierInitializations.isEmpty else { return false }
    defer { earlierInitializations = [] }
    return !program.hasInitializations(earlierInitializations)
  }

  /// Records the coding of a segment's tracks; returns their new initialization segments.
  private mutating func updateTracks(_ segment: LiveSegment, isDiscontinuous: Bool) -> [SegmentFile] {
    let audioCount = segment.audio.compactMap { $0?.count }.max() ?? 0
    if let audio = segment.program?.audio { addAudio(audio.count) }
    var files: [SegmentFile] = []
    for index in tracks.indices {
      let role = tracks[index].role
      if case .audio(let number) = role {
        // The initialization segments of audio come with those of the main track.
        guard let audio = segment.program?.audio else { continue }
        tracks[index].initialization = number < audio.count ? names.initialization(tracks[0].programCount - 1, role) : nil
        if let name = tracks[index].initialization { files.append(SegmentFile(name: name, bytes: audio[number].initialization)) }
      } else if let bytes = segment.bytes(of: role) {
        let program = segment.program(of: role)
        let file = tracks[index].update(
          bytes, audioCount: audioCount, program, of: segment, isDiscontinuous: isDiscontinuous, names)
        if let file { files.append(file) }
      }
    }
    return files
  }

  /// Adds tracks of audio up to a count.
  mutating func addAudio(_ count: Int) {
    for number in audio.count..<max(count, audio.count) {
      tracks.insert(LiveTrack(.audio(number), hasParts: hasParts), at: number + 1)
    }
  }

  private var audio: [LiveTrack] { tracks.filter(\.role.isAudio) }

  func isDiscontinuous(_ boundary: SegmentClock.Boundary) -> Bool { boundary == .discontinuity || isInterrupted || isBehindRestart }

  /// Appends a gap for a time without input. The next segment is discontinuous. A playlist without segments gets no gap: `nil`.
  ///
  /// - Parameter now: The date, in milliseconds since 1970.
  package mutating func appendGap(_ duration: MediaTime, now: Int64) -> Listed? {
    guard let endDate else { return nil }
    // A gap starts where the last segment ended. After a restart it covers the time just before now, since the time between has no segments.
    let wallClock = isBehindRestart ? max(endDate, now - duration.milliseconds) : endDate
    var record = record(names.gap(nextSequence), listedEnd, duration, isDiscontinuous: isBehindRestart, wallClock: wallClock)
    record.isGap = true
    (isInterrupted, isBehindRestart, needsGap) = (true, false, false)
    description?.interrupt()
    return append(record)
  }

  private func record(
    _ name: String, _ start: MediaTime, _ duration: MediaTime, isDiscontinuous: Bool, wallClock: Int64
  ) -> JournalRecord.SegmentRecord {
    // If frames are missing, a segment may be longer than the maximum: clients would refuse the playlist. The date of the next segment is right.
    let longest = SegmentClock.longestSegment(targetDuration: timeline.targetDuration)
    var record = JournalRecord.SegmentRecord(
      name: name, mediaSequence: nextSequence, discontinuitySequence: discontinuitySequence + (isDiscontinuous ? 1 : 0),
      isDiscontinuous: isDiscontinuous, targetDuration: timeline.targetDuration, start: start,
      duration: timeline.fixedTargetDuration == nil ? duration : min(duration, longest), wallClock: wallClock)
    record.precedesParts = hasParts
    record.initialization = tracks[0].initialization
    for track in tracks.dropFirst() where !track.role.isAudio || track.initialization != nil {
      record[track.role] = .init(name: nil, initialization: track.initialization)
    }
    return record
  }

  private mutating func append(_ appended: JournalRecord.SegmentRecord) -> Listed {
    var record = appended
    // A gap has the initialization segments of the segment before, also after a restart, and if an earlier version has recorded it without.
    if record.isGap, record.initialization == nil, let last = records.last, last.initialization != nil {
      record.takeInitializations(of: last)
    }
    let lengthBefore = listedLength
    discontinuitySequence = record.discontinuitySequence
    listedTime += record.duration
    records.append(record)
    addAudio(record.audio.count)
    var listed = Listed(record: record)
    for index in tracks.indices {
      let gone = tracks[index].append(record, kind, names)
      listed.removableParts += tracks[index].completeParts(record)
      if case .rendition = tracks[index].role, !timeline.hasIndependentSegments { tracks[index].timeline.hasIndependentSegments = false }
      guard index == 0 else { continue }
      for segment in gone {
        guard let record = records.popFirst(), !record.isGap else { continue }
        expired.append((record, listedTime + lengthBefore + segment.duration))
      }
    }
    if let start = timeline.segments.first?.start { dateRanges.retire(before: start) }
    let first = timeline.mediaSequence
    description?.remove(before: first)
    while let first = expired.first, first.until <= listedTime {
      _ = expired.popFirst()
      // An initialization segment is kept as long as a segment needs it.
      let needed = (expired.first?.record ?? records.first)?.initializations ?? []
      listed.removable += first.record.files.filter { !needed.contains($0) }
    }
    return listed
  }

  private var listedLength: MediaTime { timeline.segments.reduce(.zero) { $0 + $1.duration } }

  /// Ends the playlist: no segment follows.
  package mutating func end() {
    description?.end()
    for index in tracks.indices { tracks[index].timeline.isEnded = true }
  }

  /// The listed segments and gaps.
  var listedRecords: ArraySlice<JournalRecord.SegmentRecord> { records.elements }

  // MARK: Texts

  /// All playlists in the order in which they are replaced: those of tracks before the multivariant playlist.
  ///
  /// - Throws: `PlaylistError`, which cannot happen with the names and numbers that are used here.
  package func playlists() throws(PlaylistError) -> [SegmentFile] {
    var files: [SegmentFile] = []
    for timeline in tracks.dropFirst().filter(\.isListed).map(\.timeline) + [timeline] {
      files.append(SegmentFile(name: timeline.playlistName, bytes: try mediaPlaylist(of: timeline).encode()))
    }
    if let description = descriptionFile(clock: nil) { files.append(description) }
    files.append(SegmentFile(name: Self.multivariantName, bytes: try multivariantText()))
    return files
  }

  /// Takes the date ranges of an earlier session over.
  ///
  /// - Parameter time: The programme time at which this session begins, for a playlist without segments.
  package mutating func resume(_ ranges: [LiveDateRange], at time: MediaTime) {
    dateRanges.resume(ranges, window: timeline.segments.first?.start ?? time, boundary: timeline.mediaPlaylist().skipBoundary)
  }

  /// A track's playlist with the date ranges, which are in front of its first segment.
  func mediaPlaylist(of timeline: TrackTimeline) -> MediaPlaylist {
    var playlist = timeline.mediaPlaylist()
    if let first = playlist.segments.indices.first { playlist.segments[first].dateRanges = dateRanges.listed }
    return playlist
  }

  /// The MPD; `nil` if there is none, or nothing to play.
  ///
  /// - Parameter clock: The URI of a file with the current time; `nil` in a folder, whose web server is asked. dash.js asks a public server if an MPD
  ///   names no clock, or only clocks that do not answer: a folder's MPD ends with the time at which it was written.
  package func descriptionFile(clock: String?) -> SegmentFile? {
    guard let date = endDate.flatMap({ PlaylistDate(milliseconds: $0) }) else { return nil }
    let clocks: [LiveMediaPresentation.Clock] = clock.map { [.file($0)] } ?? [.answer(Self.descriptionName), .time(date.text)]
    guard
      let text = description?.text(
        targetDuration: timeline.targetDuration, publishTime: date, clocks: clocks, events: dateRanges.events, isLowLatency: hasParts)
    else { return nil }
    return SegmentFile(name: Self.descriptionName, bytes: Array(text.utf8))
  }

  /// The names of the files that players of an MPD request next.
  package var upcomingNames: [String] {
    guard description != nil, !timeline.isEnded else { return [] }
    return tracks.filter { !$0.role.isAudio || $0.initialization != nil }.map { names.segment(nextSequence, $0.role) }
  }

  /// The tracks of a segment that have a file, for the MPD, each with the size of the file.
  private func descriptions(
    of segment: LiveSegment, _ record: JournalRecord.SegmentRecord
  ) -> [(track: LiveDescription.Track, size: Int)] {
    tracks.compactMap { track in
      guard let file = record[track.role], file.name != nil else { return nil }
      let (prefix, suffix) = names.template(track.role)
      var described = LiveDescription.Track(
        id: track.role.name ?? "main", isMain: !track.role.isAudio, initialization: file.initialization ?? "", prefix: prefix,
        suffix: suffix, codecs: track.program?.mainCodecs, resolution: track.program?.resolution, frameRate: track.program?.frameRate)
      if let audio = audioProgram(track.role) {
        (described.codecs, described.channelCount) = (audio.codecs, audio.channelCount)
        described.language = audio.language.flatMap { LanguageTag(container: $0)?.text }
      }
      return (described, segment.bytes(of: track.role)?.count ?? 0)
    }
  }

  /// The coding of an audio track according to the main track's program; `nil` if it is unknown, or the track is not audio.
  private func audioProgram(_ role: LiveTrack.Role) -> LiveProgram.Audio? {
    guard case .audio(let number) = role, let audio = tracks[0].program?.audio, number < audio.count else { return nil }
    return audio[number]
  }

  /// The multivariant playlist's text.
  ///
  /// - Throws: `PlaylistError` as ``playlists()`` does.
  package func multivariantText() throws(PlaylistError) -> [UInt8] {
    var variants: [Variant] = []
    for track in tracks where !track.role.isAudio {
      // After a restart, a rendition is unknown until its next segment.
      guard track.role == .main || track.isKnown && track.isListed else { continue }
      var variant = track.variant
      // A rendition is played with the audio of the first input.
      if var program = track.program, let audio = tracks[0].program?.audio {
        program.audio = audio
        variant.codecs = program.codecs
      }
      variants.append(variant)
    }
    let audio = audio.filter(\.isListed)
    if !audio.isEmpty { for index in variants.indices { variants[index].audio = Self.audioGroup } }
    var playlist = MultivariantPlaylist(variants: variants)
    playlist.renditions = AudioTrack.renditions(
      audio.map { track in
        let known = audioProgram(track.role)
        return AudioTrack(language: known?.language, channelCount: known?.channelCount, playlist: track.role.playlistName)
      }, group: Self.audioGroup)
    playlist.version = names.type == .transportStream ? 3 : 7
    playlist.hasIndependentSegments = timeline.hasIndependentSegments
    return try Playlist.multivariant(playlist).encode()
  }
}

/// The coding of a rendition, as far as it is known.
package struct StreamFormat: Equatable, Sendable, CustomStringConvertible {
  /// The codecs in the notation of RFC 6381.
  package var codecs: String?
  package var resolution: Resolution?
  /// Frames per second.
  package var frameRate: PlaylistDecimal?

  package var description: String {
    var words = [codecs ?? "codecs that are not known here"]
    if let resolution { words.append("\(resolution.width) x \(resolution.height)") }
    if let frameRate { words.append("\(frameRate.text) frames a second") }
    return words.joined(separator: ", ")
  }
}

extension PlaylistDecimal {
  /// The frame rates of television and film: 24, 25, 30, 50 and 60, and those of NTSC.
  private static let usualRates: [Int64] = [23_976, 24_000, 25_000, 29_970, 30_000, 48_000, 50_000, 59_940, 60_000, 119_880, 120_000]

  /// The frame rate of a number of frames with a total duration, to three decimals. Containers round times, so the usual rates are preferred; `nil`
  /// for none.
  init?(frames: Int, in duration: MediaTime) {
    guard frames > 0, duration > .zero else { return nil }
    // The rate in thousandths of a frame per second.
    let rate = (Int64(frames) * 1_000 * MediaTime.ticksPerSecond + duration.ticks / 2) / duration.ticks
    let nearest = Self.usualRates.min { abs($0 - rate) < abs($1 - rate) } ?? rate
    self.init(billionths: (abs(nearest - rate) * 200 <= rate ? nearest : rate) * 1_000_000)
  }
}
