package import TransportStream

/// A packet of a stream, to be looked at in tests.
package struct SamplePacket: Equatable, Sendable {
  /// Where it starts in the stream.
  package var offset: Int
  /// Its 188 bytes.
  package var bytes: [UInt8]
  /// What is before its payload.
  package var header: TransportPacket

  /// The packet's PID.
  package var pid: PID { header.pid }
  /// The packet without its continuity counter.
  package var uncounted: [UInt8] { bytes.indices.map { $0 == 3 ? bytes[$0] & 0xF0 : bytes[$0] } }

  /// The packets of a stream of nothing but packets.
  package static func all(in stream: [UInt8]) -> [SamplePacket] {
    stride(from: 0, to: stream.count - TransportPacket.size + 1, by: TransportPacket.size).compactMap { offset in
      let bytes = Array(stream[offset..<offset + TransportPacket.size])
      return (try? TransportPacket(bytes.span)).map { SamplePacket(offset: offset, bytes: bytes, header: $0) }
    }
  }

  /// The stream without the packets of a PID.
  package static func stream(_ stream: [UInt8], without pid: PID) -> [UInt8] { all(in: stream).filter { $0.pid != pid }.flatMap(\.bytes) }

  /// The stream's packets with what other framings put around them.
  ///
  /// - Parameter around: What that is, by a packet: 4 bytes in front, or 16 behind; all zero, or all 0xEE, where it is not said.
  package static func reframed(
    _ stream: [UInt8], _ framing: PacketFramer.Framing, around: ((SamplePacket) -> [UInt8])? = nil
  ) -> [UInt8] {
    all(in: stream).flatMap { packet -> [UInt8] in
      switch framing {
      case .plain: packet.bytes
      case .timestamped: (around?(packet) ?? [0, 0, 0, 0]) + packet.bytes
      case .withParity: packet.bytes + (around?(packet) ?? [UInt8](repeating: 0xEE, count: 16))
      }
    }
  }

  /// The offsets of packets whose continuity counter does not follow that of the packet before on the same PID.
  package static func continuityErrors(in stream: [UInt8]) -> [Int] {
    var counters: [PID: UInt8] = [:]
    return all(in: stream).compactMap { packet in
      guard packet.pid != TransportPacket.nullPID else { return nil }
      let counter = packet.header.continuityCounter
      defer { counters[packet.pid] = counter }
      guard let last = counters[packet.pid] else { return nil }
      return counter == (packet.header.hasPayload ? (last + 1) & 0x0F : last) ? nil : packet.offset
    }
  }

  /// A stream without packets of a PID that repeat the packet before on that PID.
  package static func withoutRepeats(on pid: PID, in stream: [UInt8]) -> [UInt8] {
    var last: [UInt8] = []
    return all(in: stream).flatMap { packet -> [UInt8] in
      guard packet.pid == pid else { return packet.bytes }
      defer { last = packet.bytes }
      return packet.bytes == last ? [] : packet.bytes
    }
  }

  /// The PES packets of a PID.
  package static func pes(on pid: PID, in stream: [UInt8]) -> [PESAssembler.Packet] {
    var assembler = PESAssembler()
    var events = all(in: stream).filter { $0.pid == pid }.flatMap { packet in
      assembler.push(packet.header, payload: packet.bytes.span.extracting(packet.header.payload), offset: packet.offset)
    }
    events += assembler.finish()
    return events.compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
  }

  /// The sections of a PID, each time that they come.
  package static func sections(on pid: PID, in stream: [UInt8]) -> [[UInt8]] {
    var assembler = SectionAssembler()
    return all(in: stream).filter { $0.pid == pid }.flatMap { packet in
      assembler.push(packet.header, payload: packet.bytes.span.extracting(packet.header.payload))
    }
  }
}
