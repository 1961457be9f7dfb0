import Basics
public import EventSchedule
import Files
public import LibAV
public import PacketStamping
import TransportStream

/// Makes a transport stream with events from a file.
///
/// The packets of a transport stream are copied one by one, unless `remuxesTransportStreams` is set. libavformat first copies any other input into a
/// transport stream. The output appears under its name only when it is complete.
public struct Stamper: Sendable {
  /// The file to read, or `-` for standard input.
  public var input: String
  /// The transport stream to write.
  public var output: String
  /// Whether an existing output is replaced.
  public var overwrite = false
  /// Which program of a transport stream the events belong to, whether its rate is kept, and whether tags go into SEI messages, too.
  public var options = PacketStamper.Options()
  /// Whether libavformat also copies a transport stream, instead of its packets being kept.
  public var remuxesTransportStreams = false
  /// Whether all existing events of the input, of any game, are removed first. Otherwise an input is refused if its events would be doubled or lost.
  public var replacesEvents = false
  /// Asked from time to time; once it returns `true`, the work ends and leaves nothing behind.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// Receives from time to time how far the work has come.
  public var progress: @Sendable (WorkProgress) -> Void = { _ in }

  /// The result.
  public struct Summary: Equatable, Sendable {
    /// What was inserted into the stream.
    public var stamped: PacketStamper.Report
    /// What libavformat copied; `nil` if the input was a transport stream.
    public var remuxed: RemuxSummary?
  }

  /// A stamper from one file to another.
  public init(input: String, output: String) {
    self.input = input
    self.output = output
  }

  /// Does the work.
  ///
  /// - Parameter schedule: The events for the stream.
  /// - Throws: ``StampingError``; then there is no output.
  public func stamp(_ schedule: EventSchedule) throws(StampingError) -> Summary {
    var file = try reading(FileInput(path: input, isInterrupted: isInterrupted))
    let detection = try detect(&file)
    if detection.isTransportStream, !remuxesTransportStreams {
      do throws(StampingError) { return try passThrough(detection.beginning, &file, schedule) } catch {
        // The refusal says that events can be replaced, so replacing them must be possible.
        if case .packets(.alreadyStamped) = error, file.size != nil { try EventScan.requireNoneInVideo(in: input, isInterrupted) }
        throw error
      }
    }
    guard input != "-" else { throw .notATransportStreamOnStandardInput }
    if !detection.isTransportStream { try refuseIdleChoices() }
    let tags = try EventScan.check(input, isReplacing: replacesEvents, isInterrupted)
    let splices = try InputSplices.read(input, isInterrupted)
    return try withoutPlaces { () throws(StampingError) in try remux(schedule.adding(tags), splices) }
  }

  /// Refuses options for transport stream packets, which would have no effect on another input.
  private func refuseIdleChoices() throws(StampingError) {
    let choices: [(TransportStreamChoice, Bool)] = [
      (.program, options.program != nil), (.constantRate, options.keepsRate), (.remux, remuxesTransportStreams),
    ]
    guard let choice = choices.first(where: { $0.1 })?.0 else { return }
    // A file that cannot be read at all is reported first.
    _ = try remuxing(input, openMedia(input, details: .header, isInterrupted).formatName)
    throw .notATransportStream(path: input, choice)
  }

  /// Reads the input as the transport stream that events would be inserted into. No output is made.
  ///
  /// - Parameter receive: Receives the next bytes of the stream.
  /// - Throws: ``StampingError``, and what `receive` throws.
  public func readTransportStream(_ receive: (Span<UInt8>) throws(StampingError) -> Void) throws(StampingError) {
    var file = try reading(FileInput(path: input, isInterrupted: isInterrupted))
    let detection = try detect(&file)
    guard detection.isTransportStream else {
      guard input != "-" else { throw .notATransportStreamOnStandardInput }
      var remuxer = try remuxing(input, TransportStreamRemuxer(openMedia(input, isInterrupted)))
      while let bytes = try remuxing(input, remuxer.next()) { try receive(bytes.span) }
      return
    }
    try file.forEachPiece(after: detection.beginning, { _ in }, receive)
  }

  /// Reads enough of the input to tell whether it is a transport stream.
  private func detect(_ file: inout FileInput) throws(StampingError) -> (beginning: [UInt8], isTransportStream: Bool) {
    var (framer, beginning): (PacketFramer, [UInt8]) = (PacketFramer(), [])
    while framer.isTransportStream == nil, try reading(file.fill()) {
      let bytes = file.bytes
      // Bytes after the limit no longer affect the decision.
      framer.push(bytes.extracting(first: max(PacketFramer.detectionLimit + 1 - framer.byteCount, 0))) { _, _ in
      } skip: { _ in
      }
      beginning.append(copying: bytes)
    }
    guard !beginning.isEmpty else { throw .emptyInput }
    return (beginning, framer.isTransportStreamAtEnd)
  }

  private func passThrough(_ beginning: [UInt8], _ file: inout FileInput, _ schedule: EventSchedule) throws(StampingError) -> Summary {
    var output = try Output(self, schedule, options)
    try file.forEachPiece(after: beginning, progress) { (bytes) throws(StampingError) in try output.push(bytes) }
    return Summary(stamped: try output.finish(schedule))
  }

  private func remux(_ schedule: EventSchedule, _ splices: InputSplices) throws(StampingError) -> Summary {
    var remuxer = try remuxing(input, TransportStreamRemuxer(openMedia(input, isInterrupted)))
    var options = PacketStamper.Options()
    options.carriages = self.options.carriages
    var output = try Output(self, schedule, options)
    var byteCount = 0
    var splicer = SpliceInserter(splices, origin: remuxer.summary.origin)
    while let bytes = try remuxing(input, remuxer.next()) {
      if let spliced = splicer?.push(bytes.span) { try output.push(spliced.span) } else { try output.push(bytes.span) }
      byteCount += bytes.count
      progress(WorkProgress(bytes: byteCount, fraction: remuxer.fraction))
    }
    if let rest = splicer?.finish() { try output.push(rest.span) }
    let remuxed = remuxer.summary.keeping(splices)
    return Summary(stamped: try output.finish(schedule, end: remuxed.end - remuxed.origin), remuxed: remuxed)
  }
}

/// Writes the stamped stream into a file.
private struct Output: ~Copyable {
  private var packets: PacketStamper
  private var sink: CheckedSink
  /// Removes the existing events of the input; `nil` if they stay.
  private var editor: PacketEditor?

  init(_ stamper: Stamper, _ schedule: EventSchedule, _ options: PacketStamper.Options) throws(StampingError) {
    packets = PacketStamper(schedule, options)
    if stamper.replacesEvents {
      var edit = PacketEditor.Options(.strip(nil))
      // The new events use the same PID.
      edit.keepsTables = true
      editor = PacketEditor(edit)
    }
    sink = CheckedSink(try writing(FileSink(path: stamper.output, overwrite: stamper.overwrite)), expecting: schedule)
  }

  mutating func push(_ bytes: Span<UInt8>) throws(StampingError) {
    if editor != nil {
      var edited: [UInt8] = []
      try stamping(editor?.push(bytes, into: &edited))
      try stamping(packets.push(edited.span, into: &sink))
    } else {
      try stamping(packets.push(bytes, into: &sink))
    }
    try sink.file.passOn()
  }

  /// Ends the stream, and gives the file its name.
  ///
  /// - Parameter end: When the programme ends, if libavformat knows it. Access units do not tell it if a PES packet has several audio frames.
  consuming func finish(_ schedule: EventSchedule, end: MediaTime? = nil) throws(StampingError) -> PacketStamper.Report {
    var skippedBytes = 0
    if editor != nil {
      var edited: [UInt8] = []
      skippedBytes = try stamping(editor?.finish(into: &edited))?.skippedBytes ?? 0
      try stamping(packets.push(edited.span, into: &sink))
    }
    var report = try stamping(packets.finish(into: &sink, endingAt: end))
    report.skippedBytes += skippedBytes
    try schedule.requireWithin(report.end, pending: packets.pending)
    try sink.requireEvents()
    try sink.complete()
    return report
  }
}

/// Runs the stamping of a stream made by libavformat. Removes offsets from its errors, because they do not refer to the input.
func withoutPlaces<Value>(_ body: () throws(StampingError) -> Value) throws(StampingError) -> Value {
  do throws(StampingError) {
    return try body()
  } catch {
    guard case .packets(.eventInVideo(let game, _)) = error else { throw error }
    throw .packets(.eventInVideo(game, offset: nil))
  }
}
