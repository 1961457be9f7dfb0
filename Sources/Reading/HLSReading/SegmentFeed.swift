import Basics
import EventReading
import GameEvents
import TransportStream

/// Passes segments to event readers, one for each stretch between discontinuities, and tracks their programme time.
struct SegmentFeed: Sendable {
  /// A time in the programme, by two measures.
  struct Position: Equatable, Sendable {
    /// The time by the copies of events, if there are any.
    var time = MediaTime.zero
    /// The time by the video alone, counted from where reading started.
    var videoTime = MediaTime.zero

    static func + (left: Position, right: MediaTime) -> Position {
      Position(time: left.time + right, videoTime: left.videoTime + right)
    }
  }

  /// A range of the reader's bytes that comes from one resource.
  private struct Part: Sendable {
    /// Where it starts in the reader's bytes.
    var start: Int
    /// The offset in its file.
    var base: Int
    var source: HLSSource
  }

  /// Reads the current stretch.
  private(set) var reader: EventReader
  /// Checks signatures; `nil` if they are not required.
  private let signatures: SignatureCheck?
  /// Whether events are kept that tell a time at which the stream is not.
  private let keepsOtherTimes: Bool
  /// The programme time at which the next segment starts.
  private(set) var position = Position()
  /// The programme time at which the first stretch starts; `nil` while that one is read.
  private var firstStart: MediaTime?
  /// The sources of the current reader's bytes. Some tags are found long after their bytes, because they wait for their time or their end.
  private var parts: [Part] = []
  /// Whether the rest of the current part is not a stream.
  private var isRefused = false
  /// Finds out what the current part is; `nil` once that is known.
  private var detector: SegmentDetector?

  /// The minimum number of remembered parts. Items from older ones have no source.
  private static let partsRemembered = 2_048

  init(requiring signatures: SignatureCheck?, keepsOtherTimes: Bool) {
    (self.signatures, self.keepsOtherTimes) = (signatures, keepsOtherTimes)
    reader = EventReader(keepingOtherTimes: keepsOtherTimes, requiring: signatures)
  }

  /// The programme time at which the video (or the audio) starts.
  var start: MediaTime? { firstStart ?? reader.start }

  /// Starts a segment or an initialization segment.
  mutating func begin(_ part: HLSPortion.Part, _ items: inout [HLSItem]) {
    flushDetector(&items)
    startPart(&items)
    detector = SegmentDetector(isSubtitles: part.isSubtitles)
    if parts.count >= 2 * Self.partsRemembered { parts.removeFirst(Self.partsRemembered) }
    parts.append(Part(start: reader.byteCount, base: Int(clamping: part.start), source: part.source))
  }

  /// Reads bytes of the current segment. Those of a segment that carries no events are passed over.
  mutating func push(_ bytes: Span<UInt8>, _ items: inout [HLSItem]) {
    guard !isRefused, !bytes.isEmpty else { return }
    guard detector != nil else { return read(bytes, &items) }
    guard let beginning = detector?.push(bytes) else { return }
    endDetection()
    read(beginning.view, &items)
  }

  /// Reads the bytes that are held of a short segment.
  private mutating func flushDetector(_ items: inout [HLSItem]) {
    guard let beginning = detector?.finish() else { return }
    endDetection()
    read(beginning.view, &items)
  }

  private mutating func endDetection() {
    if detector?.contents == .silent { isRefused = true }
    detector = nil
  }

  private mutating func read(_ bytes: Span<UInt8>, _ items: inout [HLSItem]) {
    guard !isRefused, !bytes.isEmpty else { return }
    // Segments may have been lost before anything was read.
    if reader.byteCount == 0 { replaceReader() }
    isRefused = !read(&items) { reader throws(ReadingError) in try reader.push(bytes) }
    if isRefused { replaceReader() }
  }

  /// Ends a complete segment, with its duration in the playlist, or an initialization segment (`nil`).
  mutating func end(_ duration: MediaTime?, _ items: inout [HLSItem]) {
    flushDetector(&items)
    guard let duration else { return }
    // The video, if there is some in the segment, is more exact than the playlist.
    if let measured, measured.videoTime > position.videoTime {
      position = measured
    } else {
      position = position + duration
    }
  }

  /// Skips about `duration` of the stream, because segments, or the rest of one, are missing.
  mutating func lose(_ duration: MediaTime, _ items: inout [HLSItem]) {
    flushDetector(&items)
    if reader.byteCount > 0, !read(&items, { reader throws(ReadingError) in try reader.skip(duration) }) { startStretch() }
    let next = position + duration
    position = measured.map { $0.videoTime > next.videoTime ? $0 : next } ?? next
  }

  /// Ends a stretch; the programme continues with another.
  mutating func restart(_ items: inout [HLSItem]) {
    flushDetector(&items)
    finish(&items)
    startStretch()
  }

  /// Ends reading.
  mutating func finish(_ items: inout [HLSItem]) {
    flushDetector(&items)
    if reader.byteCount > 0 { _ = read(&items) { reader throws(ReadingError) in try reader.finish() } }
  }

  /// The end of the video so far.
  private var measured: Position? {
    guard let end = reader.end, let zero = reader.timelineOrigin, let videoOrigin = reader.videoOrigin else { return nil }
    return Position(time: end, videoTime: end + zero - videoOrigin)
  }

  /// Starts a part in the reader. A reader that has recognised nothing so far is replaced, because its bytes may not have been a stream.
  private mutating func startPart(_ items: inout [HLSItem]) {
    isRefused = false
    guard reader.byteCount > 0 else {
      parts = []
      return
    }
    guard read(&items, { reader throws(ReadingError) in try reader.startSegment() }) else { return startStretch() }
    // Every segment of a transport stream has its tables (RFC 8216, 3.2).
    let isRecognised = reader.container.map { $0 != .transportStream || reader.tables.programAssociation != nil } ?? false
    if !isRecognised { restart(&items) }
  }

  /// Appends what the reader finds. Returns whether the bytes are a stream; if they are not, that is a notice.
  private mutating func read(
    _ items: inout [HLSItem], _ found: (inout EventReader) throws(ReadingError) -> [StreamItem]
  ) -> Bool {
    do throws(ReadingError) {
      append(try found(&reader), to: &items)
      return true
    } catch {
      items.append(.notice(.unreadable(parts.last?.source, error)))
      return false
    }
  }

  /// Starts a stretch, whose items have no source of the previous one.
  private mutating func startStretch() {
    replaceReader()
    parts = []
  }

  /// Starts a reader at the current programme time.
  private mutating func replaceReader() {
    firstStart = firstStart ?? reader.start
    reader = EventReader(
      keepingOtherTimes: keepsOtherTimes, startingAt: position.time, videoTime: position.videoTime, requiring: signatures)
  }

  /// Appends the items, with their offsets in their files.
  private func append(_ found: [StreamItem], to items: inout [HLSItem]) {
    for item in found {
      switch item {
      case .copy(let copy, var place):
        let source = locate(&place.offset)
        items.append(.item(.copy(copy, place), in: source))
      case .tag(let tag, var place):
        let source = locate(&place.offset)
        items.append(.item(.tag(tag, place), in: source))
      case .damage(var damage):
        let source = locate(&damage.offset)
        items.append(.item(.damage(damage), in: source))
      }
    }
  }

  /// The part that contains an offset, which is changed to the offset in the part's file.
  private func locate(_ offset: inout Int) -> HLSSource? {
    guard let part = parts.last(where: { $0.start <= offset }) else { return nil }
    offset = (offset - part.start).addingSaturated(part.base)
    return part.source
  }
}
