import Basics

/// Reads fragmented MP4: a whole file, initialisation and segments one behind the other, or segments alone.
///
/// Chunks may have any size. Only `moov`, `moof`, `emsg` and `sidx` are kept until they are whole, within limits; all other boxes are passed
/// over, and a source that can seek need not even read them: see ``skippable``.
///
/// An event message of version 0 counts from the earliest presentation time of its segment: that of the segment's first `sidx`, else of its first
/// fragment. Until that is known it is held, with what follows it. A segment starts at `styp`, or where ``startSegment(at:)`` is called; in an
/// input that has neither, every fragment is a segment of its own.
package struct FragmentReader: Sendable {
  /// The movie that the fragments belong to; `nil` where the initialisation segment has not come.
  package private(set) var movie: MovieHeader?
  /// Where in the input the next byte lies, in bytes.
  package private(set) var offset = 0

  private enum State: Sendable {
    /// The header of a box that starts at an offset is being put together.
    case header(start: Int)
    /// A box is kept until it has this number of bytes; `nil` is the end of the input.
    case keeping(BoxHeader, start: Int, size: Int?)
    /// This number of bytes of a box is skipped; `nil` is all bytes that follow.
    case skipping(BoxType, start: Int, remaining: UInt64?)
  }

  /// The earliest presentation time of the segment that is being read.
  private enum SegmentStart: Sendable {
    /// It has not come.
    case awaited
    case known(MediaTime)
    /// The box that should state it cannot be read, or does not state it.
    case unknown

    var time: MediaTime? {
      guard case .known(let time) = self else { return nil }
      return time
    }
  }

  private var state = State.header(start: 0)
  private var kept: [UInt8] = []
  private var held = HeldMessages()
  private var segmentStart = SegmentStart.awaited
  private var hasSegments = false

  /// The largest `moov` that is read, in bytes.
  package static let largestMovie = 16 << 20
  /// The largest `moof` that is read, in bytes.
  package static let largestFragment = 4 << 20
  /// The largest `emsg` that is read, in bytes.
  package static let largestEventMessage = 1 << 20
  /// The largest `sidx` that is read, in bytes.
  package static let largestIndex = 1 << 20

  /// Starts at the beginning of an input.
  ///
  /// - Parameter movie: What the initialisation segment said, where it is not part of the input.
  package init(movie: MovieHeader? = nil) { self.movie = movie }

  /// Receives the next bytes, and returns the items that they complete.
  package mutating func push(_ chunk: Span<UInt8>) -> [FragmentItem] {
    var items: [FragmentItem] = []
    var position = 0
    while position < chunk.count {
      let available = chunk.count - position
      let taken: Int
      switch state {
      case .header:
        taken = min(BoxHeader.length(startingWith: kept.view) - kept.count, available)
        keep(chunk, from: position, count: taken)
        advance(by: taken)
        readHeader(&items)
      case .keeping(let header, let start, let size):
        taken = min((size ?? Self.limit(header.type) + 1) - kept.count, available)
        keep(chunk, from: position, count: taken)
        advance(by: taken)
        if kept.count == size {
          readBox(start: start, &items)
        } else if size == nil, kept.count > Self.limit(header.type) {
          refuse(header, start: start, &items)
        }
      case .skipping:
        taken = min(skippable, available)
        skip(taken)
      }
      position += taken
    }
    return items
  }

  /// How many of the next bytes this reader does not need; `Int.max` where it needs none that follow. A source need not push them: it calls
  /// ``skip(_:)`` instead.
  package var skippable: Int {
    guard case .skipping(_, _, let remaining) = state else { return 0 }
    return remaining.map { Int(clamping: $0) } ?? .max
  }

  /// Skips bytes that the input has and that are not pushed: at most ``skippable``.
  package mutating func skip(_ count: Int) {
    guard case .skipping(let type, let start, let remaining) = state else { return }
    let count = min(max(count, 0), skippable)
    advance(by: count)
    guard let remaining else { return }
    let rest = remaining - min(UInt64(count), remaining)
    state = rest == 0 ? .header(start: offset) : .skipping(type, start: start, remaining: rest)
  }

  /// Starts a segment: whatever was not complete is given up, and the next byte starts a box.
  ///
  /// - Parameter offset: The offset of the segment's first byte, which the offsets of items count from: 0 unless it is part of a larger file.
  package mutating func startSegment(at offset: Int = 0) -> [FragmentItem] {
    let items = finish()
    self.offset = offset
    state = .header(start: offset)
    hasSegments = true
    return items
  }

  /// Ends the input, and returns what was still to come. What was cut off is damage.
  package mutating func finish() -> [FragmentItem] {
    var items: [FragmentItem] = []
    switch state {
    case .header(let start):
      if !kept.isEmpty { items.append(.damage(offset: start, reason: "header of a box is cut off")) }
    case .keeping(_, let start, nil): readBox(start: start, &items)
    case .keeping(let header, let start, let size?):
      items.append(.damage(offset: start, reason: "box \(header.type) is cut off: \(size) bytes needed, \(kept.count) there"))
    case .skipping(let type, let start, let remaining?):
      items.append(.damage(offset: start, reason: "box \(type) is cut off: \(remaining) bytes are missing"))
    case .skipping(_, _, nil): break
    }
    endSegment(&items)
    startBox()
    return items
  }
}

extension FragmentReader {
  private mutating func keep(_ chunk: Span<UInt8>, from start: Int, count: Int) {
    kept.append(copying: chunk.extracting(start..<start + count))
  }

  private mutating func advance(by count: Int) {
    let (sum, overflows) = offset.addingReportingOverflow(count)
    offset = overflows ? .max : sum
  }

  private mutating func startBox() {
    kept = []
    state = .header(start: offset)
  }

  /// The largest size of boxes of a type that are kept; 0 for those that are not.
  private static func limit(_ type: BoxType) -> Int {
    switch type {
    case .moov: largestMovie
    case .moof: largestFragment
    case .emsg: largestEventMessage
    case .sidx: largestIndex
    default: 0
    }
  }

  /// Decides whether a box is kept or skipped, once its header is complete.
  private mutating func readHeader(_ items: inout [FragmentItem]) {
    guard case .header(let start) = state, kept.count == BoxHeader.length(startingWith: kept.view) else { return }
    let bytes = kept
    let header: BoxHeader
    do throws(ParseError) {
      header = try BoxHeader(bytes.view, baseOffset: start)
    } catch {
      items.append(.damage(offset: error.offset, reason: "\(error.reason); what follows is not read"))
      kept = []
      state = .skipping(BoxType(rawValue: 0), start: start, remaining: nil)
      return
    }
    if header.type == .styp || header.type == .ftyp || header.type == .moov {
      endSegment(&items)
      if header.type == .styp { hasSegments = true }
    }
    let limit = Self.limit(header.type)
    guard limit > 0 else { return skipRest(of: header, start: start) }
    guard let size = header.size else {
      state = .keeping(header, start: start, size: nil)
      return
    }
    guard size <= UInt64(limit) else { return refuse(header, start: start, &items) }
    state = .keeping(header, start: start, size: Int(size))
    if size == UInt64(kept.count) { readBox(start: start, &items) }
  }

  /// Skips the rest of a box.
  private mutating func skipRest(of header: BoxHeader, start: Int) {
    let remaining = header.size.map { $0 - min(UInt64(kept.count), $0) }
    kept = []
    state = remaining == 0 ? .header(start: offset) : .skipping(header.type, start: start, remaining: remaining)
  }

  private mutating func refuse(_ header: BoxHeader, start: Int, _ items: inout [FragmentItem]) {
    if header.type == .moof { endFragment(nil, &items) }
    items.append(.damage(offset: start, reason: "box \(header.type) is larger than \(Self.limit(header.type)) bytes"))
    skipRest(of: header, start: start)
  }

  /// Reads a box that is whole.
  private mutating func readBox(start: Int, _ items: inout [FragmentItem]) {
    guard case .keeping(let header, _, _) = state else { return }
    let bytes = kept
    startBox()
    do throws(ParseError) {
      switch header.type {
      case .moov:
        let movie = try MovieHeader(bytes.view, baseOffset: start)
        self.movie = movie
        items.append(.initialisation(movie))
      case .emsg:
        held.hold(try EventMessageBox(bytes.view, baseOffset: start), offset: start, &items)
        releaseMessages(&items)
      case .sidx:
        establish(try SegmentIndexBox(bytes.view, baseOffset: start).earliestPresentationTime)
        releaseMessages(&items)
      default:
        let fragment = try Fragment(bytes.view, baseOffset: start, movie: movie)
        endFragment(fragment.earliestPresentationTime, &items)
        items.append(.fragment(fragment, offset: start))
      }
    } catch {
      if header.type == .moof { endFragment(nil, &items) }
      items.append(.damage(offset: error.offset, reason: "\(error.reason)"))
    }
  }

  /// Records the start of the segment, as its first index or fragment states it.
  private mutating func establish(_ time: MediaTime?) {
    guard case .awaited = segmentStart else { return }
    segmentStart = time.map { .known($0) } ?? .unknown
  }

  /// Hands on the event messages that need not wait.
  private mutating func releaseMessages(_ items: inout [FragmentItem]) {
    if case .awaited = segmentStart, held.isWaiting { return }
    held.release(segmentStart: segmentStart.time, &items)
  }

  /// Records a fragment whose earliest presentation time is `time`. Where the time cannot be read, messages must not count from the next fragment.
  private mutating func endFragment(_ time: MediaTime?, _ items: inout [FragmentItem]) {
    establish(time)
    releaseMessages(&items)
    if !hasSegments { segmentStart = .awaited }
  }

  private mutating func endSegment(_ items: inout [FragmentItem]) {
    held.release(segmentStart: segmentStart.time, &items)
    segmentStart = .awaited
  }
}
