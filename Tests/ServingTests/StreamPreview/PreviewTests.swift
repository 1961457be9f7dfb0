import Basics
import EventReading
import Files
import Foundation
import GameEvents
import HLSPlaylist
import HTTPTypes
import HummingbirdCore
import NIOCore
import StreamInput
import Synchronization
import TestSupport
import Testing
import TransportStream
import WebPages
import WebSupport

@testable import StreamPreview

/// A stream that a producer looks at: what is read of it, and what the page gets.
@Suite struct PreviewTests {
  private let folder: String

  init() throws { folder = try Workshop.newFolder() }

  private func write(_ bytes: [UInt8], _ name: String) throws -> String {
    let path = "\(folder)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  private static func stamped() throws -> [UInt8] { try stamp(SampleStream().bytes, with: SampleGame.plan()).bytes }

  /// What was read of a stream, to its end.
  private func read(_ path: String) -> PreviewReading {
    let reading = PreviewReading(path)
    reading.read()
    return reading
  }

  private func document(_ reading: PreviewReading) -> JSONObject {
    PreviewResponder(reading: reading, pages: WebPages(.preview), files: nil).document
  }

  // MARK: Reading

  /// Each event is there once, when its first copy is, with all of its copies counted.
  @Test func events() async throws {
    let bytes = try Self.stamped()
    let reading = read(try write(bytes, "show.ts"))
    try await reading.recognise()
    let situation = reading.situation
    let copies = try TestSupport.read(bytes).copies
    #expect(situation.isComplete && situation.failure == nil && situation.damages == 0 && !situation.isPresentation)
    #expect(situation.events.map { $0.event.guid.text } == ["friday-start", "friday-ask", "friday-show", "friday-info", "friday-end"])
    for event in situation.events {
      let same = copies.filter { $0.copy.event.guid == event.event.guid }
      #expect(event.copies == same.count && event.time == same.first?.place.time)
    }
    #expect(situation.events.map { $0.text } == ["Friday", "Which planet has the shortest day? [Earth · Jupiter]", "Jupiter", "1204", ""])
    let document = document(reading)
    #expect(
      document["stream"]?.string == "/file.m3u8" && document["complete"]?.bool == true && document["percent"]?.number?.intValue == 100)
    #expect(document["events"]?.array?.count == 5 && document["problem"] == .null)
    let question = document["events"]?.array?[1].object
    #expect(question?["type"]?.string == "askQuestion" && question?["allottedTime"]?.number?.text == "0.5")
  }

  /// The playlist over a file names the address at which the file is.
  @Test func playlist() throws {
    let text = try #require(read(try write(Self.stamped(), "show.ts")).situation.playlist)
    let playlist = try MediaPlaylist(text.span)
    #expect(playlist.segments.map { $0.uri } == ["/stream/media"] && playlist.isEnded)
  }

  /// A stream without events says so by having none, and one without a picture why there is none.
  @Test func withoutEventsOrPicture() throws {
    let bare = document(read(try write(SampleStream().bytes, "bare.ts")))
    #expect(bare["events"]?.array == [] && bare["stream"]?.string == "/file.m3u8")
    let framed = document(read(try write(SamplePacket.reframed(Self.stamped(), .timestamped), "framed.m2ts")))
    #expect(framed["events"]?.array?.count == 5 && framed["stream"] == .null)
    #expect(framed["streamProblem"]?.string == "its packets have 192 bytes, and browsers play those of 188")
  }

  @Test func noStream() async throws {
    await #expect(throws: StreamInputError.file(.missing(path: "\(folder)/none.ts"))) { try await read("\(folder)/none.ts").recognise() }
    let text = try write(Array("nothing".utf8), "text.ts")
    await #expect(throws: StreamInputError.self) { try await read(text).recognise() }
  }

  // MARK: Files

  private final class Collected: Sendable {
    // A class: what a writer has written is looked at later.
    let bytes = Mutex<[UInt8]>([])
  }

  private struct Writer: ResponseBodyWriter {
    let collected: Collected

    mutating func write(_ buffer: ByteBuffer) async throws { collected.bytes.withLock { $0 += Array(buffer.readableBytesView) } }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }

  private func body(_ response: Response) async throws -> [UInt8] {
    let collected = Collected()
    try await response.body.write(Writer(collected: collected))
    return collected.bytes.withLock { $0 }
  }

  @Test func ranges() async throws {
    // More than one piece.
    let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    let files = try PreviewFiles(try write(bytes, "show.ts"), isPresentation: false)
    let whole = try await files.answer("media", range: nil)
    #expect(whole.status == .ok && whole.headers[.contentType] == "video/mp2t" && whole.headers[.acceptRanges] == "bytes")
    #expect(try await body(whole) == bytes)
    let part = try await files.answer("media", range: "bytes=100-599999")
    #expect(part.status == .partialContent && part.headers[.contentRange] == "bytes 100-599999/700000")
    #expect(part.body.contentLength == 599_900)
    #expect(try await body(part) == Array(bytes[100..<600_000]))
    for (path, range, status) in [("media", "bytes=700000-", 416), ("show.ts", nil, 404), ("", nil, 404), ("../show.ts", nil, 404)] {
      let problem = await #expect(throws: Problem.self) { try await files.answer(path, range: range) }
      #expect(problem?.status.code == status)
    }
  }

  /// Of a folder a page gets what the playlists name, and nothing else.
  @Test func folders() async throws {
    let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:2.44,\nsegment%201.ts\n#EXTINF:1,\n../outside.ts\n#EXT-X-ENDLIST\n"
    let input = try write(Array(playlist.utf8), "index.m3u8")
    _ = try write(Self.stamped(), "segment 1.ts")
    _ = try write([1], "other.ts")
    let files = try PreviewFiles(input, isPresentation: true)
    let found = try await files.answer("index.m3u8", range: nil)
    #expect(found.headers[.contentType] == "application/vnd.apple.mpegurl")
    #expect(try await body(found) == Array(playlist.utf8))
    #expect(try await body(files.answer("segment%201.ts", range: nil)) == Self.stamped())
    for path in [
      "other.ts", "", ".", "..", "%2e%2e/other.ts", "../\(PathParts(folder).name)/segment%201.ts", "/segment%201.ts", "segment%201.ts/",
      "..%2fother.ts", "%00", "media",
    ] {
      let problem = await #expect(throws: Problem.self, "\(path)") { try await files.answer(path, range: nil) }
      #expect(problem?.status.code == 404, "\(path)")
    }
    let reading = read(input)
    #expect(reading.situation.isPresentation && document(reading)["stream"]?.string == "/stream/index.m3u8")
    #expect(document(reading)["events"]?.array?.count == 5)
  }
}
