import TransportStream

/// Edits the PMTs on one PID: see `EditedTables`.
struct TableEditor: CarriageEditor {
  private var rewriter: TableRewriter<EditedTables>
  /// The slots of the waiting packets.
  private var slots: [Int] = []

  init(pid: PID) { rewriter = TableRewriter(pid: pid, EditedTables()) }

  var interest: PacketFilter.Interest { .all }
  var isOpen: Bool { rewriter.isOpen }

  mutating func push(_ packet: EditedPacket, of unit: Span<UInt8>, _ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags] {
    let bytes = packet.bytes
    if rewriter.isInterrupted(by: packet.header, payload: bytes.span.extracting(packet.header.payload)) { release(terms, &window) }
    let slot = window.hold(unit)
    rewriter.edit.change = terms.tables
    switch rewriter.push(packet.header, bytes.span) {
    case .waiting: slots.append(slot)
    case .repeated(let packets): replace(slot, with: Array(packets.suffix(1)), terms, &window)
    case .complete(let packets):
      slots.append(slot)
      replace(with: packets, terms, &window)
    }
    return []
  }

  mutating func close(_ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags] {
    release(terms, &window)
    return []
  }

  mutating func release(_ terms: EditTerms, _ window: inout EditWindow) {
    rewriter.edit.change = terms.tables
    replace(with: rewriter.flush(), terms, &window)
  }

  private mutating func replace(with packets: [[[UInt8]]], _ terms: EditTerms, _ window: inout EditWindow) {
    var packets = packets
    if let last = slots.last, TransportPacket.isMarkedMovedUp(window.packet(last)) {
      // What the packets do not need any more was in front of them.
      let count = packets.reversed().prefix { $0.isEmpty }.count
      packets = packets.suffix(count) + packets.dropLast(count)
    }
    for (slot, packets) in zip(slots, packets) { replace(slot, with: packets, terms, &window) }
    slots = []
  }

  private mutating func replace(_ slot: Int, with packets: [[UInt8]], _ terms: EditTerms, _ window: inout EditWindow) {
    let old = window.packet(slot)
    guard packets != [old] else { return }
    // Another counter alone is no change.
    if packets.count != 1 || packets[0].dropFirst(4) != old.dropFirst(4) { window.changedMaps += 1 }
    window.replace(slot, with: packets.isEmpty ? terms.filling(for: old) : packets)
  }
}
