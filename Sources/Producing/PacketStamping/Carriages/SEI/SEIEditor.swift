import Basics
import GameEvents
import NALUnits
import TransportStream

/// Removes events from the SEI messages of one video stream.
///
/// Packets are held from the start of an access unit to its first slice, where it is known whether there are such messages, and then until as many
/// bytes have arrived as are removed. Messages of `SEIInserter` are removed so that every byte is restored. In a stream that was packetized
/// again, the packets from the message on are refilled.
struct SEIEditor: CarriageEditor {
  /// A packet that is held.
  private struct Member: Sendable {
    var slot: Int
    var header: TransportPacket
    /// The bytes of the access unit in the packet, and the offset of the first of them in the access unit.
    var payload: Range<Int>
    var position: Int
    /// Whether it repeats the packet before.
    var isRepeat = false

    /// Whether it has bytes of the access unit that no other packet has.
    var carries: Bool { header.hasPayload && !isRepeat }
  }

  /// Bytes of the access unit to remove, and their replacement.
  private struct Cut: Equatable, Sendable {
    var range: Range<Int>
    var replacement: [UInt8]
  }

  private let pid: PID
  private let codec: NALUnitCodec
  private var editor: TagEditor
  /// The access unit that has begun, until its first slice is found.
  private var head: AccessUnitHead?
  private var members: [Member] = []
  /// The cuts of the access unit; empty until they are known, or if nothing is removed.
  private var cuts: [Cut] = []
  /// The number of bytes of the access unit so far.
  private var byteCount = 0
  /// Where the access unit starts in the stream.
  private var start = 0
  private var shift: CounterShift
  /// The last packet that was refilled or removed, as received, because it may be repeated.
  private var latestCut: [UInt8]?

  /// The offset of the first access unit whose events cannot be removed, because a message of others shares their NAL unit or packets are missing.
  private(set) var failure: Int?
  /// The offset of the first access unit with such an event; `nil` if there was none.
  private(set) var eventInVideo: Int?

  /// - Parameter previous: The editor of the PID's previous stream, whose counters continue.
  init(pid: PID, _ codec: NALUnitCodec, _ edit: TagEdit, following previous: SEIEditor? = nil) {
    (self.pid, self.codec, editor) = (pid, codec, TagEditor(edit))
    shift = previous?.shift ?? CounterShift()
  }

  var isOpen: Bool { !members.isEmpty }
  var interest: PacketFilter.Interest { isOpen || !shift.isZero ? .all : .unitStarts }

  /// Whether this follows a stream of the given codec.
  func follows(_ codec: NALUnitCodec) -> Bool { self.codec == codec }

  mutating func push(_ received: EditedPacket, of unit: Span<UInt8>, _ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags] {
    let (header, packet, filling) = (received.header, received.bytes, terms.videoFilling)
    if header.startsUnit, header.hasPayload, isOpen, !repeats(packet, window) { _ = close(terms, &window) }
    let slot = window.hold(unit)
    if !isOpen, let cut = latestCut.take(), cut == packet {
      window.replace(slot, with: filling)
      return []
    }
    var member = Member(slot: slot, header: header, payload: header.payload, position: byteCount)
    if isOpen {
      var isNext = true
      if header.hasPayload, let last = members.last(where: { $0.header.hasPayload }) {
        member.isRepeat = header.continuityCounter == last.header.continuityCounter && window.packet(last.slot) == packet
        isNext = member.isRepeat || header.continuityCounter == TransportPacket.counter(after: last.header.continuityCounter)
      }
      // Missing packets may be part of a message.
      guard header.scrambling == 0, isNext else {
        giveUp(&window)
        window.renumber(slot, header, by: shift)
        return []
      }
    } else {
      guard header.startsUnit, header.scrambling == 0, let size = (try? PESHeader(packet.span.extracting(header.payload)))?.size,
        size <= header.payload.count
      else {
        window.renumber(member.slot, member.header, by: shift)
        return []
      }
      (start, byteCount, head) = (received.offset, 0, AccessUnitHead(codec, .startCodes))
      member.payload = header.payload.lowerBound + size..<header.payload.upperBound
      member.position = 0
    }
    members.append(member)
    guard member.carries else { return [] }
    byteCount += member.payload.count
    let found = head == nil ? nil : read(packet.span.extracting(member.payload), &window)
    if !cuts.isEmpty { cut(filling, &window, isLast: false) }
    return found.map { [$0] } ?? []
  }

  mutating func close(_ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags] {
    if !cuts.isEmpty { cut(terms.videoFilling, &window, isLast: true) }
    giveUp(&window)
    return []
  }

  mutating func release(_ terms: EditTerms, _ window: inout EditWindow) { giveUp(&window) }

  /// Keeps the packets unchanged.
  private mutating func giveUp(_ window: inout EditWindow) {
    if !cuts.isEmpty { failure = failure ?? start }
    for member in members { window.renumber(member.slot, member.header, by: shift) }
    end()
  }

  private func repeats(_ packet: [UInt8], _ window: EditWindow) -> Bool { members.last.map { window.packet($0.slot) == packet } ?? false }

  private mutating func end() { (members, cuts, head, byteCount) = ([], [], nil, 0) }

  // MARK: Messages

  /// Continues reading. Once the first slice is found, returns what is removed. Without such a message the packets are kept.
  private mutating func read(_ payload: Span<UInt8>, _ window: inout EditWindow) -> EditedTags? {
    guard var reading = head.take() else { return nil }
    guard case let progress = reading.push(payload), progress != .incomplete else {
      head = reading
      return nil
    }
    var edited = EditedTags(isInVideo: true)
    for range in reading.units where codec.isMessage(reading.bytes[range.lowerBound]) {
      guard let cut = cut(range, of: reading.bytes, &edited) else { continue }
      cuts.append(cut)
    }
    guard edited.hasOwn else {
      giveUp(&window)
      return nil
    }
    eventInVideo = eventInVideo ?? start
    guard progress != .none, failure == nil else {
      failure = failure ?? start
      cuts = []
      giveUp(&window)
      return nil
    }
    return edited
  }

  /// Returns the cut of a NAL unit of messages; `nil` if nothing is removed.
  private mutating func cut(_ range: Range<Int>, of bytes: [UInt8], _ edited: inout EditedTags) -> Cut? {
    let content = TagMessage.content(of: bytes.span.extracting(range), codec)
    var kept: [TagMessage] = []
    var hasOwn = false
    for message in content.tags {
      let result = editor.edit(payload: message.tag)
      edited.copies += result.copies
      edited.unusable += result.unusable
      hasOwn = hasOwn || result.hasOwn
      let tag = result.bytes ?? message.tag
      if !tag.isEmpty { kept.append(TagMessage(delay: message.delay, tag: tag)) }
    }
    guard hasOwn else { return nil }
    // A NAL unit with messages of others is not rewritten.
    if content.hasOthers { failure = failure ?? start }
    return Cut(range: range.lowerBound - 3..<range.upperBound, replacement: kept.isEmpty ? [] : [0, 0, 1] + TagMessage.unit(kept, codec))
  }

  // MARK: Packets

  /// Removes the messages, once enough packets have arrived: after the packet in which the first message starts, as many bytes as are removed.
  private mutating func cut(_ filling: [[UInt8]], _ window: inout EditWindow, isLast: Bool) {
    let count = cuts.reduce(0) { $0 + $1.range.count - $1.replacement.count }
    guard let begin = cuts.first?.range.lowerBound, let end = cuts.last?.range.upperBound,
      let first = members.lastIndex(where: { $0.carries && $0.position <= begin })
    else { return giveUp(&window) }
    var (last, following, covered) = (first, 0, members[first].position + members[first].payload.count)
    while last + 1 < members.count, following < count || covered < end {
      last += 1
      guard members[last].carries else { continue }
      following += members[last].payload.count
      covered += members[last].payload.count
    }
    guard isLast || (following >= count && covered >= end) else { return }
    let content = content(of: first...last, window)
    let room = members[first].payload.count
    // The packet of the message keeps its size as long as there are bytes to fill it. Those after it are refilled, and some are left over.
    for member in members.prefix(first) { window.renumber(member.slot, member.header, by: shift) }
    var packet = window.renumbered(members[first].slot, members[first].header, by: shift)
    packet = Self.packet(packet, members[first].payload, with: content.prefix(room))
    window.replace(members[first].slot, with: [packet])
    var latest = TransportPacket.counter(of: packet)
    var packets = TransportPacket.packets(continuing: Array(content.dropFirst(room)), pid: pid, after: latest)[...]
    var removed = 0
    for member in members[first...last].dropFirst() {
      guard member.header.hasPayload else {
        window.replace(member.slot, with: [TransportPacket.counted(window.packet(member.slot), latest)])
        continue
      }
      let next = member.carries ? packets.popFirst() : nil
      if member.carries, next == nil { removed += 1 }
      window.refill(member.slot, with: next.map { [$0] } ?? [], after: &latest, filling)
    }
    shorten(members[0], by: count, &window)
    latestCut = members.last.map { window.packet($0.slot) }
    shift += -removed
    for member in members.dropFirst(last + 1) { window.renumber(member.slot, member.header, by: shift) }
    self.end()
  }

  /// Returns the bytes of the access unit in some packets, without the removed ones.
  private func content(of range: ClosedRange<Int>, _ window: EditWindow) -> [UInt8] {
    var bytes: [UInt8] = []
    for member in members[range] where member.carries { bytes += window.packet(member.slot)[member.payload] }
    for cut in cuts.reversed() {
      let start = members[range.lowerBound].position
      bytes.replaceSubrange(cut.range.lowerBound - start..<cut.range.upperBound - start, with: cut.replacement)
    }
    return bytes
  }

  /// Returns a packet whose last bytes are replaced. If the new bytes are fewer, its adaptation field becomes longer.
  private static func packet(_ packet: [UInt8], _ place: Range<Int>, with bytes: ArraySlice<UInt8>) -> [UInt8] {
    let missing = place.count - bytes.count
    guard missing > 0 else { return Array(packet[..<place.lowerBound]) + bytes }
    let hasField = packet[3] & 0x20 != 0
    let field = hasField ? Array(packet[5..<5 + Int(packet[4])]) : []
    let head = packet[(hasField ? 5 + field.count : 4)..<place.lowerBound]
    // A new field uses one byte for its length, and one for its flags.
    let length = field.count + missing - (hasField ? 0 : 1)
    var longer = field
    if longer.isEmpty, length > 0 { longer = [0] }
    longer += [UInt8](repeating: 0xFF, count: length - longer.count)
    return [packet[0], packet[1], packet[2], packet[3] | 0x20, UInt8(length)] + longer + head + bytes
  }

  /// Updates the length of a PES packet that has become shorter.
  private func shorten(_ member: Member, by count: Int, _ window: inout EditWindow) {
    var packet = window.replacement(member.slot)?.first ?? window.renumbered(member.slot, member.header, by: shift)
    TransportPacket.lengthen(&packet, by: -count)
    window.replace(member.slot, with: [packet])
  }
}
