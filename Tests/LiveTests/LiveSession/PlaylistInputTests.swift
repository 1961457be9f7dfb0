import Basics
import Foundation
import HLSReading
import LiveHLS
import LiveSession
import StreamInput
import Synchronization
import TestSupport
import Testing
import TransportStream

/// A presentation as the input of a session.
@Suite(.serialized) struct PlaylistInputTests {
  /// A session, what it has said, and what it has recorded.
  private final class Run: Sendable {
    let session: LiveSession
    let recording: String
    init(_ input: String, _ change: (inout LiveSettings) -> Void = { _ in }) throws {
      recording = try Workshop.newFolder() + "/show.ts"
      var settings = LiveSettings(
        input: try #require(LiveInput(input)), outputs: [.recording(recording)], game: "g", playlist: .event)
      settings.pace = 1_000
      change(&settings)
      let box = Box()
      self.box = box
      session = try LiveSession(settings) { box.add($0) }
      session.start()
    }

    private let box: Box

    private final class Box: Sendable {
      private let messages = Mutex<[String]>([])
      func add(_ message: String) { messages.withLock { $0.append(message) } }
      var all: [String] { messages.withLock { $0 } }
    }

    /// Its messages, except the one about the stream's format, which comes with the first segment.
    var said: [String] { box.all.filter { !$0.contains(": codecs that are not known here") } }

    /// Waits for a condition; returns whether it came true.
    func wait(_ condition: () -> Bool) async -> Bool {
      for _ in 0..<3_000 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
      }
      return false
    }

    /// Waits for the end of the session, and gives back what was recorded.
    func end() async throws -> [UInt8] {
      #expect(await wait { session.situation.hasEnded })
      return try Workshop.bytes(recording)
    }
  }

  /// A stream in segments that begin with its tables.
  private static let segments: [[UInt8]] = {
    var sample = SampleStream()
    sample.tablesEvery = 12
    var segments: [[UInt8]] = []
    for packet in SamplePacket.all(in: sample.bytes) {
      if packet.pid == 0 { segments.append([]) }
      segments[segments.count - 1] += packet.bytes
    }
    return segments
  }()

  /// The packets of a stream that stay as they are.
  private static func kept(_ stream: [UInt8]) -> [[UInt8]] {
    SamplePacket.all(in: stream).filter { ![0x1000, 0x102].contains($0.pid) }.map(\.bytes)
  }

  /// A folder with the segments and a playlist of them.
  ///
  /// - Parameter isDiscontinuous: Whether a discontinuity lies in front of a segment.
  private static func folder(isDiscontinuous: (Int) -> Bool = { _ in false }) throws -> String {
    let folder = try Workshop.newFolder()
    for (number, segment) in segments.enumerated() { try Workshop.write(segment, to: "\(folder)/\(number).ts") }
    try write(0..<segments.count, isEnded: true, to: folder, isDiscontinuous: isDiscontinuous)
    return folder
  }

  private static func write(
    _ range: Range<Int>, isEnded: Bool, to folder: String, isDiscontinuous: (Int) -> Bool = { _ in false }
  ) throws {
    var text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(range.lowerBound)\n"
    for number in range { text += "\(isDiscontinuous(number) ? "#EXT-X-DISCONTINUITY\n" : "")#EXTINF:0.48,\n\(number).ts\n" }
    if isEnded { text += "#EXT-X-ENDLIST\n" }
    // With its name all of it is there.
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/index.m3u8"), options: .atomic)
  }

  private static func server(_ folder: String) throws -> HostileServer { try HostileServer("--folder", folder) }

  @Test(.enabled(if: HostileServer.isAvailable), arguments: [false, true]) func aCompleteOne(isLocal: Bool) async throws {
    let folder = try Self.folder()
    let server = try Self.server(folder)
    let run = try Run(isLocal ? folder + "/index.m3u8" : server.url("/index.m3u8"))
    let output = try await run.end()
    #expect(Self.kept(output) == Self.kept(Self.segments.flatMap { $0 }))
    #expect(run.said == [] && run.session.failure == nil)
    #expect(run.session.situation.discontinuities == 0)
  }

  /// A discontinuity needs no jump of the clock.
  @Test func discontinuities() async throws {
    let folder = try Self.folder { [2, 4].contains($0) }
    let run = try Run(folder + "/index.m3u8")
    let output = try await run.end()
    #expect(Self.kept(output) == Self.kept(Self.segments.flatMap { $0 }))
    #expect(run.session.situation.discontinuities == 2)
    #expect(run.session.situation.time == MediaTime(ticks: 60 * 3_600))
  }

  @Test func theHighestBandwidth() async throws {
    let folder = try Self.folder()
    let text = """
      #EXTM3U
      #EXT-X-STREAM-INF:BANDWIDTH=1000
      other.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=2000,RESOLUTION=640x360
      index.m3u8
      """
    try Workshop.write(Array(text.utf8), to: folder + "/top.m3u8")
    let run = try Run(folder + "/top.m3u8")
    #expect(Self.kept(try await run.end()) == Self.kept(Self.segments.flatMap { $0 }))
    let name = folder + "/top.m3u8"
    #expect(run.said == ["\(name): index.m3u8 (640x360) is read, which has the highest bandwidth, and not other.m3u8"])
    let other = try Run(name) { $0.rendition = "2" }
    #expect(Self.kept(try await other.end()) == Self.kept(Self.segments.flatMap { $0 }))
    #expect(other.said == ["\(name): index.m3u8 (640x360) is read, and not other.m3u8"])
    let wrong = try Run(name) { $0.rendition = "720p" }
    _ = try await wrong.end()
    guard case .presentation(.presentation(.noSuchRendition)) = wrong.session.failure else {
      return #expect(Bool(false), "\(String(describing: wrong.session.failure))")
    }
  }

  @Test func aSegmentIsMissing() async throws {
    let folder = try Self.folder()
    try FileManager.default.removeItem(atPath: folder + "/2.ts")
    let run = try Run(folder + "/index.m3u8")
    let output = try await run.end()
    #expect(Self.kept(output) == Self.kept(Self.segments.enumerated().filter { $0.offset != 2 }.flatMap(\.element)))
    #expect(run.said == ["\(folder)/index.m3u8: 2.ts (segment 2): skipped: no such file"])
    #expect(run.session.situation.discontinuities == 1)
  }

  /// A live playlist that disappears, is back with more segments, and ends.
  @Test(.enabled(if: HostileServer.isAvailable)) func aLiveOne() async throws {
    let folder = try Self.folder()
    try Self.write(0..<2, isEnded: false, to: folder)
    let server = try Self.server(folder)
    let run = try Run(server.url("/index.m3u8"))
    let first = Self.segments[1].count
    #expect(await run.wait { run.session.situation.receivedBytes >= first - 188 * 10 })
    try FileManager.default.removeItem(atPath: folder + "/index.m3u8")
    #expect(await run.wait { run.said.contains { $0.contains("loading it again failed") } })
    try Self.write(1..<4, isEnded: false, to: folder)
    #expect(await run.wait { run.session.situation.receivedBytes >= first + Self.segments[2].count })
    try Self.write(2..<6, isEnded: true, to: folder)
    let output = try await run.end()
    // It begins with the last segment that there was, and none comes twice.
    #expect(Self.kept(output) == Self.kept(Self.segments[1...].flatMap { $0 }))
    #expect(run.session.failure == nil && run.session.situation.discontinuities == 0)
  }

  /// A server that is away is tried again, and the session still ends at once.
  @Test(.enabled(if: HostileServer.isAvailable)) func aServerIsWaitedFor() async throws {
    let folder = try Workshop.newFolder()
    let server = try Self.server(folder)
    let run = try Run(server.url("/index.m3u8"))
    #expect(await run.wait { run.said.contains { $0.contains("index.m3u8") } })
    for (number, segment) in Self.segments.enumerated() { try Workshop.write(segment, to: "\(folder)/\(number).ts") }
    try Self.write(0..<Self.segments.count, isEnded: true, to: folder)
    #expect(Self.kept(try await run.end()) == Self.kept(Self.segments.flatMap { $0 }))
    let waiting = try Run(server.url("/none.m3u8"))
    #expect(await waiting.wait { !waiting.said.isEmpty })
    await waiting.session.stopWaiting()
    #expect(waiting.session.situation.hasEnded && waiting.session.failure == nil)
  }

  /// Fragmented MP4 becomes a transport stream.
  @Test func fragments() async throws {
    let clip = Workshop.file(
      "pull.mp4",
      "-f lavfi -i testsrc2=size=128x72:rate=25 -f lavfi -i sine=sample_rate=48000 -t 3 -c:v libx264 -g 25 -bf 2 -c:a aac")
    let folder = try Workshop.newFolder()
    Programs.ffmpeg(
      [
        "-i", clip, "-c", "copy", "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4",
        "\(folder)/index.m3u8",
      ])
    let run = try Run(folder + "/index.m3u8")
    let output = try await run.end()
    #expect(run.said == [] && run.session.failure == nil)
    let tables = SamplePacket.sections(on: 0x1000, in: output)
    let table = try #require(tables.first)
    let map = try ProgramMapTable(Section(table.span))
    let video = try #require(map.streams.first { $0.type.isVideo })
    #expect(SamplePacket.pes(on: video.pid, in: output).count == 75)
    #expect(SamplePacket.continuityErrors(in: output) == [])
    #expect(run.session.situation.discontinuities == 0)
  }
}
