import ByteCursor
import EventSchedule
import MediaTime
import PacketStamping
import TransportStream

/// A transport stream of one program with pictures that hold nothing, made for measuring.
enum BenchmarkStream {
  private static let map = ProgramMap(programNumber: 1, version: 0, clockPID: 0x100, streams: [.init(type: .h264, pid: 0x100)])

  /// A stream of 25 pictures a second.
  ///
  /// - Parameters:
  ///   - seconds: How long it is.
  ///   - packetsPerPicture: How many packets each picture has, at least 1.
  static func bytes(seconds: Int, packetsPerPicture: Int) -> [UInt8] {
    let tables = tables()
    var writer = ByteWriter(capacity: seconds * 25 * packetsPerPicture * TransportPacket.size)
    var counter: UInt8 = 0
    for picture in 0..<seconds * 25 {
      if picture % 10 == 0 { writer.write(tables) }
      let time = UInt64(900_000 + picture * 3_600) & 0x1_FFFF_FFFF
      for packet in 0..<max(packetsPerPicture, 1) {
        writer.writeUInt8(TransportPacket.syncByte)
        writer.writeUInt16(packet == 0 ? 0x4100 : 0x0100)
        writer.writeUInt8((packet == 0 ? 0x30 : 0x10) | counter)
        counter = (counter + 1) & 0x0F
        guard packet == 0 else {
          writer.fill(0x55, count: 184)
          continue
        }
        // An adaptation field with a clock reference, and a picture that decoding can start with.
        writer.writeUInt8(7)
        writer.writeUInt8(0x50)
        writer.writeInteger(time << 15 | 0x7E00, byteCount: 6)
        writer.write([0, 0, 1, 0xE0, 0, 0, 0x84, 0x80, 5])
        writer.writeInteger(0x21_0001_0001 | (time >> 30 & 7) << 33 | (time >> 15 & 0x7FFF) << 17 | (time & 0x7FFF) << 1, byteCount: 5)
        writer.fill(0x55, count: 184 - 8 - 14)
      }
    }
    return writer.bytes
  }

  /// The stream with a game in it.
  static func stamped(_ stream: [UInt8], _ schedule: EventSchedule) -> [UInt8] {
    var stamper = PacketStamper(schedule)
    var stamped: [UInt8] = []
    stamped.reserveCapacity(stream.count)
    let emit: (Span<UInt8>) -> Void = { bytes in
      for index in bytes.indices { stamped.append(bytes[index]) }
    }
    // The stream is made for this and has nothing that could be refused.
    _ = try? stamper.push(stream.span, emit: emit)
    _ = try? stamper.finish(emit: emit)
    return stamped
  }

  private static func tables() -> [UInt8] {
    let association = ProgramAssociation(transportStreamID: 1, version: 0, entries: [.init(number: 1, mapPID: 0x1000)])
    var counter: UInt8 = 0
    return [(association.section, ProgramAssociation.pid), (try? map.section(), PID(0x1000))].flatMap { section, pid -> [UInt8] in
      guard let bytes = try? section?.encode() else { return [] }
      let unit = [0] + bytes + [UInt8](repeating: 0xFF, count: 183 - bytes.count)
      return TransportPacket.packets(carrying: unit, pid: pid, counter: &counter)
    }
  }
}
