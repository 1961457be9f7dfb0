import Basics
import EventSchedule
import PacketStamping
import TestSupport
import TransportStream

extension FuzzTarget {
  /// Stamping any packets, in any framing: whole packets come out, the same in whatever pieces the bytes come. The first byte says in which, and
  /// whether the rest is a stream as it is or the packets of one whose tables are right; the second one says what is asked for.
  static let stamper = FuzzTarget("stamper") { bytes in
    var input = FuzzInput(bytes)
    let seed = input.next()
    let choice = StampingChoice(input.next())
    guard seed & 1 != 0 else { return try requireSameStamping(Array(input.rest), seed, choice.options) }
    let plain = stream(of: &input, choice.hasSeveralPrograms ? .broadcast : .tags)
    let stream = choice.reframed(plain)
    try requireSameStamping(stream, seed, choice.options)
    // Short streams of strange payloads may be taken for those of another framing.
    guard found(in: plain) == .plain, found(in: stream) == choice.framing else { return }
    let stamped = stamp([stream], choice.options)
    guard let report = stamped.report else { return }
    let stride = choice.framing.stride
    try require(stamped.bytes.count, equals: stream.count + report.addedPackets * stride, "bytes with \(report.addedPackets) packets more")
    try require(report.addedPackets == 0 || !choice.options.keepsRate, "\(report.addedPackets) packets more at a constant rate")
    // With messages in it, the video changes.
    if !choice.options.carriages.contains(.messages) { try requireUntouched(stream, stamped.bytes, choice.framing) }
    // What lies around the packets makes no difference to them.
    let packets = units(stamped.bytes, choice.framing).flatMap { $0[choice.framing.packetRange] }
    try require(packets, equals: stamp([plain], choice.options).bytes, "packets in another framing")
  }

  private static func requireSameStamping(_ stream: [UInt8], _ seed: UInt8, _ options: PacketStamper.Options) throws {
    let whole = stamp([stream], options)
    let pieced = stamp(stream.pieces(seed: seed), options)
    // A stream that is refused is refused in whatever pieces it comes. What came out before the error may differ.
    guard whole.error == nil, pieced.error == nil else {
      return try require((whole.error == nil) == (pieced.error == nil), "\(String(describing: pieced.error)) in pieces")
    }
    try require(pieced.bytes, equals: whole.bytes, "output in pieces")
    try require(pieced.report, equals: whole.report, "report in pieces")
    // Bytes that belong to no packet stay before the first packet and after the last one.
    var (lead, tail) = (0, 0)
    func skip(_ skipped: PacketFramer.Skipped) {
      if skipped.offset == 0 { lead = skipped.bytes.count }
      if skipped.offset > 0, skipped.offset + skipped.count == stream.count { tail = skipped.bytes.count }
    }
    var framer = PacketFramer()
    framer.push(stream.span, packet: { _, _ in }, skip: skip)
    framer.finish(packet: { _, _ in }, skip: skip)
    guard let framing = framer.framing else { throw Finding("stamped, and no transport stream") }
    let packets = Array(whole.bytes.dropFirst(lead).dropLast(tail))
    try require(packets.count % framing.stride == 0, "\(packets.count) bytes of packets")
    let hasSync = units(packets, framing).allSatisfy { $0[framing.packetStart] == TransportPacket.syncByte }
    try require(hasSync, "a packet without its sync byte")
  }

  /// Other packets than null packets, tables and metadata go through as they came.
  static func requireUntouched(_ stream: [UInt8], _ stamped: [UInt8], _ framing: PacketFramer.Framing) throws {
    var known = Set(units(stream, framing).map { pid(of: $0, framing) })
    var tables = ProgramTables()
    known.remove(TransportPacket.nullPID)
    for unit in units(stream, framing) {
      let packet = Array(unit[framing.packetRange])
      guard let header = try? TransportPacket(packet.span), tables.follows(header.pid) else { continue }
      for case .map(let map) in tables.push(header, payload: packet.span.extracting(header.payload)) {
        for metadata in map.streams where !metadata.type.isVideo && !metadata.isAudio { known.remove(metadata.pid) }
      }
      for pid in tables.pids where pid != ProgramAssociationTable.pid { known.remove(pid) }
    }
    func others(_ bytes: [UInt8]) -> [[UInt8]] { units(bytes, framing).filter { known.contains(pid(of: $0, framing)) } }
    try require(others(stamped), equals: others(stream), "other packets")
  }

  private static func units(_ stream: [UInt8], _ framing: PacketFramer.Framing) -> [[UInt8]] {
    stride(from: 0, to: stream.count - framing.stride + 1, by: framing.stride).map { Array(stream[$0..<$0 + framing.stride]) }
  }

  private static func pid(of unit: [UInt8], _ framing: PacketFramer.Framing) -> PID {
    let packet = Array(unit[framing.packetRange])
    return TransportPacket.pid(of: packet.span)
  }

  /// The framing of a stream of nothing but packets.
  static func found(in stream: [UInt8]) -> PacketFramer.Framing? {
    var framer = PacketFramer()
    var (count, hasSkipped) = (0, false)
    framer.push(stream.span) { _, _ in
      count += 1
    } skip: { _ in
      hasSkipped = true
    }
    framer.finish { _, _ in
      count += 1
    } skip: { _ in
      hasSkipped = true
    }
    guard let framing = framer.framing, !hasSkipped, count * framing.stride == stream.count else { return nil }
    return framing
  }

  private static func stamp(
    _ pieces: [[UInt8]], _ options: PacketStamper.Options
  ) -> (bytes: [UInt8], report: PacketStamper.Report?, error: PacketStampingError?) {
    var stamper = PacketStamper(EventSchedule(SampleGame.plan(), policy: CopyPolicy()), options)
    var output: [UInt8] = []
    do throws(PacketStampingError) {
      for piece in pieces { try stamper.push(piece.span, into: &output) }
      let report = try stamper.finish(into: &output)
      return (output, report, nil)
    } catch {
      return (output, nil, error)
    }
  }
}

/// What is asked for, and how the stream comes, by the bits of a byte.
private struct StampingChoice {
  var options = PacketStamper.Options()
  var framing: PacketFramer.Framing
  var hasSeveralPrograms: Bool
  /// Whether what is around packets differs from packet to packet: clocks that go on, and parity that is right.
  private var isGenuine: Bool

  init(_ byte: UInt8) {
    framing = [.plain, .timestamped, .withParity, .plain][Int(byte & 3)]
    hasSeveralPrograms = byte & 0x04 != 0
    options.keepsRate = byte & 0x08 != 0
    if byte & 0x78 == 0x50 { options.carriages.insert(.messages) }
    options.onlyPlainPackets = byte & 0x30 == 0x30
    options.program = hasSeveralPrograms ? (byte & 0x40 != 0 ? 2 : 1) : nil
    isGenuine = byte & 0x80 != 0
  }

  /// The packets with what this framing puts around them.
  func reframed(_ plain: [UInt8]) -> [UInt8] {
    stride(from: 0, to: plain.count, by: TransportPacket.size).flatMap { start -> [UInt8] in
      let packet = Array(plain[start..<start + TransportPacket.size])
      let ticks = isGenuine ? (1 << 30) - 2_000 + UInt32(truncatingIfNeeded: start / TransportPacket.size * 1_000) : 0
      return switch framing {
      case .plain: packet
      case .timestamped: ArrivalTimestamp(copyPermission: 3, ticks: ticks).bytes + packet
      case .withParity: packet + (isGenuine ? ReedSolomonParity.parity(of: packet.span) : [UInt8](repeating: 0xEE, count: 16))
      }
    }
  }
}
