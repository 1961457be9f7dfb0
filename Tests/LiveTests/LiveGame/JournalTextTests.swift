import Basics
import GameEvents
import SCTE35
import TestSupport
import Testing

@testable import LiveGame

/// The lines of a journal, and what is wrong with them.
@Suite struct JournalTextTests {
  private static let guid = SampleGame.guid("a \"é\" \\")

  static let records: [JournalRecord] = [
    .started(game: "friday \u{1F600}", sealKey: "00ff"), .started(game: "g", sealKey: nil),
    .accepted(
      guid: guid, key: "k", request: JSONObject([.init(key: "event", value: .string("poll"))]),
      from: .init(wallClock: 1_795_366_000_123, time: MediaTime(ticks: -5))),
    .accepted(guid: guid, key: nil, request: JSONObject(), from: .init(wallClock: 0, time: nil)),
    .numbered(guid: guid, sequence: 7), .numbered(guid: guid, sequence: 7, deadline: -1), .reserved(sequence: 9),
    .moved(guid: guid, at: MediaTime(ticks: 90_001)), .released(guid: guid),
    .released(guid: guid, key: "next\nk"), .cancelled(guid: guid),
    .lost(guid: guid, reason: "two\nlines"), .placed(guid: guid, at: MediaTime(ticks: 1), pts: (1 << 33) - 1, wallClock: 5),
    .segment(
      .init(
        name: "a-1.ts", mediaSequence: 1 << 40, discontinuitySequence: 3, isDiscontinuous: true, targetDuration: 4,
        start: MediaTime(ticks: 360_000), duration: MediaTime(ticks: 359_999), wallClock: 1_795_366_000_000)),
    .led(term: 3, isAlone: true), .ended,
  ]

  /// A segment with audio in tracks of its own, and other renditions, of which one has nothing.
  @Test func tracks() {
    for case .segment(var segment) in Self.records {
      segment.initialization = "a-init0.mp4"
      segment.precedesParts = true
      segment.nextTimestamp = (1 << 33) - 1
      segment.bursts = [.init(guid: Self.guid, copies: 2)]
      segment.audio = [.init(name: "a-1-audio1.m4s", initialization: "a-init0-audio1.mp4")]
      segment.variants = [.init(name: "a-1-v2.m4s", initialization: "a-v2-init0.mp4"), .init(name: nil, initialization: nil)]
      #expect(JournalRecord(JournalRecord.segment(segment).object) == .segment(segment))
      #expect(segment.initializations == ["a-init0.mp4", "a-init0-audio1.mp4", "a-v2-init0.mp4"])
      #expect(segment.files == segment.initializations + ["a-1.ts", "a-1-audio1.m4s", "a-1-v2.m4s"])
    }
  }

  /// A break with the section that announces it, and the one that ends it.
  @Test func breaks() {
    var known = AdBreak(
      .init(type: SegmentationType(rawValue: 0x30), eventID: .max), number: 3, start: MediaTime(ticks: 90_000),
      duration: MediaTime(ticks: 1),
      out: [0xFC, 0x30, 0])
    #expect(JournalRecord(JournalRecord.adBreak(known).object) == .adBreak(known))
    (known.state, known.end, known.back) = (.open, MediaTime(ticks: 90_001), [0xFC, 0xFF])
    let object = JournalRecord.adBreak(known).object
    #expect(object["section"] == .string("fc3000") && object["back"] == .string("fcff"))
    #expect(JournalRecord(object) == .adBreak(known))
  }

  private static var lines: [[UInt8]] {
    var chain = JournalText.Chain()
    return records.map { chain.line($0) }
  }

  /// The record as a line of an earlier version, or with the checksum of the line before it.
  private static func line(_ content: String, after checksum: String? = nil) -> (text: String, checksum: String) {
    let content = content + (checksum.map { ",\"after\":\"\($0)\"" } ?? "")
    let value = String(CRC32MPEG2.checksum(Array(content.utf8).span), radix: 16)
    let digits = String(repeating: "0", count: 8 - value.count) + value
    return (content + ",\"crc\":\"\(digits)\"}\n", digits)
  }

  private static let contents = [
    "{\"record\":\"started\",\"version\":1,\"game\":\"g\"", "{\"record\":\"reserved\",\"sequence\":7", "{\"record\":\"ended\"",
  ]
  private static let read: [JournalRecord] = [.started(game: "g", sealKey: nil), .reserved(sequence: 7), .ended]

  @Test func theLines() {
    let first = Self.line(Self.contents[0], after: "00000000")
    let second = Self.line(Self.contents[1], after: first.checksum)
    let third = Self.line(Self.contents[2], after: second.checksum)
    #expect(String(decoding: JournalText.bytes(Self.read, room: 0), as: UTF8.self) == first.text + second.text + third.text)
  }

  /// Journals of earlier versions are read, and continued with chained lines.
  @Test func anEarlierVersion() throws {
    let old = Self.contents.dropLast().map { Self.line($0).text }.joined()
    var contents = try JournalText.whole(Array(old.utf8))
    #expect(contents.records == Array(Self.read.dropLast()) && contents.byteCount == old.utf8.count && !contents.isCut)
    let bytes = Array(old.utf8) + contents.chain.line(.ended)
    #expect(try JournalText.whole(bytes).records == Self.read)
    // After a chained line all lines are chained.
    let mixed = bytes + Array(Self.line(Self.contents[1]).text.utf8)
    #expect(throws: JournalText.Damage.self) { try JournalText.contents(mixed) }
    #expect(JournalRepair(mixed + [0]).damages.map(\.line) == [4])
  }

  /// A line that is missing, put in twice or moved breaks the chain.
  @Test func changedOrder() throws {
    let lines = Self.lines
    for place in 1..<lines.count {
      let cases = [
        lines[..<(place - 1)] + lines[place...], lines[...place] + lines[place...],
        lines[..<(place - 1)] + [lines[place], lines[place - 1]] + lines[(place + 1)...],
      ]
      for (number, changed) in cases.enumerated() where number > 0 || place < lines.count {
        let bytes = changed.flatMap { $0 }
        #expect(throws: JournalText.Damage.self, "line \(place), \(number)") { try JournalText.contents(bytes) }
        #expect(!JournalRepair(bytes).isWhole)
      }
    }
  }

  /// A cut at any byte shows: the journal has neither room after its lines nor a record of its end.
  @Test func aCut() throws {
    let whole = JournalText.bytes(Self.read, room: 0)
    #expect(try JournalText.whole(whole).records == Self.read)
    for count in 1..<whole.count {
      let cut = Array(whole[..<count])
      let lineCount = cut.count { $0 == UInt8(ascii: "\n") }
      #expect(throws: JournalText.Damage.self, "\(count) bytes") { try JournalText.whole(cut) }
      #expect(!JournalRepair(cut).isWhole)
      // A process that was killed leaves the room.
      let killed = try JournalText.whole(cut + [0])
      #expect(killed.records == Array(Self.read[..<lineCount]))
    }
  }

  @Test func everythingComesBack() throws {
    let bytes = Self.lines.flatMap { $0 }
    let contents = try JournalText.contents(bytes)
    #expect(contents.records == Self.records && contents.byteCount == bytes.count)
    for record in Self.records { #expect(JournalRecord(record.object) == record) }
    let empty = try JournalText.whole([])
    #expect(empty.records == [] && empty.byteCount == 0)
  }

  /// Zeros after the lines are room, and the last line may be torn at any byte.
  @Test func aTornLine() throws {
    let whole = Self.lines.dropLast(2).flatMap { $0 }
    for torn in Self.lines.suffix(2) {
      for count in torn.indices {
        for room in [0, 1, 5_000] {
          let bytes = whole + torn[..<count] + [UInt8](repeating: 0, count: room)
          let contents = try JournalText.contents(bytes)
          #expect(contents.records == Array(Self.records.dropLast(2)) && contents.byteCount == whole.count, "\(count) bytes")
        }
      }
    }
    let room = try JournalText.contents(whole + [UInt8](repeating: 0, count: 1 << 18))
    #expect(room.records.count == Self.records.count - 2 && room.byteCount == whole.count)
    let nothing = try JournalText.contents([UInt8](repeating: 0, count: 1 << 18))
    #expect(nothing.records == [] && nothing.byteCount == 0)
  }

  /// A changed byte in any line is reported; but the end of the last line may be what was torn.
  @Test(arguments: 0..<UInt64(4)) func aChangedByte(seed: UInt64) {
    var generator = SeededNumbers(seed: seed)
    let lines = Self.lines
    let bytes = lines.flatMap { $0 }
    var offset = 0
    for (number, line) in lines.enumerated() {
      for place in line.indices {
        if number == lines.count - 1, place == line.count - 1 { continue }
        var changed = bytes
        let value = changed[offset + place]
        // A line with zeros may be torn.
        repeat { changed[offset + place] = UInt8.random(in: 1...255, using: &generator) } while changed[offset + place] == value
        let damage = #expect(throws: JournalText.Damage.self) { try JournalText.contents(changed) }
        #expect(damage?.line == number + 1 && damage?.offset == offset, "byte \(place) of line \(number + 1)")
      }
      offset += line.count
    }
  }

  @Test func linesOfSomebodyElse() {
    let line = JournalText.bytes([.ended], room: 0)
    for other in ["\n", "{}\n", "{\"record\":\"ended\"}\n", String(repeating: "x", count: 100) + "\n"] {
      let damage = #expect(throws: JournalText.Damage.self) { try JournalText.contents(line + Array(other.utf8) + line) }
      #expect(damage == .init(line: 2, offset: line.count, reason: "this is no line of a journal, or it was changed"))
      #expect(damage?.description == "line 2, at byte \(line.count): this is no line of a journal, or it was changed")
    }
  }

  @Test func recordsThatLackSomething() {
    for record in Self.records {
      let members = record.object.members
      for missing in members where !["key", "sealKey", "now", "deadline"].contains(missing.key) {
        let rest = JSONObject(members.filter { $0.key != missing.key })
        #expect(JournalRecord(rest) == nil, "\(record) without \(missing.key)")
      }
    }
    #expect(JournalRecord(JSONObject([.init(key: "record", value: .string("other"))])) == nil)
  }

  /// A discontinuous segment counts itself.
  @Test func aDiscontinuityThatDoesNotCount() {
    for case .segment(var segment) in Self.records {
      segment.discontinuitySequence = 0
      #expect(JournalRecord(JournalRecord.segment(segment).object) == nil)
      segment.isDiscontinuous = false
      #expect(JournalRecord(JournalRecord.segment(segment).object) == .segment(segment))
    }
  }

  /// Numbers with which nothing can be calculated.
  @Test func recordsWithNumbersBeyondAllMeasure() {
    for record in Self.records {
      let members = record.object.members
      for place in members.indices where members[place].value.int != nil && !["version", "now", "deadline"].contains(members[place].key) {
        for number in [-(1 << 53) - 1, (1 << 53) + 1, .min, .max] as [Int] {
          var changed = members
          changed[place].value = .number(JSONNumber(number))
          #expect(JournalRecord(JSONObject(changed)) == nil, "\(record) with \(members[place].key) \(number)")
        }
      }
    }
  }

  /// The innermost list of this request lies as deep as requests may.
  @Test func theDeepestRequestComesBack() throws {
    let lists = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
    let request = try LiveRequest(json: "{\"event\":\"poll\",\"x\":\(lists)}")
    #expect(throws: LiveProblem.self) { try LiveRequest(json: "{\"event\":\"poll\",\"x\":[\(lists)]}") }
    let record = JournalRecord.accepted(guid: Self.guid, key: nil, request: request.object, from: .init(wallClock: 0, time: nil))
    let read = try JournalText.contents(JournalText.bytes([record, .ended], room: 0))
    #expect(read.records == [record, .ended])
  }
}
