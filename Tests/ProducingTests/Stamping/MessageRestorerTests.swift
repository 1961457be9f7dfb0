import Basics
import EventReading
import EventSchedule
import GameEvents
import PacketStamping
import TestSupport
import Testing
import TransportStream

@testable import Stamping

/// Events that only the video has come back as timed ID3.
@Suite struct MessageRestorerTests {
  private let folder: String

  init() throws { folder = try Workshop.newFolder() }

  /// A stream whose events are in SEI messages, without the ID3 stream.
  static func source(_ events: [PlannedEvent] = SampleGame.plan()) throws -> (stamped: [UInt8], dropped: [UInt8]) {
    var options = PacketStamper.Options()
    options.carriages = [.messages]
    let stamped = try stamp(SampleStream().bytes, with: events, CopyPolicy(), options).bytes
    // The ID3 stream is dropped with its entry in the PMT, as a copy does.
    let map = try SampleStream().map.section().encode()
    let dropped = SamplePacket.all(in: stamped).filter { $0.pid != 0x102 }.flatMap { packet -> [UInt8] in
      guard packet.pid == 0x1000 else { return packet.bytes }
      return TransportPacket.packets(sections: [map], pid: 0x1000, heads: [Array(packet.bytes[..<4])], counter: 0).flatMap { $0 }
    }
    return (stamped, dropped)
  }

  /// The copies of timed ID3.
  static func id3Copies(_ items: [StreamItem]) -> [EventCopy] {
    items.compactMap { item in
      guard case .copy(let copy, let place) = item, case .id3 = place.carriage else { return nil }
      return copy
    }
  }

  @Test func everyEventAsItWas() throws {
    let dropped = try Self.source().dropped
    let (input, output) = (folder + "/in.ts", folder + "/out.ts")
    try Workshop.write(dropped, to: input)
    let report = try MessageRestorer(input: input, output: output).restore()
    let restored = try read(Workshop.bytes(output))
    // A picture has room for fewer copies than the ID3 stream.
    let before = try read(dropped).copies.map(\.copy)
    #expect(report == .init(events: 5, copies: before.count))
    #expect(restored.damages == [])
    func list(_ copies: [EventCopy]) -> [String] { copies.map { "\($0.event.guid) \($0.copy) \($0.age.ticks)" } }
    #expect(list(restored.copies.map(\.copy)).sorted() == list(before).sorted())
    // A copy that is in both is read from whichever comes first.
    #expect(SamplePacket.pes(on: 0x102, in: try Workshop.bytes(output)).count == before.count)
    #expect(restored.copies.allSatisfy { $0.place.time - $0.copy.age == $0.copy.event.at })
    // A stream that has them already is as it was.
    let again = folder + "/again.ts"
    #expect(try MessageRestorer(input: output, output: again).restore() == .init())
    #expect(try Workshop.bytes(again) == Workshop.bytes(output))
  }

  @Test func whatHasNoMessages() throws {
    let (input, output) = (folder + "/in.ts", folder + "/out.ts")
    try Workshop.write(SampleStream().bytes, to: input)
    #expect(try MessageRestorer(input: input, output: output).restore() == .init())
    #expect(try Workshop.bytes(output) == SampleStream().bytes)
    try Workshop.write(Array("no stream at all".utf8), to: input)
    #expect(throws: StampingError.self) { try MessageRestorer(input: input, output: folder + "/none.ts").restore() }
    #expect(try Workshop.entries(folder).sorted() == ["in.ts", "out.ts"])
  }
}
