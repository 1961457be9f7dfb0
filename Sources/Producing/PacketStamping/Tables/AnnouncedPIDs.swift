import Basics
import TransportStream

extension ProgramMapTable {
  /// The PIDs that the PMT announces: its streams, its PCR, and the conditional access (CA) of scrambled streams.
  var announcedPIDs: [PID] {
    streams.map { $0.pid } + [pcrPID] + descriptors.compactMap { $0.conditionalAccessPID }
      + streams.flatMap { $0.descriptors.compactMap { $0.conditionalAccessPID } }
  }
}

extension Descriptor {
  /// The PID of a CA_descriptor (ISO/IEC 13818-1, 2.6.16); `nil` for other descriptors.
  var conditionalAccessPID: PID? {
    guard tag == 0x09, data.count >= 4 else { return nil }
    return PID(data[2] & 0x1F) << 8 | PID(data[3])
  }
}

/// Follows the conditional access table (ISO/IEC 13818-1, 2.4.4.6), which announces PIDs that no PMT does.
struct ConditionalAccess: Sendable {
  /// The PID of the table, and its id.
  static let pid: PID = 1
  private static let tableID: UInt8 = 1

  /// The PIDs that were announced until now.
  private(set) var pids: Set<PID> = []
  private var assembler = SectionAssembler()

  /// Receives a packet of the table's PID.
  mutating func push(_ header: TransportPacket, payload: Span<UInt8>) {
    for bytes in assembler.push(header, payload: payload) {
      guard let section = try? Section(bytes.span), section.tableID == Self.tableID else { continue }
      var reader = ByteReader(section.body.span)
      let descriptors = (try? Descriptor.list(&reader)) ?? []
      pids.formUnion(descriptors.compactMap { $0.conditionalAccessPID })
    }
  }
}
