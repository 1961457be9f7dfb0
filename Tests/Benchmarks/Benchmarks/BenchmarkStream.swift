import Basics
import EventSchedule
import PacketStamping
import TransportStream

/// A transport stream of one program with empty video frames, made for measuring.
enum BenchmarkStream {
  private static let map = ProgramMapTable(programNumber: 1, version: 0, pcrPID: 0x100, streams: [.init(type: .h264, pid: 0x100)])

  /// Makes a stream second by second, 25 video frames each.
  struct Second {
    private let packetsPerPicture: Int
    private var bytes: [UInt8] = []
    private var picture = 0

    /// Each video frame has this number of packets, at least 1.
    init(packetsPerPicture: Int) { self.packetsPerPicture = max(packetsPerPicture, 1) }

    /// The next second: the bytes of the one before with other times, since most of a real stream costs nothing to make either.
    mutating func next() -> [UInt8] {
      if bytes.isEmpty {
        let tables = BenchmarkStream.tables()
        var writer = ByteWriter(capacity: 25 * packetsPerPicture * TransportPacket.size + tables.count)
        writer.write(tables)
        for _ in 0..<25 * packetsPerPicture { writer.write(BenchmarkStream.filler) }
        bytes = writer.bytes
      }
      let tableSize = bytes.count - 25 * packetsPerPicture * TransportPacket.size
      for index in 0..<25 {
        var counter = UInt8(truncatingIfNeeded: (picture &* packetsPerPicture) & 0x0F)
        var start = tableSize + index * packetsPerPicture * TransportPacket.size
        bytes.replaceSubrange(start..<start + TransportPacket.size, with: BenchmarkStream.first(picture: picture, counter: counter))
        for _ in 1..<packetsPerPicture {
          start += TransportPacket.size
          counter = (counter + 1) & 0x0F
          bytes[start + 3] = 0x10 | counter
        }
        picture += 1
      }
      return bytes
    }
  }

  /// A stream of 25 video frames a second.
  ///
  /// - Parameters:
  ///   - seconds: How long it is.
  ///   - packetsPerPicture: How many packets each video frame has, at least 1.
  static func bytes(seconds: Int, packetsPerPicture: Int) -> [UInt8] {
    var second = Second(packetsPerPicture: packetsPerPicture)
    return (0..<seconds).flatMap { _ in second.next() }
  }

  /// A packet that continues a video frame.
  private static let filler = [TransportPacket.syncByte, 0x01, 0x00, 0x10] + [UInt8](repeating: 0x55, count: 184)

  /// The packet that a video frame starts in: an adaptation field with a PCR, and a frame that decoding can start with.
  private static func first(picture: Int, counter: UInt8) -> [UInt8] {
    let time = UInt64(900_000 + picture * 3_600) & 0x1_FFFF_FFFF
    var writer = ByteWriter(capacity: TransportPacket.size)
    writer.write([TransportPacket.syncByte, 0x41, 0x00, 0x30 | counter, 7, 0x50])
    writer.writeInteger(time << 15 | 0x7E00, byteCount: 6)
    writer.write([0, 0, 1, 0xE0, 0, 0, 0x84, 0x80, 5])
    writer.writeInteger(0x21_0001_0001 | (time >> 30 & 7) << 33 | (time >> 15 & 0x7FFF) << 17 | (time & 0x7FFF) << 1, byteCount: 5)
    writer.fill(0x55, count: 184 - 8 - 14)
    return writer.bytes
  }

  /// The stream with a game in it.
  static func stamped(_ stream: [UInt8], _ schedule: EventSchedule) -> [UInt8] {
    var stamper = PacketStamper(schedule)
    var stamped: [UInt8] = []
    stamped.reserveCapacity(stream.count)
    // The stream is made for this and has nothing that could be refused.
    _ = try? stamper.push(stream.span, into: &stamped)
    _ = try? stamper.finish(into: &stamped)
    return stamped
  }

  private static func tables() -> [UInt8] {
    let association = ProgramAssociationTable(transportStreamID: 1, version: 0, entries: [.init(number: 1, pmtPID: 0x1000)])
    var counter: UInt8 = 0
    return [(association.section, ProgramAssociationTable.pid), (try? map.section(), PID(0x1000))].flatMap { section, pid -> [UInt8] in
      guard let bytes = try? section?.encode() else { return [] }
      let unit = [0] + bytes + [UInt8](repeating: 0xFF, count: 183 - bytes.count)
      return TransportPacket.packets(carrying: unit, pid: pid, counter: &counter)
    }
  }
}
