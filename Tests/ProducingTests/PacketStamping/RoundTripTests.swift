import Basics
import EventSchedule
import ID3
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// Stripping gives back the stream that was stamped, byte for byte, whatever its multiplexer did.
@Suite struct RoundTripTests {
  /// What a multiplexer did with a stream, by a seed.
  struct Source: Sendable {
    var bytes: [UInt8]
    /// What was done, for messages.
    var traits: [String] = []

    init(seed: UInt64) throws {
      var numbers = SeededNumbers(seed: seed &* 0x9E37 &+ 11)
      func below(_ count: Int) -> Int { numbers.below(count) }
      var sample = PacketEditorTests.sample(seed: seed)
      if below(2) == 0 {
        traits.append("foreign ID3")
        sample.map.streams.append(.init(type: .metadata, pid: 0x1AB, descriptors: [MetadataDescriptor(serviceID: 3).descriptor]))
        sample.map.descriptors.append(MetadataPointerDescriptor(serviceID: 3, programNumber: sample.map.programNumber).descriptor)
        for _ in 0..<1 + below(8) {
          let picture = below(61)
          let tag = try ID3Tag(frames: [.privateData(owner: "example.org", data: .init(repeating: UInt8(picture), count: 1 + below(400)))])
            .encode()
          let unit = SamplePacketWriter.pes(presentation: sample.start &+ UInt64(picture) * 3_600, payload: tag)
          sample.extras[picture, default: []].append(.pes(0x1AB, unit))
        }
        sample.laterMaps = [:]
      }
      var packets = SamplePacket.all(in: sample.bytes).map(\.bytes)
      let first = UInt8(below(16))
      if below(2) == 0 {
        traits.append("counters from \(first)")
        for index in packets.indices where [0x1AB, 0x1000].contains(Self.pid(packets[index])) {
          packets[index][3] = packets[index][3] & 0xF0 | (packets[index][3] &+ first) & 0x0F
        }
      }
      if below(3) == 0 {
        traits.append("priority")
        for index in packets.indices where Self.pid(packets[index]) == 0x1000 { packets[index][1] |= 0x20 }
      }
      if below(2) == 0 {
        traits.append("pointers and filling")
        let (lead, fill, left) = (below(30), UInt8(truncatingIfNeeded: [0xFF, 0x47, 0x00][below(3)]), below(4))
        packets = packets.map { Self.refilled($0, lead: lead, fill: fill, left: left == 3 ? nil : left) }
      }
      let hasNullPackets = below(2) == 0
      if below(3) == 0 {
        traits.append("sent twice")
        let every = 1 + below(9)
        packets = packets.enumerated().flatMap { index, packet -> [[UInt8]] in
          let isRepeated = index % every == 0 && packet[3] & 0x10 != 0
          return isRepeated ? [packet, packet] : [packet]
        }
      }
      if hasNullPackets {
        let (every, isCounted, fill) = (1 + below(12), below(2) == 0, UInt8(truncatingIfNeeded: [0xFF, 0x00, 0xFF][below(3)]))
        traits.append("a null packet behind \(every), \(isCounted ? "counted" : "alike"), of \(fill)")
        var number = 0
        packets = packets.enumerated().flatMap { index, packet -> [[UInt8]] in
          guard index % every == 0 else { return [packet] }
          defer { number += 1 }
          return [packet, [0x47, 0x1F, 0xFF, 0x10 | (isCounted ? UInt8(number & 0x0F) : 0)] + [UInt8](repeating: fill, count: 184)]
        }
      }
      bytes = packets.flatMap { $0 }
      if below(3) == 0 {
        traits.append("bytes at the ends")
        bytes = [UInt8](repeating: 0x11, count: below(300)) + bytes + [0x47, 1, 2].prefix(below(4))
      }
    }

    static func pid(_ packet: [UInt8]) -> PID { TransportPacket.pid(of: packet.span) }

    /// Returns a packet of the PMT with a longer pointer and other filling, if there is room.
    ///
    /// - Parameter left: The number of bytes of filling; `nil` if the lead tells it.
    private static func refilled(_ packet: [UInt8], lead: Int, fill: UInt8, left: Int?) -> [UInt8] {
      guard pid(packet) == 0x1000, packet[1] & 0x40 != 0, packet[3] & 0x30 == 0x10, packet[4] == 0 else { return packet }
      let size = 3 + (Int(packet[6] & 0x0F) << 8 | Int(packet[7]))
      guard 5 + size <= 188 else { return packet }
      let lead = left.map { max(188 - 5 - size - $0, 0) } ?? min(lead, 188 - 5 - size)
      let section = packet[5..<5 + size]
      let filled = packet[..<4] + [UInt8(lead)] + [UInt8](repeating: 0xFF, count: lead) + section
      return filled + [UInt8](repeating: fill, count: 188 - filled.count)
    }
  }

  @Test(arguments: Seeds.some(of: 100)) func everyStreamComesBack(seed: UInt64) throws {
    let source = try Source(seed: seed)
    let (stamped, report) = try PacketEditorTests.stamped(source.bytes)
    #expect(report.events == 5)
    #expect(try read(stamped).copies.count == report.copies, "\(source.traits)")
    let chunk = [nil, 1, 187, 5_000][Int(seed % 4)]
    let stripped = try PacketEditorTests.edit(stamped, chunk: chunk).bytes
    let differs = zip(stripped, source.bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let context = Self.context(stripped, source.bytes, differs ?? 0)
    #expect(differs == nil && stripped.count == source.bytes.count, "\(source.traits): \(context)")
  }

  /// The packet around a place in both streams, for messages.
  static func context(_ stripped: [UInt8], _ source: [UInt8], _ place: Int) -> String {
    let start = place / 188 * 188
    let heads = [stripped, source].map { bytes in "\(bytes.dropFirst(start).prefix(12)) … \(bytes.dropFirst(place).prefix(12))" }
    return "at \(place) of \(source.count), \(stripped.count) stripped: \(heads[0]), not \(heads[1])"
  }

  /// A packet of a null-packet stream that was stamped before packets were marked: all removed packets become null packets, as ever.
  @Test func withoutMarks() throws {
    let original = ConstantRate.stream(SampleStream(), packetsPerPicture: 24)
    let stamped = SamplePacket.all(in: try PacketEditorTests.stamped(original).bytes).flatMap { packet -> [UInt8] in
      var bytes = packet.bytes
      bytes[1] &= ~0x20
      return bytes
    }
    #expect(try PacketEditorTests.edit(stamped).bytes == original)
  }

  /// Null packets that nothing foretells stay, and tags are added.
  @Test func nullPacketsOfAnyContent() throws {
    var numbers = SeededNumbers(seed: 3)
    let original = SamplePacket.all(in: ConstantRate.stream(SampleStream(), packetsPerPicture: 24)).flatMap { packet -> [UInt8] in
      guard packet.pid == TransportPacket.nullPID else { return packet.bytes }
      return packet.bytes[..<4] + (0..<184).map { _ in UInt8(numbers.below(256)) }
    }
    let (stamped, report) = try PacketEditorTests.stamped(original)
    #expect(report.replacedPackets == 0 && report.addedPackets > 0)
    #expect(try PacketEditorTests.edit(stamped).bytes == original)
    // Where none may be added, they are taken.
    let (kept, keptReport) = try stamp(original, with: SampleGame.plan(), CopyPolicy(), ConstantRateTests.keepingRate)
    #expect(keptReport.addedPackets == 0 && kept.count == original.count)
  }

  /// A PMT that needs a packet more takes a null packet before it if no packet may be added, and moves back.
  @Test func aMapThatMovedUp() throws {
    var sample = SampleStream()
    sample.map.descriptors = [Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: 130))]
    let original = ConstantRateTests.stream(sample)
    let (stamped, report) = try stamp(original, with: SampleGame.plan(), CopyPolicy(), ConstantRateTests.keepingRate)
    #expect(report.addedPackets == 0 && stamped.count == original.count)
    #expect(try PacketEditorTests.edit(stamped).bytes == original)
  }
}
