import Basics
import EventReading
import GameEvents
import HLSPlaylist
import LiveGame
import LiveHLS
import Stamping
import TestSupport
import Testing

@testable import LiveSession

/// What was answered as placed is in the stream, however the session ends.
@Suite struct EndOfSessionTests {
  /// Where a stream goes.
  enum Output: String, CaseIterable, Sendable {
    case event, window, folder, parts, variant, messages, recording
  }

  /// How a session ends, with an event in a segment that is not complete.
  enum End: CaseIterable, Sendable {
    /// An operator asks for it.
    case request
    /// A programme time has come.
    case duration
    /// The input has ended.
    case input
  }

  private static let guid = "last"

  private func sample(_ type: SegmentType, _ output: Output, _ end: End) throws -> SessionSample {
    var sample = SessionSample(type: type)
    sample.later = .init(
      request: try LiveRequest(json: #"{"event":"poll","guid":"last"}"#), time: MediaTime(seconds: end == .request ? 3 : 6.2),
      endsInSegment: true)
    sample.pace = end == .input ? 4 : 2
    sample.loops = end != .input
    if end == .duration { sample.duration = MediaTime(seconds: 7) }
    switch output {
    case .event: break
    case .window: sample.playlist = .window(MediaTime(seconds: 6))
    case .folder: sample.folder = try Workshop.newFolder()
    case .parts: sample.partDuration = MediaTime(seconds: 0.5)
    case .variant: sample.variants = [.small]
    case .messages: sample.writesMessages = true
    case .recording: sample.recording = try Workshop.newFolder() + "/show.ts"
    }
    return sample
  }

  /// How often the first copy of the event is in bytes.
  private func count(_ bytes: [UInt8]) throws -> Int {
    var reader = EventReader()
    var count = 0
    for case .copy(let copy, _) in try reader.push(bytes.span) + reader.finish() where copy.event.guid.text == Self.guid && copy.copy == 1 {
      count += 1
    }
    return count
  }

  /// How often the first copy of the event is in the segments of a playlist.
  ///
  /// - Parameter folder: Where the segments are; `nil` for the session's memory.
  private func count(_ playlist: MediaPlaylist, _ session: LiveSession, in folder: String? = nil) throws -> Int {
    var names: [String] = []
    if let map = playlist.segments.first?.initializationSegment?.uri { names.append(map) }
    for segment in playlist.segments where !segment.isGap { names.append(segment.uri) }
    var bytes: [UInt8] = []
    for name in names { bytes += try folder.map { try Workshop.bytes("\($0)/\(name)") } ?? session.bytes([name]) }
    return try count(bytes)
  }

  @Test(arguments: SegmentType.allCases, Output.allCases) func request(type: SegmentType, output: Output) async throws {
    try await check(type, output, .request)
  }

  @Test(arguments: SegmentType.allCases, [End.duration, .input]) func others(type: SegmentType, end: End) async throws {
    try await check(type, .folder, end)
  }

  private func check(_ type: SegmentType, _ output: Output, _ end: End) async throws {
    let sample = try sample(type, output, end)
    let session = try await sample.run()
    #expect(session.failure == nil)
    let statuses = session.desk.look { game, _ in game.statuses }
    #expect(statuses.map(\.state) == [.published])
    let main = try session.media()
    // With SEI messages, each copy of a transport stream is in the video as well.
    let expected = output == .messages && type == .transportStream ? 2 : 1
    let inMain = try count(main, session)
    #expect(main.isEnded && inMain == expected)
    if let folder = sample.folder {
      let written = try Playlist(Workshop.bytes("\(folder)/media.m3u8").span)
      #expect(written == .media(main))
      let inFolder = try count(main, session, in: folder)
      #expect(inFolder == expected)
    }
    if let recording = sample.recording {
      let recorded = try count(Workshop.bytes(recording))
      #expect(recorded == 1)
    }
    if output == .variant {
      let variant = try session.media("media2.m3u8")
      let inVariant = try count(variant, session)
      #expect(variant.isEnded && variant.segments.count == main.segments.count && inVariant == 1)
    }
  }
}
