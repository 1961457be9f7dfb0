import Basics
import GameEvents
import TransportStream

/// Edits the PES packets of one PID with timed ID3. Packets wait until the tags in them are complete.
struct ID3Editor: CarriageEditor {
  /// A waiting packet.
  private struct Member: Sendable {
    var slot: Int
    var header: TransportPacket
    /// Whether it repeats the packet before.
    var isRepeat: Bool
  }

  private let pid: PID
  private var editor: TagEditor
  private var assembler = PESAssembler()
  private var continuity = ContinuityCounter()
  private var group: [Member] = []
  /// The complete PES packets of the group.
  private var units: [[UInt8]] = []
  private var shift = CounterShift()
  /// Whether the latest group was removed. Then later packets of it are removed as well.
  private var hasRemoved = false

  init(pid: PID, _ edit: TagEdit) {
    self.pid = pid
    editor = TagEditor(edit)
  }

  var interest: PacketFilter.Interest { .all }
  var isOpen: Bool { !group.isEmpty }
  /// Whether readers no longer know the PID.
  private func isGone(_ terms: EditTerms) -> Bool { terms.gone.contains(pid) }

  mutating func push(_ packet: EditedPacket, of unit: Span<UInt8>, _ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags] {
    let header = packet.header
    var changes: [EditedTags] = []
    let payload = packet.bytes.span.extracting(header.payload)
    let step = continuity.push(header, content: payload)
    let isRepeat = step == .duplicate || (step == .stalled && continuity.hasSameContent)
    let startsUnit = header.startsUnit && header.hasPayload && !isRepeat
    if startsUnit, isOpen { changes += endUnit(before: payload, terms, &window) }
    let slot = window.hold(unit)
    guard isOpen || startsUnit else {
      // The packet belongs to no known PES packet. It may repeat the last packet of one.
      pass(Member(slot: slot, header: header, isRepeat: isRepeat), terms, &window)
      return changes
    }
    group.append(Member(slot: slot, header: header, isRepeat: isRepeat))
    guard !isRepeat else { return changes }
    changes += receive(assembler.push(header, payload: payload, offset: 0), terms, &window)
    if let partial = assembler.partial {
      guard partial.statedSize == nil, endsWithTag(partial.bytes) else { return changes }
      changes += receive(assembler.finish(), terms, &window)
    } else if isOpen, units.isEmpty {
      // Scrambled packets cannot be assembled.
      keep(&window)
    }
    return changes
  }

  mutating func close(_ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags] {
    receive(assembler.interrupt(), terms, &window) + decide(terms, &window, isLast: true)
  }

  mutating func release(_ terms: EditTerms, _ window: inout EditWindow) {
    _ = assembler.interrupt()
    keep(&window)
  }

  /// Ends the PES packet because another one starts.
  private mutating func endUnit(before payload: Span<UInt8>, _ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags] {
    let changes = receive(assembler.finish(), terms, &window)
    // A PES packet without a presentation time continues a tag.
    let hasPresentationTime = payload.count > 7 && payload[7] & 0x80 != 0
    return isOpen && (units.isEmpty || hasPresentationTime) ? changes + decide(terms, &window, isLast: true) : changes
  }

  /// Whether an incomplete PES packet without a stated length currently ends with a complete tag.
  private func endsWithTag(_ bytes: [UInt8]) -> Bool {
    guard let header = try? PESHeader(bytes.span), header.size < bytes.count else { return false }
    var editor = editor
    return !editor.edit(payload: Array(bytes[header.size...])).isIncomplete
  }

  private mutating func receive(_ events: [PESAssembler.Event], _ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags] {
    var changes: [EditedTags] = []
    for event in events {
      switch event {
      case .packet(let packet): units.append(packet.bytes)
      case .damaged: units.append([])
      }
      changes += decide(terms, &window, isLast: units.last == [])
    }
    return changes
  }

  /// Decides on the group, unless more of its tags may follow.
  private mutating func decide(_ terms: EditTerms, _ window: inout EditWindow, isLast: Bool) -> [EditedTags] {
    guard isOpen else { return [] }
    let headers = units.map { try? PESHeader($0.span) }
    guard !units.isEmpty, let first = headers[0], headers.allSatisfy({ $0 != nil }) else {
      // On a removed PID nobody can use a damaged PES packet.
      if isGone(terms) { remove(terms, &window) } else { keep(&window) }
      return []
    }
    let payloads = zip(units, headers).map { unit, header in Array(unit[(header?.size ?? 0)...]) }
    let tags = editor.edit(payload: payloads.flatMap { $0 })
    if tags.isIncomplete, !isLast, units.reduce(0, { $0 + $1.count }) <= TimedMetadataAssembler.largestTag { return [] }
    if let edited = tags.bytes, edited.isEmpty {
      remove(terms, &window)
    } else if let edited = tags.bytes, let packet = Self.packet(like: units[0], first, edited) {
      rewrite(packet, terms, &window)
    } else {
      keep(&window)
      // Tags that no PES packet can hold stay.
      if tags.bytes != nil { return [EditedTags(hasOthers: true)] }
    }
    return [tags]
  }

  /// Returns a PES packet with another payload, whose length it states; `nil` if the payload is too long.
  private static func packet(like unit: [UInt8], _ header: PESHeader, _ payload: [UInt8]) -> [UInt8]? {
    let length = header.size - PESHeader.lengthFieldEnd + payload.count
    guard length <= UInt16.max else { return nil }
    var packet = Array(unit[..<header.size]) + payload
    packet[4] = UInt8(length >> 8)
    packet[5] = UInt8(length & 0xFF)
    return packet
  }

  // MARK: Packets

  /// Writes a PES packet into the packets of the group.
  private mutating func rewrite(_ unit: [UInt8], _ terms: EditTerms, _ window: inout EditWindow) {
    let carriers = group.filter { $0.header.hasPayload && !$0.isRepeat }
    guard let first = carriers.first else { return }
    var counter = first.header.continuityCounter + shift
    var latest = TransportPacket.counter(before: counter)
    var packets = TransportPacket.split(TransportPacket.packets(carrying: unit, pid: pid, counter: &counter))[...]
    let needed = packets.count
    for member in group {
      guard member.header.hasPayload, !member.isRepeat else {
        window.replace(
          member.slot,
          with: member.isRepeat
            ? terms.filling(for: window.packet(member.slot)) : [TransportPacket.counted(window.packet(member.slot), latest)])
        continue
      }
      let new = member.slot == carriers.last?.slot ? Array(packets) : packets.popFirst().map { [$0] } ?? []
      window.refill(member.slot, with: new, after: &latest, terms.filling(for: window.packet(member.slot)))
    }
    shift += needed - carriers.count
    end(removed: false)
  }

  /// Keeps the packets of the group, with corrected counters.
  private mutating func keep(_ window: inout EditWindow) {
    for member in group { window.renumber(member.slot, member.header, by: shift) }
    end(removed: false)
  }

  /// Removes the packets of the group.
  private mutating func remove(_ terms: EditTerms, _ window: inout EditWindow) {
    for member in group { remove(member, terms, &window) }
    end(removed: true)
  }

  /// Keeps or removes a packet that belongs to no group.
  private mutating func pass(_ member: Member, _ terms: EditTerms, _ window: inout EditWindow) {
    if hasRemoved || isGone(terms) { remove(member, terms, &window) } else { window.renumber(member.slot, member.header, by: shift) }
  }

  private mutating func remove(_ member: Member, _ terms: EditTerms, _ window: inout EditWindow) {
    if member.header.hasPayload, !member.isRepeat { shift += -1 }
    let packet = window.packet(member.slot)
    let isNeeded = member.header.adaptation?.pcr != nil || (!isGone(terms) && ExistingStream.isBound(packet.span))
    let counter = member.header.continuityCounter + shift
    window.replace(member.slot, with: isNeeded ? [TransportPacket.withoutPayload(packet, counter: counter)] : terms.filling(for: packet))
  }

  private mutating func end(removed: Bool) {
    (group, units) = ([], [])
    hasRemoved = removed
  }
}
