import Basics

/// Collects the sections of a PAT (ISO/IEC 13818-1, 2.4.4.5). The table is known once all sections of a version have arrived.
struct PATSections: Sendable {
  /// The latest section. When it arrives, sections of another table or version are discarded.
  private var latest: Section?
  private var entries: [UInt8: [ProgramAssociationTable.Program]] = [:]

  /// The largest number of sections of a table, of up to 253 programs each.
  static let mostSections = 16

  /// Receives the next section that is current, and returns the table if no section is missing.
  ///
  /// - Throws: `ParseError` if the section holds another table, or its number is above the last one or the last one above the limit.
  mutating func push(_ section: Section) throws(ParseError) -> ProgramAssociationTable? {
    var table = try ProgramAssociationTable(section)
    guard section.number <= section.lastNumber else { throw ParseError(.invalid("a section's number is above the last one"), at: 0) }
    guard section.lastNumber < Self.mostSections else {
      throw ParseError(.aboveLimit(what: "sections of a program association", limit: Self.mostSections), at: 0)
    }
    if let latest, !Self.belong(latest, section) { entries = [:] }
    latest = section
    entries[section.number] = table.entries
    guard entries.count == Int(section.lastNumber) + 1 else { return nil }
    table.entries = (0...section.lastNumber).flatMap { entries[$0] ?? [] }
    return table
  }

  /// Whether two sections are of the same table.
  private static func belong(_ first: Section, _ second: Section) -> Bool {
    first.tableIDExtension == second.tableIDExtension && first.version == second.version && first.lastNumber == second.lastNumber
  }
}
