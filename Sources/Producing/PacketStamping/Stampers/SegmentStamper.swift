public import Basics
public import EventSchedule
import TransportStream

/// Inserts events into a transport stream that arrives in segments of whole packets.
///
/// Each tag is in the segment that presents its time, and every segment starts with a refresh of the active events. The concatenated segments are one
/// stamped transport stream.
public struct SegmentStamper: Sendable {
  /// The schedule as it is before the stream starts.
  private let schedule: EventSchedule
  private var options = PacketStamper.Options()
  /// Set at the start of the stream. It is changed in place, because a copy would copy all that it holds.
  private var inserter: TagInserter?
  /// The last stage, which inserts tags into the video as well if they go there.
  private var sei = SEIInserter(PacketEncapsulation())
  private var filter = PacketFilter(.none)
  private var isStarting = false
  private var byteCount = 0

  /// A stamper that inserts the events of `schedule`.
  ///
  /// - Parameter carriages: The carriages of each tag besides timed ID3.
  public init(_ schedule: EventSchedule, _ carriages: AddedCarriages = []) {
    self.schedule = schedule
    options.carriages = carriages
  }

  /// The events for which no access unit has come yet.
  public var pending: ArraySlice<PlannedEvent> { inserter?.placer.schedule.pending ?? schedule.pending }

  /// Starts a segment with the packets that follow.
  public mutating func startSegment() { isStarting = true }

  /// Ends the segment at a time on the timeline, where the next one starts.
  ///
  /// - Parameter sink: Receives the packets of events that happen after the last access unit of the segment.
  /// - Throws: ``PacketStampingError``.
  public mutating func endSegment(at end: MediaTime, into sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    var stamped: [UInt8] = []
    try inserter?.endSegment(at: end, offset: byteCount, &stamped)
    insertSEI(stamped, into: &sink)
    sei.release(into: &sink)
  }

  /// Receives the next packets of the stream. The first ones must hold the program's tables, and no bytes may lie between packets.
  ///
  /// - Parameter sink: Receives the bytes of the stamped stream, in whole packets.
  /// - Throws: ``PacketStampingError``.
  public mutating func push(_ packets: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    guard options.carriages.contains(.messages) else { return try stamp(packets, into: &sink) }
    var stamped: [UInt8] = []
    try stamp(packets, into: &stamped)
    insertSEI(stamped, into: &sink)
  }

  /// Passes stamped packets through the last stage.
  private mutating func insertSEI(_ stamped: [UInt8], into sink: inout some ByteSink & ~Copyable) {
    sei.push(stamped.span, expecting: inserter?.placer.carriages.sei.units.take() ?? [], into: &sink)
  }

  private mutating func stamp(_ packets: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    guard packets.count % TransportPacket.size == 0 else { throw .notATransportStream }
    if inserter == nil {
      inserter = try inserter(startingWith: packets)
      filter = inserter?.filter ?? filter
    }
    if isStarting { inserter?.placer.startSegment() }
    isStarting = false
    let start = byteCount
    try inserter?.push(packets, stride: TransportPacket.size, offset: { start + $0 * TransportPacket.size }, &filter, &sink)
    byteCount += packets.count
  }

  /// Ends the stream, and writes what is left to the last segment.
  ///
  /// - Parameter end: When the programme ends, if that is known better than by its access units.
  /// - Throws: ``PacketStampingError``.
  public mutating func finish(
    into sink: inout some ByteSink & ~Copyable, endingAt end: MediaTime? = nil
  ) throws(PacketStampingError) -> PacketStamper.Report {
    var stamped: [UInt8] = []
    guard let report = try inserter?.finish(at: byteCount, endingAt: end, &stamped) else { throw .noProgram }
    insertSEI(stamped, into: &sink)
    return sei.finish(report, into: &sink)
  }

  private func inserter(startingWith packets: Span<UInt8>) throws(PacketStampingError) -> TagInserter {
    var probe = StreamProbe(schedule, options)
    for start in stride(from: 0, to: packets.count, by: TransportPacket.size) {
      probe.append(packets.extracting(start..<start + TransportPacket.size), offset: start, .plain)
    }
    // A tag must not go into a null packet of the previous segment.
    return try TagInserter(probe, replacesNullPackets: false)
  }
}
