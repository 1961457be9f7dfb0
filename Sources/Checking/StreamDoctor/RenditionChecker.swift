import Basics
import CMAF
import DASHReading
import EventReading
import GameEvents
import HLSPlaylist
import HLSReading
import TransportStream

/// Checks one rendition of a presentation, or a stream that is not a presentation.
struct RenditionChecker: Sendable {
  private(set) var facts: RenditionFacts
  /// The container of the latest part that can carry events.
  private(set) var container: Container?
  /// Whether anything but playlists was read.
  private(set) var hasMedia = false
  /// Whether a segment or an initialization segment is incomplete.
  private(set) var isInsidePart = false

  private var part: HLSPortion.Part?
  private var detector = SegmentDetector()
  /// The container of the current part; `nil` before it is known, and for a part that carries no events.
  private var current: Container?
  private var byteCount = 0
  private var isInterrupted = true
  /// Whether the latest part was an initialization segment. That of a transport stream has the tables of the segments (RFC 8216, 3.1).
  private var isInitialized = false

  private var segments = SegmentChecker()
  private var transport: TransportChecker
  private var fragments: FragmentChecker
  private var audio: PackedAudioChecker
  private var events = EventChecker()
  private let signatures: SignatureCheck?

  init(uri: String, requiring signatures: SignatureCheck?) {
    facts = RenditionFacts(uri: uri)
    let tags = TagChecker(requiring: signatures)
    (transport, fragments, audio) = (TransportChecker(tags), FragmentChecker(tags), PackedAudioChecker(tags))
    self.signatures = signatures
  }

  /// Where the players' clocks start.
  var clock: PlayerClock {
    switch container {
    case .fragmentedMP4?: PlayerClock(firstVideo: fragments.firstPresented, firstDecoding: fragments.firstDecoded)
    default:
      PlayerClock(
        firstVideo: transport.units.firstVideo, firstDecoding: transport.units.firstDecoding, firstAudio: transport.units.firstAudio)
    }
  }

  /// The events that should lie outside of ad breaks.
  var timedEvents: [TimedEvent] { events.timed }

  /// The streams of the event messages with tags.
  var messageStreams: [Manifest.EventStream] { fragments.messageStreams }

  /// Whether a media playlist was loaded.
  var hasPlaylist: Bool { segments.playlist != nil }

  /// Loads the media playlist, for the first time or again.
  mutating func load(_ playlist: MediaPlaylist, _ layout: PlaylistLayout, _ uri: String, isIndependent: Bool, _ log: inout FindingLog) {
    // Only the first version of a live playlist is checked.
    if segments.playlist == nil { PlaylistChecker.check(playlist, layout, requiring: signatures, &log) }
    events.receive(ranges: PlaylistChecker.events(of: playlist))
    segments.load(playlist, layout, uri, isIndependent: isIndependent)
    // The renditions of a live presentation are read at different times.
    if !playlist.isEnded { facts.areAllRead = false }
    facts.targetDuration = MediaTime(seconds: Int(clamping: playlist.targetDuration))
  }

  /// Begins an initialization segment or a segment; `nil` for a stream.
  mutating func begin(_ part: HLSPortion.Part?, _ log: inout FindingLog) {
    (self.part, isInsidePart, hasMedia) = (part, true, true)
    (detector, current, byteCount) = (SegmentDetector(isSubtitles: part?.isSubtitles == true), nil, 0)
    let isDiscontinuous = segments.segment(part)?.isDiscontinuous == true
    let isContinuous = !isInterrupted && !isDiscontinuous
    if isDiscontinuous {
      segments.interrupt()
      fragments.startPeriod()
    }
    guard let part else { return }
    let isSegment = part.kind == .segment
    if isSegment { isInterrupted = false }
    let followsTables = isSegment && isInitialized
    isInitialized = !isSegment
    let isPicture = isSegment && segments.playlist?.isIFramesOnly == true
    transport.startSegment(
      // An initialization segment begins another map, even without a discontinuity.
      isContinuous: isContinuous && isSegment, keepsTables: followsTables, hasAdjacentBytes: segments.continuesBytes(part),
      isPicture: isPicture, &log)
    // After a discontinuity the initialization segment has already been read.
    fragments.startResource(isContinuous: isContinuous || isSegment, isInitialization: !isSegment, isPicture: isPicture)
    audio.startSegment()
    if isSegment { events.startSegment(isContinuous: isContinuous) }
  }

  /// Checks the next bytes.
  mutating func push(_ bytes: Span<UInt8>, _ log: inout FindingLog) -> [TagObservation] {
    byteCount += bytes.count
    guard detector.contents == nil else { return check(bytes, &log) }
    guard let beginning = detector.push(bytes) else { return [] }
    return begin(beginning, &log)
  }

  /// Checks the first bytes of a part, once it is known what it is.
  private mutating func begin(_ beginning: [UInt8], _ log: inout FindingLog) -> [TagObservation] {
    switch detector.contents {
    case .stream(.transportStream)?, .silent?: current = Self.isPackedAudio(beginning) ? .packedAudio : detector.contents?.container
    case .stream(let other)?: current = other
    case .misplaced?, nil: current = .transportStream
    }
    container = current ?? container
    return check(beginning.span, &log)
  }

  /// Records that something is missing here.
  mutating func interrupt() {
    isInterrupted = true
    facts.areAllRead = false
    segments.interrupt()
  }

  /// Ends a stream, an initialization segment or a segment.
  mutating func end(_ log: inout FindingLog) -> [TagObservation] {
    guard isInsidePart else { return [] }
    isInsidePart = false
    var observations: [TagObservation] = []
    if detector.contents == nil { observations = begin(detector.finish(), &log) }
    recordMedia()
    var last: [TagObservation] = []
    switch current {
    case .transportStream?: last = transport.endSegment(&log)
    case .fragmentedMP4?: last = fragments.endResource(&log)
    case .packedAudio?, nil: break
    }
    for observation in last { events.check(observation, &log) }
    if let part { endSegment(part, &log) }
    return observations + last
  }

  /// Ends the rendition.
  mutating func finish(_ choice: HLSChoice?, _ log: inout FindingLog) {
    if let choice { (facts.uri, facts.isVariant) = (choice.uri, choice.isVariant) }
    transport.finish(&log)
    // I-frames of a playlist for trick play are cut out of their streams.
    if segments.playlist?.isIFramesOnly != true, let pid = transport.missingClock {
      log.add(.clock, in: facts.uri, "no PCR on PID \(pid), where the program map says it is")
    }
    segments.finish(&log)
    if facts.areAllRead { events.finishRanges(&log) }
    facts.tagCount = events.tagCount
    facts.eventTimes = events.times
  }

  /// Whether an input is packed audio, with its timestamp or without.
  private static func isPackedAudio(_ beginning: [UInt8]) -> Bool {
    switch PackedAudioHeader(beginning.span) {
    case .frame, .tag: true
    case .incomplete, .none: false
    }
  }

  private mutating func check(_ bytes: Span<UInt8>, _ log: inout FindingLog) -> [TagObservation] {
    let observations: [TagObservation]
    switch current {
    case .transportStream?: observations = transport.push(bytes, &log)
    case .fragmentedMP4?: observations = fragments.push(bytes, &log)
    case .packedAudio?: observations = audio.push(bytes, &log)
    case nil: observations = []
    }
    for observation in observations { events.check(observation, &log) }
    return observations
  }

  private mutating func endSegment(_ part: HLSPortion.Part, _ log: inout FindingLog) {
    guard let segment = segments.segment(part) else { return }
    let times = current == nil ? nil : current == .fragmentedMP4 ? fragments.segment : transport.units.segment
    facts.add(segment, byteCount: byteCount)
    if facts.codecs.isEmpty { facts.codecs = codecs }
    let mayLackTables = segment.initializationSegment != nil || segments.playlist?.isIFramesOnly == true
    if current == .transportStream, !mayLackTables, !transport.tables.hasPAT || !transport.tables.hasPMT {
      log.add(.segmentTables, "no \(transport.tables.hasPAT ? "program map" : "tables")")
    }
    // I-frames for trick play carry no events.
    if segments.playlist?.isIFramesOnly != true { events.endSegment(at: times?.earliest, &log) }
    segments.check(part, times, &log)
  }

  /// Records what media there are, and how they are coded.
  private mutating func recordMedia() {
    var codings: [CodedMedia] = []
    switch current {
    case .transportStream?:
      guard let streams = transport.tables.firstPMT?.streams else { return }
      facts.hasVideo = facts.hasVideo || streams.contains { $0.type.isVideo }
      facts.hasAudio = facts.hasAudio || streams.contains { $0.isAudio }
      facts.hasUnnamedCodec = streams.contains { ($0.type.isVideo || $0.type.isAudio) && Self.family(of: $0.type) == nil }
      facts.transfer = facts.transfer ?? transport.units.transfer
      codings = streams.compactMap { CodedMedia($0) }
    case .fragmentedMP4?:
      let tracks = fragments.movie?.tracks ?? []
      facts.hasVideo = facts.hasVideo || tracks.contains { $0.handler == .vide }
      facts.hasAudio = facts.hasAudio || tracks.contains { $0.handler == .soun }
      facts.transfer = facts.transfer ?? tracks.flatMap { $0.sampleEntries }.compactMap { $0.transfer }.first
      codings = codecs.compactMap { CodedMedia($0) }
    case .packedAudio?: facts.hasAudio = true
    case nil: return
    }
    for coding in codings where !facts.codings.contains(coding) { facts.codings.append(coding) }
  }

  private var codecs: [String] {
    guard container != .fragmentedMP4 else { return fragments.movie?.codecs ?? [] }
    return transport.tables.firstPMT?.streams.compactMap { Self.family(of: $0.type) } ?? []
  }

  /// The names in CODECS that a stream type can have (RFC 6381), and others in use, up to the first dot.
  private static func family(of type: StreamType) -> String? {
    switch type {
    case .h264: "avc1|avc3"
    case .hevc: "hvc1|hev1|dvh1|dvhe"
    case .aac, .aacLATM, .mpeg1Audio, .mpeg2Audio: "mp4a|mp3"
    case .ac3: "ac-3"
    case .eac3: "ec-3"
    default: nil
    }
  }
}
