import Basics

/// Assembles the sections of one PID from the payloads of its packets (ISO/IEC 13818-1, 2.4.4.1).
public struct SectionAssembler: Equatable, Sendable {
  /// The bytes of the incomplete section; `nil` while waiting for one to start.
  private var partial: [UInt8]?
  private var continuity = ContinuityCounter()
  /// Whether sections started in the latest packet.
  private var lastStartedUnit = false
  /// The number of bytes in the payload of the latest packet that the pointer skips and that end no section.
  package private(set) var leadCount = 0
  /// The number of bytes in the payload of the latest packet after the last section that ends in it; `nil` if none ends in it.
  package private(set) var restCount: Int?

  /// The largest section of any table.
  private static let largestSize = 4_096

  /// Starts without a section.
  public init() {}

  /// Whether a section is incomplete.
  public var isInsideSection: Bool { partial.map { !$0.isEmpty } ?? false }

  /// Receives the next packet of the PID and returns the sections that end in it, unchecked.
  ///
  /// A packet that is missing or damaged costs the section that it belongs to and no other. A duplicate packet is skipped. If the counter
  /// stays the same but the content differs, the packet is used: the section's checksum decides. Bytes after a section are ignored if no section can
  /// start with them: some multiplexers fill packets with others than 0xFF.
  public mutating func push(_ header: TransportPacket, payload: Span<UInt8>) -> [[UInt8]] {
    guard header.hasPayload, header.scrambling == 0 else { return [] }
    switch continuity.push(header, content: payload) {
    case .duplicate: return []
    case .discontinuity, .lost: partial = nil
    case .first, .next, .stalled, .withoutPayload: break
    }
    lastStartedUnit = header.startsUnit
    (leadCount, restCount) = (0, nil)
    var sections: [[UInt8]] = []
    guard header.startsUnit else {
      append(payload, afterPointer: false, to: &sections)
      return sections
    }
    guard payload.count > 0, Int(payload[0]) < payload.count else {
      partial = nil
      return sections
    }
    let start = 1 + Int(payload[0])
    append(payload.extracting(1..<start), afterPointer: false, to: &sections)
    if sections.isEmpty { leadCount = start - 1 }
    restCount = nil
    partial = []
    append(payload.extracting(start..<payload.count), afterPointer: true, to: &sections)
    return sections
  }

  /// Whether the next packet of the PID ends the incomplete section without completing it, because another one starts in it too early.
  package func isCutOff(by header: TransportPacket, payload: Span<UInt8>) -> Bool {
    guard let partial, !partial.isEmpty, header.startsUnit, payload.count > 0 else { return false }
    let pointer = Int(payload[0])
    guard partial.count >= 3 else { return pointer < 3 - partial.count }
    return partial.count + pointer < Self.size(partial.view)
  }

  /// Skips the next packet of the PID if it contains the same complete sections as the packet before it.
  ///
  /// - Returns: Whether the packet was skipped; otherwise it has to be pushed.
  public mutating func skipRepetition(_ header: TransportPacket, payload: Span<UInt8>) -> Bool {
    guard header.scrambling == 0, header.startsUnit, lastStartedUnit, !isInsideSection, continuity.isRepetition(header, content: payload)
    else { return false }
    _ = continuity.push(header, content: payload)
    return true
  }

  /// Discards an incomplete section, because the stream is interrupted.
  public mutating func reset() { self = SectionAssembler() }

  /// - Parameter afterPointer: Whether a section starts with the first byte.
  private mutating func append(_ bytes: Span<UInt8>, afterPointer: Bool, to sections: inout [[UInt8]]) {
    guard var section = partial else { return }
    var position = 0
    while position < bytes.count {
      if section.isEmpty {
        // Where a section could start, 0xFF is stuffing up to the end of the packet.
        let isFirst = afterPointer && position == 0
        guard bytes[position] != 0xFF, isFirst || Self.canStart(bytes.extracting(position...), after: sections.last?.first) else { break }
      }
      section.append(bytes[position])
      position += 1
      guard section.count >= 3 else { continue }
      let size = Self.size(section.view)
      guard size <= Self.largestSize else {
        partial = nil
        return
      }
      let count = min(size - section.count, bytes.count - position)
      section.append(copying: bytes.extracting(position..<position + count))
      position += count
      if section.count == size {
        sections.append(section)
        section = []
        restCount = bytes.count - position
      }
    }
    partial = section
  }

  /// The size of the section that starts with these bytes, of which there are at least three.
  private static func size(_ section: Span<UInt8>) -> Int { 3 + (Int(section[1] & 0x0F) << 8 | Int(section[2])) }

  /// Whether a section can start with the bytes after another one in the same packet.
  ///
  /// The tables of ISO/IEC 13818-1 have the long header (section_syntax_indicator 1, then a bit that is 0) and at least the nine bytes of its rest and
  /// the checksum. A private section (table_id 0x40 and above) may have the short header, but must end in the packet. A section that goes on in
  /// the next packet must also look like one: with reserved bits that are set, and no number beyond the last one. One or two bytes tell little: they
  /// start a section of the same table as the one before, or of a private table (table_id 0x80 and above), since tables in between have PIDs of
  /// their own.
  ///
  /// - Parameter table: The table_id of the section before.
  private static func canStart(_ bytes: Span<UInt8>, after table: UInt8?) -> Bool {
    let isPrivate = bytes[0] >= 0x40
    guard bytes.count >= 3 else {
      guard bytes[0] == table || bytes[0] >= 0x80 else { return false }
      return bytes.count < 2 || bytes[1] & 0x80 != 0 && (isPrivate || bytes[1] & 0x40 == 0)
    }
    // Equal bytes up to the end of the packet are its filling.
    guard (1..<bytes.count).contains(where: { bytes[$0] != bytes[0] }) else { return false }
    let size = size(bytes)
    guard bytes[1] & 0x80 != 0 else { return isPrivate && size > 3 && size <= bytes.count }
    guard size >= 12, size <= largestSize, isPrivate || bytes[1] & 0x40 == 0 && size <= 3 + Section.largestLength else { return false }
    guard size > bytes.count else { return true }
    // table_ids 0x08 to 0x3F are reserved or those of DSM-CC.
    let isKnown = isPrivate || bytes[0] < 0x08 || (0x38...0x3F).contains(bytes[0])
    let hasReservedBits = bytes[1] & 0x30 == 0x30 && (bytes.count < 6 || bytes[5] & 0xC0 == 0xC0)
    return isKnown && hasReservedBits && (bytes.count < 8 || bytes[6] <= bytes[7])
  }
}
