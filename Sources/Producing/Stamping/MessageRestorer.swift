import Basics
import EventReading
import EventSchedule
import Files
import GameEvents
import PacketStamping

/// Puts events that are in SEI messages of the video alone back: as timed ID3 into transport streams, and as event messages into fragmented MP4. Many
/// programs copy the video and drop everything else.
///
/// The input is a file or an HLS presentation in a folder, and is read twice. Each copy gets the time that its message tells from its picture.
public struct MessageRestorer: Sendable {
  /// The file or the playlist to read.
  public var input: String
  /// The file to write, or `-` for standard output; for a presentation the playlist, in another folder.
  public var output: String
  /// Whether an existing output is replaced.
  public var overwrite = false
  /// Asked from time to time; once it returns `true`, the work ends and leaves nothing behind.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// Receives from time to time how far the work has come.
  public var progress: @Sendable (WorkProgress) -> Void = { _ in }
  /// Receives what the playlists name and the new folder does not have, in words.
  public var notice: @Sendable (String) -> Void = { _ in }

  /// The result.
  public struct Report: Equatable, Sendable {
    /// The number of events that were put back.
    public var events = 0
    /// The number of their copies.
    public var copies = 0
  }

  /// The maximum number of copies that are put back: those of a show of a day.
  public static let mostCopies = 1_000_000

  /// A restorer from one file to another, or from one presentation to another.
  public init(input: String, output: String) {
    self.input = input
    self.output = output
  }

  /// Does the work. Without such events the output is the input.
  ///
  /// - Throws: ``StampingError``; then there is no output.
  public func restore() throws(StampingError) -> Report {
    guard !input.hasSuffix(".m3u8") else { return try restorePresentation() }
    var file = try reading(FileInput(path: input, isInterrupted: isInterrupted))
    guard file.size != nil else { throw .notRepeatable }
    var detector = ContainerDetector()
    var beginning: [UInt8]?
    while beginning == nil, try reading(file.fill()) { beginning = detector.push(file.bytes) }
    if beginning == nil { _ = detector.finish() }
    switch detector.container {
    case .fragmentedMP4: return try restoreFragments()
    case .packedAudio: throw .notEditable(.packedAudio)
    case .transportStream, nil: return try restorePackets()
    }
  }

  private func restorePresentation() throws(StampingError) -> Report {
    var editor = PresentationEditor(input: input, output: output, .repair)
    (editor.restoresMessages, editor.overwrite) = (true, overwrite)
    (editor.isInterrupted, editor.progress, editor.notice) = (isInterrupted, progress, notice)
    let report = try editor.edit()
    return Report(events: report.events.count, copies: report.repaired)
  }

  private func restorePackets() throws(StampingError) -> Report {
    var reader = EventReader()
    var missing = MissingCopies()
    var first = try reading(FileInput(path: input, isInterrupted: isInterrupted))
    do {
      while try reading(first.fill()) { missing.record(try reader.push(first.bytes)) }
      missing.record(try reader.finish())
    } catch let error as StampingError {
      throw error
    } catch {
      throw .packets(.notATransportStream)
    }
    let copies = try missing.planned()
    var stamper = PacketStamper(EventSchedule(copies, policy: CopyPolicy(copies: 1, refreshInterval: nil)))
    var sink = CheckedSink(try writing(FileSink(path: output, overwrite: overwrite)))
    var file = try reading(FileInput(path: input, isInterrupted: isInterrupted))
    let isUnchanged = copies.isEmpty
    try file.forEachPiece(after: [], progress) { (bytes) throws(StampingError) in
      if isUnchanged { sink.write(bytes) } else { try stamping(stamper.push(bytes, into: &sink)) }
      try sink.file.passOn()
    }
    if !isUnchanged {
      let stamped = try stamping(stamper.finish(into: &sink))
      guard stamper.pending.isEmpty else { throw .eventsAfterTheEnd(of: stamped.end) }
      try sink.requireTags(copies.count)
    }
    try sink.complete()
    return Report(events: Set(copies.map(\.event.guid)).count, copies: copies.count)
  }

  private func restoreFragments() throws(StampingError) -> Report {
    var search = FragmentSearch()
    var first = try reading(FileInput(path: input, isInterrupted: isInterrupted))
    while try reading(first.fill()) { search.push(first.bytes) }
    search.endFile()
    guard !search.isPlain else { throw .plainMP4 }
    let messages = try search.messages()
    var restorer = FragmentRestorer(messages)
    restorer.file = search.file
    var sink = CheckedSink(try writing(FileSink(path: output, overwrite: overwrite)))
    var file = try reading(FileInput(path: input, isInterrupted: isInterrupted))
    try file.forEachPiece(after: [], progress) { (bytes) throws(StampingError) in
      restorer.push(bytes, into: &sink)
      if let failure = restorer.failure { throw failure }
      try sink.file.passOn()
    }
    restorer.endFile(into: &sink)
    if let failure = restorer.failure { throw failure }
    if messages.copies > 0 { try sink.requireTags(messages.copies) }
    try sink.complete()
    return Report(events: messages.events.count, copies: messages.copies)
  }
}
