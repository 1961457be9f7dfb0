public import Basics

/// The program association table (PAT): the PID of each program's PMT (ISO/IEC 13818-1, 2.4.4.3).
public struct ProgramAssociationTable: Equatable, Sendable {
  /// A program and the PID of its PMT.
  public struct Program: Equatable, Sendable {
    /// The program's number; 0 is not a program but the network information.
    public var number: UInt16
    /// The PID of its PMT.
    public var pmtPID: PID

    /// A program with the PID of its PMT.
    public init(number: UInt16, pmtPID: PID) { (self.number, self.pmtPID) = (number, pmtPID) }
  }

  /// The PID of the table.
  public static let pid: PID = 0
  /// The table's id.
  public static let tableID: UInt8 = 0

  /// The number of the transport stream.
  public var transportStreamID: UInt16
  /// The version of the table, 0 to 31.
  public var version: UInt8
  /// All entries, network information included.
  public var entries: [Program]

  /// A table with these entries.
  public init(transportStreamID: UInt16, version: UInt8, entries: [Program]) {
    (self.transportStreamID, self.version, self.entries) = (transportStreamID, version, entries)
  }

  /// The entries that are programs.
  public var programs: [Program] { entries.filter { $0.number != 0 } }
}

extension ProgramAssociationTable {
  /// Reads the table from its section.
  ///
  /// - Throws: `ParseError` if the section holds another table or is cut off. Offsets are relative to the section's body.
  public init(_ section: Section) throws(ParseError) {
    guard section.tableID == Self.tableID else { throw ParseError(.invalid("no program association table"), at: 0) }
    transportStreamID = section.tableIDExtension
    version = section.version
    entries = []
    var reader = ByteReader(section.body.view)
    while reader.remaining > 0 {
      entries.append(Program(number: try reader.readUInt16(), pmtPID: try reader.readUInt16() & 0x1FFF))
    }
  }

  /// The table as a section.
  public var section: Section {
    var writer = ByteWriter(capacity: entries.count * 4)
    for entry in entries {
      writer.writeUInt16(entry.number)
      writer.writeUInt16(0xE000 | entry.pmtPID & 0x1FFF)
    }
    return Section(tableID: Self.tableID, tableIDExtension: transportStreamID, version: version, body: writer.bytes)
  }
}
