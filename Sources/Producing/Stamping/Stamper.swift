import Basics
public import EventSchedule
import Files
public import LibAV
public import PacketStamping
import TransportStream

/// Makes a transport stream with events out of a file.
///
/// A transport stream goes through packet by packet, unless asked otherwise. Everything else is copied into a transport stream by libavformat
/// first. The output has its name only once it is whole.
public struct Stamper: Sendable {
  /// The file to read, or `-` for standard input.
  public var input: String
  /// The transport stream to write.
  public var output: String
  /// Whether an output that exists is replaced.
  public var overwrite = false
  /// Which program of a transport stream the events belong to, and whether its rate is kept.
  public var options = PacketStamper.Options()
  /// Whether libavformat copies a transport stream too, instead of its packets going through as they came.
  public var remuxesTransportStreams = false
  /// Asked from time to time; once it says yes, the work ends and nothing stays behind.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// EventPayload from time to time how many bytes of the input were read, and of how many, where that is known.
  public var progress: @Sendable (Int, Int?) -> Void = { _, _ in }

  /// What was done.
  public struct Summary: Equatable, Sendable {
    /// What was put into the stream.
    public var stamped: PacketStamper.Report
    /// What libavformat copied; `nil` where the input was a transport stream.
    public var remuxed: RemuxSummary?
  }

  /// A stamper from one file to another.
  public init(input: String, output: String) {
    self.input = input
    self.output = output
  }

  /// Does the work.
  ///
  /// - Parameter schedule: What is put into the stream.
  /// - Throws: ``StampingError``; then there is no output.
  public func stamp(_ schedule: EventSchedule) throws(StampingError) -> Summary {
    var file = try reading { () throws(FileInputError) in try FileInput(path: input, isInterrupted: isInterrupted) }
    var detection = Detection()
    while !detection.isDone, try reading({ () throws(FileInputError) in try file.fill() }) { detection.push(file.bytes) }
    guard !detection.beginning.isEmpty else { throw .emptyInput }
    if detection.isTransportStream, !remuxesTransportStreams { return try passThrough(detection.beginning, &file, schedule) }
    guard input != "-" else { throw .notATransportStreamOnStandardInput }
    if !detection.isTransportStream { try refuseIdleChoices() }
    return try remux(schedule)
  }

  /// What was chosen for the packets of a transport stream would be ignored for another input.
  private func refuseIdleChoices() throws(StampingError) {
    let choices: [(TransportStreamChoice, Bool)] = [
      (.program, options.program != nil), (.constantRate, options.keepsRate), (.remux, remuxesTransportStreams),
    ]
    guard let choice = choices.first(where: { $0.1 })?.0 else { return }
    // Whether it is anything that can be read comes first.
    _ = try remuxing(input) { () throws(RemuxError) in try openMedia(input, isInterrupted) }
    throw .notATransportStream(path: input, choice)
  }

  /// Reads the input as the transport stream that events are put into, and puts none in. No output is made.
  ///
  /// - Parameter receive: EventPayload the next bytes of the stream.
  /// - Throws: ``StampingError``, and what `receive` throws.
  public func readTransportStream(_ receive: (Span<UInt8>) throws(StampingError) -> Void) throws(StampingError) {
    var file = try reading { () throws(FileInputError) in try FileInput(path: input, isInterrupted: isInterrupted) }
    var detection = Detection()
    while !detection.isDone, try reading({ () throws(FileInputError) in try file.fill() }) { detection.push(file.bytes) }
    guard !detection.beginning.isEmpty else { throw .emptyInput }
    guard detection.isTransportStream else {
      guard input != "-" else { throw .notATransportStreamOnStandardInput }
      var remuxer = try remuxing(input) { () throws(RemuxError) in try TransportStreamRemuxer(openMedia(input, isInterrupted)) }
      while let bytes = try remuxing(input, { () throws(RemuxError) in try remuxer.next() }) { try receive(bytes.span) }
      return
    }
    let beginning = detection.beginning
    try receive(beginning.span)
    while try reading({ () throws(FileInputError) in try file.fill() }) { try receive(file.bytes) }
  }

  private func passThrough(
    _ beginning: [UInt8], _ file: inout FileInput, _ schedule: EventSchedule
  ) throws(StampingError) -> Summary {
    var output = try Output(self, schedule, options)
    try output.push(beginning.span)
    var byteCount = beginning.count
    while try reading({ () throws(FileInputError) in try file.fill() }) {
      try output.push(file.bytes)
      byteCount += file.bytes.count
      progress(byteCount, file.size)
    }
    return Summary(stamped: try output.finish(schedule))
  }

  private func remux(_ schedule: EventSchedule) throws(StampingError) -> Summary {
    var remuxer = try remuxing(input) { () throws(RemuxError) in try TransportStreamRemuxer(openMedia(input, isInterrupted)) }
    var output = try Output(self, schedule, PacketStamper.Options())
    var byteCount = 0
    while let bytes = try remuxing(input, { () throws(RemuxError) in try remuxer.next() }) {
      try output.push(bytes.span)
      byteCount += bytes.count
      progress(byteCount, nil)
    }
    let remuxed = remuxer.summary
    return Summary(stamped: try output.finish(schedule, end: remuxed.end - remuxed.zero), remuxed: remuxed)
  }
}

/// Looks at the beginning of an input to tell whether it is a transport stream.
private struct Detection {
  /// What was looked at.
  private(set) var beginning: [UInt8] = []
  private var framer = PacketFramer()

  /// After so many bytes without packets the input is something else.
  private static let limit = 65_536

  var isDone: Bool { framer.framing != nil || beginning.count >= Self.limit }

  mutating func push(_ bytes: Span<UInt8>) {
    framer.push(bytes) { _, _ in
    } skip: { _ in
    }
    for index in bytes.indices { beginning.append(bytes[index]) }
  }

  /// Whether there are packets from the start on, or soon after it.
  var isTransportStream: Bool {
    guard framer.framing == nil else { return true }
    // A short stream has fewer packets than it takes to be sure on the way.
    var framer = framer
    framer.finish { _, _ in
    } skip: { _ in
    }
    return framer.framing != nil
  }
}

/// The stamped stream on its way into a file.
private struct Output: ~Copyable {
  private var packets: PacketStamper
  private var sink: FileSink

  init(_ stamper: Stamper, _ schedule: EventSchedule, _ options: PacketStamper.Options) throws(StampingError) {
    packets = PacketStamper(schedule, options)
    do throws(FileSinkError) {
      sink = try FileSink(path: stamper.output, overwrite: stamper.overwrite)
    } catch {
      throw .output(error)
    }
  }

  mutating func push(_ bytes: Span<UInt8>) throws(StampingError) {
    do throws(PacketStampingError) { try packets.push(bytes, into: &sink) } catch { throw .packets(error) }
    do throws(FileSinkError) { try sink.check() } catch { throw .output(error) }
  }

  /// Ends the stream; the file gets its name.
  ///
  /// - Parameter end: When the programme ends, where libavformat knows it: packets of several frames of sound let the stamper think that the
  ///   last one lasts longer than it does.
  consuming func finish(_ schedule: EventSchedule, end: MediaTime? = nil) throws(StampingError) -> PacketStamper.Report {
    var report: PacketStamper.Report
    do throws(PacketStampingError) { report = try packets.finish(into: &sink) } catch { throw .packets(error) }
    report.end = min(report.end, end ?? report.end)
    guard packets.pending.isEmpty, schedule.pending.last.map({ $0.time < report.end }) ?? true else {
      throw .eventsAfterTheEnd(of: report.end)
    }
    do throws(FileSinkError) {
      try sink.commit()
    } catch {
      throw .output(error)
    }
    return report
  }
}
