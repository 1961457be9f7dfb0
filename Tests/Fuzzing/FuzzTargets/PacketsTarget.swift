import StreamSamples
import TransportStream

extension FuzzTarget {
  /// Packets of a program whose tables are right and whose other packets hold anything, so that the layers above the tables are reached.
  static let packets = FuzzTarget("packets") { bytes in
    var input = FuzzInput(bytes)
    let seed = input.next()
    try requireSameItems(stream(of: &input), seed: seed)
  }

  /// A stream with two timed ID3 streams, picture and sound. Each packet takes a byte that says what it is, one for its length, and its payload.
  static func stream(of input: inout FuzzInput) -> [UInt8] {
    var writer = SamplePacketWriter()
    let program = ProgramAssociation.Program(number: 1, mapPID: 0x1000)
    writer.append(section: ProgramAssociation(transportStreamID: 1, version: 0, entries: [program]).section, pid: ProgramAssociation.pid)
    let streams: [ProgramMap.ElementaryStream] = [
      .init(type: .h264, pid: 0x100), .init(type: .aac, pid: 0x101), .init(type: .metadata, pid: 0x102), .init(type: .metadata, pid: 0x103),
    ]
    let map = ProgramMap(programNumber: 1, version: 0, clockPID: 0x100, streams: streams)
    if let section = try? map.section() { writer.append(section: section, pid: 0x1000) }
    var counters: [PID: UInt8] = [:]
    while !input.rest.isEmpty {
      let kind = input.next()
      let pid: PID = [0x100, 0x101, 0x102, 0x103, 0x102, 0x102, 0x1000, 0][Int(kind & 7)]
      let payload = input.next(min(Int(input.next()), 183))
      let counter = kind & 0x08 != 0 ? input.next() & 0x0F : counters[pid, default: pid == 0 || pid == 0x1000 ? 1 : 0]
      counters[pid] = (counter + 1) & 0x0F
      writer.append(packets: packet(kind, pid, counter, payload))
    }
    return writer.bytes
  }

  private static func packet(_ kind: UInt8, _ pid: PID, _ counter: UInt8, _ payload: [UInt8]) -> [UInt8] {
    var packet: [UInt8] = [0x47, UInt8(kind & 0x10 == 0 ? 0x40 : 0) | UInt8(pid >> 8), UInt8(pid & 0xFF), 0x30 | counter]
    if kind & 0x80 != 0 { packet[3] |= 0x40 }
    let stuffing = 183 - payload.count
    packet.append(UInt8(stuffing))
    // Discontinuity, and a point where decoding may start.
    if stuffing > 0 { packet += [kind << 2 & 0x80 | kind & 0x40] + [UInt8](repeating: 0xFF, count: stuffing - 1) }
    return packet + payload
  }
}
