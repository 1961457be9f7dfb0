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

  private func made(_ type: SegmentType, _ output: Output, _ end: End) throws -> SessionSample {
    let poll = try LiveRequest(json: #"{"event":"poll","guid":"last"}"#)
    var sample = SessionSample(type: type)
    // No segment is complete before the end, however slow this machine is.
    sample.segmentDuration = MediaTime(seconds: 60)
    if end == .request {
      sample.later = .init(request: poll, time: MediaTime(seconds: 3), endsInSegment: true)
      sample.pace = 2
    } else {
      sample.requests = [poll]
    }
    sample.loops = end != .input
    if end == .duration { sample.duration = MediaTime(seconds: 7.9) }
    if output == .window { sample.playlist = .window(MediaTime(seconds: 6)) }
    if output == .parts { sample.partDuration = MediaTime(seconds: 0.5) }
    if output == .variant { sample.variants = [.small] }
    sample.writesMessages = output == .messages
    guard output == .folder || output == .recording else { return sample }
    let folder = try Workshop.newFolder()
    if output == .folder { sample.folder = folder } else { sample.recording = folder + "/show.ts" }
    return sample
  }

  /// How often the first copy of the event is in bytes.
  private func count(_ bytes: [UInt8]) throws -> Int {
    var reader = EventReader()
    var elements = try reader.push(bytes.span)
    elements += try reader.finish()
    var count = 0
    for case .copy(let copy, _) in elements where copy.event.guid.text == Self.guid && copy.copy == 1 { count += 1 }
    return count
  }

  /// How often the first copy of the event is in the segments of a playlist.
  ///
  /// - Parameter folder: Where the segments are; `nil` for the session's memory.
  private func count(_ playlist: MediaPlaylist, _ session: LiveSession, in folder: String? = nil) throws -> Int {
    var names: [String] = []
    for segment in playlist.segments where !segment.isGap {
      if names.isEmpty, let map = segment.initializationSegment { names.append(map.uri) }
      names.append(segment.uri)
    }
    var bytes: [UInt8] = []
    for name in names {
      if let folder {
        bytes += try Workshop.bytes("\(folder)/\(name)")
      } else {
        bytes += try session.bytes([name])
      }
    }
    return try count(bytes)
  }

  @Test(arguments: SegmentType.allCases, Output.allCases) func request(type: SegmentType, output: Output) async throws {
    try await check(type, output, .request)
  }

  @Test(arguments: SegmentType.allCases, [End.duration, .input]) func others(type: SegmentType, end: End) async throws {
    try await check(type, .folder, end)
  }

  private func check(_ type: SegmentType, _ output: Output, _ end: End) async throws {
    let sample = try made(type, output, end)
    let session = try await sample.run()
    try examine(session, folder: sample.folder, recording: sample.recording, hasVariant: output == .variant)
  }

  /// Looks for the event in everything that a session has written.
  private func examine(_ session: LiveSession, folder: String?, recording: String?, hasVariant: Bool) throws {
    #expect(session.failure == nil)
    let statuses = session.desk.read { game, _ in game.statuses }
    #expect(statuses.map(\.state) == [.published])
    let main = try session.media()
    let inMain = try count(main, session)
    #expect(main.isEnded && inMain == 1)
    if let folder {
      let text = try Workshop.bytes("\(folder)/media.m3u8")
      let written = try Playlist(text.span)
      #expect(written == .media(main))
      let inFolder = try count(main, session, in: folder)
      #expect(inFolder == 1)
    }
    if let recording {
      let recorded = try count(Workshop.bytes(recording))
      #expect(recorded == 1)
    }
    if hasVariant {
      let variant = try session.media("media2.m3u8")
      let inVariant = try count(variant, session)
      #expect(variant.isEnded && variant.segments.count == main.segments.count && inVariant == 1)
    }
  }
}
