import Basics
import CueSheet
import EventReading
import EventSchedule
import GameEvents
import HLSPlaylist
import Seals
import TestSupport
import Testing

@testable import Stamping

/// Nothing that comes before a result depends on the right answer, but for the seal.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct SecrecyTests {
  /// What a receiver sees of a copy before the result, without the seal and the checksum over it.
  private struct Sight: Equatable {
    var content: JSONObject
    var place: Place
    var size: Int

    init(_ copy: EventCopy, _ place: Place) throws {
      guard let object = try JSONValue(parsing: copy.text).object else { throw Presentation.Unexpected() }
      (content, self.place, size) = (object.removing(["seal", "crc"]), place, copy.text.utf8.count)
    }
  }

  private static func sheet(right: Int) throws -> CueSheet {
    try CueSheet.parse(
      """
      game: g
      title: T
      cues:
        - { at: 0, event: startGame }
        - { at: 0.3, event: askQuestion, question: Q?, answers: [a, bb, ccc, dddd], correctAnswer: \(right), allottedTime: 1 }
        - { at: 0.8, event: periodicInfo, viewers: 7 }
        - { at: 2.2, event: showResults, points: [4, 3, 2, 1], explanation: So it is. }
        - { at: 2.6, event: endGame }

      """, policy: CopyPolicy(), answers: .sealed(testKey))
  }

  private static let result = MediaTime(seconds: 2.2)

  @Test(arguments: SegmentType.allCases) func nothingBeforeTheResultTellsTheAnswer(type: SegmentType) throws {
    let zero = try #require(PlaylistDate("2026-11-20T20:00:00Z"))
    var sights: [[Sight]] = []
    var segments: [[[UInt8]]] = []
    var playlists: [[String]] = []
    for right in 0..<4 {
      let presentation = try Presentation()
      let sheet = try Self.sheet(right: right)
      try presentation.stamp([.mp4], type, sheet.events) { ($0.programDateTime, $0.writesDateRanges) = (zero, true) }
      let copies = try read(try presentation.joined("show-media.m3u8")).copies.filter { $0.place.time < Self.result }
      sights.append(try copies.map { try Sight($0.copy, $0.place) })
      #expect(copies.allSatisfy { $0.copy.event.type != .showResults } && copies.contains { $0.copy.event.type == .askQuestion })
      let media = try presentation.media("show-media.m3u8")
      segments.append(try media.segments.map { try presentation.bytes($0.uri) })
      // The seal in the date range of the question.
      let text = String(decoding: try presentation.bytes("show-media.m3u8"), as: UTF8.self)
      playlists.append(
        text.split(separator: "\n").map { line in
          // All but the event itself, which is looked at above.
          line.split(separator: ",").filter { !$0.hasPrefix(DateRange.eventAttribute) }.joined(separator: ",") + " \(line.utf8.count)"
        })
      let ranges = media.segments.flatMap(\.dateRanges).compactMap { $0.attributes[DateRange.eventAttribute]?.hexadecimal }
      let asked = try ranges.map { try EventCopy(parsing: String(decoding: $0, as: UTF8.self), description: "").event }
      // A playlist is there as a whole before the first question, and a result tells the answer with its salt.
      #expect(asked == sheet.events.map(\.event).filter { $0.type != .showResults })
    }
    for other in 1..<4 {
      #expect(sights[other] == sights[0])
      #expect(playlists[other] == playlists[0])
      for (segment, first) in zip(segments[other], segments[0]).prefix(2) {
        #expect(segment.count == first.count)
        // The seal has 44 characters and the checksum 8, in each copy.
        let differing = zip(segment, first).count { $0 != $1 }
        let most = sights[0].count { $0.content["eventType"] == .string("askQuestion") } * 52
        #expect(differing <= most)
      }
    }
  }
}
