import Basics
import CMAF

/// Looks at fragmented MP4: a file, or the maps and segments of one rendition one after another.
struct FragmentChecker: Sendable {
  /// A message whose segment is not over.
  private struct Pending: Sendable {
    var offset: Int
    var time: MediaTime
  }

  /// What the map says; `nil` where there is none.
  private(set) var movie: MovieHeader?
  /// The current segment's times.
  private(set) var segment: PictureTimes.SegmentTimes?
  /// When the first picture (or sound) is presented and decoded.
  private(set) var firstPresented: MediaTime?
  private(set) var firstDecoded: MediaTime?

  private var reader = FragmentReader()
  private var order = BoxOrder()
  private var ids = MessageIDs()
  private var brands: FileTypeBox?
  private var pending: [Pending] = []
  /// The span of the fragments since the last `styp`, or of the latest one where the file has none.
  private var span: ClosedRange<MediaTime>?
  private var hasSegmentType = false
  /// Messages whose fragment has not come.
  private var waiting: [Int] = []
  private var lastType: BoxType?
  private var isPresentation = false
  private var isBrandMissed = false

  /// So many messages of a segment are compared with its times.
  private static let mostPending = 4_096
  /// Times of other timescales are off by so much at most, rounded (a millisecond).
  private static let rounding = MediaTime(ticks: 90)

  /// Takes note that a map or a segment starts.
  ///
  /// - Parameters:
  ///   - goesOn: Whether it goes on with the one before.
  ///   - isMap: Whether it says what the segments after it are.
  mutating func startResource(goesOn: Bool, isMap: Bool) {
    if !goesOn { movie = nil }
    reader = FragmentReader(movie: movie)
    order = BoxOrder()
    (segment, span, lastType) = (nil, nil, nil)
    (hasSegmentType, isPresentation) = (false, true)
    if isMap { (brands, isBrandMissed) = (nil, false) }
  }

  /// Takes the next bytes.
  mutating func push(_ bytes: Span<UInt8>, _ log: inout FindingLog) -> [TagObservation] {
    var items = reader.push(bytes)[...]
    var sightings: [TagObservation] = []
    for entry in order.push(bytes) {
      // What was read in front of the box belongs to the segment in front of it.
      let earlier = items.prefix { $0.offset < entry.offset }
      for item in earlier { take(item, &sightings, &log) }
      items = items.dropFirst(earlier.count)
      take(entry, &log)
    }
    for item in items { take(item, &sightings, &log) }
    return sightings
  }

  /// Ends a map, a segment or a file.
  mutating func endResource(_ log: inout FindingLog) -> [TagObservation] {
    var sightings: [TagObservation] = []
    for item in reader.finish() { take(item, &sightings, &log) }
    misplace("behind the last `moof`", &log)
    endSpan(&log)
    return sightings
  }

  private mutating func take(_ entry: BoxOrder.Entry, _ log: inout FindingLog) {
    switch entry.type {
    case .ftyp: brands = entry.brands
    case .styp:
      misplace("in front of `styp`", &log)
      endSpan(&log)
      hasSegmentType = true
    case .moof: waiting = []
    case .emsg:
      if lastType == .moof {
        log.add(.messagePlace, at: entry.offset, "an `emsg` behind its `moof`")
      } else if waiting.count < Self.mostPending {
        waiting.append(entry.offset)
      }
    default: break
    }
    lastType = entry.type
  }

  /// Reports the messages that no fragment follows.
  private mutating func misplace(_ place: String, _ log: inout FindingLog) {
    for offset in waiting { log.add(.messagePlace, at: offset, "an `emsg` \(place)") }
    waiting = []
  }

  private mutating func take(_ item: FragmentItem, _ sightings: inout [TagObservation], _ log: inout FindingLog) {
    switch item {
    case .initialisation(let movie):
      self.movie = movie
      if isPresentation, movie.tracks.count > 1 { log.add(.tracks, at: 0, "\(movie.tracks.count) tracks") }
    case .eventMessage(let message, let time, let offset):
      if let sighting = examine(message, time, offset, &log) { sightings.append(sighting) }
    case .fragment(let fragment, _): take(fragment, &log)
    case .damage(let offset, let reason): log.add(.boxes, at: offset, reason)
    }
  }

  private mutating func take(_ fragment: Fragment, _ log: inout FindingLog) {
    guard let track = fragment.tracks.first(where: { isVideo($0.trackID) }) ?? fragment.tracks.first else { return }
    guard let start = track.earliestPresentationTime, let decoded = track.decodeTime, let duration = track.duration else { return }
    // The end of the last sample presented lies as far behind its start as the end of decoding behind the start of that.
    let end = start + duration
    if firstPresented == nil { (firstPresented, firstDecoded) = (start, decoded) }
    if hasSegmentType, let known = span {
      span = min(known.lowerBound, start)...max(known.upperBound, end)
    } else {
      endSpan(&log)
      span = start...max(start, end)
    }
    if var times = segment {
      times.end = max(times.end, end)
      segment = times
    } else {
      segment = .init(
        first: start, earliest: start, end: end, isRandomAccess: track.startsWithSyncSample ?? true, isVideo: isVideo(track.trackID))
    }
    if !hasSegmentType { checkPending(&log) }
  }

  private func isVideo(_ id: UInt32) -> Bool { movie?.track(id)?.handler == .vide }

  /// Compares the messages with the times of the fragments they lie with.
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

  private mutating func examine(_ message: EventMessageBox, _ time: MediaTime, _ offset: Int, _ log: inout FindingLog) -> TagObservation? {
    guard message.isID3 else { return nil }
    MessageChecker.check(message, at: offset, movie, &log)
    checkBrand(at: offset, &log)
    if pending.count < Self.mostPending { pending.append(Pending(offset: offset, time: time)) }
    let isMuxed = (movie?.tracks.contains { $0.handler == .vide } ?? false) && (movie?.tracks.contains { $0.handler == .soun } ?? false)
    let facts = TagObservation.MessageFacts(version: message.version, isRepeatedID: ids.isRepeated(message), isMuxed: isMuxed)
    let tag = MessageChecker.tag(of: message, at: offset, &log)
    var sighting = TagChecker.examine(tag, at: offset, carrier: .message(facts), &log)
    sighting.time = time
    for copy in sighting.copies { ids.take(message, copy, at: offset, &log) }
    return sighting
  }

  private mutating func checkBrand(at offset: Int, _ log: inout FindingLog) {
    guard let brands, !isBrandMissed, brands.majorBrand != .aid3, !brands.compatibleBrands.contains(.aid3) else { return }
    isBrandMissed = true
    log.add(.brand, at: offset, "an ID3 message in a track whose `ftyp` does not say `aid3`")
  }
}

extension FragmentItem {
  /// Where it lies; what an initialisation says holds from the start.
  fileprivate var offset: Int {
    switch self {
    case .initialisation: 0
    case .eventMessage(_, _, let offset), .fragment(_, let offset), .damage(let offset, _): offset
    }
  }
}
