import Basics
import Testing
import TransportStream

@Suite struct PacketFramerTests {
  struct Found: Equatable {
    var packets: [Int: [UInt8]] = [:]
    var skipped: [PacketFramer.Skipped] = []
  }

  /// Two sync bytes at the end of a short stream are packets. Behind the limit of the search they are what happens to lie there.
  @Test(arguments: [-1, 0, 1, 1_000]) func syncBytesAtTheLimit(excess: Int) {
    var bytes = [UInt8](repeating: 0, count: PacketFramer.detectionLimit + excess)
    for packet in 1...2 { bytes[bytes.count - packet * 188] = 0x47 }
    var framer = PacketFramer()
    framer.push(bytes.span) { _, _ in
    } skip: { _ in
    }
    #expect(framer.isTransportStreamAtEnd == (excess <= 0))
  }

  static func stream(_ framing: PacketFramer.Framing, count: Int) -> [UInt8] {
    (0..<count).flatMap { number -> [UInt8] in
      let packet: [UInt8] = [0x47, 0x01, UInt8(number & 0xFF), 0x10] + [UInt8](repeating: UInt8(number * 7 & 0xFF), count: 184)
      switch framing {
      case .plain: return packet
      case .timestamped: return [0, 0, 0, UInt8(number & 0xFF)] + packet
      case .withParity: return packet + [UInt8](repeating: 0xEE, count: 16)
      }
    }
  }

  static func frame(_ bytes: [UInt8], chunk: Int) -> (Found, PacketFramer.Framing?) {
    var framer = PacketFramer()
    var found = Found()
    var position = 0
    while position < bytes.count {
      let part = Array(bytes[position..<min(position + chunk, bytes.count)])
      framer.push(part.span) {
        found.packets[$1] = [UInt8](copyingSpan: $0)
      } skip: {
        found.skipped.append($0)
      }
      position += part.count
    }
    framer.finish {
      found.packets[$1] = [UInt8](copyingSpan: $0)
    } skip: {
      found.skipped.append($0)
    }
    return (found, framer.framing)
  }

  @Test(arguments: PacketFramer.Framing.allCases, [1, 7, 188, 1_000, 100_000])
  func findsEveryPacketInChunksOfAnySize(framing: PacketFramer.Framing, chunk: Int) {
    let bytes = Self.stream(framing, count: 20)
    let (found, detected) = Self.frame(bytes, chunk: chunk)
    #expect(detected == framing)
    #expect(found.skipped == [])
    #expect(found.packets.keys.sorted() == (0..<20).map { $0 * framing.stride + framing.packetStart })
    for (offset, packet) in found.packets { #expect(packet == Array(bytes[offset..<offset + 188])) }
  }

  /// Cut at every length, the whole packets are found and the rest is reported.
  @Test func findsWholePacketsAtEveryLength() {
    let bytes = Self.stream(.plain, count: 8)
    for length in 0...bytes.count {
      let (found, _) = Self.frame(Array(bytes.prefix(length)), chunk: 300)
      #expect(found.packets.count == length / 188)
      let rest = length % 188
      #expect(found.skipped == (rest > 0 ? [.init(offset: length - rest, count: rest)] : []))
    }
  }

  @Test(arguments: [1, 50, 188, 1_000]) func findsItsWayBack(chunk: Int) {
    let whole = Self.stream(.plain, count: 30)
    // Ten bytes are missing in packet 10, and thirty that mean nothing follow packet 19.
    let bytes =
      Array(whole[..<(10 * 188 + 50)]) + Array(whole[(10 * 188 + 60)..<(20 * 188)]) + [UInt8](repeating: 1, count: 30)
      + Array(whole[(20 * 188)...])
    let (found, _) = Self.frame(bytes, chunk: chunk)
    // The packet with the missing bytes is handed on with its successor's beginning; its content is for others to check.
    #expect(found.packets.count >= 28)
    #expect(found.skipped.allSatisfy { $0.count < 400 })
    #expect(found.packets.keys.max() == bytes.count - 188)
  }

  @Test func anythingElseHasNoPackets() {
    var generator = SeededNumbers(seed: 1)
    let noise = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let (found, framing) = Self.frame(noise, chunk: 777)
    #expect(framing == nil)
    #expect(found.packets.isEmpty)
    #expect(found.skipped == [.init(offset: 0, count: 20_000)])
  }

  /// Damage of every kind at seeded places: no crash, and offsets that grow.
  @Test(arguments: 0..<40) func survivesDamage(seed: UInt64) {
    var generator = SeededNumbers(seed: seed)
    var bytes = Self.stream(PacketFramer.Framing.allCases[Int(seed % 3)], count: 40)
    for _ in 0..<8 {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
      case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1..<400, using: &generator)))
      default: bytes.insert(contentsOf: [UInt8](repeating: 0x47, count: Int.random(in: 1..<400, using: &generator)), at: place)
      }
    }
    let (whole, _) = Self.frame(bytes, chunk: bytes.count)
    let (inPieces, _) = Self.frame(bytes, chunk: 61)
    #expect(whole == inPieces)
    let total = whole.packets.count * 188 + whole.skipped.reduce(0) { $0 + $1.count }
    #expect(total <= bytes.count)
  }
}

extension [UInt8] {
  init(copyingSpan span: Span<UInt8>) { self = span.indices.map { span[$0] } }
}
