import Basics
import CMAF
import DASHReading

/// Checks fragmented MP4: a file, or the initialization segments and segments of one rendition in their order.
struct FragmentChecker: Sendable {
  /// A message whose segment has not ended.
  private struct Pending: Sendable {
    var offset: Int
    var time: MediaTime
  }

  /// The movie of the initialization segment; `nil` if there is none.
  private(set) var movie: MovieHeader?
  /// The current segment's times.
  private(set) var segment: SegmentTimes?
  /// When the first sample of video (or of audio) is presented.
  private(set) var firstPresented: MediaTime?
  /// When the first sample of video (or of audio) is decoded.
  private(set) var firstDecoded: MediaTime?

  /// The streams of the messages with tags, in the order of their first messages.
  private(set) var messageStreams: [Manifest.EventStream] = []

  private var tags: TagChecker
  private var reader = FragmentReader()
  private var order = BoxOrder()
  private var ids = MessageIDs()
  private var brands: FileTypeBox?
  private var pending: [Pending] = []
  /// The span of the fragments since the last `styp`, or of the latest fragment in a file without `styp`.
  private var span: ClosedRange<MediaTime>?
  private var hasSegmentType = false
  /// The offsets of messages whose fragment has not arrived.
  private var waiting: [Int] = []
  private var lastType: BoxType?
  private var isPresentation = false
  private var hasReportedBrand = false
  /// Whether the resource is one picture of a playlist of I-frames, which may end within its `mdat`.
  private var isPicture = false
  /// Where the latest top-level box starts.
  private var lastOffset = 0

  /// The number of messages of a segment that are compared with its times.
  private static let mostPending = 4_096
  /// The number of streams of messages that are told apart.
  private static let mostStreams = 16
  /// The maximum rounding error of times in other timescales (a millisecond).
  private static let rounding = MediaTime(ticks: 90)

  init(_ tags: TagChecker) { self.tags = tags }

  /// Starts a period, which is what lies between discontinuities.
  mutating func startPeriod() { ids.startPeriod() }

  /// Starts an initialization segment or a segment.
  ///
  /// - Parameters:
  ///   - isContinuous: Whether it continues the previous resource.
  ///   - isInitialization: Whether it is an initialization segment.
  ///   - isPicture: Whether it is a picture of a playlist of I-frames.
  mutating func startResource(isContinuous: Bool, isInitialization: Bool, isPicture: Bool) {
    self.isPicture = isPicture
    if !isContinuous { movie = nil }
    reader = FragmentReader(movie: movie)
    order = BoxOrder()
    (segment, span, lastType) = (nil, nil, nil)
    (hasSegmentType, isPresentation) = (false, true)
    if isInitialization { (brands, hasReportedBrand) = (nil, false) }
  }

  /// Checks the next bytes.
  mutating func push(_ bytes: Span<UInt8>, _ log: inout FindingLog) -> [TagObservation] {
    var items = reader.push(bytes)[...]
    var observations: [TagObservation] = []
    for entry in order.push(bytes) {
      // Items before a `styp` belong to the previous segment.
      let earlier = items.prefix { $0.offset < entry.offset }
      for item in earlier { check(item, &observations, &log) }
      items = items.dropFirst(earlier.count)
      check(entry, &log)
    }
    for item in items { check(item, &observations, &log) }
    return observations
  }

  /// Ends an initialization segment, a segment or a file.
  mutating func endResource(_ log: inout FindingLog) -> [TagObservation] {
    var observations: [TagObservation] = []
    for item in reader.finish() {
      if isPicture, lastType == .mdat, case .damage(lastOffset, _) = item { continue }
      check(item, &observations, &log)
    }
    reportWaiting("after the last `moof`", &log)
    endSpan(&log)
    return observations
  }

  private mutating func check(_ entry: BoxOrder.Entry, _ log: inout FindingLog) {
    switch entry.type {
    case .ftyp: brands = entry.brands
    case .styp:
      reportWaiting("in front of `styp`", &log)
      endSpan(&log)
      hasSegmentType = true
    case .moof: waiting = []
    case .emsg:
      if lastType == .moof {
        log.add(.messagePlace, at: entry.offset, "an `emsg` after its `moof`")
      } else if waiting.count < Self.mostPending {
        waiting.append(entry.offset)
      }
    default: break
    }
    (lastType, lastOffset) = (entry.type, entry.offset)
  }

  /// Reports the messages that no fragment follows.
  private mutating func reportWaiting(_ place: String, _ log: inout FindingLog) {
    for offset in waiting { log.add(.messagePlace, at: offset, "an `emsg` \(place)") }
    waiting = []
  }

  private mutating func check(_ item: FragmentItem, _ observations: inout [TagObservation], _ log: inout FindingLog) {
    switch item {
    case .initialisation(let movie):
      self.movie = movie
      if isPresentation, movie.tracks.count > 1 { log.add(.tracks, at: 0, "\(movie.tracks.count) tracks") }
    case .eventMessage(let message, let time, let offset):
      observations += check(message, time, offset, &log)
    case .fragment(let fragment, _): check(fragment, &log)
    case .damage(let offset, let reason): log.add(.boxes, at: offset, reason)
    case .tags, .userData: break
    }
  }

  private mutating func check(_ fragment: Fragment, _ log: inout FindingLog) {
    guard let track = fragment.tracks.first(where: { isVideo($0.trackID) }) ?? fragment.tracks.first else { return }
    guard let start = track.earliestPresentationTime, let decoded = track.decodeTime, let duration = track.duration else { return }
    // Samples are presented for as long as they are decoded.
    let end = start + duration
    if firstPresented == nil { (firstPresented, firstDecoded) = (start, decoded) }
    if hasSegmentType, let known = span {
      span = min(known.lowerBound, start)...max(known.upperBound, end)
    } else {
      endSpan(&log)
      span = start...max(start, end)
    }
    let (isSync, hasVideo) = (track.startsWithSyncSample ?? true, isVideo(track.trackID))
    var times = segment ?? SegmentTimes(first: start, earliest: start, end: end, isRandomAccess: isSync, isVideo: hasVideo)
    times.earliest = min(times.earliest, start)
    times.end = max(times.end, end)
    segment = times
    if !hasSegmentType { checkPending(&log) }
  }

  private func isVideo(_ id: UInt32) -> Bool { movie?.track(id)?.handler == .vide }

  /// Compares the messages with the times of the fragments in their segment.
  private mutating func checkPending(_ log: inout FindingLog) {
    guard let span else { return }
    let (start, end) = (span.lowerBound - Self.rounding, span.upperBound + Self.rounding)
    for message in pending where message.time < start || message.time >= end {
      log.add(
        .messageTime, at: message.offset,
        "\(message.time.decimalSeconds) s in a segment from \(span.lowerBound.decimalSeconds) s to \(span.upperBound.decimalSeconds) s")
    }
    pending = []
  }

  private mutating func endSpan(_ log: inout FindingLog) {
    if hasSegmentType { checkPending(&log) }
    span = nil
  }

  private mutating func check(_ message: EventMessageBox, _ time: MediaTime, _ offset: Int, _ log: inout FindingLog) -> [TagObservation] {
    guard message.isID3 else {
      if MessageChecker.isTag(message) { log.add(.messageScheme, at: offset, "an ID3 tag of the scheme \(message.schemeID.text)") }
      return []
    }
    MessageChecker.check(message, at: offset, movie, &log)
    let stream = Manifest.EventStream(scheme: message.schemeID.text, value: message.value.text)
    if messageStreams.count < Self.mostStreams, !messageStreams.contains(stream) { messageStreams.append(stream) }
    checkBrand(at: offset, &log)
    if pending.count < Self.mostPending { pending.append(Pending(offset: offset, time: time)) }
    let facts = TagObservation.MessageFacts(version: message.version, isRepeatedID: ids.recordRepeat(message))
    return MessageChecker.tags(of: message, at: offset, &log).map { tag in
      var observation = tags.check(tag, at: offset, carrier: .message(facts), &log)
      observation.time = time
      for copy in observation.copies { ids.check(message, copy, at: offset, &log) }
      return observation
    }
  }

  private mutating func checkBrand(at offset: Int, _ log: inout FindingLog) {
    guard let brands, !hasReportedBrand, brands.majorBrand != .aid3, !brands.compatibleBrands.contains(.aid3) else { return }
    hasReportedBrand = true
    log.add(.brand, at: offset, "an ID3 message in a track whose `ftyp` does not say `aid3`")
  }
}

extension FragmentItem {
  /// The offset of the item; a movie header applies from the start.
  fileprivate var offset: Int {
    switch self {
    case .initialisation: 0
    case .eventMessage(_, _, let offset), .fragment(_, let offset), .tags(_, _, let offset), .userData(_, _, let offset),
      .damage(let offset, _):
      offset
    }
  }
}
