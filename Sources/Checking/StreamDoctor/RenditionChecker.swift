import Basics
import CMAF
import EventReading
import HLSPlaylist
import HLSReading
import TransportStream

/// Looks at one rendition of a presentation, or at a stream that is none.
struct RenditionChecker: Sendable {
  /// The segment that was read last, while the next one has not told how long it was.
  private struct LastSegment: Sendable {
    var times: PictureTimes.SegmentTimes
    var segment: MediaSegment
    var sequence: UInt64
    var line: Int?
  }

  private(set) var facts: RenditionFacts
  /// The playlist as it was loaded last.
  private(set) var playlist: MediaPlaylist?
  private(set) var container: Container?
  /// Whether anything but playlists was seen.
  private(set) var hasMedia = false

  private var layout: PlaylistLayout?
  private var playlistURI = ""
  private var isIndependent = false
  private var portion: HLSPortion.Part?
  private var isOpen = false
  private var prefix: [UInt8] = []
  private var byteCount = 0
  private var goesOn = false
  private var isInterrupted = true
  private var last: LastSegment?

  private var transport = TransportChecker()
  private var fragments = FragmentChecker()
  private var audio = PackedAudioChecker()
  private var events = EventChecker()

  /// EXTINF may be so far off what the pictures last (0.1 s).
  private static let durationTolerance = MediaTime(ticks: 9_000)
  /// Without a container in so many bytes, an input is none that is known.
  private static let detectionLimit = 70_000

  init(uri: String) { facts = RenditionFacts(uri: uri) }

  /// Where the players' clocks start.
  var clock: PlayerClock {
    switch container {
    case .fragmentedMP4?: PlayerClock(firstPicture: fragments.firstPresented, firstDecoding: fragments.firstDecoded)
    default:
      PlayerClock(
        firstPicture: transport.pictures.firstPicture, firstDecoding: transport.pictures.firstDecoding,
        firstSound: transport.pictures.firstSound)
    }
  }

  /// Takes the media playlist, for the first time or again.
  mutating func take(_ playlist: MediaPlaylist, _ layout: PlaylistLayout, _ uri: String, isIndependent: Bool) {
    self.playlist = playlist
    self.layout = layout
    self.isIndependent = isIndependent
    playlistURI = uri
    // Of live playlists different parts are read at different times.
    if !playlist.isEnded { facts.areAllRead = false }
    facts.targetDuration = MediaTime(seconds: Int(clamping: playlist.targetDuration))
  }

  /// Starts a stream, an initialization segment or a segment.
  mutating func begin(_ portion: HLSPortion.Part?) {
    (self.portion, isOpen, hasMedia) = (portion, true, true)
    (prefix, byteCount) = ([], 0)
    let isDiscontinuous = portion?.kind == .segment && segment?.isDiscontinuous == true
    goesOn = !isInterrupted && !isDiscontinuous
    if isDiscontinuous { last = nil }
    if portion?.kind == .segment { isInterrupted = false }
    guard portion != nil else { return }
    transport.startSegment(goesOn: goesOn)
    // Behind a discontinuity the map has come already.
    fragments.startResource(goesOn: goesOn || portion?.kind == .segment, isMap: portion?.kind == .initializationSegment)
    audio.startSegment()
    if portion?.kind == .segment { events.startSegment(goesOn: goesOn) }
  }

  /// Takes the next bytes.
  mutating func push(_ bytes: Span<UInt8>, _ log: inout FindingLog) -> [TagObservation] {
    byteCount += bytes.count
    guard prefix.isEmpty, byteCount > bytes.count else {
      prefix += [UInt8](copying: bytes)
      return detect(&log)
    }
    return hand(on: bytes, &log)
  }

  /// Takes note that something is missing here.
  mutating func interrupt() {
    isInterrupted = true
    facts.areAllRead = false
    last = nil
  }

  /// Ends a stream, a map or a segment.
  mutating func end(_ log: inout FindingLog) -> [TagObservation] {
    guard isOpen else { return [] }
    isOpen = false
    var sightings: [TagObservation] = []
    if !prefix.isEmpty {
      container = container ?? .transportStream
      sightings = flush(&log)
    }
    var more: [TagObservation] = []
    switch container {
    case .transportStream?: more = transport.endSegment(&log)
    case .fragmentedMP4?: more = fragments.endResource(&log)
    case .packedAudio?, nil: break
    }
    take(more, &log)
    if portion?.kind == .segment { endSegment(&log) }
    return sightings + more
  }

  /// Ends the rendition.
  mutating func finish(_ choice: HLSChoice?, _ log: inout FindingLog) {
    if let choice { (facts.uri, facts.isVariant) = (choice.uri, choice.isVariant) }
    if let last { checkDuration(last, until: last.times.end, tolerance: last.times.endTolerance, &log) }
    facts.tagCount = events.tagCount
    facts.eventTimes = events.times
  }

  /// Finds out what the bytes are, once enough of them are there.
  private mutating func detect(_ log: inout FindingLog) -> [TagObservation] {
    guard var found = Container(startingWith: prefix.span) ?? (prefix.count >= Self.detectionLimit ? .transportStream : nil) else {
      return []
    }
    if found == .transportStream {
      // Packed audio without its timestamp is packed audio all the same.
      switch PackedAudioHeader(prefix.span) {
      case .frame, .tag: found = .packedAudio
      case .incomplete, .none: break
      }
    }
    container = found
    return flush(&log)
  }

  private mutating func flush(_ log: inout FindingLog) -> [TagObservation] {
    let bytes = prefix
    prefix = []
    return hand(on: bytes.span, &log)
  }

  private mutating func hand(on bytes: Span<UInt8>, _ log: inout FindingLog) -> [TagObservation] {
    let sightings: [TagObservation]
    switch container {
    case .transportStream?: sightings = transport.push(bytes, &log)
    case .fragmentedMP4?: sightings = fragments.push(bytes, &log)
    case .packedAudio?: sightings = audio.push(bytes, &log)
    case nil: sightings = []
    }
    take(sightings, &log)
    return sightings
  }

  private mutating func take(_ sightings: [TagObservation], _ log: inout FindingLog) {
    for sighting in sightings { events.take(sighting, &log) }
  }
}

// Segments of a presentation.
extension RenditionChecker {
  /// The index of the current segment in the playlist.
  private var index: Int? {
    guard let playlist, let portion, portion.kind == .segment, portion.source.mediaSequence >= playlist.mediaSequence else { return nil }
    let index = Int(clamping: portion.source.mediaSequence - playlist.mediaSequence)
    return playlist.segments.indices.contains(index) ? index : nil
  }

  private var segment: MediaSegment? { index.flatMap { playlist?.segments[$0] } }

  private mutating func endSegment(_ log: inout FindingLog) {
    guard let index, let segment else { return }
    let times = container == .fragmentedMP4 ? fragments.segment : transport.pictures.segment
    facts.hasPictures = facts.hasPictures || times?.isVideo == true
    takeCodecs()
    if container == .transportStream, !transport.tables.hasPAT || !transport.tables.hasMap {
      let place = FindingPlace(
        resource: log.resource, position: nil, found: "no \(transport.tables.hasPAT ? "program map" : "tables")")
      log.add(.segmentTables, place)
    }
    if facts.segments.count < RenditionFacts.mostSegments {
      facts.segments.append(.init(duration: MediaTime(segment.duration), byteCount: byteCount))
    } else {
      facts.areAllRead = false
    }
    events.endSegment(at: times?.earliest, &log)
    if let last, let times, last.sequence &+ 1 == portion?.source.mediaSequence { checkDuration(last, until: times.first, &log) }
    last = times.map {
      LastSegment(times: $0, segment: segment, sequence: portion?.source.mediaSequence ?? 0, line: layout?.line("#EXTINF", index))
    }
    if isIndependent, let times, times.isVideo { checkStart(times, &log) }
  }

  private func checkStart(_ times: PictureTimes.SegmentTimes, _ log: inout FindingLog) {
    guard !times.isRandomAccess || times.earliest < times.first else { return }
    let found = times.isRandomAccess ? "pictures that are presented before the key frame at the start" : "no key frame at the start"
    log.add(.independent, FindingPlace(resource: log.resource, position: .byte(log.base), found: found))
  }

  private func checkDuration(
    _ segment: LastSegment, until end: MediaTime, tolerance more: MediaTime = .zero, _ log: inout FindingLog
  ) {
    let measured = end - segment.times.first
    let stated = MediaTime(segment.segment.duration)
    // Before version 3 durations are whole seconds.
    let isRounded = segment.segment.duration.isWhole && (playlist?.version ?? 1) < 3
    let tolerance = isRounded ? MediaTime.ticksPerSecond : Self.durationTolerance.ticks
    guard (measured - stated).magnitude > MediaTime(ticks: tolerance) + more else { return }
    let found = "EXTINF \(segment.segment.duration.text) for \(segment.segment.uri), which lasts \(measured.decimalSeconds) s"
    log.add(.segmentDuration, FindingPlace(resource: playlistURI, position: segment.line.map { .line($0) }, found: found))
  }

  private mutating func takeCodecs() {
    guard facts.codecs.isEmpty else { return }
    if container == .fragmentedMP4 {
      facts.codecs = fragments.movie?.codecs ?? []
    } else if let map = transport.tables.firstMap {
      facts.codecs = map.streams.compactMap { Self.family(of: $0.type) }
    }
  }

  /// How CODECS starts for a stream type (RFC 6381), with what else is in use.
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
