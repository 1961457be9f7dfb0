import Basics
import TransportStream

/// The end of an edited stream, whose packets are still undecided. If no packet is undecided, bytes are written as they arrive.
struct EditWindow: Sendable {
  /// An undecided packet.
  private struct Slot: Sendable {
    /// The range of the packet, with its encapsulation, in the held bytes.
    var place: Range<Int>
    /// The packets that replace it; `nil` if it stays.
    var replacement: [[UInt8]]?
  }

  /// The framing of the packets that follow.
  var framing = PacketFramer.Framing.plain
  private var held: [UInt8] = []
  private var slots: [Slot] = []
  /// The number of slots that were written.
  private var written = 0

  /// The null packets of the stream before it was stamped.
  private(set) var nullPackets = NullPackets()

  /// The number of packets of PMTs that were changed.
  var changedMaps = 0

  /// The numbers of packets that were added, removed, and replaced by null packets.
  private(set) var counts = Counts()

  struct Counts: Equatable, Sendable {
    var added = 0
    var removed = 0
    var nulled = 0
  }

  /// The maximum number of held bytes: 0.7 s at 95 Mbit/s.
  static let largestSize = 8 << 20

  /// Whether the held bytes exceed the limit.
  var isFull: Bool { held.count > Self.largestSize }

  /// Replaces the payload of a held packet with new packets, or removes it. An adaptation field that matters stays.
  ///
  /// - Parameters:
  ///   - counter: The counter of the packet before, and on return that of the last new packet.
  ///   - filling: The packets that replace a packet of which nothing is left.
  mutating func refill(_ number: Int, with new: [[UInt8]], after counter: inout UInt8, _ filling: [[UInt8]]) {
    let old = packet(number)
    let packets = (ExistingStream.isBound(old.span) ? [TransportPacket.withoutPayload(old, counter: counter)] : []) + new
    if let last = new.last { counter = TransportPacket.counter(of: last) }
    replace(number, with: packets.isEmpty ? filling : packets)
  }

  /// Corrects the counter of a held packet for packets that were added or removed before it.
  mutating func renumber(_ number: Int, _ header: TransportPacket, by shift: CounterShift) {
    if !shift.isZero { replace(number, with: [renumbered(number, header, by: shift)]) }
  }

  /// Returns a held packet with its corrected counter.
  func renumbered(_ number: Int, _ header: TransportPacket, by shift: CounterShift) -> [UInt8] {
    TransportPacket.counted(packet(number), header.continuityCounter + shift)
  }

  /// Writes packets as they are.
  mutating func write(_ units: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    if slots.isEmpty { sink.write(units) } else { held.append(copying: units) }
  }

  /// Writes a null packet as it is.
  mutating func writeNull(_ unit: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    // Held ones are received when those before them are decided.
    if slots.isEmpty { _ = nullPackets.push(unit.extracting(framing.packetRange)) }
    write(unit, &sink)
  }

  /// Holds a packet until it is decided; returns its number.
  mutating func hold(_ unit: Span<UInt8>) -> Int {
    let start = held.count
    held.append(copying: unit)
    slots.append(Slot(place: start..<held.count))
    return written + slots.count - 1
  }

  /// A packet that is held, of 188 bytes.
  func packet(_ number: Int) -> [UInt8] {
    let start = slots[number - written].place.lowerBound + framing.packetStart
    return Array(held[start..<start + TransportPacket.size])
  }

  /// The packets that replace a held packet; `nil` if it stays.
  func replacement(_ number: Int) -> [[UInt8]]? { slots[number - written].replacement }

  /// Replaces a held packet with other packets.
  mutating func replace(_ number: Int, with packets: [[UInt8]]) {
    let isAgain = slots[number - written].replacement != nil
    slots[number - written].replacement = packets
    // Replacing a packet with one other is not counted.
    guard !isAgain else { return }
    if packets.isEmpty {
      counts.removed += 1
    } else if packets == [TransportPacket.nullPacket] {
      counts.nulled += 1
    } else {
      counts.added += packets.count - 1
    }
  }

  /// Records that a packet that is not held was removed.
  mutating func recordRemoval() { counts.removed += 1 }

  /// Writes all that is held.
  mutating func flush(_ sink: inout some ByteSink & ~Copyable) {
    guard !slots.isEmpty else { return }
    var position = 0
    for slot in slots {
      guard let replacement = slot.replacement else { continue }
      followNullPackets(position..<slot.place.lowerBound)
      sink.write(held.span.extracting(position..<slot.place.lowerBound))
      let unit = Array(held[slot.place])
      for packet in replacement {
        let restored = packet == TransportPacket.nullPacket ? nullPackets.restored() : packet
        sink.write(reframed(restored, insteadOf: unit).span)
      }
      position = slot.place.upperBound
    }
    followNullPackets(position..<held.count)
    sink.write(held.span.extracting(position...))
    written += slots.count
    slots = []
    held.removeAll(keepingCapacity: true)
  }

  /// Receives the null packets among held packets that stay.
  private mutating func followNullPackets(_ range: Range<Int>) {
    guard nullPackets.needsAll else { return }
    for start in stride(from: range.lowerBound, to: range.upperBound, by: framing.stride) {
      let place = start + framing.packetStart
      guard place + TransportPacket.size <= range.upperBound, held[place] == TransportPacket.syncByte else { return }
      let packet = Array(held[place..<place + TransportPacket.size])
      if TransportPacket.pid(of: packet.span) == TransportPacket.nullPID { _ = nullPackets.push(packet.span) }
    }
  }

  /// Returns a packet with the encapsulation of another: its timestamp, or parity if it has some.
  private func reframed(_ packet: [UInt8], insteadOf unit: [UInt8]) -> [UInt8] {
    let range = framing.packetRange
    guard framing == .withParity, unit.count == framing.stride else {
      return unit[..<range.lowerBound] + packet + unit[range.upperBound...]
    }
    let parity = Array(unit[range.upperBound...])
    let isComputed = ReedSolomonParity.parity(of: unit.span.extracting(range)) == parity
    return packet + (isComputed ? ReedSolomonParity.parity(of: packet.span) : parity)
  }
}
