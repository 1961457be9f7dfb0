package import Basics
import DASH
package import HLSPlaylist
package import LiveGame
import PacketStamping
package import Stamping

/// The playlists of a live stream, and which segments clients may still load.
///
/// Neither sequence number goes back, the target duration stays, and dates follow the media: they are fixed anew only behind a discontinuity.
/// Where audio has tracks of its own, or there are other renditions, their playlists have the same numbers as the main one.
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
    /// The media sequence number of the segment that comes next.
    package var mediaSequence: UInt64
    /// The discontinuity sequence number of the last segment. The one that comes next is discontinuous, and has the next number.
    package var discontinuitySequence: UInt64
    /// In seconds.
    package var targetDuration: UInt64
    /// The latest segments that clients can still load, one behind the other up to the one that comes next.
    package var segments: [JournalRecord.SegmentRecord] = []
    /// The date of the first segment of all, in milliseconds since 1970: the MPD counts from it. `nil` where it is not known.
    package var firstDate: Int64?
    /// Whether players may have loaded parts of the segment that was to come next, and that was never complete.
    package var hasBegunSegment = false
    /// Whether the segment that comes next goes on where the last one has ended: then it is not discontinuous.
    package var isSeamless = false

    /// A continuation without segments that clients can still load.
    package init(mediaSequence: UInt64, discontinuitySequence: UInt64, targetDuration: UInt64) {
      (self.mediaSequence, self.discontinuitySequence) = (mediaSequence, discontinuitySequence)
      self.targetDuration = targetDuration
    }
  }

  /// A segment that has come into the playlists.
  package struct Listed: Equatable, Sendable {
    /// What the next session has to know of it.
    package var record: JournalRecord.SegmentRecord
    /// The files that clients may load from now on.
    package var files: [SegmentFile] = []
    /// The names of files that nobody may load any more.
    package var removable: [String] = []
    /// Parts that clients of low-latency HLS may load from now on, and those that they may not any more.
    package var parts: [SegmentFile] = []
    package var removableParts: [String] = []
  }

  /// How the segments of a rendition are coded, as far as it is known.
  struct Coding: Sendable {
    /// The name of the initialization segment that the next segment has.
    var initialization: String?
    /// How the segments are coded where each stream has its track.
    var program: LiveProgram?
    /// How the segments are coded; `nil` before the first one.
    var format: StreamFormat?
    var peakBitRate: UInt64 = 1
    var programCount = 0

    /// Records how a segment is coded; returns its initialization segment, where that is new.
    ///
    /// - Parameters:
    ///   - segment: The main rendition's segment.
    ///   - isDiscontinuous: Whether it may be coded in another way than the one before.
    ///   - prefix: What the name of the initialization segment begins with.
    ///   - audioCount: The number of bytes of audio in tracks of its own.
    mutating func update(
      _ bytes: [UInt8], audioCount: Int, _ program: LiveProgram?, of segment: LiveSegment, isDiscontinuous: Bool, _ type: SegmentType,
      prefix: String
    ) -> [SegmentFile] {
      if type == .transportStream, isDiscontinuous || format?.codecs == nil {
        let found = SegmentFormat(of: bytes)
        // A segment that begins behind a loss may have no parameter sets.
        if format == nil || found.codecs != nil {
          let frameRate = found.resolution == nil ? nil : segment.frameRate
          format = StreamFormat(codecs: found.codecs, resolution: found.resolution, frameRate: frameRate)
        }
      }
      peakBitRate = max(peakBitRate, segment.duration.bitRate(byteCount: bytes.count + audioCount))
      guard let program else { return [] }
      let name = "\(prefix)-init\(programCount).mp4"
      (self.program, initialization) = (program, name)
      format = StreamFormat(codecs: program.codecs, resolution: program.resolution, frameRate: program.frameRate)
      programCount += 1
      return [SegmentFile(name: name, bytes: program.initialization)]
    }

    /// Whether there was a segment.
    var isKnown: Bool { peakBitRate > 1 }

    func variant(_ playlistName: String) -> Variant {
      var variant = Variant(uri: playlistName, bandwidth: peakBitRate)
      (variant.codecs, variant.resolution, variant.frameRate) = (format?.codecs, format?.resolution, format?.frameRate)
      return variant
    }
  }

  /// Another rendition. It has a playlist from its first segment on.
  struct Rendition: Sendable {
    var timeline: TrackTimeline?
    var coding = Coding()
    /// Its parts of segments; `nil` without low-latency HLS.
    var parts: PartList?
  }

  private let kind: TrackTimeline.Kind
  private let type: SegmentType
  let prefix: String
  private(set) var timeline: TrackTimeline
  /// Audio in tracks of its own.
  private(set) var audio: [TrackTimeline] = []
  var renditions: [Rendition]
  /// What is listed, as in ``timeline``.
  private var records = Queue<JournalRecord.SegmentRecord>()
  /// Segments that are not listed any more, and until when clients may load them: in listed time.
  private var expired = Queue<(record: JournalRecord.SegmentRecord, until: MediaTime)>()
  /// How much time was ever listed.
  private var listedTime = MediaTime.zero
  /// The discontinuity sequence number of the latest segment.
  private var discontinuitySequence: UInt64
  private var coding = Coding()
  /// Whether the next segment does not go on where the one before has ended.
  private var isInterrupted = false
  /// Whether what comes next is the first thing behind an earlier session.
  private var isBehindRestart = false
  /// The names of the initialization segments that the next segment has for audio.
  private var audioInitializations: [String] = []
  /// The parts of segments; `nil` without low-latency HLS.
  var parts: PartList?
  /// What the MPD says of the segments of this session; `nil` for none.
  private var description: LiveDescription?
  /// Whether a segment that an earlier session has begun is to be listed as a gap: players may have parts of it.
  package private(set) var needsGap = false

  /// The files of an earlier session that nobody may load any more.
  package private(set) var leftovers: [String] = []

  /// The names of the playlists.
  package static let multivariantName = "index.m3u8"
  /// The name of the media playlist.
  package static let mediaName = "media.m3u8"
  /// What names of files say of a track of audio, and of another rendition, by its number from 0.
  static func audioName(_ index: Int) -> String { "audio\(index + 1)" }
  static func renditionName(_ index: Int) -> String { "v\(index + 2)" }
  /// The name of another rendition's media playlist, by its number from 0.
  package static func mediaName(ofRendition index: Int) -> String { "media\(index + 2).m3u8" }
  /// The name of the MPD.
  package static let descriptionName = "index.mpd"
  private static let audioGroup = "audio"

  /// A playlist without segments, or with those of an earlier session.
  ///
  /// - Parameters:
  ///   - prefix: What the names of segments begin with: another one in each session, so that no cache confuses them.
  ///   - renditionCount: The number of renditions besides the main one.
  ///   - hasParts: Whether clients of low-latency HLS get parts of segments.
  ///   - fragmentOrigin: When the timeline origin is presented in fragmented MP4, for an MPD; `nil` for none.
  ///   - continuation: Where the playlist of an earlier session goes on.
  package init(
    _ kind: Kind, _ type: SegmentType = .transportStream, prefix: String, renditionCount: Int = 0, hasParts: Bool = false,
    fragmentOrigin: MediaTime? = nil, following continuation: Continuation? = nil
  ) {
    if type == .fragmentedMP4 { description = fragmentOrigin.map { LiveDescription(origin: $0, firstDate: continuation?.firstDate) } }
    if hasParts { parts = PartList() }
    (self.prefix, self.type) = (prefix, type)
    renditions = Array(repeating: Rendition(parts: hasParts ? PartList() : nil), count: renditionCount)
    self.kind =
      switch kind {
      case .window(let length): .window(length)
      case .event: .event
      }
    let first = continuation?.segments.first
    // Where nothing is listed, its number is left out.
    let skipped: UInt64 = continuation?.hasBegunSegment == true && first == nil ? 1 : 0
    // hls.js takes a playlist whose last segment has the number 0 for one without segments, and does not ask for the next part.
    let begin: UInt64 = hasParts ? 1 : 0
    timeline = TrackTimeline(
      playlistName: Self.mediaName, self.kind,
      mediaSequence: first?.mediaSequence ?? continuation.map { $0.mediaSequence + skipped } ?? begin,
      // That of the segment before the first one that is listed.
      discontinuitySequence: first.map { $0.discontinuitySequence - ($0.isDiscontinuous ? 1 : 0) } ?? continuation?.discontinuitySequence
        ?? 0)
    timeline.fixedTargetDuration = continuation?.targetDuration
    discontinuitySequence = timeline.discontinuitySequence
    for record in continuation?.segments ?? [] { leftovers += append(record).removable }
    // A gap in front of the first segment has the initialization segments of what is listed.
    if let last = continuation?.segments.last {
      coding.initialization = last.initialization
      audioInitializations = last.audio.compactMap(\.initialization)
      for (index, file) in last.variants.enumerated() where renditions.indices.contains(index) {
        renditions[index].coding.initialization = file.initialization
      }
    }
    isBehindRestart = continuation.map { !$0.isSeamless } ?? false
    needsGap = continuation?.hasBegunSegment == true && first != nil
  }

  /// Whether clients of low-latency HLS get parts of segments.
  package var hasParts: Bool { parts != nil }

  /// Whether there is anything to play.
  package var isEmpty: Bool { timeline.segments.isEmpty }

  /// When the last segment or gap ends, on the programme's timeline.
  package var listedEnd: MediaTime { timeline.end }

  /// The date at which the last segment or gap ends, in milliseconds since 1970; `nil` without segments.
  package var endDate: Int64? { records.last.map { $0.wallClock + $0.duration.milliseconds } }

  /// The target duration in seconds; `nil` without segments.
  package var targetDuration: UInt64? { timeline.fixedTargetDuration }

  /// How the main rendition is coded; `nil` before its first segment.
  package var format: StreamFormat? { coding.format }

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
    let isDiscontinuous = isDiscontinuous(segment.boundary)
    (isInterrupted, isBehindRestart) = (false, false)
    if timeline.fixedTargetDuration == nil { timeline.fixedTargetDuration = segment.targetDuration }
    if !segment.isIndependent || segment.isGroupOpen || segment.variants.contains(where: { $0?.isGroupOpen == true }) {
      timeline.hasIndependentSegments = false
      for index in renditions.indices { renditions[index].timeline?.hasIndependentSegments = false }
    }
    let audioCount = segment.audio.compactMap { $0?.count }.max() ?? 0
    var files = coding.update(
      segment.bytes, audioCount: audioCount, segment.program, of: segment, isDiscontinuous: isDiscontinuous, type, prefix: prefix)
    if let program = segment.program {
      let names = program.audio.indices.map { "\(prefix)-init\(coding.programCount - 1)-\(Self.audioName($0)).mp4" }
      audioInitializations = names
      files += zip(names, program.audio).map { SegmentFile(name: $0, bytes: $1.initialization) }
    }
    for (index, part) in segment.variants.enumerated() where renditions.indices.contains(index) {
      guard let part else { continue }
      files += renditions[index].coding.update(
        part.bytes, audioCount: audioCount, part.program, of: segment, isDiscontinuous: isDiscontinuous, type,
        prefix: "\(prefix)-\(Self.renditionName(index))")
    }
    let name = "\(prefix)-\(nextSequence)"
    var record = record(
      "\(name).\(fileExtension)", segment.start, segment.duration, isDiscontinuous: isDiscontinuous, wallClock: wallClock)
    // What lasts longer than it may is listed with another end.
    if record.duration == segment.duration { record.nextTimestamp = segment.nextTimestamp }
    if record.nextTimestamp != nil { record.bursts = segment.bursts }
    files.append(SegmentFile(name: record.name, bytes: segment.bytes))
    for index in record.audio.indices where index < segment.audio.count {
      guard let bytes = segment.audio[index] else { continue }
      let name = "\(name)-\(Self.audioName(index)).\(fileExtension)"
      record.audio[index].name = name
      files.append(SegmentFile(name: name, bytes: bytes))
    }
    for index in record.variants.indices where index < segment.variants.count {
      guard let part = segment.variants[index] else { continue }
      let name = "\(name)-\(Self.renditionName(index)).\(fileExtension)"
      record.variants[index].name = name
      files.append(SegmentFile(name: name, bytes: part.bytes))
    }
    let tracks = tracks(of: segment, record)
    description?.append(record, tracks, isIndependent: segment.isIndependent && !segment.isGroupOpen)
    var listed = append(record)
    listed.files = files
    listed.parts = lastParts
    return listed
  }

  func isDiscontinuous(_ boundary: SegmentClock.Boundary) -> Bool { boundary == .discontinuity || isInterrupted || isBehindRestart }

  /// Appends a gap: nothing has come from the input for so long. What follows is discontinuous. A playlist without segments gets no gap: `nil`.
  ///
  /// - Parameter now: The date, in milliseconds since 1970.
  package mutating func appendGap(_ duration: MediaTime, now: Int64) -> Listed? {
    guard let endDate else { return nil }
    // It goes on where the last segment ended. Behind a restart it is what went before now: the time between has no segments.
    let wallClock = isBehindRestart ? max(endDate, now - duration.milliseconds) : endDate
    let name = "\(prefix)-\(nextSequence)-gap.\(fileExtension)"
    var record = record(name, listedEnd, duration, isDiscontinuous: isBehindRestart, wallClock: wallClock)
    record.isGap = true
    (isInterrupted, isBehindRestart, needsGap) = (true, false, false)
    description?.interrupt()
    return append(record)
  }

  var fileExtension: String { type == .transportStream ? "ts" : "m4s" }

  private func record(
    _ name: String, _ start: MediaTime, _ duration: MediaTime, isDiscontinuous: Bool, wallClock: Int64
  ) -> JournalRecord.SegmentRecord {
    // Where frames are missing, a segment may last longer than any may: clients would refuse the playlist. The date of the next one is right.
    let longest = SegmentClock.longestSegment(targetDuration: timeline.targetDuration)
    var record = JournalRecord.SegmentRecord(
      name: name, mediaSequence: nextSequence, discontinuitySequence: discontinuitySequence + (isDiscontinuous ? 1 : 0),
      isDiscontinuous: isDiscontinuous, targetDuration: timeline.targetDuration, start: start,
      duration: timeline.fixedTargetDuration == nil ? duration : min(duration, longest), wallClock: wallClock)
    record.precedesParts = parts != nil
    record.initialization = coding.initialization
    record.audio = audioInitializations.map { .init(name: nil, initialization: $0) }
    record.variants = renditions.map { .init(name: nil, initialization: $0.coding.initialization) }
    return record
  }

  private mutating func append(_ record: JournalRecord.SegmentRecord) -> Listed {
    let lengthBefore = listedLength
    discontinuitySequence = record.discontinuitySequence
    listedTime += record.duration
    appendAudio(record)
    appendRenditions(record)
    records.append(record)
    for gone in timeline.append(Self.segment(record, record.name, record.initialization)) {
      guard let record = records.popFirst(), !record.isGap else { continue }
      expired.append((record, listedTime + lengthBefore + gone.duration))
    }
    description?.remove(before: timeline.mediaSequence)
    var listed = Listed(record: record)
    listed.removableParts = parts?.complete(record, isGap: record.isGap) ?? []
    for index in renditions.indices {
      let isGap = index >= record.variants.count || record.variants[index].name == nil
      listed.removableParts += renditions[index].parts?.complete(record, isGap: isGap) ?? []
    }
    while let first = expired.first, first.until <= listedTime {
      _ = expired.popFirst()
      // An initialization segment stays as long as anything needs it.
      let needed = (expired.first?.record ?? records.first)?.initializations ?? []
      listed.removable += first.record.files.filter { !needed.contains($0) }
    }
    return listed
  }

  /// Lists what audio has in tracks of its own.
  private mutating func appendAudio(_ record: JournalRecord.SegmentRecord) {
    while audio.count < record.audio.count {
      audio.append(track("\(Self.audioName(audio.count)).m3u8", from: record))
    }
    for index in audio.indices {
      let segment = segment(record, index < record.audio.count ? record.audio[index] : nil, in: audio[index], Self.audioName(index))
      _ = audio[index].append(segment)
    }
  }

  /// Lists what other renditions have.
  private mutating func appendRenditions(_ record: JournalRecord.SegmentRecord) {
    for index in renditions.indices {
      let file = index < record.variants.count ? record.variants[index] : nil
      guard var track = renditions[index].timeline ?? (file?.name).map({ _ in track(Self.mediaName(ofRendition: index), from: record) })
      else {
        continue
      }
      _ = track.append(segment(record, file, in: track, Self.renditionName(index)))
      if !timeline.hasIndependentSegments { track.hasIndependentSegments = false }
      renditions[index].timeline = track
    }
  }

  /// A playlist that begins with a segment: what comes before was never there.
  private func track(_ name: String, from record: JournalRecord.SegmentRecord) -> TrackTimeline {
    var track = TrackTimeline(
      playlistName: name, kind, mediaSequence: record.mediaSequence,
      discontinuitySequence: record.discontinuitySequence - (record.isDiscontinuous ? 1 : 0))
    track.fixedTargetDuration = record.targetDuration
    return track
  }

  /// What a track besides the main one has of a segment: a file, or a gap where it has none.
  private func segment(
    _ record: JournalRecord.SegmentRecord, _ file: JournalRecord.SegmentRecord.TrackFile?, in track: TrackTimeline, _ part: String
  ) -> TrackTimeline.Segment {
    let name = file?.name ?? "\(prefix)-\(record.mediaSequence)-\(part)-gap.\(fileExtension)"
    var segment = Self.segment(record, name, file?.initialization ?? track.segments.last?.initializationSegment)
    segment.isGap = file?.name == nil
    return segment
  }

  private static func segment(_ record: JournalRecord.SegmentRecord, _ name: String, _ initialization: String?) -> TrackTimeline.Segment {
    var segment = TrackTimeline.Segment(
      name: name, number: 0, start: record.start, duration: record.duration, byteCount: 0, isDiscontinuous: record.isDiscontinuous)
    segment.isGap = record.isGap
    segment.initializationSegment = initialization
    segment.programDateTime = PlaylistDate(milliseconds: record.wallClock)
    return segment
  }

  private var listedLength: MediaTime { timeline.segments.reduce(.zero) { $0 + $1.duration } }

  /// Ends the playlist: no segment follows.
  package mutating func end() {
    timeline.isEnded = true
    description?.end()
    for index in audio.indices { audio[index].isEnded = true }
    for index in renditions.indices { renditions[index].timeline?.isEnded = true }
  }

  /// The names of all files that clients may load.
  package var names: [String] {
    var names: [String] = []
    var initializations: [String] = []
    for record in expired.elements.map(\.record) + records.elements where !record.isGap {
      names += record.files.filter { !initializations.contains($0) }
      initializations = record.initializations
    }
    return names
  }

  /// What is listed.
  var listedRecords: ArraySlice<JournalRecord.SegmentRecord> { records.elements }

  // MARK: Texts

  /// All playlists in the order in which they are replaced: those of tracks before the one that lists them.
  ///
  /// - Throws: `PlaylistError`; names and numbers of ours give no reason for it.
  package func playlists() throws(PlaylistError) -> [SegmentFile] {
    var files: [SegmentFile] = []
    for track in audio + renditions.compactMap(\.timeline) {
      files.append(SegmentFile(name: track.playlistName, bytes: try text(track)))
    }
    files.append(SegmentFile(name: Self.mediaName, bytes: try text(timeline)))
    if let description = descriptionFile(clock: nil) { files.append(description) }
    files.append(SegmentFile(name: Self.multivariantName, bytes: try multivariantText()))
    return files
  }

  /// The MPD; `nil` where there is none, or nothing to play.
  ///
  /// - Parameter clock: The URI of a file with the time that it is; `nil` in a folder, whose web server is asked. dash.js asks a public server where
  ///   an MPD names no clock, or only clocks that do not answer: a folder's MPD ends with the time at which it was written.
  package func descriptionFile(clock: String?) -> SegmentFile? {
    guard let date = endDate.flatMap({ PlaylistDate(milliseconds: $0) }) else { return nil }
    let clocks: [LiveMediaPresentation.Clock] = clock.map { [.file($0)] } ?? [.answer(Self.descriptionName), .time(date.text)]
    guard let text = description?.text(targetDuration: timeline.targetDuration, publishTime: date, clocks: clocks) else { return nil }
    return SegmentFile(name: Self.descriptionName, bytes: Array(text.utf8))
  }

  /// The names of the files that players of an MPD ask for next.
  package var upcomingNames: [String] {
    guard description != nil, !timeline.isEnded else { return [] }
    let name = "\(prefix)-\(nextSequence)"
    return ["\(name).\(fileExtension)"] + audioInitializations.indices.map { "\(name)-\(Self.audioName($0)).\(fileExtension)" }
      + renditions.indices.map { "\(name)-\(Self.renditionName($0)).\(fileExtension)" }
  }

  /// The tracks of a segment, with their sizes.
  private func tracks(
    of segment: LiveSegment, _ record: JournalRecord.SegmentRecord
  ) -> [(track: LiveDescription.Track, size: Int)] {
    func track(_ name: String?, _ coding: Coding, _ initialization: String?) -> LiveDescription.Track {
      LiveDescription.Track(
        id: name ?? "main", isMain: true, initialization: initialization ?? "", prefix: "\(prefix)-",
        suffix: "\(name.map { "-\($0)" } ?? "").\(fileExtension)",
        codecs: coding.program?.mainCodecs, resolution: coding.program?.resolution, frameRate: coding.program?.frameRate)
    }
    var tracks = [(track(nil, coding, record.initialization), segment.bytes.count)]
    for (index, file) in record.variants.enumerated() where file.name != nil && index < renditions.count {
      let size = index < segment.variants.count ? segment.variants[index]?.bytes.count : nil
      tracks.append((track(Self.renditionName(index), renditions[index].coding, file.initialization), size ?? 0))
    }
    for (index, file) in record.audio.enumerated() where file.name != nil {
      let known = index < (coding.program?.audio.count ?? 0) ? coding.program?.audio[index] : nil
      var audio = track(Self.audioName(index), Coding(), file.initialization)
      (audio.isMain, audio.codecs, audio.channelCount) = (false, known?.codecs, known?.channelCount)
      audio.language = known?.language.flatMap { LanguageTag(container: $0)?.text }
      tracks.append((audio, index < segment.audio.count ? segment.audio[index]?.count ?? 0 : 0))
    }
    return tracks
  }

  private func text(_ timeline: TrackTimeline) throws(PlaylistError) -> [UInt8] {
    try Playlist.media(timeline.mediaPlaylist()).encode()
  }

  /// The main track's media playlist.
  ///
  /// - Throws: `PlaylistError` as ``playlists()`` does.
  package func mediaText() throws(PlaylistError) -> [UInt8] { try text(timeline) }

  /// The multivariant playlist's text.
  ///
  /// - Throws: `PlaylistError` as ``playlists()`` does.
  package func multivariantText() throws(PlaylistError) -> [UInt8] {
    var variants = [coding.variant(Self.mediaName)]
    // Behind a restart nothing is known of a rendition before its next segment.
    for rendition in renditions where rendition.coding.isKnown {
      guard let timeline = rendition.timeline else { continue }
      var variant = rendition.coding.variant(timeline.playlistName)
      // It is played with the audio of the first input.
      if var program = rendition.coding.program, let audio = coding.program?.audio {
        program.audio = audio
        variant.codecs = program.codecs
      }
      variants.append(variant)
    }
    if !audio.isEmpty { for index in variants.indices { variants[index].audio = Self.audioGroup } }
    var playlist = MultivariantPlaylist(variants: variants)
    playlist.renditions = AudioTrack.renditions(
      audio.enumerated().map { index, track in
        let known = index < (coding.program?.audio.count ?? 0) ? coding.program?.audio[index] : nil
        return AudioTrack(language: known?.language, channelCount: known?.channelCount, playlist: track.playlistName)
      }, group: Self.audioGroup)
    playlist.version = type == .transportStream ? 3 : 7
    playlist.hasIndependentSegments = timeline.hasIndependentSegments
    return try Playlist.multivariant(playlist).encode()
  }
}

/// How a rendition is coded, as far as it is known.
package struct StreamFormat: Equatable, Sendable, CustomStringConvertible {
  /// The codecs as RFC 6381 writes them.
  package var codecs: String?
  package var resolution: Resolution?
  /// Frames a second.
  package var frameRate: PlaylistDecimal?

  /// A format.
  package init(codecs: String?, resolution: Resolution? = nil, frameRate: PlaylistDecimal? = nil) {
    (self.codecs, self.resolution, self.frameRate) = (codecs, resolution, frameRate)
  }

  package var description: String {
    var words = [codecs ?? "codecs that are not known here"]
    if let resolution { words.append("\(resolution.width) x \(resolution.height)") }
    if let frameRate { words.append("\(frameRate.text) frames a second") }
    return words.joined(separator: ", ")
  }
}

extension PlaylistDecimal {
  /// Frames per second that television and film have: 24, 25, 30, 50 and 60, and those of NTSC.
  private static let usualRates: [Int64] = [23_976, 24_000, 25_000, 29_970, 30_000, 48_000, 50_000, 59_940, 60_000, 119_880, 120_000]

  /// How many frames a second some frames are that last a time, to three decimals. Containers round times, so the usual rates are preferred; `nil` for none.
  init?(frames: Int, in duration: MediaTime) {
    guard frames > 0, duration > .zero else { return nil }
    // A thousandth of a frame a second.
    let rate = (Int64(frames) * 1_000 * MediaTime.ticksPerSecond + duration.ticks / 2) / duration.ticks
    let nearest = Self.usualRates.min { abs($0 - rate) < abs($1 - rate) } ?? rate
    self.init(billionths: (abs(nearest - rate) * 200 <= rate ? nearest : rate) * 1_000_000)
  }
}
