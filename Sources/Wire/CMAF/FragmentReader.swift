import Basics

/// Reads fragmented MP4: a whole file, an initialization segment followed by segments, or segments alone.
///
/// Chunks may have any size. Only `moov`, `moof`, `emsg` and `sidx` are kept until they are complete, within limits. All other boxes are skipped,
/// except for the starts of video samples that are searched for tags. A source that can seek need not even read them: see ``skippable``.
///
/// An event message of version 0 counts from the earliest presentation time of its segment: that of the segment's first `sidx`, else of its first
/// fragment. Until that is known, the message and everything after it are held. A segment starts at `styp`, or when ``startSegment(at:)`` is called;
/// in an input that has neither, every fragment is a segment of its own.
package struct FragmentReader: Sendable {
  /// The movie that the fragments belong to; `nil` if the initialization segment has not arrived.
  package private(set) var movie: MovieHeader?

  /// The earliest presentation time of the segment that is being read.
  private enum SegmentStart: Sendable {
    /// It is not known yet.
    case awaited
    case known(MediaTime)
    /// The box that should state it cannot be read, or does not state it.
    case unknown

    var time: MediaTime? {
      guard case .known(let time) = self else { return nil }
      return time
    }
  }

  /// What video samples are searched for.
  package enum SampleSearch: Sendable {
    /// They are not searched.
    case never
    /// They are searched for tags until an event message with a tag arrives.
    case untilEventMessages
    /// All are searched for tags.
    case always
    /// All are searched for user data that is no tag.
    case forUserData
  }

  private var boxes = BoxAssembler(keeping: Self.limit)
  private var held = HeldMessages()
  private var segmentStart = SegmentStart.awaited
  private var hasSegments = false
  /// Searches the samples of the first video track; `nil` if they are not searched.
  private var heads: SampleHeads?
  private let search: SampleSearch

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
  /// - Parameters:
  ///   - movie: The movie of the initialization segment, if it is not part of the input.
  ///   - search: What video samples are searched for.
  package init(movie: MovieHeader? = nil, samples search: SampleSearch = .never) {
    (self.movie, self.search) = (movie, search)
    heads = search == .never ? nil : SampleHeads(forUserData: search == .forUserData)
  }

  /// The offset of the next byte in the input.
  package var offset: Int { boxes.offset }

  /// Receives the next bytes, and returns the items that they complete.
  package mutating func push(_ chunk: Span<UInt8>) -> [FragmentItem] {
    var items: [FragmentItem] = []
    var position = 0
    while let step = boxes.next(chunk, &position) {
      switch step {
      case .header(let header, _):
        guard header.type == .styp || header.type == .ftyp || header.type == .moov else { continue }
        endSegment(&items)
        if header.type == .styp { hasSegments = true }
      case .box(let header, let start, let bytes): readBox(header, start: start, bytes, &items)
      case .oversized(let header, let start):
        if header.type == .moof { endFragment(nil, &items) }
        items.append(.damage(offset: start, reason: "box \(header.type) is larger than \(Self.limit(header.type)) bytes"))
      case .damaged(let error): items.append(.damage(offset: error.offset, reason: "\(error.reason); the rest is not read"))
      case .passed(let range): heads?.push(chunk.extracting(range), at: boxes.offset - range.count, &items)
      case .held: break
      }
    }
    return items
  }

  /// The number of next bytes that this reader does not need; `Int.max` if it needs none of the rest. A source need not push them: it calls
  /// ``skip(_:)`` instead.
  package var skippable: Int { min(boxes.skippable, heads?.skippable(at: boxes.offset) ?? .max) }

  /// Skips bytes that the input has and that are not pushed: at most ``skippable``.
  package mutating func skip(_ count: Int) { boxes.skip(count) }

  /// Starts a segment: whatever was incomplete is discarded, and the next byte starts a box.
  ///
  /// - Parameter offset: The offset of the segment's first byte, which the offsets of items count from: 0 unless it is part of a larger file.
  package mutating func startSegment(at offset: Int = 0) -> [FragmentItem] {
    let items = finish()
    boxes.move(to: offset)
    heads?.expect(nil)
    hasSegments = true
    return items
  }

  /// Ends the input, and returns the items that were held. Anything that was cut off is damage.
  package mutating func finish() -> [FragmentItem] {
    var items: [FragmentItem] = []
    switch boxes.finish() {
    case .nothing: break
    case .header(_, let start): items.append(.damage(offset: start, reason: "header of a box is cut off"))
    case .box(let header, let start, let bytes): readBox(header, start: start, bytes, &items)
    case .cut(let header, let start, let bytes, let size):
      items.append(.damage(offset: start, reason: "box \(header.type) is cut off: \(size) bytes needed, \(bytes.count) there"))
    case .missing(let header, let start, let count):
      items.append(.damage(offset: start, reason: "box \(header.type) is cut off: \(count) bytes are missing"))
    }
    endSegment(&items)
    return items
  }
}

extension FragmentReader {
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

  /// Reads a complete box.
  private mutating func readBox(_ header: BoxHeader, start: Int, _ bytes: [UInt8], _ items: inout [FragmentItem]) {
    do throws(ParseError) {
      switch header.type {
      case .moov:
        let movie = try MovieHeader(bytes.view, baseOffset: start)
        self.movie = movie
        items.append(.initialisation(movie))
      case .emsg:
        let message = try EventMessageBox(bytes.view, baseOffset: start)
        // The tags in the video are the same, and without them most of the video need not be read.
        if message.isID3, search == .untilEventMessages { heads = nil }
        held.hold(message, offset: start, &items)
        releaseMessages(&items)
      case .sidx:
        establish(try SegmentIndexBox(bytes.view, baseOffset: start).earliestPresentationTime)
        releaseMessages(&items)
      default:
        let fragment = try Fragment(bytes.view, baseOffset: start, movie: movie)
        endFragment(fragment.earliestPresentationTime, &items)
        items.append(.fragment(fragment, offset: start))
        if heads != nil {
          let video = movie?.tracks.first { $0.handler == .vide }
          let samples = try video.flatMap { track throws(ParseError) in try FragmentSamples(bytes.view, baseOffset: start, of: track) }
          heads?.expect(samples)
        }
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

  /// Returns the event messages that need not wait.
  private mutating func releaseMessages(_ items: inout [FragmentItem]) {
    if case .awaited = segmentStart, held.isWaiting { return }
    held.release(segmentStart: segmentStart.time, &items)
  }

  /// Records a fragment whose earliest presentation time is `time`. If the time cannot be read, messages must not count from the next fragment.
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
