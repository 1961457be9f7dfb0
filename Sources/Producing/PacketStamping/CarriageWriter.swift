import EventSchedule
import GameEvents
import NALUnits
import TransportStream

/// A way for tags to travel in a program. Each tag of a stamped stream goes into all of its carriages.
///
/// A carriage with a PID of its own returns packets, and is announced in the PMT. One that travels in other packets does neither.
protocol CarriageWriter: Sendable {
  /// Returns the PMT with the announcement of the carriage on a PID. The version number is unchanged.
  static func announced(in pmt: ProgramMapTable, on pid: PID) -> ProgramMapTable
  /// Adds the packets of the input that the carriage must receive.
  func addInterests(to filter: inout PacketFilter)
  /// Queues copies to place before an access unit; `nil` if no access unit follows.
  ///
  /// - Throws: `tag` if a tag does not fit.
  mutating func queue(_ copies: [PlacedCopy], before unit: CarryingUnit?) throws(EventError)
  /// Whether tags wait for packets of their own.
  var isWaiting: Bool { get }
  /// Returns the packets of the waiting tags, once.
  mutating func takePackets() -> [(copy: PlacedCopy, packets: [[UInt8]])]
  /// Signals with the next packet that its continuity counter does not continue the previous ones.
  mutating func announceDiscontinuity()
  /// Ends the input.
  ///
  /// - Throws: An error if the input has events of a game that is being stamped.
  mutating func finish() throws(PacketStampingError)
}

extension CarriageWriter {
  static func announced(in pmt: ProgramMapTable, on pid: PID) -> ProgramMapTable { pmt }
  var isWaiting: Bool { false }
  mutating func takePackets() -> [(copy: PlacedCopy, packets: [[UInt8]])] { [] }
  mutating func announceDiscontinuity() {}
  mutating func finish() throws(PacketStampingError) {}
}

/// An access unit of the stream that tells the time, which may carry messages.
struct CarryingUnit: Sendable {
  /// The stream that the access unit belongs to.
  var pid: PID
  var codec: NALUnitCodec
  /// When it is presented, in 90 kHz ticks of 33 bits; `nil` for the next one.
  var timestamp: UInt64?
}
