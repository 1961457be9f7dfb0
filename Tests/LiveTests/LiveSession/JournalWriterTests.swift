import Files
import GameEvents
import LiveGame
import TestSupport
import Testing

@testable import LiveSession

/// The writer of a session's journal.
@Suite struct JournalWriterTests {
  private static func lost(_ name: String) -> JournalRecord { .lost(guid: SampleGame.guid(name), reason: "gone") }

  /// What could not be written is written before the next records, once.
  @Test func owedRecords() throws {
    var writer = JournalWriter(try JournalFile(path: try Workshop.newFolder() + "/journal"), after: JournalText.Chain())
    writer.owe([Self.lost("a")])
    writer.owe([Self.lost("b"), Self.lost("c")])
    let owes = writer.owesRecords
    let lines = [writer.append([Self.lost("d")]), writer.append([Self.lost("e")])].compactMap(\.self)
    let (owesMore, records) = (writer.owesRecords, writer.records())
    #expect(owes && !owesMore && records == ["a", "b", "c", "d", "e"].map(Self.lost))
    #expect(try JournalText.contents(lines.flatMap(\.self)).records == records)
  }

  /// After hours without room the latest records are kept.
  @Test func mostOwed() throws {
    var writer = JournalWriter(nil, after: JournalText.Chain())
    for number in 0..<7 { writer.owe((0..<10_000).map { Self.lost("\(number * 10_000 + $0)") }) }
    let lines = writer.append([])
    let records = try JournalText.contents(lines ?? []).records
    #expect(records.count == 65_536 && records.first == Self.lost("4464") && records.last == Self.lost("69999"))
  }
}
