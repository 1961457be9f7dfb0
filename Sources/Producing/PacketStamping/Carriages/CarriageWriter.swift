package import Basics
package import EventSchedule
import GameEvents
import NALUnits
import TransportStream

/// A way for tags to travel in a program. Each tag of a stamped stream goes into all of its carriages.
///
/// A carriage with a PID of its own is announced in the PMT, and returns payloads and packets. One that travels in other packets does neither.
protocol CarriageWriter: Sendable {
  /// Returns the PMT with the announcement of the carriage on a PID. The version number is unchanged.
  static func announced(in pmt: ProgramMapTable, on pid: PID) -> ProgramMapTable
  /// Returns the PMT without the announcements of the carriage on these PIDs. The version number is unchanged.
  static func removed(_ pids: Set<PID>, from pmt: ProgramMapTable) -> ProgramMapTable
  /// Adds the packets of the input that the carriage must receive.
  func addInterests(to filter: inout PacketFilter)
  /// Returns what packets on the carriage's own PID carry for a copy.
  ///
  /// - Throws: `tag` if the tag does not fit.
  func payload(of copy: PlacedCopy) throws(EventError) -> [UInt8]
  /// Returns packets with a payload on the carriage's own PID. Their counters continue those of the packets before.
  mutating func packets(carrying payload: [UInt8]) -> [[UInt8]]
  /// Receives copies to write into the packets of an access unit; `nil` if no access unit follows.
  mutating func queue(_ copies: [PlacedCopy], before unit: CarryingUnit?)
  /// Signals with the next packet that its continuity counter does not continue the previous ones.
  mutating func announceDiscontinuity()
  /// Ends the input.
  ///
  /// - Throws: An error if the input has events of a game that is being stamped.
  mutating func finish() throws(PacketStampingError)
}

extension CarriageWriter {
  static func announced(in pmt: ProgramMapTable, on pid: PID) -> ProgramMapTable { pmt }
  static func removed(_ pids: Set<PID>, from pmt: ProgramMapTable) -> ProgramMapTable { pmt }
  func payload(of copy: PlacedCopy) -> [UInt8] { [] }
  mutating func packets(carrying payload: [UInt8]) -> [[UInt8]] { [] }
  mutating func queue(_ copies: [PlacedCopy], before unit: CarryingUnit?) {}
  mutating func announceDiscontinuity() {}
  mutating func finish() {}
}

/// A copy in a stream.
package struct PlacedCopy: Equatable, Sendable {
  package var copy: EventSchedule.TimedCopy
  /// The presentation time of its tag on the stream's clock, unwrapped.
  package var presentationTime: MediaTime

  package init(copy: EventSchedule.TimedCopy, presentationTime: MediaTime) { (self.copy, self.presentationTime) = (copy, presentationTime) }
}

/// An access unit of the stream that tells the time, which may carry tags.
struct CarryingUnit: Sendable {
  /// The stream that the access unit belongs to.
  var pid: PID
  var codec: NALUnitCodec
  /// When it is presented, in 90 kHz ticks of 33 bits; `nil` for the next one.
  var timestamp: UInt64?
}
