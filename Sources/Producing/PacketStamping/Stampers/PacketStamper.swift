public import Basics
public import EventSchedule
import TransportStream

/// Inserts events into one program of a transport stream and adds them to its PMT. Every other packet is unchanged, including the timestamp before it
/// or the parity after it.
///
/// Tags replace null packets within the 0.7 s before them, and are added if there are none. The start of the stream (a mebibyte) is examined before
/// anything is written, to find an unused PID.
public struct PacketStamper: Sendable {
  private let options: Options
  private var framer = PacketFramer()
  /// The packets that have to be examined.
  private var filter = PacketFilter(.all)
  /// The start of the stream, until enough of it is known.
  private var probe: StreamProbe?
  /// Inserts the tags once the probe is complete. Both are changed in place, because a copy would copy all that they hold.
  private var inserter: TagInserter?
  /// The last stage, which inserts tags into the video as well if they go there.
  private var sei = SEIInserter(PacketEncapsulation())
  private var failure: PacketStampingError?
  private var skippedBytes = 0
  /// Bytes before the first packet, until something is written, and those after the latest one.
  private var lead: [UInt8] = []
  private var tail: [UInt8] = []
  /// The part of the chunk that is unchanged and was not written yet.
  private var run = 0..<0

  /// A stamper that inserts the events of `schedule`.
  public init(_ schedule: EventSchedule, _ options: Options = Options()) {
    self.options = options
    probe = StreamProbe(schedule, options)
  }

  /// The events for which no access unit has come yet.
  public var pending: ArraySlice<PlannedEvent> {
    guard failure == nil else { return [] }
    return inserter?.placer.schedule.pending ?? probe?.schedule.pending ?? []
  }

  /// Receives the next bytes of the stream, in chunks of any size.
  ///
  /// - Parameter sink: Receives the bytes of the stamped stream, in whole packets.
  /// - Throws: ``PacketStampingError``.
  public mutating func push(_ chunk: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    guard options.carriages.contains(.messages) else { return try read(chunk, isLast: false, into: &sink) }
    var stamped: [UInt8] = []
    try read(chunk, isLast: false, into: &stamped)
    insertSEI(stamped, into: &sink)
  }

  /// Passes stamped packets through the last stage.
  private mutating func insertSEI(_ stamped: [UInt8], into sink: inout some ByteSink & ~Copyable) {
    sei.push(stamped.span, expecting: inserter?.placer.carriages.sei.units.take() ?? [], into: &sink)
  }

  private mutating func read(
    _ chunk: Span<UInt8>, isLast: Bool, into sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    if let failure { throw failure }
    var (framer, filter) = (framer, filter)
    let start = framer.byteCount
    do throws(PacketStampingError) {
      try framer.read(chunk, isLast: isLast, filter: &filter) { (unit, offset, framing, filter) throws(PacketStampingError) in
        try examine(unit, offset: offset, framing, &filter, chunk, startingAt: start, &sink)
      } passed: { (units, offset) throws(PacketStampingError) in
        try write(units, offset: offset, chunk, startingAt: start, &sink)
      } skip: { (skipped) throws(PacketStampingError) in
        try skip(skipped, before: isLast ? start : nil)
      }
      try writeRun(chunk, &sink)
    } catch {
      failure = error
      throw error
    }
    (self.framer, self.filter) = (framer, filter)
    if framer.isTransportStream == false { throw .notATransportStream }
  }

  /// Ends the stream and writes what is left.
  ///
  /// - Parameter end: When the programme ends, if that is known better than by its access units.
  /// - Throws: ``PacketStampingError``.
  public mutating func finish(
    into sink: inout some ByteSink & ~Copyable, endingAt end: MediaTime? = nil
  ) throws(PacketStampingError) -> Report {
    guard options.carriages.contains(.messages) else { return try complete(into: &sink, endingAt: end) }
    var stamped: [UInt8] = []
    let report = try complete(into: &stamped, endingAt: end)
    insertSEI(stamped, into: &sink)
    return sei.finish(report, into: &sink)
  }

  private mutating func complete(
    into sink: inout some ByteSink & ~Copyable, endingAt end: MediaTime?
  ) throws(PacketStampingError) -> Report {
    // The remaining bytes are not in a chunk.
    let nothing: [UInt8] = []
    try read(nothing.span, isLast: true, into: &sink)
    guard framer.framing != nil else { throw .notATransportStream }
    if inserter == nil {
      var filter = filter
      try startInserting(&filter, &sink)
    }
    guard var report = try inserter?.finish(at: framer.byteCount, endingAt: end, &sink) else { throw .noProgram }
    report.skippedBytes = skippedBytes
    if !tail.isEmpty { sink.write(tail.span) }
    return report
  }

  /// Skips bytes that belong to no packet. Between packets that changes the rate. Before the first one and after the last it does not.
  private mutating func skip(_ skipped: PacketFramer.Skipped, before end: Int?) throws(PacketStampingError) {
    skippedBytes += skipped.count
    if skipped.offset == 0 { lead = skipped.bytes } else { tail = skipped.bytes }
    guard options.keepsRate, skipped.offset > 0, skipped.offset + skipped.count != end else { return }
    throw .bytesBetweenPackets(count: skipped.count, offset: skipped.offset)
  }

  /// Examines a packet that the filter wants.
  private mutating func examine(
    _ unit: Span<UInt8>, offset: Int, _ framing: PacketFramer.Framing, _ filter: inout PacketFilter, _ chunk: Span<UInt8>,
    startingAt start: Int, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    if !tail.isEmpty { tail = [] }
    guard framing == .plain || !options.onlyPlainPackets else { throw .unsupportedFraming(framing) }
    guard inserter != nil else {
      probe?.append(unit, offset: offset, framing)
      if probe?.isComplete ?? false { try startInserting(&filter, &sink) }
      return
    }
    let outcome = try inserter?.push(unit, offset: offset, after: chunk.extracting(run), &filter, &sink) ?? .unchanged
    if outcome != .unchanged { run = 0..<0 }
    if outcome != .finished { try write(unit, offset: offset, chunk, startingAt: start, &sink) }
  }

  /// Writes unchanged packets. Those between two changes are written in one piece.
  private mutating func write(
    _ units: Span<UInt8>, offset: Int, _ chunk: Span<UInt8>, startingAt start: Int, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    guard units.count > 0 else { return }
    if !tail.isEmpty { tail = [] }
    let lower = offset - start
    // A packet that began in the previous chunk is not completely in this one.
    let liesInChunk = lower >= 0 && lower + units.count <= chunk.count
    if liesInChunk, run.upperBound == lower, !run.isEmpty {
      run = run.lowerBound..<lower + units.count
      return
    }
    try writeRun(chunk, &sink)
    if liesInChunk {
      run = lower..<lower + units.count
    } else {
      try inserter?.write(units, &sink)
    }
  }

  private mutating func writeRun(_ chunk: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    if !run.isEmpty { try inserter?.write(chunk.extracting(run), &sink) }
    run = 0..<0
  }

  /// Starts inserting, once enough of the stream is known.
  private mutating func startInserting(
    _ filter: inout PacketFilter, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    guard let probe = probe.take() else { return }
    let inserter = try TagInserter(probe)
    sei = SEIInserter(try PacketEncapsulation(probe.units.span, framing: probe.framing))
    self.inserter = inserter
    filter = inserter.filter
    // The bytes around the packets stay, so that the stream can be given back.
    if !lead.isEmpty { sink.write(lead.span) }
    lead = []
    try self.inserter?.push(probe.units.span, stride: probe.framing.stride, offset: { probe.offsets[$0] }, &filter, &sink)
  }
}
