public import EventSchedule
import TransportStream

/// Inserts events into a transport stream that comes in segments, made of whole packets.
///
/// Each tag lies in the segment that presents its time, and every segment starts with a refresh of what is current. The segments one after
/// another are one stamped transport stream.
public struct SegmentStamper: Sendable {
  private enum Stage: Sendable {
    case waiting(EventSchedule)
    case inserting(TagInserter)
  }

  private var stage: Stage
  private var isStarting = false
  private var byteCount = 0

  /// A stamper that puts in what `schedule` holds.
  public init(_ schedule: EventSchedule) { stage = .waiting(schedule) }

  /// The events that no access unit has come for yet.
  public var unplaced: ArraySlice<PlannedEvent> {
    switch stage {
    case .waiting(let schedule): schedule.unplaced
    case .inserting(let inserter): inserter.schedule.unplaced
    }
  }

  /// Says that the packets that follow start a segment.
  public mutating func startSegment() { isStarting = true }

  /// Takes the next packets of the stream. The first ones must hold the program's tables and none of it may lie outside of packets.
  ///
  /// - Parameter emit: Called with the bytes of the stamped stream, in whole packets.
  /// - Throws: ``PacketStampingError``.
  public mutating func push(_ packets: Span<UInt8>, emit: (Span<UInt8>) -> Void) throws(PacketStampingError) {
    guard packets.count % TransportPacket.size == 0 else { throw .notATransportStream }
    var inserter = try inserter(startingWith: packets)
    if isStarting { inserter.startSegment() }
    isStarting = false
    for start in stride(from: 0, to: packets.count, by: TransportPacket.size) {
      try inserter.push(packets.extracting(start..<start + TransportPacket.size), offset: byteCount + start, emit)
    }
    byteCount += packets.count
    stage = .inserting(inserter)
  }

  /// Ends the stream: what is left comes out, at the end of the last segment.
  ///
  /// - Throws: ``PacketStampingError``.
  public mutating func finish(emit: (Span<UInt8>) -> Void) throws(PacketStampingError) -> PacketStamper.Report {
    guard case .inserting(var inserter) = stage else { throw .noProgram }
    let report = try inserter.finish(emit)
    stage = .inserting(inserter)
    return report
  }

  private func inserter(startingWith packets: Span<UInt8>) throws(PacketStampingError) -> TagInserter {
    switch stage {
    case .inserting(let inserter): return inserter
    case .waiting(let schedule):
      var beginning = Beginning(schedule)
      for start in stride(from: 0, to: packets.count, by: TransportPacket.size) {
        beginning.append(packets.extracting(start..<start + TransportPacket.size), offset: start)
      }
      return try TagInserter(beginning)
    }
  }
}
