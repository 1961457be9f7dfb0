import Basics

/// Decides which sections of a PID are used although their checksum (CRC_32) is wrong.
///
/// Some multiplexers write wrong checksums into all sections, and most players do not look at them. So a section with a wrong checksum is used if it
/// has come twice with the same bytes, which damage does not do, and no section of the PID had a right checksum.
package struct SectionChecksums: Equatable, Sendable {
  /// What the checksum of a section means.
  package enum Verdict: Equatable, Sendable {
    /// The checksum is right.
    case right
    /// The checksum is wrong, and the section is used.
    case usable
    /// The checksum is wrong, and the section is damaged.
    case damaged
  }

  private var hasRight = false
  /// The latest sections with a wrong checksum, by table, table_id_extension and number.
  private var wrong: [UInt32: [UInt8]] = [:]

  /// The largest number of sections that are remembered.
  private static let mostSections = 64

  /// Starts before the first section of a PID.
  package init() {}

  /// Receives the next section of the PID.
  package mutating func check(_ section: [UInt8]) -> Verdict {
    guard CRC32MPEG2.checksum(section.view) != 0 else {
      (hasRight, wrong) = (true, [:])
      return .right
    }
    guard !hasRight, section.count >= 9 else { return .damaged }
    let key = UInt32(section[0]) << 24 | UInt32(section[3]) << 16 | UInt32(section[4]) << 8 | UInt32(section[6])
    guard wrong[key] != section else { return .usable }
    if wrong.count < Self.mostSections || wrong[key] != nil { wrong[key] = section }
    return .damaged
  }
}
