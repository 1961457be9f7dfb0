public import Basics
public import EventSchedule
import TransportStream

/// Inserts events into one program of a transport stream and enters them in its map. Nothing else is touched: every other packet goes through as
/// it came, with the timestamp in front of it or the parity behind it.
///
/// Tags take the place of null packets within the 0.7 s before them, and are added where there are none. The beginning of the stream (a mebibyte)
/// is looked at before anything comes out, to find a PID that nothing uses.
public struct PacketStamper: Sendable {
  /// What is asked for besides the events.
  public struct Options: Equatable, Sendable {
    /// The number of the program that the events belong to; `nil` for the only one.
    public var program: UInt16?
    /// Whether no packet may be added, so that a constant bit rate stays one.
    public var keepsRate = false
    /// Whether packets of 192 and 204 bytes are refused.
    public var onlyPlainPackets = false

    /// The only program, of any rate and framing.
    public init() {}
  }

  /// What was put into the stream.
  public struct Report: Equatable, Sendable {
    /// How many events.
    public var events = 0
    /// How many copies of them, refreshes included.
    public var copies = 0
    /// How many null packets were replaced.
    public var replacedPackets = 0
    /// How many packets were added, by which the stream has become longer.
    public var addedPackets = 0
    /// How many bytes of the input belonged to no packet and were left out.
    public var skippedBytes = 0
    /// The programme time at which the picture (or the sound) ends.
    public var end = MediaTime.zero

    /// A report of so much.
    public init(
      events: Int = 0, copies: Int = 0, replacedPackets: Int = 0, addedPackets: Int = 0, skippedBytes: Int = 0, end: MediaTime = .zero
    ) {
      self.events = events
      self.copies = copies
      self.replacedPackets = replacedPackets
      self.addedPackets = addedPackets
      self.skippedBytes = skippedBytes
      self.end = end
    }
  }

  private let options: Options
  private var framer = PacketFramer()
  /// The packets that are looked at.
  private var filter = PacketFilter(.all)
  /// The beginning of the stream, until enough of it is known.
  private var beginning: StreamProbe?
  /// From then on, what inserts. Both are changed in place, for a copy of them would be one of all that they hold.
  private var inserter: TagInserter?
  private var failure: PacketStampingError?
  private var skippedBytes = 0
  /// The part of the chunk that goes through as it came and was not handed on yet.
  private var run = 0..<0

  /// A stamper that puts in what `schedule` holds.
  public init(_ schedule: EventSchedule, _ options: Options = Options()) {
    self.options = options
    beginning = StreamProbe(schedule, options)
  }

  /// The events that no access unit has come for yet.
  public var pending: ArraySlice<PlannedEvent> {
    guard failure == nil else { return [] }
    return inserter?.schedule.pending ?? beginning?.schedule.pending ?? []
  }

  /// Takes the next bytes of the stream, in chunks of any size.
  ///
  /// - Parameter sink: Receives the bytes of the stamped stream, in whole packets.
  /// - Throws: ``PacketStampingError``.
  public mutating func push(_ chunk: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    var (framer, filter) = (framer, filter)
    let start = framer.byteCount
    framer.push(chunk, filter: &filter) { unit, offset, framing, filter in
      take(unit, offset: offset, framing, &filter, chunk, startingAt: start, &sink)
    } passed: { units, offset in
      pass(units, offset: offset, chunk, startingAt: start, &sink)
    } skip: {
      leaveOut($0)
    }
    handOn(chunk, &sink)
    (self.framer, self.filter) = (framer, filter)
    try check()
  }

  /// Ends the stream: what is left comes out.
  ///
  /// - Throws: ``PacketStampingError``.
  public mutating func finish(into sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) -> Report {
    var (framer, filter) = (framer, filter)
    // What is left lies in no chunk.
    let (chunk, start): ([UInt8], Int) = ([], framer.byteCount)
    framer.finish(filter: &filter) { unit, offset, framing, filter in
      take(unit, offset: offset, framing, &filter, chunk.span, startingAt: start, &sink)
    } passed: { units, offset in
      pass(units, offset: offset, chunk.span, startingAt: start, &sink)
    } skip: {
      leaveOut($0, before: start)
    }
    (self.framer, self.filter) = (framer, filter)
    try check()
    guard framer.framing != nil else { throw .notATransportStream }
    if inserter == nil { begin(&filter, &sink) }
    try check()
    guard var report = try inserter?.finish(at: framer.byteCount, &sink) else { throw .noProgram }
    report.skippedBytes = skippedBytes
    return report
  }

  /// Leaves bytes out that belong to no packet. Between packets that changes the rate; in front of the first one and behind the last it does not.
  private mutating func leaveOut(_ skipped: PacketFramer.Skipped, before end: Int? = nil) {
    skippedBytes += skipped.count
    guard options.keepsRate, failure == nil, skipped.offset > 0, skipped.offset + skipped.count != end else { return }
    failure = .bytesBetweenPackets(count: skipped.count, offset: skipped.offset)
    run = 0..<0
  }

  private func check() throws(PacketStampingError) {
    if options.onlyPlainPackets, let framing = framer.framing, framing != .plain { throw .unsupportedFraming(framing) }
    if framer.framing == nil, framer.byteCount > StreamProbe.size { throw .notATransportStream }
    if let failure { throw failure }
  }

  /// Takes a packet that is looked at.
  private mutating func take(
    _ unit: Span<UInt8>, offset: Int, _ framing: PacketFramer.Framing, _ filter: inout PacketFilter, _ chunk: Span<UInt8>,
    startingAt start: Int, _ sink: inout some ByteSink & ~Copyable
  ) {
    guard failure == nil, framing == .plain || !options.onlyPlainPackets else { return }
    guard inserter != nil else {
      beginning?.append(unit, offset: offset, framing)
      if beginning?.isComplete ?? false { begin(&filter, &sink) }
      return
    }
    do throws(PacketStampingError) {
      switch try inserter?.take(unit, offset: offset, after: chunk.extracting(run), &filter, &sink) {
      case .taken: run = 0..<0
      case .apart:
        run = 0..<0
        pass(unit, offset: offset, chunk, startingAt: start, &sink)
      case .unchanged, nil: pass(unit, offset: offset, chunk, startingAt: start, &sink)
      }
    } catch {
      failure = error
      run = 0..<0
    }
  }

  /// Takes packets that go through as they came: what lies between two changes is handed on in one piece.
  private mutating func pass(
    _ units: Span<UInt8>, offset: Int, _ chunk: Span<UInt8>, startingAt start: Int, _ sink: inout some ByteSink & ~Copyable
  ) {
    guard failure == nil, units.count > 0 else { return }
    let lower = offset - start
    // What began in the chunk before does not lie in this one.
    let liesInChunk = lower >= 0 && lower + units.count <= chunk.count
    if liesInChunk, run.upperBound == lower, !run.isEmpty {
      run = run.lowerBound..<lower + units.count
      return
    }
    handOn(chunk, &sink)
    if liesInChunk {
      run = lower..<lower + units.count
    } else {
      insert(units, &sink)
    }
  }

  private mutating func handOn(_ chunk: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    if !run.isEmpty { insert(chunk.extracting(run), &sink) }
    run = 0..<0
  }

  private mutating func insert(_ units: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    do throws(PacketStampingError) {
      try inserter?.pass(units, &sink)
    } catch {
      failure = error
    }
  }

  /// Goes over from looking at the beginning to inserting.
  private mutating func begin(_ filter: inout PacketFilter, _ sink: inout some ByteSink & ~Copyable) {
    guard let kept = beginning.take() else { return }
    do throws(PacketStampingError) {
      inserter = try TagInserter(kept)
      filter = inserter?.filter() ?? filter
      try inserter?.push(kept.units.span, stride: kept.framing.stride, offset: { kept.offsets[$0] }, &filter, &sink)
    } catch {
      failure = error
    }
  }
}
