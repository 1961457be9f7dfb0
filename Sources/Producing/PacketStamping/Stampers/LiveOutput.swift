package import Basics
package import EventSchedule
package import TransportStream

/// An access unit of a live stream's video (or audio), as it is written.
package struct LiveAccessUnit: Equatable, Sendable {
  /// When it is presented, on the programme's timeline.
  package var time: MediaTime
  /// When it is presented, on the stream's clock, unwrapped.
  package var presentationTime: MediaTime
  /// When it is decoded, on the stream's clock, unwrapped.
  package var decodingTime: MediaTime
  /// The frame duration at this access unit.
  package var frameDuration: MediaTime
  /// Whether decoding can start with it.
  package var isRandomAccess: Bool
  /// Why a segment starts with it; `nil` if none does.
  package var boundary: SegmentClock.Boundary?
  /// The target duration of the playlist in seconds. Until the first segment is complete, its value if the segment ended here.
  package var targetDuration: UInt64
}

/// Receives a live stream, access unit by access unit.
package protocol LiveOutput: ~Copyable {
  /// Begins an access unit. Its tags follow, and then its packets and those of other streams between them.
  mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy])
  /// Adds whole packets.
  mutating func write(_ packets: Span<UInt8>)
  /// Announces packets of the current access unit's tags that wait for null packets. They will be written later, in this order.
  mutating func expect(_ packets: Span<UInt8>)
  /// Records that all packets of these copies were written.
  mutating func place(_ copies: [PlacedCopy])
  /// Records the PID of the program's PMT in the packets that follow, and that of the stream that tells the time; `nil` while it is unknown.
  mutating func follow(pmtPID: PID, leadingPID: PID?)
}

extension LiveOutput where Self: ~Copyable {
  /// Does nothing: in a plain stream, tags are wherever they are written.
  package mutating func expect(_ packets: Span<UInt8>) {}
  /// Does nothing: not every output reports its copies.
  package mutating func place(_ copies: [PlacedCopy]) {}
  /// Does nothing: not every output needs the tables.
  package mutating func follow(pmtPID: PID, leadingPID: PID?) {}
}

/// The last stage of a live stamper. It writes packets, with tags in the video as well if that is asked for.
struct LiveOutlet: Sendable {
  private var sei: SEIInserter?
  private var packets: [UInt8] = []

  init(_ carriages: AddedCarriages) { sei = carriages.contains(.messages) ? SEIInserter(PacketEncapsulation()) : nil }

  /// Receives the tags of an access unit in the packets that follow.
  mutating func expect(_ unit: SEIInserter.Unit) { sei?.expect(unit) }

  /// Writes packets. The start of an access unit may wait for its first slice.
  mutating func write(_ new: Span<UInt8>, _ output: inout some LiveOutput & ~Copyable) {
    guard sei != nil else { return output.write(new) }
    sei?.push(new, into: &packets)
    hand(on: &output)
  }

  /// Writes the held packets, which belong before those that follow.
  mutating func release(_ output: inout some LiveOutput & ~Copyable) {
    sei?.release(into: &packets)
    hand(on: &output)
  }

  private mutating func hand(on output: inout some LiveOutput & ~Copyable) {
    if !packets.isEmpty { output.write(packets.span) }
    packets.removeAll(keepingCapacity: true)
  }
}
