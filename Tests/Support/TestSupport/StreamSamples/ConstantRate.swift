import Basics
import TransportStream

/// A stream of constant bit rate: each video frame's packets, with the tables before and the audio after it, are filled up with null packets to
/// the same number, and every clock reference is what its place in the stream tells.
package enum ConstantRate {
  /// Ticks of 27 MHz from video frame to video frame.
  private static let pictureDuration: UInt64 = 1_080_000

  /// Fills a sample up.
  ///
  /// - Parameters:
  ///   - sample: A stream with video on PID 0x100.
  ///   - packets: How many packets a video frame has; a divisor of 1,080,000.
  ///   - pictures: The pictures, counted in decoding order, behind which there are null packets; private data takes their room behind the others.
  ///     `nil` for all.
  ///   - lead: How long before the first picture is presented the stream begins, in ticks of 90 kHz.
  package static func stream(
    _ sample: SampleStream, packetsPerPicture packets: Int, pictures: ClosedRange<Int>? = nil, lead: UInt64 = 12_600
  ) -> [UInt8] {
    var groups: [[[UInt8]]] = [[]]
    var hasPicture = false
    for packet in SamplePacket.all(in: sample.bytes) {
      let startsPicture = packet.pid == 0x100 && packet.header.startsUnit
      let startsTables = packet.pid == 0
      if hasPicture, startsPicture || startsTables {
        groups.append([])
        hasPicture = false
      }
      if startsPicture { hasPicture = true }
      groups[groups.count - 1].append(packet.bytes)
    }
    var output: [UInt8] = []
    for (number, group) in groups.enumerated() {
      let isFree = pictures?.contains(number) ?? true
      let filling = isFree ? SamplePacketWriter.nullPacket : privatePacket
      let fillings = [[UInt8]](repeating: filling, count: max(0, packets - group.count))
      // The first picture has them in front, behind the tables.
      let tableCount = number == 0 ? group.firstIndex { TransportPacket.pid(of: $0.span) == 0x100 } ?? 0 : group.count
      for bytes in group[..<tableCount] + fillings + group[tableCount...] {
        output += retimed(
          bytes, to: ((sample.start &- lead) & 0x1_FFFF_FFFF) * 300 + UInt64(output.count / 188) * (pictureDuration / UInt64(packets)))
      }
    }
    return output
  }

  /// The clock references of a stream of nothing but packets, in ticks of 27 MHz, with the places of their packets.
  package static func clocks(in stream: [UInt8]) -> [(offset: Int, clock: UInt64)] {
    SamplePacket.all(in: stream).compactMap { packet in
      guard packet.header.adaptation?.pcr != nil else { return nil }
      let field = packet.bytes[6..<12].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return (packet.offset, (field >> 15) * 300 + field & 0x1FF)
    }
  }

  /// A packet without an adaptation field on a PID of its own, whose counter is not looked at.
  private static let privatePacket: [UInt8] = [0x47, 0x00, 0x77, 0x10] + [UInt8](repeating: 0x77, count: 184)

  private static func retimed(_ packet: [UInt8], to clock: UInt64) -> [UInt8] {
    guard let header = try? TransportPacket(packet.span), header.adaptation?.pcr != nil else { return packet }
    var writer = ByteWriter()
    writer.writeInteger((clock / 300 & 0x1_FFFF_FFFF) << 15 | 0x7E00 | clock % 300, byteCount: 6)
    return packet[..<6] + writer.bytes + packet[12...]
  }
}
