import Basics
import EventReading
import EventSchedule
import GameEvents
import PacketStamping
import TransportStream

/// Puts events that only SEI messages have back into the files of a track, of either container. The first reading finds them.
struct TrackRestorer: TrackEditing {
  /// What the first reading finds.
  private struct Search: Sendable {
    var packets = EventReader()
    var copies = MissingCopies()
    var fragments = FragmentSearch()
    /// When each file of transport stream ends, on the timeline.
    var ends: [String: MediaTime] = [:]
    /// The last file of transport stream.
    var last: String?
    /// The number of these files that are partial segments.
    var partCount = 0
  }

  /// What the second reading needs.
  private struct Output: Sendable {
    var packets: SegmentRestorer
    var fragments: FragmentRestorer
    var ends: [String: MediaTime]
    var last: String?
  }

  private var search = Search()
  /// `nil` during the first reading.
  private var output: Output?
  private var detector = SegmentDetector(isCertain: true)
  private(set) var report = PacketEditor.Report()
  var path = ""
  var initializationSegment: String?
  var isPart = false

  var hasMoved: Bool { report.repaired > 0 }

  func forSecondReading() throws(StampingError) -> TrackRestorer {
    var search = search
    do { search.copies.record(try search.packets.finish()) } catch { search.copies = MissingCopies() }
    let planned = try search.copies.planned()
    guard planned.isEmpty || search.partCount == 0 else { throw .presentation(path: search.last ?? path, .partialSegment) }
    let messages = try search.fragments.messages()
    var restorer = TrackRestorer()
    restorer.output = Output(
      packets: SegmentRestorer(planned), fragments: FragmentRestorer(messages), ends: search.ends, last: search.last)
    restorer.report.repaired = planned.count + messages.copies
    restorer.report.events = Set(planned.map(\.event.guid)).union(messages.events)
    return restorer
  }

  mutating func prepare(with bytes: Span<UInt8>) { if output == nil { search.fragments.prepare(with: bytes) } }

  mutating func endPreparation() { if output == nil { search.fragments.endFile() } }

  mutating func push(_ bytes: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(StampingError) {
    guard detector.contents == nil else { return try restore(bytes, into: &sink) }
    guard let beginning = detector.push(bytes) else { return }
    try startFile()
    try restore(beginning.span, into: &sink)
  }

  mutating func endSegment(into sink: inout some ByteSink & ~Copyable) throws(StampingError) {
    if detector.contents == nil {
      let beginning = detector.finish()
      try startFile()
      try restore(beginning.span, into: &sink)
    }
    switch (detector.contents, output == nil) {
    case (.stream(.transportStream)?, true):
      search.ends[path] = search.packets.videoEnd
      search.last = path
      if isPart { search.partCount += 1 }
    case (.stream(.transportStream)?, false):
      let (end, isLast) = (output?.ends[path], output?.last == path)
      try failing { (output) throws(StampingError) in try output.packets.endSegment(at: end, isLast: isLast, into: &sink) }
    case (.stream(.fragmentedMP4)?, true): search.fragments.endFile()
    case (.stream(.fragmentedMP4)?, false):
      output?.fragments.endFile(into: &sink)
      if let failure = output?.fragments.failure { throw .rendition(input: path, failure) }
    case (.stream(.packedAudio)?, _), (.silent?, _), (.misplaced?, _), (nil, _): break
    }
    detector = SegmentDetector(isCertain: true)
  }

  private mutating func startFile() throws(StampingError) {
    search.fragments.file = path
    output?.fragments.file = path
    guard detector.contents == .stream(.transportStream), output == nil, search.last != nil else { return }
    record { (reader) throws(ReadingError) in try reader.startSegment() }
  }

  private mutating func restore(_ bytes: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(StampingError) {
    switch (detector.contents, output == nil) {
    case (.stream(.transportStream)?, true): record { (reader) throws(ReadingError) in try reader.push(bytes) }
    case (.stream(.transportStream)?, false):
      try failing { (output) throws(StampingError) in try output.packets.push(bytes, into: &sink) }
    case (.stream(.fragmentedMP4)?, true): search.fragments.push(bytes)
    case (.stream(.fragmentedMP4)?, false):
      output?.fragments.push(bytes, into: &sink)
      if let failure = output?.fragments.failure { throw .rendition(input: path, failure) }
    // What carries no events stays as it is, byte for byte.
    case (.stream(.packedAudio)?, _), (.silent?, _), (.misplaced?, _), (nil, _): sink.write(bytes)
    }
  }

  private mutating func record(_ read: (inout EventReader) throws(ReadingError) -> [StreamItem]) {
    search.copies.record((try? read(&search.packets)) ?? [])
  }

  /// Does something with the output; an error names the file.
  private mutating func failing(_ body: (inout Output) throws(StampingError) -> Void) throws(StampingError) {
    guard var output else { return }
    self.output = nil
    defer { self.output = output }
    do throws(StampingError) { try body(&output) } catch { throw .rendition(input: path, error) }
  }
}

/// The copies of events that only SEI messages of a transport stream have.
struct MissingCopies: Sendable {
  private var found: [(copy: EventCopy, time: MediaTime)] = []
  /// The events that timed ID3 has.
  private var known: Set<GUID> = []

  /// Receives what a reader found.
  mutating func record(_ items: [StreamItem]) {
    for case .copy(let copy, let place) in items {
      guard case .sei = place.carriage else {
        known.insert(copy.event.guid)
        continue
      }
      // The stamper has the time of the video: of a part of a show, events tell another one.
      if found.count < MessageRestorer.mostCopies { found.append((copy, place.videoTime ?? place.time)) }
    }
  }

  /// The copies as tags, each at its time.
  ///
  /// - Throws: `event` if a copy does not fit into a tag.
  func planned() throws(StampingError) -> [PlannedEvent] {
    var planned: [PlannedEvent] = []
    for (copy, time) in found where !known.contains(copy.event.guid) {
      let tag: [UInt8]
      do throws(EventError) { tag = try copy.encodedTag() } catch { throw .event(error) }
      planned.append(PlannedEvent(tag: tag, at: max(time, .zero), guid: copy.event.guid, game: copy.event.game ?? ""))
    }
    return planned
  }
}

extension EventReader {
  /// When the video (or the audio) ends so far, on the timeline as the video tells it.
  var videoEnd: MediaTime? {
    guard let end, let origin = timelineOrigin, let videoOrigin else { return nil }
    return end + origin - videoOrigin
  }
}

/// Puts copies of events into the transport stream segments of a track, as timed ID3.
private struct SegmentRestorer: Sendable {
  /// `nil` if nothing is put back.
  private var stamper: SegmentStamper?
  private let copyCount: Int
  /// Reads what is written. Of a copy that SEI messages and timed ID3 have it tells the first.
  private var reader = EventReader()
  private var readCount = 0
  private var hasID3 = false
  /// The bytes that were not stamped yet: those of an incomplete packet, or of the first segment, whose tables are examined.
  private var held: [UInt8] = []
  private var isStarted = false

  /// The number of bytes in which the tables are looked for.
  private static let largestStart = 1 << 20

  init(_ copies: [PlannedEvent]) {
    copyCount = copies.count
    if copies.isEmpty { return }
    stamper = SegmentStamper(EventSchedule(copies, policy: CopyPolicy(copies: 1, refreshInterval: nil)))
  }

  mutating func push(_ bytes: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(StampingError) {
    guard stamper != nil else { return sink.write(bytes) }
    held.append(copying: bytes)
    if isStarted || held.count >= Self.largestStart { try stamp(isLast: false, into: &sink) }
  }

  /// Ends a segment.
  ///
  /// - Parameters:
  ///   - end: When it ends, on the timeline; `nil` if it has no video.
  ///   - isLast: Whether it is the last one.
  mutating func endSegment(at end: MediaTime?, isLast: Bool, into sink: inout some ByteSink & ~Copyable) throws(StampingError) {
    guard stamper != nil else { return }
    try stamp(isLast: true, into: &sink)
    var output: [UInt8] = []
    if isLast {
      let report = try stamping(stamper?.finish(into: &output, endingAt: end))
      guard stamper?.pending.isEmpty == true else { throw .eventsAfterTheEnd(of: report?.end ?? .zero) }
    } else if let end {
      try stamping(stamper?.endSegment(at: end, into: &output))
    }
    write(output, into: &sink)
    record((try? isLast ? reader.finish() : reader.startSegment()) ?? [])
    guard isLast else { return }
    guard hasID3, readCount >= copyCount else { throw .unreadable(events: hasID3 ? copyCount - readCount : copyCount) }
  }

  private mutating func stamp(isLast: Bool, into sink: inout some ByteSink & ~Copyable) throws(StampingError) {
    let count = isLast ? held.count : held.count / TransportPacket.size * TransportPacket.size
    guard count > 0 else { return }
    var output: [UInt8] = []
    let bytes = held
    held = Array(bytes[count...])
    let span = bytes.span
    try stamping(stamper?.push(span.extracting(..<count), into: &output))
    isStarted = true
    write(output, into: &sink)
  }

  private mutating func write(_ bytes: [UInt8], into sink: inout some ByteSink & ~Copyable) {
    sink.write(bytes.span)
    record((try? reader.push(bytes)) ?? [])
  }

  private mutating func record(_ items: [StreamItem]) {
    for case .copy(_, let place) in items {
      readCount += 1
      if case .id3 = place.carriage { hasID3 = true }
    }
  }
}
