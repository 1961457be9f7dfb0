import Basics
import NALUnits
import TransportStream

/// Reads tags in SEI messages of the video.
struct SEIReader: CarriageReader {
  private let pid: PID
  private var reader: MessageReader

  init(pid: PID, _ codec: NALUnitCodec) { (self.pid, reader) = (pid, MessageReader(codec)) }

  var interest: PacketFilter.Interest { reader.isInsideUnit ? .all : .unitStarts }

  mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int) -> [CarriedItem] {
    guard let found = reader.push(header, payload: payload, offset: offset) else { return [] }
    return found.tags.map { message in
      let timestamp = UInt64(bitPattern: Int64(found.timestamp) + Int64(message.delay)) & UInt64(TimestampUnwrapper.period - 1)
      return .tag(CarriedTag(bytes: message.tag, timestamp: timestamp, carriage: .sei(pid: pid), offset: found.offset))
    }
  }

  mutating func interrupt() -> [CarriedItem] {
    reader.interrupt()
    return []
  }

  mutating func finish() -> [CarriedItem] { [] }
}
