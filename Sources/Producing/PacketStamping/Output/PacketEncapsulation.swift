import Basics
import TransportStream

/// Gives new packets the encapsulation of the stream's packets: none, a timestamp before each, or parity after it.
struct PacketEncapsulation: Sendable {
  /// The 16 bytes after a packet in a stride of 204.
  enum Parity: Equatable, Sendable {
    /// The parity of the packet.
    case computed
    /// The same byte 16 times, in all packets.
    case filling(UInt8)
  }

  let framing: PacketFramer.Framing
  private let parity: Parity
  /// The timestamp of the packet that was written last.
  private var latest: ArrivalTimestamp?

  /// The number of packets that are examined to detect the kind of parity.
  private static let sampleSize = 64

  /// Plain packets.
  init() {
    framing = .plain
    parity = .filling(0)
  }

  /// Detects the encapsulation from the first packets of the stream.
  ///
  /// - Throws: `unknownParity` if the bytes after packets are neither their parity nor always the same.
  init(_ units: Span<UInt8>, framing: PacketFramer.Framing) throws(PacketStampingError) {
    self.framing = framing
    guard framing == .withParity else {
      parity = .filling(0)
      return
    }
    parity = try Self.parity(units, stride: framing.stride)
  }

  private static func parity(_ units: Span<UInt8>, stride: Int) throws(PacketStampingError) -> Parity {
    var (checked, right) = (0, 0)
    var fillings: Set<UInt8> = []
    var isFilled = true
    for start in Swift.stride(from: 0, through: units.count - stride, by: stride).prefix(sampleSize) {
      let stated = [UInt8](copying: units.extracting(start + TransportPacket.size..<start + stride))
      checked += 1
      if ReedSolomonParity.parity(of: units.extracting(start..<start + TransportPacket.size)) == stated { right += 1 }
      fillings.insert(stated[0])
      isFilled = isFilled && stated.allSatisfy { $0 == stated[0] }
    }
    // The parity of packets with errors does not match.
    if right * 2 > checked { return .computed }
    guard isFilled, fillings.count <= 1 else { throw .unknownParity }
    return .filling(fillings.first ?? 0)
  }

  /// Records packets that are written, because the timestamps of new packets continue from theirs.
  mutating func record(_ units: Span<UInt8>) {
    guard framing == .timestamped, units.count >= framing.stride else { return }
    latest = ArrivalTimestamp(units.extracting((units.count - framing.stride)...))
  }

  /// Encapsulates new packets of 188 bytes that go between the last written packet and `next`, which is `nil` if it is unknown.
  mutating func encapsulated(_ packets: [[UInt8]], before next: Span<UInt8>?) -> [UInt8] {
    switch framing {
    case .plain: return packets.flatMap { $0 }
    case .withParity: return packets.flatMap { $0 + parity(of: $0) }
    case .timestamped:
      var following: ArrivalTimestamp?
      if let next { following = ArrivalTimestamp(next) }
      guard let start = latest ?? following else { return packets.flatMap { [0, 0, 0, 0] + $0 } }
      var units: [UInt8] = []
      for (number, packet) in packets.enumerated() {
        let time = following.map { start.interpolated(before: $0, number: number, of: packets.count) } ?? start
        units += time.bytes + packet
        latest = time
      }
      return units
    }
  }

  /// Returns a packet that replaces another, with the timestamp of the old one.
  func replaced(_ unit: Span<UInt8>, with packet: [UInt8]) -> [UInt8] {
    let front = [UInt8](copying: unit.extracting(..<framing.packetStart))
    return front + packet + (framing == .withParity ? parity(of: packet) : [])
  }

  /// Returns the bytes after a new or changed packet.
  func parity(of packet: [UInt8]) -> [UInt8] {
    switch parity {
    case .computed: ReedSolomonParity.parity(of: packet.span)
    case .filling(let byte): [UInt8](repeating: byte, count: ReedSolomonParity.size)
    }
  }
}
