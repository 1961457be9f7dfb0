/// Puts the sections of one PID together from the payloads of its packets (ISO/IEC 13818-1, 2.4.4.1).
public struct SectionAssembler: Equatable, Sendable {
  /// The bytes of the section that is being put together; `nil` while waiting for one to start.
  private var partial: [UInt8]?
  private var lastCounter: UInt8?
  /// The latest packet's payload, by which a packet that was sent twice is known, and whether it has come twice.
  private var lastPayload: [UInt8] = []
  private var wasRepeated = false
  /// Whether sections started in it.
  private var lastStartedUnit = false

  /// The largest section of any table.
  private static let largestSize = 4_096

  /// Starts without a section.
  public init() {}

  /// Whether a section has begun and not ended.
  public var isInsideSection: Bool { partial.map { !$0.isEmpty } ?? false }

  /// Takes the next packet of the PID and returns the sections that end in it, unchecked.
  ///
  /// Packets that are missing or damaged cost the section that they belong to and no other. A packet may be sent twice, with the same counter and
  /// the same payload (ISO/IEC 13818-1, 2.4.3.3), and counts once then; where the counter alone stands still, the section's checksum has the last word.
  public mutating func push(_ header: TransportPacket, payload: Span<UInt8>) -> [[UInt8]] {
    guard header.hasPayload, header.scrambling == 0 else { return [] }
    if header.adaptation?.isDiscontinuous == true {
      partial = nil
    } else if let lastCounter, header.continuityCounter == lastCounter {
      guard wasRepeated || !isLastPayload(payload) else {
        wasRepeated = true
        return []
      }
    } else if let lastCounter, header.continuityCounter != (lastCounter + 1) & 0x0F {
      partial = nil
    }
    lastCounter = header.continuityCounter
    lastPayload.removeAll(keepingCapacity: true)
    for index in payload.indices { lastPayload.append(payload[index]) }
    wasRepeated = false
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

  /// Passes over the next packet of the PID, where it brings the sections again that the packet before it brought, all of them whole.
  ///
  /// - Returns: Whether it does; otherwise it was not taken, and has to be pushed.
  public mutating func pass(_ header: TransportPacket, payload: Span<UInt8>) -> Bool {
    guard let lastCounter, header.continuityCounter == (lastCounter + 1) & 0x0F, header.hasPayload, header.scrambling == 0,
      header.adaptation?.isDiscontinuous != true, header.startsUnit, lastStartedUnit, !isInsideSection, isLastPayload(payload)
    else { return false }
    self.lastCounter = header.continuityCounter
    wasRepeated = false
    return true
  }

  /// Forgets a section that has begun: the stream is interrupted.
  public mutating func reset() { self = SectionAssembler() }

  private func isLastPayload(_ payload: Span<UInt8>) -> Bool {
    guard payload.count == lastPayload.count else { return false }
    let last = lastPayload.span
    for index in payload.indices where payload[index] != last[index] { return false }
    return true
  }

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
      for index in position..<position + count { section.append(bytes[index]) }
      position += count
      if section.count == size {
        sections.append(section)
        section = []
      }
    }
    partial = section
  }
}
