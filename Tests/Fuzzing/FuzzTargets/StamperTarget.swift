import ByteCursor
import EventSchedule
import PacketStamping
import StreamSamples
import TransportStream

extension FuzzTarget {
  /// Stamping any packets: whole packets come out, the same in whatever pieces the bytes come. The first byte says in which, and whether the rest
  /// is a stream as it is or the packets of one whose tables are right.
  static let stamper = FuzzTarget("stamper") { bytes in
    var input = FuzzInput(bytes)
    let seed = input.next()
    let stream = seed & 1 == 0 ? Array(input.rest) : Self.stream(of: &input)
    let whole = stamp([stream])
    let pieced = stamp(stream.pieces(seed: seed))
    // Refused is refused in whatever pieces, but for what came before.
    guard whole.error == nil, pieced.error == nil else {
      return try require((whole.error == nil) == (pieced.error == nil), "\(String(describing: pieced.error)) in pieces")
    }
    try require(pieced.bytes, equals: whole.bytes, "output in pieces")
    try require(whole.bytes.count % TransportPacket.size == 0, "\(whole.bytes.count) bytes of packets")
    let starts = stride(from: 0, to: whole.bytes.count, by: TransportPacket.size)
    try require(starts.allSatisfy { whole.bytes[$0] == TransportPacket.syncByte }, "a packet without its sync byte")
  }

  private static func stamp(_ pieces: [[UInt8]]) -> (bytes: [UInt8], error: PacketStampingError?) {
    var stamper = PacketStamper(EventSchedule(SampleGame.plan(), policy: CopyPolicy()))
    var output: [UInt8] = []
    do throws(PacketStampingError) {
      for piece in pieces { try stamper.push(piece.span) { output += [UInt8](copying: $0) } }
      _ = try stamper.finish { output += [UInt8](copying: $0) }
      return (output, nil)
    } catch {
      return (output, error)
    }
  }
}
