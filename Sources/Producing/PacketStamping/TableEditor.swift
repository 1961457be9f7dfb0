import TransportStream

/// Edits the PMTs on one PID: see `EditedTables`.
struct TableEditor: Sendable {
  private var rewriter: TableRewriter<EditedTables>
  /// Where the packets are held that wait.
  private var slots: [Int] = []

  init(pid: PID) { rewriter = TableRewriter(pid: pid, EditedTables()) }

  /// Whether packets are held.
  var isOpen: Bool { rewriter.isOpen }

  /// Receives the next packet of the PID.
  ///
  /// - Parameters:
  ///   - change: What becomes of a PMT that ends in it.
  ///   - filling: What comes in the place of packets that are taken out.
  mutating func push(
    _ header: TransportPacket, _ unit: Span<UInt8>, _ packet: [UInt8], _ change: EditedTables.Change, filling: [[UInt8]],
    _ window: inout EditWindow
  ) {
    if rewriter.isInterrupted(by: header) { close(filling, &window) }
    let slot = window.hold(unit)
    rewriter.edit.change = change
    switch rewriter.push(header, packet.span) {
    case .waiting: slots.append(slot)
    case .repeated(let packet): replace(slot, with: packet.map { [$0] } ?? [], filling, &window)
    case .complete(let packets):
      slots.append(slot)
      replace(with: packets, filling, &window)
    }
  }

  /// Lets the packets that wait go on as they are.
  mutating func close(_ filling: [[UInt8]], _ window: inout EditWindow) {
    rewriter.edit.change = .without([])
    replace(with: rewriter.flush(), filling, &window)
  }

  private mutating func replace(with packets: [[[UInt8]]], _ filling: [[UInt8]], _ window: inout EditWindow) {
    for (slot, packets) in zip(slots, packets) { replace(slot, with: packets, filling, &window) }
    slots = []
  }

  private func replace(_ slot: Int, with packets: [[UInt8]], _ filling: [[UInt8]], _ window: inout EditWindow) {
    if packets != [window.packet(slot)] { window.replace(slot, with: packets.isEmpty ? filling : packets) }
  }
}
