import Basics
import TransportStream

/// Takes streams out of the PMTs on one PID, or completes what they say of timed ID3. Other tables on it stay as they are.
struct TableEditor: Sendable {
  /// What becomes of PMTs.
  enum Change: Equatable, Sendable {
    /// Streams of timed ID3 are taken out.
    case without(Set<PID>)
    /// They get both descriptors that timed ID3 needs, where one is missing: FFmpeg writes only one.
    case announced
  }

  /// A packet of sections that have begun and not ended.
  private struct Member: Sendable {
    var slot: Int
    var header: TransportPacket
    var bytes: [UInt8]
  }

  /// The latest PMT of a program, as it came and as it goes on.
  private struct Latest: Sendable {
    var section: [UInt8]
    var change: Change
    var output: [UInt8]?
    var version: UInt8
    /// The PMT that goes on, with version 0.
    var content: ProgramMapTable
  }

  private var assembler = SectionAssembler()
  private var group: [Member] = []
  private var sections: [[UInt8]] = []
  private var repeats = PacketRepeats()
  private var continuity = ContinuityCounter()
  /// The number of packets that were taken out, modulo 16: subtracted from the counters of later packets.
  private var removedCount: UInt8 = 0
  /// Whether the latest group was changed: then repeats of its packets go.
  private var hasChanged = false
  private var latest: [UInt16: Latest] = [:]

  /// Whether packets are held.
  var isOpen: Bool { !group.isEmpty }

  /// Receives the next packet of the PID.
  ///
  /// - Parameters:
  ///   - change: What becomes of a PMT that ends in it.
  ///   - filling: What comes in the place of packets that are taken out.
  mutating func push(
    _ header: TransportPacket, _ unit: Span<UInt8>, _ packet: [UInt8], _ change: Change, filling: [[UInt8]],
    _ window: inout EditWindow
  ) {
    switch continuityStep(repeats.corrected(header)) {
    case .lost, .discontinuity: close(filling, &window)
    case .withoutPayload, .first, .next, .duplicate, .stalled: break
    }
    let slot = window.hold(unit)
    guard let corrected = repeats.push(header, packet.span) else {
      if hasChanged { window.replace(slot, with: filling) } else { renumber(Member(slot: slot, header: header, bytes: packet), &window) }
      return
    }
    sections += assembler.push(corrected, payload: packet.span.extracting(header.payload))
    _ = continuity.push(corrected)
    group.append(Member(slot: slot, header: header, bytes: packet))
    if !assembler.isInsideSection || group.count >= PMTRewriter.largestGroup { decide(change, filling, &window) }
  }

  /// Lets the packets that wait go on as they are.
  mutating func close(_ filling: [[UInt8]], _ window: inout EditWindow) { decide(.without([]), filling, &window) }

  private func continuityStep(_ header: TransportPacket) -> ContinuityCounter.Step {
    var continuity = continuity
    return continuity.push(header)
  }

  private mutating func decide(_ change: Change, _ filling: [[UInt8]], _ window: inout EditWindow) {
    defer { (group, sections) = ([], []) }
    guard !group.isEmpty else { return }
    hasChanged = false
    var units: [[UInt8]] = []
    for section in sections {
      let edited = change == .without([]) && latest.isEmpty ? nil : edit(section, change)
      hasChanged = hasChanged || edited != nil
      units.append(edited ?? section)
    }
    hasChanged = hasChanged && !assembler.isInsideSection
    guard hasChanged else {
      for member in group { renumber(member, &window) }
      return
    }
    rewrite(units, filling, &window)
  }

  /// Puts sections into the packets of the group. Packets that are left over are taken out.
  private mutating func rewrite(_ sections: [[UInt8]], _ filling: [[UInt8]], _ window: inout EditWindow) {
    guard let pid = group.first?.header.pid else { return }
    let carriers = group.filter { $0.header.hasPayload }
    let heads = carriers.map { PMTRewriter.head(of: counted($0), payload: $0.header.payload) }
    let needed = TransportPacket.packets(sections: sections, pid: pid, heads: Array(heads.prefix(1)), counter: 0).count
    let next = ((carriers.last.map { counted($0)[3] } ?? 0) &+ 1) & 0x0F
    var packets = TransportPacket.packets(sections: sections, pid: pid, heads: Array(heads.prefix(needed)), counter: next)[...]
    for (index, member) in group.enumerated() {
      guard member.header.hasPayload else {
        renumber(member, &window)
        continue
      }
      var replacement: [[UInt8]] = []
      if let packet = packets.popFirst() {
        replacement = [packet]
      } else {
        removedCount = (removedCount + 1) & 0x0F
        let isBound = ExistingStream.isBound(member.bytes.span)
        replacement = isBound ? [TransportPacket.withoutPayload(member.bytes, counter: counted(member)[3])] : filling
      }
      if index == group.count - 1 { replacement += packets }
      window.replace(member.slot, with: replacement)
    }
    removedCount = (removedCount &- UInt8(packets.count)) & 0x0F
  }

  /// A packet with the counter that it has without those that were taken out.
  private func counted(_ member: Member) -> [UInt8] {
    TransportPacket.counted(member.bytes, member.header.continuityCounter &- removedCount)
  }

  private func renumber(_ member: Member, _ window: inout EditWindow) {
    let counted = counted(member)
    if removedCount != 0, counted != member.bytes { window.replace(member.slot, with: [counted]) }
  }

  /// The section as it goes on; `nil` where it stays as it is.
  private mutating func edit(_ bytes: [UInt8], _ change: Change) -> [UInt8]? {
    guard let section = try? Section(bytes.span), section.isCurrent, let pmt = try? ProgramMapTable(section) else { return nil }
    let known = latest[pmt.programNumber]
    if let known, known.section == bytes, known.change == change { return known.output }
    let edited: ProgramMapTable?
    var version = pmt.version
    switch change {
    case .without(let removed):
      edited = pmt.without(removed)
      // Stamping has given it the version after its own.
      if edited != nil { version = (version &- 1) & 0x1F }
    case .announced:
      edited = pmt.announcingID3
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

extension ProgramMapTable {
  /// The PMT with both descriptors of timed ID3; `nil` where it has no stream of it, or both.
  var announcingID3: ProgramMapTable? {
    guard !timedID3Streams.isEmpty, let stamped = try? StampedPMT(for: self, usedPIDs: []).stamped(self), stamped != self else {
      return nil
    }
    return stamped
  }

  /// The PMT without streams of timed ID3, and without the pointers to them; `nil` where it has none of them.
  func without(_ removed: Set<PID>) -> ProgramMapTable? {
    var stripped = self
    stripped.streams.removeAll { $0.isTimedID3 && removed.contains($0.pid) && $0.pid != pcrPID }
    guard stripped.streams.count < streams.count else { return nil }
    let left = Set(stripped.streams.flatMap(\.descriptors).compactMap { MetadataDescriptor($0) }.filter(\.isID3).map(\.serviceID))
    let gone = streams.filter { $0.isTimedID3 && removed.contains($0.pid) && $0.pid != pcrPID }
    let services = Set(gone.flatMap(\.descriptors).compactMap { MetadataDescriptor($0) }.filter(\.isID3).map(\.serviceID))
    stripped.descriptors.removeAll { descriptor in
      guard let pointer = MetadataPointerDescriptor(descriptor), pointer.isID3 else { return false }
      return services.contains(pointer.serviceID) && !left.contains(pointer.serviceID)
    }
    return stripped
  }
}
