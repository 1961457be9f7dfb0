import TransportStream

/// Removes streams of carriages from PMTs, or completes their announcement of timed ID3.
struct EditedTables: TableEdit {
  /// The change to PMTs.
  enum Change: Equatable, Sendable {
    /// Streams of carriages are removed.
    case without(Set<PID>)
    /// PMTs get both descriptors of timed ID3 if one is missing: FFmpeg writes only one.
    case announced
  }

  /// The latest PMT of a program, as received and as edited.
  private struct Latest: Sendable {
    var section: [UInt8]
    var change: Change
    var output: [UInt8]?
    /// The versions of the received and of the edited PMT.
    var inputVersion: UInt8
    var version: UInt8
    /// The edited PMT, with version 0.
    var content: ProgramMapTable
  }

  static let keepsPackets = false

  var change = Change.without([])
  private var latest: [UInt16: Latest] = [:]
  private var checksums = SectionChecksums()

  /// Returns the edited section; `nil` if it is unchanged.
  mutating func edited(_ bytes: [UInt8]) -> [UInt8]? {
    guard change != .without([]) || !latest.isEmpty else { return nil }
    guard bytes.first == ProgramMapTable.tableID, checksums.check(bytes) != .damaged else { return nil }
    guard let section = try? Section(unchecked: bytes.span), section.isCurrent, let pmt = try? ProgramMapTable(section) else { return nil }
    let known = latest[pmt.programNumber]
    if let known, known.section == bytes, known.change == change { return known.output }
    var content: ProgramMapTable
    let step: UInt8
    switch change {
    // Stamping has increased its version by one.
    case .without(let removed): (content, step) = (CarriageWriters.removed(removed, from: pmt), 31)
    case .announced: (content, step) = (pmt.timedID3Streams.first.map { ID3Writer.announced(in: pmt, on: $0.pid) } ?? pmt, 1)
    }
    let isEdited = content != pmt
    var version = isEdited ? (pmt.version + step) & 0x1F : pmt.version
    content.version = 0
    // Two maps of the same version stay so if they came so.
    if let known, known.content != content, known.version == version, known.inputVersion != pmt.version { version = (version + 1) & 0x1F }
    var output: [UInt8]?
    if isEdited || version != pmt.version {
      var next = content
      next.version = version
      output = try? next.section(replacing: bytes)
    }
    if latest.count < ProgramTables.largestProgramCount || known != nil {
      latest[pmt.programNumber] = Latest(
        section: bytes, change: change, output: output, inputVersion: pmt.version, version: version, content: content)
    }
    return output
  }
}
