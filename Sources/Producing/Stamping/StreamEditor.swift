import Basics
import CMAF
import EventReading
import Files
import GameEvents
import NALUnits
public import PacketStamping
import TransportStream

/// Edits a stream in one file or from a pipe: removes events, or restores cut tags.
///
/// A file is read twice, so that its tables are right from the start. A pipe is read once, and its packets are written as they arrive.
public struct StreamEditor: Sendable {
  /// The file to read, or `-` for standard input.
  public var input: String
  /// The file to write, or `-` for standard output.
  public var output: String
  /// The change to make.
  public var options: PacketEditor.Options
  /// Whether an existing output is replaced.
  public var overwrite = false
  /// Asked from time to time; once it returns `true`, the work ends and leaves nothing behind.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// Receives from time to time how far the work has come.
  public var progress: @Sendable (WorkProgress) -> Void = { _ in }

  /// An editor from one file to another.
  public init(input: String, output: String, _ options: PacketEditor.Options) {
    self.input = input
    self.output = output
    self.options = options
  }

  /// Does the work.
  ///
  /// - Returns: What was changed.
  /// - Throws: ``StampingError``; then there is no output.
  public func edit() throws(StampingError) -> PacketEditor.Report {
    var file = try reading(FileInput(path: input, isInterrupted: isInterrupted))
    var detector = ContainerDetector()
    var beginning: [UInt8]?
    while beginning == nil, try reading(file.fill()) { beginning = detector.push(file.bytes) }
    let start = beginning ?? detector.finish()
    guard !start.isEmpty else { throw .emptyInput }
    switch detector.container {
    case .fragmentedMP4: return try editFragments(start, &file)
    case .packedAudio: throw .notEditable(.packedAudio)
    case .transportStream, nil: return try editPackets(start, &file)
    }
  }

  private func editPackets(_ beginning: [UInt8], _ file: inout FileInput) throws(StampingError) -> PacketEditor.Report {
    var knowledge = PacketEditor.Knowledge()
    if file.size != nil, !options.keepsTables {
      var scan = PacketEditor(options)
      var nowhere = NoSink()
      var first = try reading(FileInput(path: input, isInterrupted: isInterrupted))
      while try reading(first.fill()) {
        let bytes = first.bytes
        try stamping(scan.push(bytes, into: &nowhere))
      }
      _ = try stamping(scan.finish(into: &nowhere))
      knowledge = scan.knowledge
    }
    var editor = PacketEditor(options, knowing: knowledge)
    var sink = try writing(FileSink(path: output, overwrite: overwrite))
    try file.forEachPiece(after: beginning, progress) { (bytes) throws(StampingError) in
      try stamping(editor.push(bytes, into: &sink))
      try sink.passOn()
    }
    let report = try stamping(editor.finish(into: &sink))
    try sink.complete()
    return report
  }

  /// Replaces events with empty boxes, so that no bytes move: a file may have indexes.
  private func editFragments(_ beginning: [UInt8], _ file: inout FileInput) throws(StampingError) -> PacketEditor.Report {
    guard options.edit != .repair else { throw .notEditable(.fragmentedMP4) }
    var editor = FragmentEditor(options.edit, keepsSize: true)
    var sink = try writing(FileSink(path: output, overwrite: overwrite))
    try file.forEachPiece(after: beginning, progress) { (bytes) throws(StampingError) in
      editor.push(bytes, into: &sink)
      if let failure = editor.failure { throw failure }
      guard !editor.isPlain else { throw .plainMP4 }
      try sink.passOn()
    }
    editor.endSegment(into: &sink)
    if let failure = editor.failure { throw failure }
    try sink.complete()
    return editor.report
  }
}

/// Discards all bytes.
struct NoSink: ByteSink {
  typealias Failure = Never

  mutating func write(_ bytes: Span<UInt8>) {}
}

/// Checks whether a file has game events that stamping would double or lose.
enum EventScan {
  /// Refuses a file whose events would be missing in the output, because libavformat copies only video and audio, or would be in it twice.
  ///
  /// - Parameter isReplacing: Whether the user wants to replace the events. Then only events that the copy would keep are refused.
  static func check(_ path: String, isReplacing: Bool, _ isInterrupted: @escaping @Sendable () -> Bool) throws(StampingError) {
    guard !isReplacing else { return try requireNoneInVideo(in: path, isInterrupted) }
    guard let (game, place) = try firstGame(in: path, isInterrupted) else { return }
    if case .sei = place.carriage { throw .packets(.eventInVideo(game, offset: place.offset)) }
    // The message says that events can be replaced, so replacing them must be possible.
    try requireNoneInVideo(in: path, isInterrupted)
    throw .carriesEvents(game, offset: place.offset)
  }

  /// Returns the game of the first event in a stream, and its offset; `nil` if there is none, or if the input is not a stream.
  private static func firstGame(
    in path: String, _ isInterrupted: @escaping @Sendable () -> Bool
  ) throws(StampingError) -> (GameID, Place)? {
    var file = try reading(FileInput(path: path, isInterrupted: isInterrupted))
    // Only a file can be read twice.
    guard file.size != nil else { return nil }
    var reader = EventReader()
    while try reading(file.fill()) {
      guard let items = try? reader.push(file.bytes) else { return nil }
      if let found = first(items) { return found }
      reader.skip(bytes: try reading(file.skip(reader.skippable)))
    }
    return (try? reader.finish()).flatMap(first)
  }

  /// Refuses a file with events in SEI messages, which libavformat would copy along with the new ones.
  static func requireNoneInVideo(in path: String, _ isInterrupted: @escaping @Sendable () -> Bool) throws(StampingError) {
    var file = try reading(FileInput(path: path, isInterrupted: isInterrupted))
    guard file.size != nil else { return }
    var detector = ContainerDetector()
    var packets = PacketEditor(.init(.strip(nil)))
    var fragments = FragmentReader(samples: .always)
    var editor = TagEditor(.strip(nil))
    var nowhere = NoSink()
    func search(_ bytes: Span<UInt8>) throws(StampingError) {
      switch detector.container {
      case .transportStream:
        // If it is not a transport stream, libavformat reads it.
        try? packets.push(bytes, into: &nowhere)
        if let offset = packets.eventInVideo { throw .packets(.eventsInVideo(offset: offset)) }
      case .fragmentedMP4:
        for case .tags(let tags, _, let offset) in fragments.push(bytes) where tags.contains(where: { editor.edit(alone: $0.tag).hasOwn }) {
          throw .packets(.eventsInVideo(offset: offset))
        }
      case .packedAudio, nil: break
      }
    }
    while try reading(file.fill()) {
      if detector.container != nil {
        try search(file.bytes)
      } else if let beginning = detector.push(file.bytes) {
        try search(beginning.span)
      }
      if detector.container == .fragmentedMP4 { fragments.skip(try reading(file.skip(fragments.skippable))) }
    }
  }

  private static func first(_ items: [StreamItem]) -> (GameID, Place)? {
    for case .copy(let copy, let place) in items { return (copy.event.gameID, place) }
    return nil
  }
}
