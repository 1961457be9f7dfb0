import Basics
import CMAF
import GameEvents
import ID3
import NALUnits

/// Finds the events of fragmented MP4 that are in SEI messages of the video alone. It reads all files of a track, one after the other.
struct FragmentSearch: Sendable {
  /// A copy that may have to be put back.
  private struct Found: Sendable {
    var file: String
    /// Where the `moof` of its picture starts.
    var place: Int
    var guid: GUID
    var time: MediaTime
    var tag: [UInt8]
  }

  private var reader = FragmentReader(samples: .always)
  private var parser = CopyParser()
  private var boxes = BoxAssembler { $0 == .ftyp ? FragmentReader.largestEventMessage : 0 }
  private var found: [Found] = []
  /// The events that event messages have.
  private var known: Set<GUID> = []
  /// Where the `ftyp` ends that does not announce event messages, by the file.
  private var typeEnds: [String: Int] = [:]
  /// Where the latest `moof` starts.
  private var fragment = 0
  /// The file that is read.
  var file = ""
  /// Whether a movie without fragments was found.
  private(set) var isPlain = false

  /// Reads bytes of the initialization segment that the next file needs. ``endFile()`` ends it.
  mutating func prepare(with bytes: Span<UInt8>) { receive(reader.push(bytes)) }

  /// Receives the next bytes of a file.
  mutating func push(_ bytes: Span<UInt8>) {
    var position = 0
    while let step = boxes.next(bytes, &position) {
      guard case .box(_, let start, let box) = step, let type = try? FileTypeBox(box.span), type.type == .ftyp else { continue }
      if !type.compatibleBrands.contains(.aid3) { typeEnds[file] = start + box.count }
    }
    receive(reader.push(bytes))
  }

  /// Ends a file.
  mutating func endFile() {
    receive(reader.startSegment())
    _ = boxes.finish()
    boxes.move(to: 0)
  }

  private mutating func receive(_ items: [FragmentItem]) {
    for item in items {
      switch item {
      case .initialisation(let movie): isPlain = isPlain || !movie.isFragmented
      case .fragment(_, let offset): fragment = offset
      case .eventMessage(let message, _, _):
        guard message.isID3 else { continue }
        for part in ID3Payload(message.messageData.span).tags { known.formUnion(events(in: part.bytes)) }
      case .tags(let tags, let time, _):
        for tag in tags {
          guard found.count < MessageRestorer.mostCopies, let guid = events(in: tag.tag).first else { continue }
          found.append(Found(file: file, place: fragment, guid: guid, time: time + MediaTime(ticks: Int64(tag.delay)), tag: tag.tag))
        }
      case .userData, .damage: break
      }
    }
  }

  private mutating func events(in tag: [UInt8]) -> [GUID] {
    guard let tag = try? ID3Tag.decode(tag.span) else { return [] }
    return parser.copies(in: tag).compactMap { (try? $0.get())?.event.guid }
  }

  /// The event messages to insert. An event has one before a fragment, because a fragment is lost as a whole.
  ///
  /// - Throws: `box` if a tag does not fit into a message.
  func messages() throws(StampingError) -> RestoredMessages {
    var messages = RestoredMessages()
    var last: [GUID: (file: String, place: Int)] = [:]
    for copy in found where !known.contains(copy.guid) {
      if let before = last[copy.guid], before == (copy.file, copy.place) { continue }
      last[copy.guid] = (copy.file, copy.place)
      let box = EventMessageBox(
        schemeID: EventMessageBox.id3Scheme, time: .absolute(UInt64(clamping: copy.time.ticks)), id: CRC32MPEG2.checksum(copy.guid.text),
        messageData: copy.tag)
      let bytes: [UInt8]
      do throws(ParseError) { bytes = try box.encoded() } catch { throw .box(error) }
      messages.boxes[copy.file, default: [:]][copy.place, default: []] += bytes
      messages.copies += 1
      messages.events.insert(copy.guid)
    }
    if messages.copies > 0 { messages.typeEnds = typeEnds }
    return messages
  }
}

/// The event messages that are put back into the files of a track.
struct RestoredMessages: Sendable {
  /// The boxes by the file, and by the offset of the `moof` that they precede.
  var boxes: [String: [Int: [UInt8]]] = [:]
  /// Where the `ftyp` ends that must announce them, by the file.
  var typeEnds: [String: Int] = [:]
  /// The number of copies, and their events.
  var copies = 0
  var events: Set<GUID> = []

  /// What is inserted into a file, by the offset.
  func insertions(into file: String) -> [Int: Int] {
    var counts = (boxes[file] ?? [:]).mapValues(\.count)
    // A brand has four bytes.
    if let end = typeEnds[file] { counts[end, default: 0] += 4 }
    return counts
  }
}

/// Writes the files of a track with the event messages that were missing. Boxes that state the places of others are corrected.
struct FragmentRestorer: Sendable {
  private let messages: RestoredMessages
  private var boxes: BoxAssembler
  private var inserted = InsertedBytes([:])
  private var isUnchanged = true
  /// The first reason why a file could not be written.
  private(set) var failure: StampingError?
  /// The file that is written.
  var file = "" {
    didSet {
      let insertions = messages.insertions(into: file)
      (inserted, isUnchanged) = (InsertedBytes(insertions), insertions.isEmpty)
    }
  }

  init(_ messages: RestoredMessages) {
    self.messages = messages
    boxes = BoxAssembler { $0 == .ftyp || InsertedBytes.types.contains($0) ? FragmentReader.largestMovie : 0 }
  }

  /// Receives the next bytes of a file.
  mutating func push(_ bytes: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) {
    guard !isUnchanged else { return sink.write(bytes) }
    var position = 0
    while let step = boxes.next(bytes, &position) {
      switch step {
      case .header: break
      case .box(let header, let start, let box): write(box, header.type, at: start, into: &sink)
      case .held(let bytes): sink.write(bytes.span)
      case .passed(let range): sink.write(bytes.extracting(range))
      case .oversized(let header, let start):
        fail(ParseError(.invalid("a \(header.type) that is too large to be changed"), at: start))
      case .damaged(let error): fail(error)
      }
    }
  }

  /// Ends a file.
  mutating func endFile(into sink: inout some ByteSink & ~Copyable) {
    guard !isUnchanged else { return }
    switch boxes.finish() {
    case .box(let header, let start, let bytes): write(bytes, header.type, at: start, into: &sink)
    case .cut(_, _, let bytes, _), .header(let bytes, _): sink.write(bytes.span)
    case .nothing, .missing: break
    }
    boxes.move(to: 0)
  }

  private mutating func fail(_ error: ParseError) { failure = failure ?? .box(error) }

  private mutating func write(_ box: [UInt8], _ type: BoxType, at start: Int, into sink: inout some ByteSink & ~Copyable) {
    if type == .moof, let before = messages.boxes[file]?[start] { sink.write(before.span) }
    do throws(ParseError) {
      let bytes = box.span
      if type == .ftyp {
        guard messages.typeEnds[file] != nil else { return sink.write(bytes) }
        let announced = try FileTypeBox.adding(.aid3, to: bytes)
        sink.write(announced.span)
      } else {
        let corrected = try inserted.corrected(bytes, baseOffset: start)
        sink.write(corrected.span)
      }
    } catch { fail(error) }
  }
}
