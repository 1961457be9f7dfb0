import EventReading
import EventSchedule
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// Packets of 192 and of 204 bytes keep their timestamps and their parity, and new ones have the same.
@Suite struct FramingTests {
  static let pid: PID = 0x102

  /// How a stream without null packets and one of constant rate come.
  static func source(_ hasConstantRate: Bool) -> [UInt8] {
    hasConstantRate ? ConstantRate.stream(SampleStream(), packetsPerPicture: 24) : SampleStream().bytes
  }

  static func units(_ stream: [UInt8], _ framing: PacketFramer.Framing) -> [[UInt8]] {
    stride(from: 0, to: stream.count, by: framing.stride).map { Array(stream[$0..<min($0 + framing.stride, stream.count)]) }
  }

  /// The stamped packets are those of the plain stream.
  static func expectSamePackets(_ stamped: [UInt8], _ framing: PacketFramer.Framing, _ plain: [UInt8]) throws {
    let packets = units(stamped, framing).flatMap { $0[framing.packetRange] }
    #expect(packets == (try stamp(plain, with: SampleGame.plan())).bytes)
  }

  /// The clock starts near its wrap, 1,000 ticks from packet to packet, with both bits of copy permission.
  @Test(arguments: [false, true]) func timestamps(hasConstantRate: Bool) throws {
    let plain = Self.source(hasConstantRate)
    let start: UInt32 = (1 << 30) - 90_500
    let original = SamplePacket.reframed(plain, .timestamped) { packet in
      ArrivalTimestamp(copyPermission: 3, ticks: start &+ UInt32(packet.offset / 188 * 1_000)).bytes
    }
    for chunk in [nil, 1, 500] as [Int?] {
      let (stamped, report) = try stamp(original, with: SampleGame.plan(), chunk: chunk)
      try Self.expectSamePackets(stamped, .timestamped, plain)
      let difference = StampedDifference(original, stamped, eventPID: Self.pid, pmtPID: 0x1000, .timestamped)
      #expect(difference.unexpected == [] && difference.added == report.addedPackets)
      #expect((report.addedPackets == 0) == hasConstantRate)
      // Each follows the one before, by 1,000 ticks at most.
      let times = Self.units(stamped, .timestamped).map { ArrivalTimestamp($0.span) }
      #expect(times.allSatisfy { $0.copyPermission == 3 })
      let steps = zip(times, times.dropFirst()).map { ($1.ticks &- $0.ticks) % (1 << 30) }
      #expect(steps.dropLast(6).allSatisfy { (1...1_000).contains($0) })
      #expect(steps.allSatisfy { $0 <= 1_000 })
    }
  }

  @Test(arguments: [false, true]) func parity(hasConstantRate: Bool) throws {
    let plain = Self.source(hasConstantRate)
    var original = SamplePacket.reframed(plain, .withParity) { ReedSolomonParity.parity(of: $0.bytes.span) }
    let (stamped, report) = try stamp(original, with: SampleGame.plan())
    try Self.expectSamePackets(stamped, .withParity, plain)
    let difference = StampedDifference(original, stamped, eventPID: Self.pid, pmtPID: 0x1000, .withParity)
    #expect(difference.unexpected == [] && difference.added == report.addedPackets)
    #expect(Self.units(stamped, .withParity).allSatisfy { ReedSolomonParity.parity(of: Array($0[..<188]).span) == Array($0[188...]) })
    // The parity of the last packet may be missing, and that of damaged packets is as it came.
    original[204 * 8 + 190] ^= 1
    original.removeLast(16)
    let (cut, _) = try stamp(original, with: SampleGame.plan())
    let others = Self.units(cut, .withParity).filter { ![Self.pid, 0x1000, 0x1FFF].contains(TransportPacket.pid(of: $0.span)) }
    let wanted = Self.units(original, .withParity).filter { ![0x1000, 0x1FFF].contains(TransportPacket.pid(of: $0.span)) }
    #expect(hasConstantRate || others.map { $0.prefix(188) } == wanted.map { $0.prefix(188) })
  }

  /// Bytes that are there instead of parity are the same behind new packets.
  @Test(arguments: [0, 0xEE, 0xFF] as [UInt8]) func fillings(byte: UInt8) throws {
    let plain = Self.source(true)
    let original = SamplePacket.reframed(plain, .withParity) { _ in [UInt8](repeating: byte, count: 16) }
    let (stamped, _) = try stamp(original, with: SampleGame.plan())
    try Self.expectSamePackets(stamped, .withParity, plain)
    #expect(Self.units(stamped, .withParity).allSatisfy { $0[188...].allSatisfy { $0 == byte } })
    #expect(StampedDifference(original, stamped, eventPID: Self.pid, pmtPID: 0x1000, .withParity).unexpected == [])
  }
}
