import Basics
import EventReading
import EventSchedule
import Foundation
import GameEvents
import PacketStamping
import Stamping
import Synchronization
import TestSupport
import Testing
import TransportStream

/// Everything that a presentation's playlists name goes with it, as it is where it carries no events.
@Suite struct PresentationFilesTests {
  private let folder: String

  init() throws { folder = try Workshop.newFolder() }

  private func write(_ text: String, to name: String) throws { try Workshop.write(Array(text.utf8), to: "\(folder)/\(name)") }

  private func strip(_ name: String = "x.m3u8") throws -> [String] {
    let told = Mutex<[String]>([])
    var editor = PresentationEditor(input: "\(folder)/\(name)", output: "\(folder)/out/\(name)", .strip(nil))
    editor.notice = { text in told.withLock { $0.append(text) } }
    _ = try editor.edit()
    return told.withLock { $0 }
  }

  private func playlist(_ segments: String..., more: String = "") -> String {
    "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(more)\(segments.map { "#EXTINF:6,\n\($0)\n" }.joined())#EXT-X-ENDLIST\n"
  }

  private func stamped() throws -> [UInt8] { try stamp(SampleStream().bytes, with: SampleGame.plan()).bytes }

  /// Segments of other formats pass byte for byte.
  @Test(arguments: [
    "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n", "<?xml version=\"1.0\"?><tt xmlns=\"http://www.w3.org/ns/ttml\"/>", "{\"a\": [1, 2, 3]}",
    "x",
    "\u{FFFD}\u{0}\u{1}nothing that is known\u{0}\u{2}",
  ]) func whatCarriesNoEvents(text: String) throws {
    try write(text, to: "a.bin")
    try write(playlist("a.bin"), to: "x.m3u8")
    #expect(try strip() == [])
    #expect(try Workshop.bytes("\(folder)/out/a.bin") == Array(text.utf8))
  }

  /// Pictures and frames of sound, too.
  @Test func picturesAndSound() throws {
    let files: [String: [UInt8]] = [
      "a.jpg": [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 999),
      "a.ac3": [0x0B, 0x77, 0, 0, 0x14, 0x40] + [UInt8](repeating: 0, count: 500),
      "noise.bin": (0..<2_000).map { UInt8(($0 * 7919 + 13) % 251) },
    ]
    for (name, bytes) in files { try Workshop.write(bytes, to: "\(folder)/\(name)") }
    try write(playlist("a.jpg", "a.ac3", "noise.bin"), to: "x.m3u8")
    #expect(try strip() == [])
    for (name, bytes) in files { #expect(try Workshop.bytes("\(folder)/out/\(name)") == bytes, "\(name)") }
  }

  /// What playlists name besides segments is copied; what is elsewhere is told.
  @Test func companions() throws {
    try Workshop.write(try stamped(), to: "\(folder)/a.ts")
    for name in ["data.json", "key", "steer.json", "assets.json"] { try write("{\"name\": \"\(name)\"}", to: name) }
    try write(playlist("a.ts"), to: "report.m3u8")
    let ranges =
      "#EXT-X-PROGRAM-DATE-TIME:2026-11-20T20:00:00Z\n"
      + "#EXT-X-DATERANGE:ID=\"ad\",START-DATE=\"2026-11-20T20:00:00Z\",X-ASSET-LIST=\"assets.json\"\n"
    try write(
      playlist("a.ts", more: "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"key\"\n\(ranges)#EXT-X-RENDITION-REPORT:URI=\"report.m3u8\"\n"),
      to: "media.m3u8")
    let main =
      "#EXTM3U\n#EXT-X-SESSION-DATA:DATA-ID=\"a\",URI=\"data.json\"\n#EXT-X-SESSION-DATA:DATA-ID=\"b\",URI=\"https://example.com/b.json\"\n"
      + "#EXT-X-CONTENT-STEERING:SERVER-URI=\"steer.json\"\n#EXT-X-SESSION-DATA:DATA-ID=\"c\",URI=\"none.json\"\n"
      + "#EXT-X-STREAM-INF:BANDWIDTH=1\nmedia.m3u8\n"
    try write(main, to: "x.m3u8")
    let told = try strip()
    #expect(
      told == [
        "x.m3u8 names https://example.com/b.json, which is elsewhere and stays as it is named",
        "x.m3u8 names none.json, which is not there",
      ])
    let names = ["a.ts", "assets.json", "data.json", "key", "media.m3u8", "report.m3u8", "steer.json", "x.m3u8"]
    #expect(try Workshop.entries("\(folder)/out") == names)
    #expect(try read(Workshop.bytes("\(folder)/out/a.ts")).copies.isEmpty)
    #expect(try Workshop.bytes("\(folder)/out/x.m3u8") == Array(main.utf8))
  }

  /// Partial segments that are files of their own lose their events, too.
  @Test func partsInFiles() throws {
    let stream = try stamped()
    // Partial segments begin with a picture.
    let pictures = SamplePacket.all(in: stream).filter { $0.pid == 0x100 && $0.header.startsUnit }
    let half = try #require(pictures.dropFirst(20).first).offset
    try Workshop.write(stream, to: "\(folder)/a.ts")
    try Workshop.write(Array(stream[..<half]), to: "\(folder)/p0.ts")
    try Workshop.write(Array(stream[half...]), to: "\(folder)/p1.ts")
    let parts = ["p0", "p1", "gone"].map { "#EXT-X-PART:DURATION=1,URI=\"\($0).ts\"\n" }.joined()
    try write(playlist("a.ts", more: "\(parts)#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"p2.ts\"\n"), to: "x.m3u8")
    #expect(try strip() == ["x.m3u8 names gone.ts, which is not there"])
    #expect(try Workshop.entries("\(folder)/out") == ["a.ts", "p0.ts", "p1.ts", "x.m3u8"])
    let edited = try ["p0.ts", "p1.ts"].flatMap { try Workshop.bytes("\(folder)/out/\($0)") }
    #expect(try read(edited).copies.isEmpty && read(edited).damages == [])
  }

  /// A way out of the folder and back is read, and leads to the new files afterwards.
  @Test func aWayThroughTheFoldersOwnName() throws {
    let name = URL(filePath: folder).lastPathComponent
    try write("WEBVTT\n", to: "a.vtt")
    try write(playlist("../\(name)/a.vtt"), to: "x.m3u8")
    #expect(try strip() == [])
    #expect(try Workshop.bytes("\(folder)/out/x.m3u8") == Array(playlist("a.vtt").utf8))
    try write(playlist("../other/a.vtt"), to: "y.m3u8")
    #expect(throws: StampingError.presentation(path: "\(folder)/y.m3u8", .outside(uri: "../other/a.vtt"))) { try strip("y.m3u8") }
  }
}
