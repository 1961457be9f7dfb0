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

  /// The events of a part of a show tell other times than its video, which has lost its beginning.
  @Test func aPartOfAShow() throws {
    let dropped = SamplePacket.all(in: try Self.source().dropped)
    let cut = try #require(dropped.indices.dropFirst(dropped.count / 3).first { dropped[$0].pid == 0 })
    let part = dropped[cut...].flatMap(\.bytes)
    let (input, output) = (folder + "/in.ts", folder + "/out.ts")
    try Workshop.write(part, to: input)
    let before = try read(part).copies
    #expect(try MessageRestorer(input: input, output: output).restore().copies == before.count)
    let restored = try read(Workshop.bytes(output))
    let start = try #require(restored.copies.map { $0.place.presentationTime.ticks }.min())
    func list(_ copies: [(copy: EventCopy, place: Place)]) -> [String] {
      copies.map { "\($0.copy.event.guid) \($0.copy.copy) \(max($0.place.presentationTime.ticks, start))" }.sorted()
    }
    // Of a copy that both carriages have the reader tells the first. No tag is earlier than the first picture that the part has.
    #expect(!before.isEmpty)
    #expect(list(restored.copies) == list(before))
    #expect(SamplePacket.pes(on: 0x102, in: try Workshop.bytes(output)).count == before.count)
  }
}

/// Events that only the video has come back into presentations and fragmented MP4.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct PresentationRestorerTests {
  /// The boxes of a file but its event messages.
  private static func withoutMessages(_ bytes: [UInt8]) throws -> [UInt8] {
    var output: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let size = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      let box = bytes[position..<position + size]
      if Array(box.dropFirst(4).prefix(4)) != Array("emsg".utf8) { output += box }
      position += size
    }
    return output
  }

  @Test func fragmentsOfAPresentation() throws {
    let presentation = try Presentation()
    try presentation.stamp([.mp4, .small], .fragmentedMP4) { $0.carriages = [.messages] }
    let names = try presentation.entries
    let whole = try names.map { try presentation.bytes($0) }
    for (name, bytes) in zip(names, whole) where name.hasSuffix(".m4s") {
      try Workshop.write(Self.withoutMessages(bytes), to: "\(presentation.folder)/hls/\(name)")
    }
    let restorer = MessageRestorer(input: presentation.folder + "/hls/show.m3u8", output: presentation.folder + "/back/show.m3u8")
    #expect(try restorer.restore().events == 5)
    #expect(try Workshop.entries(presentation.folder + "/back") == names)
    for (name, bytes) in zip(names, whole) { #expect(try Workshop.bytes("\(presentation.folder)/back/\(name)") == bytes, "\(name)") }
  }

  @Test func segmentsOfAPresentation() throws {
    let presentation = try Presentation()
    try presentation.stamp([.mp4, .small], .transportStream) { $0.carriages = [.messages] }
    let segments = try presentation.entries.filter { $0.hasSuffix(".ts") }
    var before: [String: [EventCopy]] = [:]
    for name in segments {
      let whole = try presentation.bytes(name)
      before[name] = MessageRestorerTests.id3Copies(try read(whole))
      let dropped = SamplePacket.all(in: whole).filter { $0.pid != 0x102 }.flatMap(\.bytes)
      try Workshop.write(dropped, to: "\(presentation.folder)/hls/\(name)")
    }
    let restorer = MessageRestorer(input: presentation.folder + "/hls/show.m3u8", output: presentation.folder + "/back/show.m3u8")
    #expect(try restorer.restore().events == 5)
    #expect(try Workshop.entries(presentation.folder + "/back") == presentation.entries)
    for name in segments {
      let back = try read(Workshop.bytes("\(presentation.folder)/back/\(name)"))
      func list(_ copies: [EventCopy]) -> [String] { copies.map { "\($0.event.guid) \($0.copy) \($0.age.ticks)" } }
      #expect(list(MessageRestorerTests.id3Copies(back)) == list(before[name] ?? []), "\(name)")
      #expect(back.damages == [])
    }
  }

  /// FFmpeg's indexes and offsets state the new places.
  @Test(arguments: ["frag_keyframe+empty_moov", "frag_keyframe", "dash+frag_keyframe+global_sidx", "cmaf+frag_keyframe"])
  func aFile(flags: String) throws {
    let folder = try Workshop.newFolder()
    var stamper = Stamper(input: Clip.mp4.path, output: folder + "/both.ts")
    stamper.options.carriages = [.messages]
    _ = try stamper.stamp(EventSchedule(SampleGame.plan(), policy: CopyPolicy()))
    let arguments = "-i \(folder)/both.ts -map 0:v -map 0:a -c copy -movflags \(flags) -bsf:a aac_adtstoasc \(folder)/in.mp4"
    try #require(Programs.ffmpeg(arguments.split(separator: " ").map(String.init)))
    let before = try read(Workshop.bytes(folder + "/in.mp4")).copies
    let report = try MessageRestorer(input: folder + "/in.mp4", output: folder + "/out.mp4").restore()
    #expect(report.events == Set(before.map(\.copy.event.guid)).count && report.events > 0)
    let restored = try read(Workshop.bytes(folder + "/out.mp4"))
    #expect(restored.damages == [] && restored.copies.count == report.copies)
    #expect(restored.copies.allSatisfy { if case .eventMessage = $0.place.carriage { true } else { false } })
    // The same pictures and sound are found, also by the index at the end. After FFmpeg has sought by an index at the start, it repeats samples of fragments
    // that an event message precedes, whoever wrote it.
    for seek in flags.contains("global_sidx") ? [""] : ["", "-ss 1.5"] {
      func frames(_ name: String) -> String? {
        Programs.run("ffmpeg", "-v error \(seek) -i \(folder)/\(name) -c copy -f framemd5 -".split(separator: " ").map(String.init))
      }
      let expected = try #require(frames("in.mp4"))
      #expect(frames("out.mp4") == expected)
    }
  }
}
