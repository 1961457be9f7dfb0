import EventSchedule
import GameEvents
import NALUnits
import TransportStream

/// A way for tags to travel in a program. Each tag of a stamped stream goes into all of its carriages.
///
/// What has a PID of its own gives packets back, and is announced in the PMT. What travels in other packets needs neither.
protocol CarriageWriter: Sendable {
  /// The PMT with what announces the carriage on a PID, in the version that it had.
  static func announced(in pmt: ProgramMapTable, on pid: PID) -> ProgramMapTable
  /// Adds the packets of the input that the carriage has to see.
  func addInterests(to filter: inout PacketFilter)
  /// Takes copies that go in front of an access unit; `nil` where none follows.
  ///
  /// - Throws: `tag` where a tag does not fit.
  mutating func queue(_ copies: [PlacedCopy], before unit: CarryingUnit?) throws(EventError)
  /// Whether tags wait for packets of their own.
  var isWaiting: Bool { get }
  /// Gives back the packets of the tags that wait, once.
  mutating func takePackets() -> [(copy: PlacedCopy, packets: [[UInt8]])]
  /// Says with the next packet that its counter does not continue those before.
  mutating func announceDiscontinuity()
  /// Ends the input.
  ///
  /// - Throws: an error where the input has events of a game that is being stamped.
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
