import Basics
import NALUnits
import TransportStream

/// The packets from the start of an access unit on, until its first slice is found, and the packets of other streams between them.
struct HeldAccessUnit: Sendable {
  /// A packet of the access unit.
  struct Part: Sendable {
    /// The offset of the packet, with its encapsulation, in the held bytes.
    var start: Int
    /// The bytes of the access unit in the packet.
    var payload: Range<Int>
    /// The offset of the first of them in the access unit.
    var position: Int
  }

  /// The state of the search for the first slice.
  enum Progress: Equatable, Sendable {
    /// More packets are needed.
    case incomplete
    /// Its first slice starts here, in bytes of the access unit.
    case found(slice: Int)
    /// It cannot carry messages.
    case unusable
  }

  /// When it is presented, in 90 kHz ticks of 33 bits.
  let timestamp: UInt64
  /// Whole packets, with their encapsulation.
  private(set) var units: [UInt8] = []
  private(set) var parts: [Part] = []
  private var head: AccessUnitHead
  private let framing: PacketFramer.Framing
  private let pid: PID
  private var counter: UInt8

  /// The maximum number of held bytes. No access unit has as much before its first slice, even with the packets of other streams in between.
  private static let mostBytes = 1 << 20

  /// Starts with a packet that starts an access unit of known time; `nil` for any other.
  init?(_ packet: Span<UInt8>, _ codec: NALUnitCodec, _ framing: PacketFramer.Framing) {
    guard let header = try? TransportPacket(packet), header.startsUnit, header.scrambling == 0, !header.hasError,
      let pes = try? PESHeader(packet.extracting(header.payload)), let time = pes.presentationTime
    else { return nil }
    timestamp = time
    head = AccessUnitHead(codec, .startCodes)
    (pid, counter, self.framing) = (header.pid, TransportPacket.counter(before: header.continuityCounter), framing)
  }

  /// Receives the next packet of the stream, the first one included.
  mutating func push(_ unit: Span<UInt8>) -> Progress {
    let packet = unit.extracting(framing.packetRange)
    guard TransportPacket.pid(of: packet) == pid else {
      units.append(copying: unit)
      return units.count > Self.mostBytes ? .unusable : .incomplete
    }
    guard let header = try? TransportPacket(packet), !header.hasError, header.scrambling == 0 else { return hold(unit, .unusable) }
    guard header.hasPayload else { return hold(unit, .incomplete) }
    // A packet that was sent twice would need the same change twice.
    if header.continuityCounter == counter, repeatsLast(packet) { return .incomplete }
    guard header.continuityCounter == TransportPacket.counter(after: counter) else { return hold(unit, .unusable) }
    counter = header.continuityCounter
    let isFirst = parts.isEmpty
    let headerSize = isFirst ? (try? PESHeader(packet.extracting(header.payload)))?.size ?? 0 : 0
    let payload = min(header.payload.lowerBound + headerSize, header.payload.upperBound)..<header.payload.upperBound
    parts.append(Part(start: units.count, payload: payload, position: head.bytes.count))
    switch head.push(packet.extracting(payload)) {
    case .incomplete: return hold(unit, .incomplete)
    case .found(let slice, startsPicture: true): return hold(unit, .found(slice: slice))
    case .found, .none: return hold(unit, .unusable)
    }
  }

  private mutating func hold(_ unit: Span<UInt8>, _ progress: Progress) -> Progress {
    units.append(copying: unit)
    return progress
  }

  private func repeatsLast(_ packet: Span<UInt8>) -> Bool { lastPacket.map { $0 == [UInt8](copying: packet) } ?? false }

  /// The latest packet of the access unit, as received.
  var lastPacket: [UInt8]? {
    parts.last.map { Array(units[($0.start + framing.packetStart)...].prefix(TransportPacket.size)) }
  }
}
