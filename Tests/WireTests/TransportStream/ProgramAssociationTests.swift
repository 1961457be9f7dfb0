import Basics
import Testing
import TransportStream

/// A program association of several sections is known once all of them came.
@Suite struct ProgramAssociationTests {
  static func section(_ number: UInt8, of count: UInt8, version: UInt8, _ program: UInt16) -> Section {
    let entries = [ProgramAssociationTable.Program(number: program, pmtPID: 0x1000 + program)]
    var section = ProgramAssociationTable(transportStreamID: 7, version: version, entries: entries).section
    (section.number, section.lastNumber) = (number, count - 1)
    return section
  }

  static func table(version: UInt8, _ programs: UInt16...) -> ProgramAssociationTable {
    ProgramAssociationTable(transportStreamID: 7, version: version, entries: programs.map { .init(number: $0, pmtPID: 0x1000 + $0) })
  }

  /// What each of the sections changes.
  static func changes(_ sections: [Section]) throws -> [[ProgramTables.Change]] {
    var tables = ProgramTables()
    var counter: UInt8 = 0
    return try sections.map { section in
      let packet = TransportPacket.packets(carrying: [0] + (try section.encode()), pid: ProgramAssociationTable.pid, counter: &counter)
      let header = try TransportPacket(packet.span)
      return tables.push(header, payload: packet.span.extracting(header.payload))
    }
  }

  @Test func sectionsMakeATableTogether() throws {
    let sections = [
      Self.section(1, of: 2, version: 3, 2), Self.section(0, of: 2, version: 3, 1), Self.section(1, of: 2, version: 3, 2),
      Self.section(0, of: 2, version: 4, 5), Self.section(1, of: 2, version: 4, 2), Self.section(0, of: 1, version: 5, 9),
    ]
    let expected: [[ProgramTables.Change]] = [
      [], [.programAssociation(Self.table(version: 3, 1, 2))], [],
      [], [.programAssociation(Self.table(version: 4, 5, 2))], [.programAssociation(Self.table(version: 5, 9))],
    ]
    #expect(try Self.changes(sections) == expected)
  }

  @Test func sectionsOfTwoVersionsAreNoTable() throws {
    let sections = [Self.section(0, of: 2, version: 3, 1), Self.section(1, of: 2, version: 4, 2), Self.section(0, of: 2, version: 3, 1)]
    #expect(try Self.changes(sections) == [[], [], []])
  }

  @Test func numbersThatCannotBe() throws {
    let changes = try Self.changes([Self.section(1, of: 1, version: 3, 1), Self.section(0, of: 17, version: 3, 1)])
    let expected: [[ProgramTables.Change]] = [
      [.damaged(reason: "table on PID 0: \(ParseError(.invalid("a section's number is above the last one"), at: 0).reason)")],
      [.damaged(reason: "table on PID 0: \(ParseError(.aboveLimit(what: "sections of a program association", limit: 16), at: 0).reason)")],
    ]
    #expect(changes == expected)
  }
}
