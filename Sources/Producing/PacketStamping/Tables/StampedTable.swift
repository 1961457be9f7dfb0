import Basics
import TransportStream

/// Adds the streams of carriages to the PMTs of a program.
struct StampedTable: TableEdit {
  static let keepsPackets = true

  private var carriagePIDs: CarriagePIDs
  private let program: UInt16
  /// Whether a changed PMT gets a new version if the encoder has not given it one. Readers skip a PMT of a version that they know.
  private let raisesVersions: Bool
  /// Whether a PMT had to be changed. From then on every version is increased, because otherwise two different PMTs could have the same version.
  private var hasChangedPMT = false
  /// The amount that is added to versions. It grows if the events move to another PID, so that readers see a new PMT.
  private var versionStep: UInt8 = 1
  /// The PMT that was changed last, and its replacement. Most PMTs are repeated ten times a second without a change.
  private var latest: (section: [UInt8], stamped: [UInt8])?
  /// The PMT of the input that was changed last.
  private var known: ProgramMapTable?
  private var checksums = SectionChecksums()

  init(_ carriagePIDs: CarriagePIDs, program: UInt16, raisesVersions: Bool, following previous: StampedTable? = nil) {
    (self.carriagePIDs, self.program, self.raisesVersions) = (carriagePIDs, program, raisesVersions)
    guard let previous else { return }
    (hasChangedPMT, versionStep, known) = (previous.hasChangedPMT, previous.versionStep, previous.known)
    checksums = previous.checksums
    if previous.carriagePIDs.pids != carriagePIDs.pids { move(to: carriagePIDs) }
  }

  /// Adds the streams on other PIDs, starting with the next PMT or the one that has begun.
  mutating func move(to carriagePIDs: CarriagePIDs) {
    self.carriagePIDs = carriagePIDs
    if hasChangedPMT { versionStep = (versionStep + 1) & 0x1F }
    latest = nil
  }

  /// Returns the section with the streams of carriages; `nil` if it is another table, damaged, not yet valid, or needs no change.
  mutating func edited(_ bytes: [UInt8]) throws(PacketStampingError) -> [UInt8]? {
    if let latest, latest.section == bytes { return latest.stamped }
    guard bytes.first == ProgramMapTable.tableID, checksums.check(bytes) != .damaged else { return nil }
    guard let section = try? Section(unchecked: bytes.span), section.isCurrent, let pmt = try? ProgramMapTable(section),
      pmt.programNumber == program
    else { return nil }
    var stamped = CarriageWriters.announced(in: pmt, on: carriagePIDs)
    guard hasChangedPMT || stamped != pmt else { return nil }
    if raisesVersions, let known, known.version == pmt.version, known != pmt { versionStep = (versionStep + 1) & 0x1F }
    (hasChangedPMT, known) = (true, pmt)
    stamped.version = (pmt.version + versionStep) & 0x1F
    do throws(ParseError) {
      let encoded = try stamped.section(replacing: bytes)
      latest = (bytes, encoded)
      return encoded
    } catch {
      throw .pmt(error)
    }
  }
}
