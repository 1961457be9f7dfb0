package import Basics
package import EventSchedule
package import TransportStream

/// An access unit of a live stream's video (or audio), as it goes out.
package struct LiveAccessUnit: Equatable, Sendable {
  /// When it is presented, on the programme's timeline.
  package var time: MediaTime
  /// When it is presented, on the stream's clock, unwrapped.
  package var presentationTime: MediaTime
  /// When it is decoded, on the stream's clock, unwrapped.
  package var decodingTime: MediaTime
  /// How long a frame lasts here.
  package var frameDuration: MediaTime
  /// Whether decoding can start with it.
  package var isRandomAccess: Bool
  /// Why a segment starts with it; `nil` where none does.
  package var boundary: SegmentClock.Boundary?
  /// The target duration of the playlist in seconds. Until the first segment is complete, what it would be if the segment ended here.
  package var targetDuration: UInt64
}

/// Something that takes a live stream, access unit by access unit.
package protocol LiveOutput: ~Copyable {
  /// An access unit follows: the tags that go in front of it, then its packets and those of other streams between them.
  mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy])
  /// Adds whole packets.
  mutating func write(_ packets: Span<UInt8>)
  /// These packets of tags go in front of the access unit that has begun, and wait for null packets: they will be among those that are written, in
  /// this order.
  mutating func expect(_ packets: Span<UInt8>)
  /// All packets of these copies are among those that were written.
  mutating func place(_ copies: [PlacedCopy])
  /// The packets that follow have the program's PMT on this PID, and the stream that tells the time on that one; `nil` while that is not known.
  mutating func follow(pmtPID: PID, leadingPID: PID?)
}

extension LiveOutput where Self: ~Copyable {
  /// Does nothing: a stream has its tags where they are written.
  package mutating func expect(_ packets: Span<UInt8>) {}
  /// Does nothing: not every output tells of its copies.
  package mutating func place(_ copies: [PlacedCopy]) {}
  /// Does nothing: not every output needs the tables.
  package mutating func follow(pmtPID: PID, leadingPID: PID?) {}
}

/// The end of a live stamper: writes packets, with tags in the video as well where that is asked for.
struct LiveOutlet: Sendable {
  private var messages: MessageInserter?
  private var packets: [UInt8] = []

  init(_ carriages: AddedCarriages) { messages = carriages.contains(.messages) ? MessageInserter(PacketEncapsulation()) : nil }

  /// Receives the tags of an access unit that will be among the packets that follow.
  mutating func expect(_ unit: MessageInserter.Unit) { messages?.expect(unit) }

  /// Writes packets. The start of an access unit may wait for its first slice.
  mutating func write(_ new: Span<UInt8>, _ output: inout some LiveOutput & ~Copyable) {
    guard messages != nil else { return output.write(new) }
    messages?.push(new, into: &packets)
    hand(on: &output)
  }

  /// Writes what waits: it belongs in front of what follows.
  mutating func release(_ output: inout some LiveOutput & ~Copyable) {
    messages?.release(into: &packets)
    hand(on: &output)
  }

  private mutating func hand(on output: inout some LiveOutput & ~Copyable) {
    if !packets.isEmpty { output.write(packets.span) }
    packets.removeAll(keepingCapacity: true)
  }
}
