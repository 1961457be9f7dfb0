import Basics
import TestSupport
import Testing

@testable import CuelightReader

/// Tags and frames of players become copies at their times.
@Suite struct MetadataReaderTests {
  private static func sighting(_ copy: EventCopy, _ time: MediaTime) -> MetadataReader.Sighting { .init(copy: copy, time: time) }

  @Test func tagsAndFramesAreFoundAlike() throws {
    for copy in PhoneSample.copies() {
      let expected = Self.sighting(copy, copy.programmeTime ?? .zero)
      let playerTime = MediaTime(seconds: 77) + expected.time
      var (byTag, byFrame) = (MetadataReader(), MetadataReader())
      let tag = try copy.encodedTag()
      #expect(try byTag.receive(tag: tag.span, at: playerTime) == [expected])
      #expect(byFrame.receive(text: copy.text, description: "", at: playerTime) == expected)
      #expect(byTag.timelineOrigin == MediaTime(seconds: 77) && byFrame.timelineOrigin == byTag.timelineOrigin)
      #expect(byTag.programmeTime(at: playerTime) == expected.time)
    }
  }

  @Test func aCopyWithoutItsTimeGoesByThePlayer() throws {
    guard var copy = PhoneSample.copies().first else { return }
    copy.event.at = nil
    var reader = MetadataReader(timelineOrigin: MediaTime(seconds: 10))
    let tag = try copy.encodedTag()
    #expect(try reader.receive(tag: tag.span, at: MediaTime(seconds: 12)) == [Self.sighting(copy, MediaTime(seconds: 2))])
  }

  @Test func aWrongTimeOfThePlayerDoesNotCount() {
    var reader = MetadataReader()
    var times: [MediaTime?] = []
    for (index, copy) in PhoneSample.copies().enumerated() {
      let error = MediaTime(seconds: index == 3 ? 60 : 0)
      times.append(reader.receive(text: copy.text, description: "", at: (copy.programmeTime ?? .zero) + error)?.time)
    }
    #expect(times == PhoneSample.copies().map { $0.programmeTime })
  }

  @Test func otherTagsAreNone() throws {
    var reader = MetadataReader()
    let tag = try ID3Tag(frames: [.userText(description: "artist", value: "Ada"), .text(id: "TIT2", values: ["x"])]).encode()
    #expect(try reader.receive(tag: tag.span, at: .zero) == [])
    #expect(reader.receive(text: "Ada", description: "artist", at: .zero) == nil)
    #expect(reader.unusable == 0)
    let damaged = PhoneSample.copies()[0].text.replacing("Friday", with: "Friend")
    #expect(reader.receive(text: damaged, description: "startGame", at: .zero) == nil)
    #expect(reader.unusable == 1)
  }

  @Test func cutTagsAreRefused() throws {
    let tag = try PhoneSample.copies()[1].encodedTag()
    for length in 0..<tag.count {
      let part = Array(tag.prefix(length))
      var reader = MetadataReader()
      #expect(throws: EventError.self) { try reader.receive(tag: part.span, at: .zero) }
    }
  }

  @Test func damagedTagsNeverMakeAnotherEvent() throws {
    var random = SeededNumbers(seed: 7)
    for copy in PhoneSample.copies() {
      let tag = try copy.encodedTag()
      for _ in 0..<500 {
        var changed = tag
        changed[Int.random(in: 0..<tag.count, using: &random)] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
        let bytes = changed
        var reader = MetadataReader()
        let found = (try? reader.receive(tag: bytes.span, at: .zero)) ?? []
        #expect(found.allSatisfy { $0.copy.event == copy.event })
      }
    }
  }
}
