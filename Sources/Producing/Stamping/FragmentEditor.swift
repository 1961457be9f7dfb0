package import Basics
import CMAF
import NALUnits
package import PacketStamping

/// Edits the event messages of fragmented MP4. Events are taken out: whole messages with nothing but events, and events among the frames of others.
/// Or tags without their first bytes are made whole. All other boxes stay as they are.
package struct FragmentEditor: Sendable {
  /// What a track has, by which a second reading knows whether anything but events is announced.
  package struct Knowledge: Equatable, Sendable {
    var hasOwn = false
    var hasOthers = false

    package init() {}
  }

  /// Whether every box keeps its place, since indexes and byte ranges count on it: an empty box takes the place of what goes.
  private let keepsSize: Bool
  private var editor: TagEditor
  private var boxes = BoxAssembler(keeping: Self.limit)
  package private(set) var knowledge: Knowledge
  package private(set) var report = PacketEditor.Report()
  /// Where the first sample starts with an event in SEI messages that would stay there; `nil` where none has come.
  package private(set) var eventInVideo: Int?
  /// Whether this is a movie without fragments, in whose samples nobody looks for events.
  package private(set) var isPlain = false
  /// Looks for such events; `nil` where none are taken out.
  private var reader: FragmentReader?

  /// An editor for a track of which something may be known.
  package init(_ edit: TagEdit, keepsSize: Bool, knowing knowledge: Knowledge = Knowledge()) {
    self.keepsSize = keepsSize
    self.knowledge = knowledge
    editor = TagEditor(edit)
    reader = edit == .repair ? nil : FragmentReader(samples: .always)
  }

  private static func limit(_ type: BoxType) -> Int {
    [.emsg, .ftyp, .styp].contains(type) ? FragmentReader.largestEventMessage : 0
  }

  /// Receives the next bytes, in pieces of any size.
  package mutating func push(_ chunk: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) {
    for item in reader?.push(chunk) ?? [] {
      if case .initialisation(let movie) = item, !movie.isFragmented { isPlain = true }
      guard eventInVideo == nil, case .tags(let tags, _, let offset) = item else { continue }
      if tags.contains(where: { editor.edit(message: $0.tag).hasOwn }) { eventInVideo = offset }
    }
    var position = 0
    while let step = boxes.next(chunk, &position) {
      switch step {
      case .box(_, _, let bytes): sink.write(edit(bytes).span)
      case .held(let bytes): sink.write(bytes.span)
      case .passed(let range): sink.write(chunk.extracting(range))
      case .header, .oversized, .damaged: break
      }
    }
  }

  /// Ends a segment: what was cut off goes on as it is.
  package mutating func endSegment(into sink: inout some ByteSink & ~Copyable) {
    if let offset = reader?.offset { _ = reader?.startSegment(at: offset) }
    switch boxes.finish() {
    case .box(_, _, let bytes): sink.write(edit(bytes).span)
    case .header(let bytes, _), .cut(_, _, let bytes, _): sink.write(bytes.span)
    case .nothing, .missing: break
    }
  }

  private mutating func edit(_ box: [UInt8]) -> [UInt8] {
    if let type = try? FileTypeBox(box.span) { return withoutBrand(type, box) }
    guard var message = try? EventMessageBox(box.span), message.isID3 else { return box }
    let tags = editor.edit(message: message.messageData)
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
    // Tags that are made whole are longer.
    guard keepsSize, room >= 0 else { return left }
    // A box has a header of eight bytes.
    guard room >= BoxHeader.smallestLength, let size = UInt32(exactly: room) else { return box }
    var empty = ByteWriter(capacity: room)
    empty.writeUInt32(size)
    empty.writeUInt32(BoxType("free").rawValue)
    empty.fill(0, count: room - BoxHeader.smallestLength)
    return left + empty.bytes
  }

  /// A file's type without the brand that announces ID3 event messages, where there are none any more.
  private func withoutBrand(_ type: FileTypeBox, _ box: [UInt8]) -> [UInt8] {
    var type = type
    type.compatibleBrands.removeAll { $0 == .aid3 }
    guard knowledge.hasOwn, !knowledge.hasOthers, !keepsSize, let encoded = try? type.encoded() else { return box }
    return encoded
  }
}
