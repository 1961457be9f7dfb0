public import Basics
public import EventSchedule
import TransportStream

/// Inserts events into a transport stream that comes in segments, made of whole packets.
///
/// Each tag lies in the segment that presents its time, and every segment starts with a refresh of what is current. The segments one after
/// another are one stamped transport stream.
public struct SegmentStamper: Sendable {
  /// What is put in, as it is before the stream begins.
  private let schedule: EventSchedule
  /// Where the stream has begun: changed in place, for a copy of it would be one of all that it holds.
  private var inserter: TagInserter?
  private var filter = PacketFilter(.none)
  private var isStarting = false
  private var byteCount = 0

  /// A stamper that puts in what `schedule` holds.
  public init(_ schedule: EventSchedule) { self.schedule = schedule }

  /// The events that no access unit has come for yet.
  public var pending: ArraySlice<PlannedEvent> { inserter?.schedule.pending ?? schedule.pending }

  /// Says that the packets that follow start a segment.
  public mutating func startSegment() { isStarting = true }

  /// Says that the segment ends at a time of the programme, where the next one starts.
  ///
  /// - Parameter sink: Receives the packets of events that happen after the segment's last picture, which belong into it.
  /// - Throws: ``PacketStampingError``.
  public mutating func endSegment(at end: MediaTime, into sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    try inserter?.endSegment(at: end, offset: byteCount, &sink)
  }

  /// Takes the next packets of the stream. The first ones must hold the program's tables and none of it may lie outside of packets.
  ///
  /// - Parameter sink: Receives the bytes of the stamped stream, in whole packets.
  /// - Throws: ``PacketStampingError``.
  public mutating func push(_ packets: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    guard packets.count % TransportPacket.size == 0 else { throw .notATransportStream }
    if inserter == nil {
      inserter = try inserter(startingWith: packets)
      filter = inserter?.filter() ?? filter
    }
    if isStarting { inserter?.startSegment() }
    isStarting = false
    let start = byteCount
    try inserter?.push(packets, stride: TransportPacket.size, offset: { start + $0 * TransportPacket.size }, &filter, &sink)
    byteCount += packets.count
  }

  /// Ends the stream: what is left comes out, at the end of the last segment.
  ///
  /// - Throws: ``PacketStampingError``.
  public mutating func finish(into sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) -> PacketStamper.Report {
    guard let report = try inserter?.finish(at: byteCount, &sink) else { throw .noProgram }
    return report
  }

  private func inserter(startingWith packets: Span<UInt8>) throws(PacketStampingError) -> TagInserter {
    var beginning = StreamProbe(schedule, PacketStamper.Options())
    for start in stride(from: 0, to: packets.count, by: TransportPacket.size) {
      beginning.append(packets.extracting(start..<start + TransportPacket.size), offset: start, .plain)
    }
    // A null packet of one segment is no place for a tag of the next.
    return try TagInserter(beginning, replacesNullPackets: false)
  }
}
