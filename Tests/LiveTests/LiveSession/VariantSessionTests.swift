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

/// Sessions over several inputs, which bring renditions of one programme.
@Suite struct VariantSessionTests {
  /// What a copy is and when it is presented.
  private struct Copy: Equatable {
    var copy: EventCopy
    var time: MediaTime?
  }

  private func copies(_ segment: MediaSegment, _ session: LiveSession) throws -> [Copy] {
    try session.items(of: segment).compactMap { item in
      if case .copy(let copy, let place) = item { Copy(copy: copy, time: place.presentationTime) } else { nil }
    }
  }

  /// All renditions have the same segments, and in them the same copies at the same times.
  @Test(arguments: SegmentType.allCases, [SessionClip.plain, .wrapping]) func theSameEverywhere(type: SegmentType, clip: SessionClip)
    async throws
  {
    var sample = SessionSample(clip: clip, type: type, requests: [try LiveRequest(json: #"{"event":"startGame","guid":"start"}"#)])
    sample.variants = [clip == .plain ? .small : .smallWrapping, clip]
    sample.later = .init(request: try LiveRequest(json: #"{"event":"poll","guid":"later","currentFor":3}"#), time: MediaTime(seconds: 5))
    let session = try await sample.run()
    #expect(session.failure == nil)
    let main = try session.media()
    let all = try main.segments.map { try copies($0, session) }
    #expect(Set(all.joined().map(\.copy.event.guid.text)) == ["start", "later"] && all.first?.first?.copy.copy == 1)
    for name in ["media2.m3u8", "media3.m3u8"] {
      let variant = try session.media(name)
      #expect(variant.segments.map(\.duration) == main.segments.map(\.duration) && variant.isEnded)
      #expect(variant.segments.map(\.programDateTime) == main.segments.map(\.programDateTime))
      #expect(variant.segments.map(\.isDiscontinuous) == main.segments.map(\.isDiscontinuous))
      // The session ends when it is told to: of the last ones a rendition may have less. The later event is before them.
      let count = variant.segments.prefix { !$0.isGap }.count
      #expect(variant.segments.dropFirst(count).allSatisfy { $0.isGap })
      #expect(all.prefix(count).joined().contains { $0.copy.event.guid.text == "later" })
      #expect(try variant.segments.prefix(count).map { try copies($0, session) } == Array(all.prefix(count)), "\(name)")
    }
    let multivariant = String(decoding: try #require(session.store.file("index.m3u8")).bytes, as: UTF8.self)
    #expect(multivariant.contains("\nmedia.m3u8\n") && multivariant.contains("\nmedia2.m3u8\n") && multivariant.contains("\nmedia3.m3u8\n"))
  }

  /// Two files to their ends: every segment has all parts, and all frames are in them.
  @Test(arguments: SegmentType.allCases) func toTheEnd(type: SegmentType) async throws {
    var sample = SessionSample(type: type)
    sample.variants = [.small]
    let session = try await sample.run()
    let main = try session.media()
    let variant = try session.media("media2.m3u8")
    #expect(main.segments.count == 4 && variant.segments.map(\.isGap) == [false, false, false, false])
    #expect(variant.segments.map(\.duration) == main.segments.map(\.duration))
  }

  /// Key frames at other times, and another clock, are refused with the reason.
  @Test(arguments: [
    (SessionClip.odd, "it has no key frame at 4 s, where a segment of the first input starts"),
    (SessionClip.other, "its clock does not agree with that of plain.ts"),
  ])
  func refused(variant: SessionClip, reason: String) async throws {
    var sample = SessionSample()
    sample.variants = [variant]
    sample.pace = 1.3
    let session = try await sample.run()
    guard case .variant(let name, let text) = session.failure else {
      Issue.record("not refused")
      return
    }
    #expect(name == variant.path)
    #expect(text == reason.replacing("plain.ts", with: SessionClip.plain.path))
  }

  /// The renditions of an earlier session are listed again, behind which all go on.
  @Test(arguments: SegmentType.allCases) func afterARestart(type: SegmentType) async throws {
    let folder = try Workshop.newFolder()
    func run() async throws -> LiveSession {
      var sample = SessionSample(type: type, journal: folder + "/journal")
      sample.variants = [.small]
      sample.folder = folder
      return try await sample.run()
    }
    let first = try await run().media("media2.m3u8")
    let session = try await run()
    let (main, variant) = (try session.media(), try session.media("media2.m3u8"))
    #expect(variant.segments.count == 8 && variant.segments.prefix(4).map(\.uri) == first.segments.map(\.uri))
    #expect(variant.segments.map(\.isDiscontinuous) == [false, false, false, false, true, false, false, false])
    #expect(main.segments.map(\.isDiscontinuous) == variant.segments.map(\.isDiscontinuous) && variant.segments.allSatisfy { !$0.isGap })
  }
}
