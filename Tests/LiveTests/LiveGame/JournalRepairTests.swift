import Basics
import GameEvents
import TestSupport
import Testing

@testable import LiveGame

/// What is saved of damaged journals.
@Suite struct JournalRepairTests {
  private static func accepted(_ name: String) -> JournalRecord {
    .accepted(
      guid: SampleGame.guid(name), key: nil, request: JSONObject([.init(key: "event", value: .string("poll"))]),
      from: .init(wallClock: 0, time: nil))
  }

  private static func numbered(_ name: String, _ number: Int) -> JournalRecord { .numbered(guid: SampleGame.guid(name), sequence: number) }

  private static func placed(_ name: String) -> JournalRecord {
    .placed(guid: SampleGame.guid(name), at: MediaTime(seconds: 1), pts: 5, wallClock: 7)
  }

  private static let records: [JournalRecord] = [
    .started(game: "g", sealKey: "00"), accepted("a"), numbered("a", 1), placed("a"), accepted("b"), numbered("b", 2), placed("b"),
    accepted("c"), numbered("c", 3), placed("c"),
  ]

  private static var lines: [[UInt8]] {
    var chain = JournalText.Chain()
    return records.map { chain.line($0) }
  }

  /// The number of the next event in a session that continues the journal.
  private func nextNumber(_ bytes: [UInt8]) throws -> Int? {
    var (game, _) = try LiveGame.restored(try JournalText.whole(bytes).records, LiveSample.settings)
    return try game.accept(try LiveSample.poll("next"), now: LiveSample.now(10)).0.status.sequence
  }

  @Test func nothingIsWrong() throws {
    let bytes = JournalText.bytes(Self.records, room: 9)
    let repair = JournalRepair(bytes)
    #expect(repair.isWhole && repair.records == Self.records && repair.game == "g" && repair.lastSequence == 3)
    #expect(repair.bytes(lastSequence: 0, room: 9) == bytes)
    #expect(try nextNumber(bytes) == 4)
  }

  /// Any line but the first one may be changed: the numbers that others have stay as they are, and none is given twice.
  @Test(arguments: 1..<10) func aChangedLine(number: Int) throws {
    var lines = Self.lines
    lines[number][3] ^= 1
    let repair = JournalRepair(lines.flatMap { $0 } + [0])
    #expect(repair.damages.map(\.line) == [number + 1] && repair.game == "g")
    let repaired = repair.bytes(lastSequence: 3, room: 9)
    #expect(JournalRepair(repaired).isWhole)
    let (game, _) = try LiveGame.restored(try JournalText.whole(repaired).records, LiveSample.settings)
    let known = Dictionary(uniqueKeysWithValues: game.statuses.compactMap { status in status.sequence.map { (status.guid.text, $0) } })
    for (name, sequence) in known { #expect(sequence == ["a": 1, "b": 2, "c": 3][name], "\(name)") }
    #expect(known.count >= 2)
    #expect(try nextNumber(repaired) == 4)
  }

  /// If the end is missing, the operator says which number was the last.
  @Test func aCut() throws {
    let repair = JournalRepair(Self.lines.dropLast(4).flatMap { $0 })
    #expect(repair.damages.map(\.reason) == ["the end of the journal is missing"] && repair.lastSequence == 2)
    #expect(try nextNumber(repair.bytes(lastSequence: 40, room: 9)) == 41)
    #expect(try nextNumber(repair.bytes(lastSequence: 0, room: 9)) == 3)
  }

  @Test func theBeginning() {
    var lines = Self.lines
    lines[0][3] ^= 1
    let repair = JournalRepair(lines.flatMap { $0 } + [0])
    #expect(repair.game == nil && !repair.isWhole)
  }
}
