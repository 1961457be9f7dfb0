import Basics
import EventReading
import Files
public import PacketStamping

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
    var sink = CheckedSink(try writing(FileSink(path: output, overwrite: overwrite)))
    try file.forEachPiece(after: beginning, progress) { (bytes) throws(StampingError) in
      try stamping(editor.push(bytes, into: &sink))
      try sink.file.passOn()
    }
    let report = try stamping(editor.finish(into: &sink))
    if options.edit == .repair, report.unusable > 0, !editor.knowledge.hasTags { throw .notRepairable(packets: report.unusable) }
    if report.repaired > 0 { try sink.requireTags(report.repaired) }
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
