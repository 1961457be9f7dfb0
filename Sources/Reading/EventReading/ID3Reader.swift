import Basics
import TransportStream

/// Reads timed ID3: tags in PES packets on a PID of their own.
struct ID3Reader: CarriageReader {
  private let pid: PID
  private var assembler = TimedMetadataAssembler()

  init(pid: PID) { self.pid = pid }

  var interest: PacketFilter.Interest { .all }

  mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int) -> [CarriedItem] {
    items(assembler.push(header, payload: payload, offset: offset))
  }

  mutating func interrupt() -> [CarriedItem] { items(assembler.interrupt()) }

  mutating func finish() -> [CarriedItem] { items(assembler.finish()) }

  private func items(_ events: [TimedMetadataAssembler.Event]) -> [CarriedItem] {
    events.compactMap { event in
      guard case .tag(let found) = event, let timestamp = found.header.presentationTime else { return Damage(event).map { .damage($0) } }
      return .tag(
        CarriedTag(
          bytes: found.bytes, isRestored: found.isRestored, timestamp: timestamp, carriage: .id3(pid: pid), offset: found.offset
        ))
    }
  }
}
