import Basics

/// Assembles the sections of one PID from the payloads of its packets (ISO/IEC 13818-1, 2.4.4.1).
public struct SectionAssembler: Equatable, Sendable {
  /// The bytes of the incomplete section; `nil` while waiting for one to start.
  private var partial: [UInt8]?
  private var continuity = ContinuityCounter()
  /// Whether sections started in the latest packet.
  private var lastStartedUnit = false

  /// The largest section of any table.
  private static let largestSize = 4_096

  /// Starts without a section.
  public init() {}

  /// Whether a section is incomplete.
  public var isInsideSection: Bool { partial.map { !$0.isEmpty } ?? false }

  /// Receives the next packet of the PID and returns the sections that end in it, unchecked.
  ///
  /// A packet that is missing or damaged costs the section that it belongs to and no other. A duplicate packet is skipped. If the counter
  /// stays the same but the content differs, the packet is used: the section's checksum decides.
  public mutating func push(_ header: TransportPacket, payload: Span<UInt8>) -> [[UInt8]] {
    guard header.hasPayload, header.scrambling == 0 else { return [] }
    switch continuity.push(header, content: payload) {
    case .duplicate: return []
    case .discontinuity, .lost: partial = nil
    case .first, .next, .stalled, .withoutPayload: break
    }
    lastStartedUnit = header.startsUnit
    var sections: [[UInt8]] = []
    guard header.startsUnit else {
      append(payload, to: &sections)
      return sections
    }
    guard payload.count > 0, Int(payload[0]) < payload.count else {
      partial = nil
      return sections
    }
    let start = 1 + Int(payload[0])
    append(payload.extracting(1..<start), to: &sections)
    partial = []
    append(payload.extracting(start..<payload.count), to: &sections)
    return sections
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

  private mutating func append(_ bytes: Span<UInt8>, to sections: inout [[UInt8]]) {
    guard var section = partial else { return }
    var position = 0
    while position < bytes.count {
      // Where a section could start, 0xFF is stuffing up to the end of the packet.
      if section.isEmpty, bytes[position] == 0xFF { break }
      section.append(bytes[position])
      position += 1
      guard section.count >= 3 else { continue }
      let size = 3 + (Int(section[1] & 0x0F) << 8 | Int(section[2]))
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
      }
    }
    partial = section
  }
}
