import Basics
import TransportStream

/// Adds the streams of carriages to the PMTs of a program.
struct StampedTable: TableEdit {
  static let keepsPackets = true

  private var stampedPMT: StampedPMT
  private let program: UInt16
  /// Whether a PMT that has changed gets another version where the encoder has not given it one: readers skip what has the version that they know.
  private let raisesVersions: Bool
  /// Whether a PMT had to be changed. From then on every PMT has the version after its own, or two different ones could have the same version.
  private var hasChangedPMT = false
  /// What is added to the versions: more where the events have moved to another PID, so that readers see a new PMT.
  private var versionStep: UInt8 = 1
  /// The PMT that was changed last, and its replacement: most PMTs come ten times a second and are always the same.
  private var latest: (section: [UInt8], stamped: [UInt8])?
  /// The PMT of the input that was changed last.
  private var known: ProgramMapTable?

  init(_ stampedPMT: StampedPMT, program: UInt16, raisesVersions: Bool, following previous: StampedTable? = nil) {
    (self.stampedPMT, self.program, self.raisesVersions) = (stampedPMT, program, raisesVersions)
    guard let previous else { return }
    (hasChangedPMT, versionStep, known) = (previous.hasChangedPMT, previous.versionStep, previous.known)
    if previous.stampedPMT.pids != stampedPMT.pids { move(to: stampedPMT) }
  }

  /// Adds the streams on other PIDs from the next PMT on, or from the one on that has begun.
  mutating func move(to stampedPMT: StampedPMT) {
    self.stampedPMT = stampedPMT
    if hasChangedPMT { versionStep = (versionStep + 1) & 0x1F }
    latest = nil
  }

  /// The section with the streams of carriages in it; `nil` if it is another table, is damaged, is not yet valid, or needs no change.
  mutating func edited(_ bytes: [UInt8]) throws(PacketStampingError) -> [UInt8]? {
    if let latest, latest.section == bytes { return latest.stamped }
    guard let section = try? Section(bytes.span), section.isCurrent, let pmt = try? ProgramMapTable(section), pmt.programNumber == program
    else { return nil }
    var stamped = stampedPMT.stamped(pmt)
    guard hasChangedPMT || stamped != pmt else { return nil }
    if raisesVersions, let known, known.version == pmt.version, known != pmt { versionStep = (versionStep + 1) & 0x1F }
    (hasChangedPMT, known) = (true, pmt)
    stamped.version = (pmt.version + versionStep) & 0x1F
    do throws(ParseError) {
      let encoded = try stamped.section().encode()
      latest = (bytes, encoded)
      return encoded
    } catch {
      throw .pmt(error)
    }
  }
}
