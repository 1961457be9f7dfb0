import TestSupport
import TransportStream

extension FuzzTarget {
  /// Packets of a program whose tables are right and whose other packets hold anything, so that the layers above the tables are reached.
  static let packets = FuzzTarget("packets") { bytes in
    var input = FuzzInput(bytes)
    let seed = input.next()
    try requireSameItems(stream(of: &input), seed: seed)
  }

  /// Which packets a stream is made of.
  enum PacketMix {
    /// Those of one program with two timed ID3 streams.
    case tags
    /// Those of two programs, the first with a timed ID3 stream, and null packets.
    case broadcast
  }

  /// A stream with video and audio. Each packet takes a byte that says what it is, one for its length, and its payload; null packets take one byte
  /// for some of them.
  static func stream(of input: inout FuzzInput, _ mix: PacketMix = .tags) -> [UInt8] {
    var writer = SamplePacketWriter()
    let maps = mix.maps
    let programs = maps.map { ProgramAssociationTable.Program(number: $0.programNumber, pmtPID: 0xFFF + PID($0.programNumber)) }
    writer.append(
      section: ProgramAssociationTable(transportStreamID: 1, version: 0, entries: programs).section, pid: ProgramAssociationTable.pid)
    var counters: [PID: UInt8] = [ProgramAssociationTable.pid: 1]
    for (map, program) in zip(maps, programs) {
      if let section = try? map.section() { writer.append(section: section, pid: program.pmtPID) }
      counters[program.pmtPID] = 1
    }
    while !input.rest.isEmpty {
      let kind = input.next()
      let pid = mix.pids[Int(kind & 7)]
      guard pid != TransportPacket.nullPID else {
        for _ in 0...(kind >> 3) { writer.append(packets: SamplePacketWriter.nullPacket) }
        continue
      }
      let payload = input.next(min(Int(input.next()), 183))
      let counter = kind & 0x08 != 0 ? input.next() & 0x0F : counters[pid, default: 0]
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

extension FuzzTarget.PacketMix {
  /// The programs, numbered from 1; their maps are on 0x1000 and up.
  fileprivate var maps: [ProgramMapTable] {
    let first: [ProgramMapTable.ElementaryStream] = [
      .init(type: .h264, pid: 0x100), .init(type: .aac, pid: 0x101), .init(type: .metadata, pid: 0x102), .init(type: .metadata, pid: 0x103),
    ]
    let second: [ProgramMapTable.ElementaryStream] = [.init(type: .hevc, pid: 0x200), .init(type: .aac, pid: 0x201)]
    return switch self {
    case .tags: [ProgramMapTable(programNumber: 1, version: 0, pcrPID: 0x100, streams: first)]
    case .broadcast:
      [
        ProgramMapTable(programNumber: 1, version: 0, pcrPID: 0x100, streams: Array(first.dropLast())),
        ProgramMapTable(programNumber: 2, version: 0, pcrPID: 0x200, streams: second),
      ]
    }
  }

  /// The PIDs of packets, by what they are.
  fileprivate var pids: [PID] {
    switch self {
    case .tags: [0x100, 0x101, 0x102, 0x103, 0x102, 0x102, 0x1000, 0]
    case .broadcast: [0x100, 0x101, 0x102, 0x200, 0x201, 0x1FFF, 0x1000, 0]
    }
  }
}
