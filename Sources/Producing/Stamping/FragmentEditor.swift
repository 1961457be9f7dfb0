package import Basics
import CMAF
import NALUnits
package import PacketStamping

/// Edits the event messages of fragmented MP4, and the SEI messages of its video. It either removes events, which are whole messages or some of the
/// frames of a message, or restores tags that lack their first bytes. All other boxes stay as they are.
///
/// If events are removed, a `moof` is held until its `mdat` is complete, because the `moof` states the sizes of the samples.
package struct FragmentEditor: Sendable {
  /// What the first reading found in a track. It tells the second whether the track announces anything but events, and whether bytes may move.
  package struct Knowledge: Equatable, Sendable {
    var hasOwn = false
    var hasOthers = false
    /// Whether an index or a fragment states where bytes are in a file.
    var statesPlaces = false

    package init() {}
  }

  /// Whether every box keeps its place, because indexes and byte ranges rely on it. An empty box then replaces what is removed.
  private let keepsSize: Bool
  private var editor: TagEditor
  private var boxes: BoxAssembler
  package private(set) var knowledge: Knowledge
  package private(set) var report = PacketEditor.Report()
  /// The first reason why an event in SEI messages could not be removed.
  package private(set) var failure: StampingError?
  /// Whether this is a movie without fragments, whose samples are not searched for events.
  package private(set) var isPlain = false
  /// Finds events in samples; `nil` if none are removed.
  private var reader: FragmentReader?
  /// The offsets of the samples that still have such events.
  private var samplesWithEvents: [Int] = []
  /// The `moof` whose `mdat` is not complete, and the boxes after it.
  private var fragment: [UInt8] = []
  private var fragmentStart = 0
  /// The movie that the fragment belongs to.
  private var movie: MovieHeader?
  /// Why the samples of the latest fragment cannot be edited, and the offset of the box that is the reason; `nil` if they can.
  private var obstacle: (fault: FragmentFault, offset: Int)?
  /// The number of `moof` boxes since the last `mdat`. If several share an `mdat`, editing would make the offsets of the others wrong.
  private var movieFragmentCount = 0

  /// An editor for a track of which something may be known.
  package init(_ edit: TagEdit, keepsSize: Bool, knowing knowledge: Knowledge = Knowledge()) {
    self.keepsSize = keepsSize
    self.knowledge = knowledge
    editor = TagEditor(edit)
    let isStripping = edit != .repair
    reader = isStripping ? FragmentReader(samples: .always) : nil
    boxes = BoxAssembler { type in
      switch type {
      case .emsg, .ftyp, .styp: FragmentReader.largestEventMessage
      case .moof: isStripping ? FragmentReader.largestFragment : 0
      default: 0
      }
    }
  }

  /// The largest `mdat` whose samples are edited, in bytes.
  private static let largestData = 64 << 20

  /// Reads bytes of the initialization segment that the next segment needs, without writing them. `endSegment` ends it.
  package mutating func prepare(with chunk: Span<UInt8>) { _ = reader?.push(chunk) }

  /// Receives the next bytes, in pieces of any size.
  package mutating func push(_ chunk: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) {
    var (position, readCount) = (0, 0)
    while let step = boxes.next(chunk, &position) {
      // The reader must know no more than the boxes so far: a later `moov` is another movie.
      read(chunk.extracting(readCount..<position))
      readCount = position
      switch step {
      case .header(let header, let start): begin(header, at: start)
      case .box(let header, let start, let bytes): receive(header, start, bytes, into: &sink)
      case .held(let bytes): pass(bytes.span, into: &sink)
      case .passed(let range): pass(chunk.extracting(range), into: &sink)
      case .oversized, .damaged: break
      }
    }
    read(chunk.extracting(readCount...))
    checkWritten()
  }

  /// Ends a segment. An incomplete box is written unchanged. The next byte is the first one of another file.
  package mutating func endSegment(into sink: inout some ByteSink & ~Copyable) {
    _ = reader?.startSegment()
    switch boxes.finish() {
    case .box(let header, let start, let bytes): receive(header, start, bytes, into: &sink)
    case .cut(let header, let start, let bytes, _):
      if header.type == .mdat { block(.cutOff, at: start) }
      pass(bytes.span, into: &sink)
    case .header(let bytes, _): pass(bytes.span, into: &sink)
    case .nothing, .missing: break
    }
    release(into: &sink)
    obstacle = nil
    boxes.move(to: 0)
    movieFragmentCount = 0
  }

  // MARK: Events in samples

  private mutating func read(_ bytes: Span<UInt8>) {
    for item in reader?.push(bytes) ?? [] {
      switch item {
      case .initialisation(let movie): isPlain = isPlain || !movie.isFragmented
      case .tags(let tags, _, let offset):
        if tags.contains(where: { editor.edit(payload: $0.tag).hasOwn }) { samplesWithEvents.append(offset) }
      default: break
      }
    }
  }

  private mutating func begin(_ header: BoxHeader, at start: Int) {
    if [.sidx, BoxType("ssix"), BoxType("mfra")].contains(header.type) { knowledge.statesPlaces = true }
    if header.type == .moof { movieFragmentCount += 1 }
    guard header.type == .mdat else { return }
    if movieFragmentCount != 1 {
      block(.notAlone, at: start)
    } else if !fragment.isEmpty, !boxes.keepBox(upTo: Self.largestData) {
      block(header.size == nil ? .withoutSize : .tooLarge, at: start)
    }
    movieFragmentCount = 0
  }

  /// Records why the samples of the fragment cannot be edited, unless there is an earlier reason.
  private mutating func block(_ fault: FragmentFault, at offset: Int) { obstacle = obstacle ?? (fault, offset) }

  private mutating func receive(_ header: BoxHeader, _ start: Int, _ bytes: [UInt8], into sink: inout some ByteSink & ~Copyable) {
    if header.type == .mdat { return endFragment(with: bytes, into: &sink) }
    if header.type != .moof, !fragment.isEmpty, movieFragmentCount > 0 { block(.separated(by: "\(header.type)"), at: start) }
    release(into: &sink)
    guard header.type == .moof else { return sink.write(edit(bytes).span) }
    (fragment, fragmentStart, movie, obstacle) = (bytes, start, reader?.movie, nil)
    knowledge.statesPlaces = knowledge.statesPlaces || FragmentRewriter.statesPlaces(bytes.span)
  }

  /// Passes bytes on, after those that are held.
  private mutating func pass(_ bytes: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) {
    guard !fragment.isEmpty else { return sink.write(bytes) }
    fragment.append(copying: bytes)
    guard fragment.count > FragmentReader.largestFragment + FragmentReader.largestEventMessage else { return }
    block(.tooLarge, at: fragmentStart)
    release(into: &sink)
  }

  /// Writes what is held, unchanged.
  private mutating func release(into sink: inout some ByteSink & ~Copyable) {
    sink.write(fragment.span)
    fragment = []
    checkWritten()
  }

  private mutating func endFragment(with data: [UInt8], into sink: inout some ByteSink & ~Copyable) {
    let range = fragmentStart..<fragmentStart + fragment.count + data.count
    if samplesWithEvents.contains(where: range.contains), let edited = withoutEvents(fragment + data) {
      sink.write(edited.span)
      fragment = []
    } else {
      release(into: &sink)
      sink.write(data.span)
    }
  }

  /// Returns the held fragment without the events in its samples; `nil` if they cannot be removed.
  private mutating func withoutEvents(_ bytes: [UInt8]) -> [UInt8]? {
    guard let movie else { return nil }
    var found = PacketEditor.Report()
    do throws(ParseError) {
      let edited = try FragmentTagEditor.editing(bytes.span, baseOffset: fragmentStart, of: movie, keepsSize: staysInPlace) { tag in
        let tags = editor.edit(payload: tag)
        found.add(tags)
        return tags.hasOwn ? tags.bytes : nil
      }
      guard let edited else { return nil }
      let samples = Set(edited.samples)
      samplesWithEvents.removeAll { samples.contains($0) }
      (found.messages, found.copies) = (found.copies, 0)
      report.add(found)
      return edited.bytes
    } catch {
      failure = failure ?? .box(error)
      return nil
    }
  }

  /// Finds events in samples that are written already.
  private mutating func checkWritten() {
    let undecided = fragment.isEmpty ? Int.max : fragmentStart
    guard let offset = samplesWithEvents.first(where: { $0 < undecided }) else { return }
    failure = failure ?? obstacle.map { .fragment($0.fault, offset: $0.offset) } ?? .packets(.eventsInVideo(offset: offset))
    samplesWithEvents.removeAll { $0 < undecided }
  }

  // MARK: Boxes

  /// Whether every box keeps its place.
  private var staysInPlace: Bool { keepsSize || knowledge.statesPlaces }

  private mutating func edit(_ box: [UInt8]) -> [UInt8] {
    if let type = try? FileTypeBox(box.span) { return withoutBrand(type, box) }
    guard var message = try? EventMessageBox(box.span), message.isID3 else { return box }
    let tags = editor.edit(payload: message.messageData)
    report.add(tags)
    knowledge.hasOwn = knowledge.hasOwn || tags.hasOwn
    knowledge.hasOthers = knowledge.hasOthers || tags.hasOthers
    guard let edited = tags.bytes else { return box }
    var left: [UInt8] = []
    if !edited.isEmpty {
      message.messageData = edited
      guard let encoded = try? message.encoded() else { return box }
      left = encoded
      report.rewrittenBoxes += 1
    } else {
      report.removedBoxes += 1
    }
    let room = box.count - left.count
    // Restored tags are longer.
    guard staysInPlace, room >= 0 else { return left }
    // A box has a header of eight bytes.
    guard room >= BoxHeader.smallestLength, let size = UInt32(exactly: room) else { return box }
    var empty = ByteWriter(capacity: room)
    empty.writeUInt32(size)
    empty.writeUInt32(BoxType("free").rawValue)
    empty.fill(0, count: room - BoxHeader.smallestLength)
    return left + empty.bytes
  }

  /// Returns the file type without the brand for ID3 event messages if no such messages are left.
  private func withoutBrand(_ type: FileTypeBox, _ box: [UInt8]) -> [UInt8] {
    var type = type
    type.compatibleBrands.removeAll { $0 == .aid3 }
    guard knowledge.hasOwn, !knowledge.hasOthers, !staysInPlace, let encoded = try? type.encoded() else { return box }
    return encoded
  }
}
