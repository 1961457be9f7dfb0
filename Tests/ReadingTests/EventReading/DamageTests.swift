import Basics
import EventReading
import EventSchedule
import GameEvents
import TestSupport
import Testing
import TransportStream

/// Damage costs what it hits, and never makes an event that nobody stamped.
@Suite struct DamageTests {
  static let event = SampleGame.short(at: 36_000)

  /// A short stream that carries one copy of one short event.
  static func oneCopy() throws -> [UInt8] {
    var sample = SampleStream()
    sample.pictureCount = 16
    return try stamp(sample.bytes, with: [event], CopyPolicy(copies: 1, refreshInterval: nil)).bytes
  }

  /// Every bit of every packet that carries the event's PES: the event as it was stamped, or none.
  @Test func everyBitOfAnEvent() throws {
    let stream = try Self.oneCopy()
    let packets = SamplePacket.all(in: stream).filter { $0.pid == 0x102 }
    let first = try #require(packets.first?.offset)
    let end = first + packets.count * 188
    #expect(packets.last?.offset == end - 188)
    // The reader is a value: what comes before the event is read once.
    var reader = EventReader()
    let before = try reader.push(stream.span.extracting(..<first))
    let rest = Array(stream[end..<min(end + 6 * 188, stream.count)])
    var (right, none) = (0, 0)
    for bit in 0..<(end - first) * 8 {
      var carried = Array(stream[first..<end])
      carried[bit / 8] ^= 1 << UInt8(bit % 8)
      var flipped = reader
      let items = try before + flipped.push(carried.span) + flipped.push(rest.span) + flipped.finish()
      let copies = items.copies
      let wrong = copies.filter { $0.copy != EventCopy(of: Self.event.event) }
      #expect(wrong.isEmpty, "bit \(bit)")
      #expect(copies.count <= 1, "bit \(bit)")
      if copies.isEmpty { none += 1 } else { right += 1 }
    }
    #expect(right > 0)
    #expect(none > 0)
  }

  /// Each packet in turn is lost: what it carried is lost, and all else is there.
  @Test func everyPacketLost() throws {
    var sample = SampleStream()
    sample.pictureCount = 31
    let (stream, _) = try stamp(sample.bytes, with: Array(SampleGame.plan().prefix(2)))
    let whole = try read(stream).copies
    for packet in SamplePacket.all(in: stream).dropFirst(2) {
      let items = try read(Array(stream[..<packet.offset] + stream[(packet.offset + 188)...]))
      let found = items.copies.map(\.copy)
      guard packet.pid == 0x102 else {
        #expect(found == whole.map(\.copy))
        continue
      }
      let hit = whole.lastIndex { $0.place.offset <= packet.offset }
      #expect(found == whole.indices.filter { $0 != hit }.map { whole[$0].copy })
    }
  }

  @Test func damagedTables() throws {
    var sample = SampleStream()
    sample.pictureCount = 31
    let (stream, _) = try stamp(sample.bytes, with: SampleGame.plan().dropLast(3) + [])
    let whole = try read(stream).copies
    let tables = SamplePacket.all(in: stream).filter { $0.pid == 0 || $0.pid == 0x1000 }
    // Later tables change nothing, whatever happens to them; of the first ones the next take the place.
    for packet in tables {
      for byte in [5, 8, 15, 18] {
        var damaged = stream
        damaged[packet.offset + byte] ^= 0x04
        let items = try read(damaged)
        let expected = packet.offset <= 188 ? whole.filter { $0.place.offset > tables[3].offset } : whole
        #expect(items.copies.map(\.copy) == expected.map(\.copy), "PID \(packet.pid), byte \(byte)")
      }
    }
    var damaged = stream
    damaged[tables[3].offset + 18] ^= 0x04
    #expect(try read(damaged).damages == [Damage(offset: tables[3].offset, reason: "table on PID 4096: wrong checksum of a section")])
  }

  @Test func packetsWithTheErrorBitAreReported() throws {
    var stream = try Self.oneCopy()
    let offset = try #require(SamplePacket.all(in: stream).first { $0.pid == 0x102 }?.offset)
    stream[offset + 1] |= 0x80
    #expect(try read(stream) == [.damage(Damage(offset: offset, reason: "damaged packet"))])
  }

  @Test func bytesBetweenPacketsAreReported() throws {
    let stream = try Self.oneCopy()
    let place = 20 * 188
    let noisy = Array(stream[..<place] + [UInt8](repeating: 0, count: 99) + stream[place...])
    let items = try read(noisy)
    #expect(items.damages == [Damage(offset: place, reason: "99 bytes that belong to no packet")])
    #expect(items.copies.map(\.copy) == [EventCopy(of: Self.event.event)])
  }

  /// A presentation time has no checksum. One that is wrong moves neither the timeline origin, once two copies agree, nor the copy: the
  /// copy's own time holds, and the damage is told.
  @Test(arguments: [1, 2, 3]) func aWrongTimeMovesNothing(wrong: Int) throws {
    let sample = SampleStream()
    let (stream, _) = try stamp(sample.bytes, with: SampleGame.plan())
    let starts = SamplePacket.all(in: stream).filter { $0.pid == 0x102 && $0.header.startsUnit }
    var damaged = stream
    let packet = starts[wrong]
    // The bit of the timestamp that is 2^22 ticks (46.6 s).
    damaged[packet.offset + packet.header.payload.lowerBound + 10] ^= 0x01
    let (good, bad) = (try read(stream).copies, try read(damaged).copies)
    #expect(bad.map(\.copy) == good.map(\.copy))
    for index in good.indices where index != wrong { #expect(bad[index].place == good[index].place) }
    #expect(bad[wrong].place.time == good[wrong].place.time)
    let off = bad[wrong].place.presentationTime - good[wrong].place.presentationTime
    #expect(off.magnitude == MediaTime(ticks: 1 << 22))
    #expect(bad[wrong].place.videoTime == good[wrong].place.videoTime.map { $0 + off })
    let told = Damage(offset: packet.offset, reason: "presentation time is 46.603378 s off what the event says")
    #expect(try read(damaged).damages == [told])
  }

  /// Seeded damage of every kind: few items, offsets within the stream, the same in one piece and in many.
  @Test(arguments: Seeds.some(of: 80)) func survivesDamage(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    var sample = SampleStream()
    sample.pictureCount = 16
    var (stream, _) = try stamp(sample.bytes, with: SampleGame.plan().prefix(2) + [Self.event])
    let known = Set(SampleGame.plan().map(\.event.guid) + [Self.event.event.guid])
    for _ in 0..<Int.random(in: 1..<40, using: &generator) {
      let place = Int.random(in: 0..<stream.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: stream[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1:
        stream[min(stream.count - 1, place / 188 * 188 + Int.random(in: 0..<20, using: &generator))] = .random(
          in: 0...255, using: &generator)
      case 2: stream.removeSubrange(place..<min(stream.count, place + Int.random(in: 1..<400, using: &generator)))
      default:
        // A packet lands elsewhere.
        let from = Int.random(in: 0..<stream.count / 188, using: &generator) * 188
        let to = Int.random(in: 0..<stream.count / 188, using: &generator) * 188
        for index in 0..<188 where from + index < stream.count { stream[to + index] = stream[from + index] }
      }
    }
    guard let items = try? read(stream) else { return }
    #expect(items == (try read(stream, chunk: 333)))
    #expect(items.count <= stream.count / 188)
    #expect(items.copies.allSatisfy { known.contains($0.copy.event.guid) && (0..<stream.count).contains($0.place.offset) })
    #expect(items.damages.allSatisfy { (0..<stream.count).contains($0.offset) && !$0.reason.isEmpty })
  }
}
