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
    var version: UInt8
    /// The edited PMT, with version 0.
    var content: ProgramMapTable
  }

  static let keepsPackets = false

  var change = Change.without([])
  private var latest: [UInt16: Latest] = [:]

  /// Returns the edited section; `nil` if it is unchanged.
  mutating func edited(_ bytes: [UInt8]) -> [UInt8]? {
    guard change != .without([]) || !latest.isEmpty else { return nil }
    guard let section = try? Section(bytes.span), section.isCurrent, let pmt = try? ProgramMapTable(section) else { return nil }
    let known = latest[pmt.programNumber]
    if let known, known.section == bytes, known.change == change { return known.output }
    let edited: ProgramMapTable?
    var version = pmt.version
    switch change {
    case .without(let removed):
      edited = Carriages.removed(removed, from: pmt)
      // Stamping has increased its version by one.
      if edited != nil { version = (version &- 1) & 0x1F }
    case .announced:
      edited = pmt.timedID3Streams.first.map { ID3Writer.announced(in: pmt, on: $0.pid) }.flatMap { $0 == pmt ? nil : $0 }
      if edited != nil { version = (version &+ 1) & 0x1F }
    }
    var content = edited ?? pmt
    content.version = 0
    if let known, known.content != content, known.version == version { version = (version + 1) & 0x1F }
    var output: [UInt8]?
    if edited != nil || version != pmt.version {
      var next = content
      next.version = version
      output = try? next.section().encode()
    }
    if latest.count < ProgramTables.largestProgramCount || known != nil {
      latest[pmt.programNumber] = Latest(section: bytes, change: change, output: output, version: version, content: content)
    }
    return output
  }
}
