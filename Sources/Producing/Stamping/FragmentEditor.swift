package import Basics
import CMAF
package import GameEvents
package import PacketStamping

/// Takes events out of fragmented MP4: whole event messages with nothing but events, and the events among the frames of others. All other boxes stay
/// as they are.
package struct FragmentEditor: Sendable {
  /// What a track has, by which a second reading knows whether anything but events is announced.
  package struct Knowledge: Equatable, Sendable {
    var hasOwn = false
    var hasOthers = false

    package init() {}
  }

  private enum State: Sendable {
    /// The header of a box is put together.
    case header
    /// A box is kept until it has this number of bytes.
    case keeping(Int)
    /// This number of bytes goes through; `nil` for all that follow.
    case passing(UInt64?)
  }

  /// Whether every box keeps its place, since indexes and byte ranges count on it: an empty box takes the place of what goes.
  private let keepsSize: Bool
  private var editor: TagEditor
  private var state = State.header
  private var kept: [UInt8] = []
  package private(set) var knowledge: Knowledge
  package private(set) var report = PacketEditor.Report()

  /// An editor for a track of which something may be known.
  package init(_ game: GameID?, keepsSize: Bool, knowing knowledge: Knowledge = Knowledge()) {
    self.keepsSize = keepsSize
    self.knowledge = knowledge
    editor = TagEditor(.strip(game))
  }

  /// Receives the next bytes, in pieces of any size.
  package mutating func push(_ chunk: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) {
    var position = 0
    while position < chunk.count {
      let available = chunk.count - position
      let taken: Int
      switch state {
      case .header:
        taken = min(BoxHeader.length(startingWith: kept.span) - kept.count, available)
        kept.append(copying: chunk.extracting(position..<position + taken))
        readHeader(&sink)
      case .keeping(let size):
        taken = min(size - kept.count, available)
        kept.append(copying: chunk.extracting(position..<position + taken))
        if kept.count == size { readBox(&sink) }
      case .passing(let rest):
        taken = Int(clamping: min(rest ?? .max, UInt64(available)))
        sink.write(chunk.extracting(position..<position + taken))
        pass(rest.map { $0 - UInt64(taken) }, orAll: rest == nil)
      }
      position += taken
    }
  }

  /// Ends a segment: what was cut off goes on as it is.
  package mutating func endSegment(into sink: inout some ByteSink & ~Copyable) {
    sink.write(kept.span)
    (kept, state) = ([], .header)
  }

  private mutating func pass(_ rest: UInt64?, orAll isEndless: Bool = false) {
    state = rest == 0 && !isEndless ? .header : .passing(rest)
  }

  private mutating func readHeader(_ sink: inout some ByteSink & ~Copyable) {
    guard kept.count == BoxHeader.length(startingWith: kept.span) else { return }
    let header = try? BoxHeader(kept.span)
    if let header, [BoxType.emsg, .ftyp, .styp].contains(header.type), let size = header.size, size <= UInt64(Self.largestKept) {
      state = .keeping(Int(size))
      if Int(size) == kept.count { readBox(&sink) }
      return
    }
    sink.write(kept.span)
    let size = header?.size
    let rest = size.map { $0 - min(UInt64(kept.count), $0) }
    kept = []
    pass(rest, orAll: size == nil)
  }

  /// The largest box that is kept until it is whole.
  private static let largestKept = FragmentReader.largestEventMessage

  private mutating func readBox(_ sink: inout some ByteSink & ~Copyable) {
    let box = kept
    (kept, state) = ([], .header)
    sink.write(edit(box).span)
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
    guard keepsSize else { return left }
    let room = box.count - left.count
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
