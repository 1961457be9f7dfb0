import Basics
import NALUnits
import TransportStream

/// Inserts tags as SEI messages into the access units of a stamped stream that is otherwise finished (ISO/IEC 14496-10, D.1.7).
///
/// The packets from the start of such an access unit to its first slice are held. The packet in which the slice starts keeps its size: bytes that no
/// longer fit go into new packets after it, from which later packets continue the counters. Nothing is decoded, and the only other packet that
/// changes is the one that states the length of the PES packet.
struct SEIInserter: Sendable {
  /// The tags for an access unit.
  struct Unit: Sendable {
    var place: CarryingUnit
    var tags: [Tag]
  }

  /// A tag, and its presentation time on the stream's clock.
  struct Tag: Sendable {
    var time: MediaTime
    var bytes: [UInt8]
  }

  /// The number of tags that were inserted.
  private(set) var inserted = 0
  /// The number of packets that were added.
  private(set) var added = 0

  private var encapsulation: PacketEncapsulation
  private var expected = Queue<Unit>()
  /// The stream that carries the tags, and the tags that wait for its next access unit.
  private var video: (pid: PID, codec: NALUnitCodec)?
  private var waiting: [Tag] = []
  private var held: HeldAccessUnit?
  /// The packet, as received, in which the slice after the messages starts. If it was sent twice, the second one needs the same change.
  private var changed: [UInt8]?
  /// How far the counters of streams are ahead of those of the input.
  private var shifts: [(pid: PID, shift: CounterShift)] = []

  /// The maximum number of waiting tags. If no access unit can take them, the oldest are dropped.
  private static let mostWaiting = 64

  /// Starts at the beginning of a stream with this encapsulation.
  init(_ encapsulation: PacketEncapsulation) { self.encapsulation = encapsulation }

  /// Receives the tags of an access unit in the packets that follow.
  mutating func expect(_ unit: Unit) {
    let stream = (pid: unit.place.pid, codec: unit.place.codec)
    if stream.pid != video?.pid { while let earlier = expected.popFirst() { wait(earlier.tags) } }
    video = stream
    expected.append(unit)
  }

  /// Writes the held packets at the end of the stream. Returns the report with the numbers of messages and of packets added for them.
  mutating func finish(_ report: PacketStamper.Report, into sink: inout some ByteSink & ~Copyable) -> PacketStamper.Report {
    release(into: &sink)
    var report = report
    report.messages = inserted
    report.addedPackets += added
    return report
  }

  /// Receives the next whole packets of the stream, and the tags of access units among them.
  mutating func push(_ units: Span<UInt8>, expecting new: [Unit] = [], into sink: inout some ByteSink & ~Copyable) {
    for unit in new { expect(unit) }
    guard units.count > 0 else { return }
    guard !expected.isEmpty || !waiting.isEmpty || held != nil || !shifts.isEmpty else {
      encapsulation.record(units)
      return sink.write(units)
    }
    let stride = encapsulation.framing.stride
    var output: [UInt8] = []
    output.reserveCapacity(units.count)
    for start in Swift.stride(from: 0, through: units.count - stride, by: stride) {
      push(unit: units.extracting(start..<start + stride), &output)
    }
    if !output.isEmpty { sink.write(output.span) }
  }

  /// Writes the held packets, because no more of their access unit follows.
  mutating func release(into sink: inout some ByteSink & ~Copyable) {
    var output: [UInt8] = []
    giveUp(&output)
    if !output.isEmpty { sink.write(output.span) }
  }

  private mutating func push(unit: Span<UInt8>, _ output: inout [UInt8]) {
    let packet = unit.extracting(encapsulation.framing.packetRange)
    if let video, TransportPacket.startsUnit(packet), TransportPacket.pid(of: packet) == video.pid {
      giveUp(&output)
      if let started = HeldAccessUnit(packet, video.codec, encapsulation.framing) {
        takeExpected(at: started.timestamp)
        held = waiting.isEmpty ? nil : started
      }
    }
    if let last = changed, TransportPacket.pid(of: packet) == video?.pid {
      changed = nil
      if last == [UInt8](copying: packet) { return }
    }
    switch held?.push(unit) {
    case nil: write(unit, &output)
    case .incomplete: break
    case .unusable: giveUp(&output)
    case .found(let slice): insert(before: slice, &output)
    }
  }

  /// Takes the tags of the access unit that starts, together with those of access units that did not arrive.
  private mutating func takeExpected(at timestamp: UInt64) {
    while let first = expected.first, first.place.timestamp == nil {
      wait(first.tags)
      _ = expected.popFirst()
    }
    guard let index = expected.elements.firstIndex(where: { $0.place.timestamp == timestamp }) else { return }
    for _ in expected.elements.startIndex...index { wait(expected.popFirst()?.tags ?? []) }
  }

  private mutating func wait(_ tags: [Tag]) {
    waiting += tags
    waiting.removeFirst(max(waiting.count - Self.mostWaiting, 0))
  }

  /// Writes the held packets unchanged. The tags of their access unit go into the next one.
  private mutating func giveUp(_ output: inout [UInt8]) {
    guard let held = held.take() else { return }
    for start in stride(from: 0, to: held.units.count, by: encapsulation.framing.stride) {
      write(held.units.span.extracting(start..<start + encapsulation.framing.stride), &output)
    }
  }

  /// Writes the held packets, with the tags before the slice that starts at this byte of the access unit.
  private mutating func insert(before slice: Int, _ output: inout [UInt8]) {
    guard let held = held.take(), let video, let part = held.parts.last(where: { $0.position <= slice }) else { return }
    let messages = waiting.map { TagMessage(delay: Self.delay(of: $0, from: held.timestamp), tag: $0.bytes) }
    let bytes = [0, 0, 1] + TagMessage.unit(messages, video.codec)
    inserted += messages.count
    (waiting, changed) = ([], held.lastPacket)
    let stride = encapsulation.framing.stride
    for start in Swift.stride(from: 0, to: held.units.count, by: stride) {
      let unit = held.units.span.extracting(start..<start + stride)
      guard start == 0 || start == part.start else {
        write(unit, &output)
        continue
      }
      var packet = renumbered(unit.extracting(encapsulation.framing.packetRange))
      if start == 0 { TransportPacket.lengthen(&packet, by: bytes.count) }
      var rest: [UInt8] = []
      if start == part.start {
        let place = part.payload.lowerBound + slice - part.position
        packet.insert(contentsOf: bytes, at: place)
        rest = Array(packet.dropFirst(TransportPacket.size))
        packet.removeSubrange(TransportPacket.size...)
      }
      output += encapsulation.replaced(unit, with: packet)
      encapsulation.record(unit)
      guard !rest.isEmpty else { continue }
      let end = start + stride
      write(new: rest, after: packet, before: end < held.units.count ? held.units.span.extracting(end..<end + stride) : nil, &output)
    }
  }

  /// Adds packets that continue the access unit, after one of its packets.
  private mutating func write(new bytes: [UInt8], after packet: [UInt8], before next: Span<UInt8>?, _ output: inout [UInt8]) {
    let pid = TransportPacket.pid(of: packet.span)
    let packets = TransportPacket.packets(continuing: bytes, pid: pid, after: TransportPacket.counter(of: packet))
    output += encapsulation.encapsulated(packets, before: next)
    added += packets.count
    if !shifts.contains(where: { $0.pid == pid }) { shifts.append((pid, CounterShift())) }
    for index in shifts.indices where shifts[index].pid == pid { shifts[index].shift += packets.count }
  }

  private mutating func write(_ unit: Span<UInt8>, _ output: inout [UInt8]) {
    let packet = unit.extracting(encapsulation.framing.packetRange)
    if shifts.contains(where: { $0.pid == TransportPacket.pid(of: packet) }) {
      output += encapsulation.replaced(unit, with: renumbered(packet))
    } else {
      output.append(copying: unit)
    }
    encapsulation.record(unit)
  }

  /// Returns a packet with its counter after the new packets.
  private func renumbered(_ packet: Span<UInt8>) -> [UInt8] {
    let shift = shifts.first { $0.pid == TransportPacket.pid(of: packet) }?.shift ?? CounterShift()
    return TransportPacket.counted([UInt8](copying: packet), packet[3] + shift)
  }

  /// Returns the time from the presentation of an access unit, given in 33 bits, to that of a tag.
  private static func delay(of tag: Tag, from timestamp: UInt64) -> Int32 {
    Int32(clamping: TimestampUnwrapper.distance(from: timestamp, to: TimestampUnwrapper.timestamp(of: tag.time)))
  }
}
