import Basics
import EventReading
import Files
import GameEvents
import HLSPlaylist
import LiveGame
import LiveHLS
import Stamping
import TestSupport
import Testing

@testable import LiveSession

/// Events as date ranges in the playlists of a session.
@Suite struct DateRangeSessionTests {
  private static func request(_ guid: String) throws -> LiveRequest { try LiveRequest(json: #"{"event":"poll","guid":"\#(guid)"}"#) }

  /// The range has the date of its event, and the same copy as the segments.
  @Test(arguments: SegmentType.allCases) func eachEventIsOneRange(type: SegmentType) async throws {
    var sample = SessionSample(type: type, requests: [try Self.request("a")])
    sample.hasDateRanges = true
    sample.variants = [.small]
    let session = try await sample.run()
    let status = try #require(session.desk.read { game, _ in game.statuses.first })
    let media = try session.media()
    let range = try #require(media.allDateRanges.first)
    let copies = try media.segments.flatMap { try session.items(of: $0) }.compactMap { item in
      if case .copy(let copy, _) = item { copy } else { nil }
    }
    let copy = try #require(copies.first)
    let at = try #require(status.at)
    #expect(copy.event.at == at)
    let event = try #require(range.attributes[DateRange.eventAttribute]?.hexadecimal)
    #expect(String(decoding: event, as: UTF8.self) == EventCopy(of: copy.event).text)
    let date = try #require(status.wallClock)
    #expect(
      media.allDateRanges == [
        DateRange(
          id: "a", rangeClass: "com.cuelight.event", startDate: PlaylistDate(milliseconds: date),
          duration: PlaylistDecimal(billionths: 8_000_000_000), attributes: range.attributes)
      ])
    let first = try #require(media.segments.first?.programDateTime)
    #expect((date - first.milliseconds - at.milliseconds).magnitude <= 1)
    // All playlists of a presentation have the same ranges.
    #expect(try session.media(LivePlaylist.mediaName(ofRendition: 0)).allDateRanges == media.allDateRanges)
    let without = try await SessionSample(requests: [try Self.request("b")]).run()
    #expect(try without.media().allDateRanges.isEmpty)
  }

  /// A session that continues another one lists the same ranges with the same dates.
  @Test(arguments: [false, true]) func afterARestart(hasParts: Bool) async throws {
    let folder = try Workshop.newFolder()
    func run(_ requests: [LiveRequest]) async throws -> MediaPlaylist {
      var sample = SessionSample(type: .transportStream, journal: folder + "/journal", requests: requests)
      (sample.folder, sample.hasDateRanges, sample.partDuration) = (folder, true, hasParts ? MediaTime(seconds: 0.5) : nil)
      return try await sample.run().media()
    }
    let first = try await run([try Self.request("a")])
    let second = try await run([])
    #expect(first.allDateRanges.count == 1 && second.allDateRanges == first.allDateRanges)
    #expect(second.segments.count > first.segments.count)
  }
}
