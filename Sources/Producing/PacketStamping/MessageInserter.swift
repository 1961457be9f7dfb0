import Basics
import NALUnits
import TransportStream

/// Puts tags as SEI messages into the access units of a stamped stream, which is otherwise finished (ISO/IEC 14496-10, D.1.7).
///
/// From the start of such an access unit to its first slice the packets are held. The packet in which the slice starts keeps its size: what no longer
/// fits goes into new packets behind it, and the counters of later packets go on from there. Nothing is decoded, and no other packet changes but the
/// one that states the length of the PES packet.
struct MessageInserter: Sendable {
  /// Tags that go into an access unit.
  struct Unit: Sendable {
    var place: CarryingUnit
    var tags: [Tag]
  }

  /// A tag, and when it is presented on the stream's clock.
  struct Tag: Sendable {
    var time: MediaTime
    var bytes: [UInt8]
  }

  /// The number of tags that are in the stream.
  private(set) var inserted = 0
  /// The number of packets that were added.
  private(set) var added = 0

  private var encapsulation: PacketEncapsulation
  private var expected = Queue<Unit>()
  /// The stream that the tags go into, and those that wait for its next access unit.
  private var video: (pid: PID, codec: NALUnitCodec)?
  private var waiting: [Tag] = []
  private var held: HeldAccessUnit?
  /// The packet in which the slice starts that has messages in front of it, as it came: sent twice, it would have to be changed twice.
  private var changed: [UInt8]?
  /// By how much the counters of streams are ahead of those that came.
  private var shifts: [(pid: PID, shift: CounterShift)] = []

  /// The most tags that wait: where no access unit can take them, the oldest go.
  private static let mostWaiting = 64

  /// Starts at the beginning of a stream whose packets have this around them.
  init(_ encapsulation: PacketEncapsulation) { self.encapsulation = encapsulation }

  /// Receives the tags of an access unit that will be among the packets that follow.
  mutating func expect(_ unit: Unit) {
    let stream = (pid: unit.place.pid, codec: unit.place.codec)
    if stream.pid != video?.pid { while let earlier = expected.popFirst() { wait(earlier.tags) } }
    video = stream
    expected.append(unit)
  }

  /// Receives the next whole packets of the stream, and the tags of access units among them.
  mutating func push(
    _ units: Span<UInt8>, expecting expected: [Unit], into sink: inout some ByteSink & ~Copyable
  ) {
    for unit in expected { expect(unit) }
    if units.count > 0 { push(units, into: &sink) }
  }

  /// Writes what is held at the end of the stream; returns the report with what messages have added to it.
  mutating func finish(_ report: PacketStamper.Report, into sink: inout some ByteSink & ~Copyable) -> PacketStamper.Report {
    release(into: &sink)
    var report = report
    report.messages = inserted
    report.addedPackets += added
    return report
  }

  /// Receives the next whole packets of the stream.
  mutating func push(_ units: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) {
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

  /// Writes what is held: nothing of its access unit follows.
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

  /// Takes the tags of the access unit that starts. Those of access units that did not come go with them.
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

  /// Writes the packets that are held as they came. What should have gone into their access unit goes into the next one.
  private mutating func giveUp(_ output: inout [UInt8]) {
    guard let held = held.take() else { return }
    for start in stride(from: 0, to: held.units.count, by: encapsulation.framing.stride) {
      write(held.units.span.extracting(start..<start + encapsulation.framing.stride), &output)
    }
  }

  /// Writes the packets that are held, with the tags in front of the slice that starts at this byte of the access unit.
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
      if start == 0 { Self.lengthen(&packet, by: bytes.count) }
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

  /// Adds packets that continue the access unit, behind one of its packets.
  private mutating func write(new bytes: [UInt8], after packet: [UInt8], before next: Span<UInt8>?, _ output: inout [UInt8]) {
    let pid = TransportPacket.pid(of: packet.span)
    var counter = TransportPacket.counter(behind: TransportPacket.counter(of: packet))
    let packets = TransportPacket.split(
      TransportPacket.packets(carrying: bytes, pid: pid, counter: &counter, first: nil, startsUnit: false))
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

  /// A packet with the counter that it has behind the new ones.
  private func renumbered(_ packet: Span<UInt8>) -> [UInt8] {
    let shift = shifts.first { $0.pid == TransportPacket.pid(of: packet) }?.shift ?? CounterShift()
    return TransportPacket.counted([UInt8](copying: packet), packet[3] + shift)
  }

  /// States the length of a PES packet that has become longer. The length of video may be left open, and that of long video has to be.
  private static func lengthen(_ packet: inout [UInt8], by count: Int) {
    guard let header = try? TransportPacket(packet.span), header.payload.count >= PESHeader.lengthFieldEnd else { return }
    let place = header.payload.lowerBound + PESHeader.lengthFieldEnd - 2
    let length = Int(packet[place]) << 8 | Int(packet[place + 1])
    guard length > 0 else { return }
    let longer = UInt16(exactly: length + count) ?? 0
    (packet[place], packet[place + 1]) = (UInt8(longer >> 8), UInt8(longer & 0xFF))
  }

  /// From the presentation of an access unit, whose time has 33 bits, to that of a tag.
  private static func delay(of tag: Tag, from timestamp: UInt64) -> Int32 {
    Int32(clamping: TimestampUnwrapper.distance(from: timestamp, to: TimestampUnwrapper.timestamp(of: tag.time)))
  }
}
