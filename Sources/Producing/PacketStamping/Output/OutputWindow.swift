import Basics
import TransportStream

/// The end of the output that can still change: null packets in it can be replaced by packets of tags that belong before later packets.
///
/// It holds the output from the first free null packet on, up to ``longestWait`` and ``largestSize``; without null packets nothing is held. New
/// packets replace the latest free null packets, and earlier tags may move to earlier null packets. So each tag is placed as late as possible, the
/// order of tags is kept, and a packet is added only if no choice of null packets could have avoided it.
struct OutputWindow: Sendable {
  /// What happens to packets for which there is no null packet.
  enum Rate: Equatable, Sendable {
    /// They are added.
    case free
    /// It is an error: no packet may be added.
    case kept
    /// They wait for the next null packets, and are added if those come too late. This is for live streams, of which nothing is held back.
    case preferred
  }

  /// The number of null packets that were replaced.
  private(set) var replaced = 0
  /// The number of packets that were added.
  private(set) var added = 0
  let rate: Rate
  private var encapsulation: PacketEncapsulation

  /// The held bytes, and the offset of the first of them in the output.
  private var held = HeldBytes()
  private var base = 0
  /// The places of free null packets.
  private var free = Queue<Int>()
  /// The access units from the last one before the first free null packet on.
  private var accessUnits = AccessUnitPlaces()
  private var pmt = PMTPlacement()
  /// The places of packets of tags, in ascending order, and the packets: `packets[i]` goes to `taken[i]`.
  private var taken = Queue<Place>()
  private var packets = Queue<[UInt8]>()

  /// The longest time from a tag to its access unit (0.7 s).
  static let longestWait = MediaTime(ticks: 63_000)
  /// The largest number of bytes that are held: 0.7 s at 95 Mbit/s.
  static let largestSize = 8 << 20
  /// Finished bytes are written in pieces of at least this size, unless all held bytes are finished.
  private static let pieceSize = 64 << 10

  /// The place of a packet of a tag.
  private struct Place: Comparable, Sendable {
    var offset: Int
    /// Whether it was added, and is not that of a null packet.
    var isAdded = false

    static func < (a: Place, b: Place) -> Bool { a.offset < b.offset }
  }

  /// Whether the stream has null packets. Then added packets are marked.
  var hasNullPackets = false

  init(_ encapsulation: PacketEncapsulation, _ rate: Rate) {
    self.encapsulation = encapsulation
    self.rate = rate
  }

  private var end: Int { base + held.count }
  /// The number of null packets that tags may take.
  var freeCount: Int { free.count }
  /// The longest time from one access unit to the next; `nil` until there are two.
  var longestStep: MediaTime? { accessUnits.longestStep }
  /// Whether packets of a PMT wait for their places.
  var owesPMT: Bool { pmt.hasOverflow }
  /// Whether a PMT has begun and is not complete.
  var isInsidePMT: Bool { pmt.isIncomplete }
  /// Whether an incomplete PMT keeps more bytes than may be held.
  var isBlocked: Bool { held.count > Self.largestSize && pmt.isIncomplete }

  // MARK: The stream

  /// Writes packets as they are.
  mutating func write(_ units: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    guard units.count > 0 else { return }
    encapsulation.record(units)
    guard held.count > 0 else {
      sink.write(units)
      base += units.count
      return
    }
    held.append(units)
    keepWithinSize(&sink)
  }

  /// Writes a null packet that may be replaced.
  mutating func writeNull(_ unit: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    let place = hold(unit)
    if let packet = pmt.popOverflow(at: place) {
      fill(place, packet)
      replaced += 1
      release(&sink)
    } else {
      free.append(place)
    }
    keepWithinSize(&sink)
  }

  /// Returns the last packet of a stream with its parity completed if that is cut off, because other packets may now follow it.
  func completed(_ unit: Span<UInt8>) -> [UInt8] {
    encapsulation.replaced(unit, with: [UInt8](copying: unit.extracting(encapsulation.framing.packetRange)))
  }

  /// Writes a packet with changed content.
  mutating func write(_ packet: [UInt8], insteadOf unit: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    write(encapsulation.replaced(unit, with: packet).span, &sink)
  }

  /// Writes a new packet in the place of a null packet, at once.
  mutating func replaceNull(_ unit: Span<UInt8>, with packet: [UInt8], _ sink: inout some ByteSink & ~Copyable) {
    replaced += 1
    write(packet, insteadOf: unit, &sink)
  }

  /// Writes a packet of an existing tag of the stream. If the rate must be kept, it may move to an earlier null packet to make room for later tags.
  /// Otherwise it stays where it is, because its place could not be told later.
  mutating func writeTag(_ packet: [UInt8], insteadOf unit: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    guard rate == .kept else {
      close(&sink)
      return write(packet, insteadOf: unit, &sink)
    }
    guard !free.isEmpty else { return write(packet, insteadOf: unit, &sink) }
    taken.insert(Place(offset: end))
    packets.append(packet)
    _ = hold(unit)
    keepWithinSize(&sink)
  }

  /// Records that an access unit of this time follows, after bytes that are still to be written. Null packets that are too old are given up.
  mutating func advance(to time: MediaTime, after pending: Int = 0, _ sink: inout some ByteSink & ~Copyable) {
    accessUnits.append(end + pending, at: time)
    while let first = free.first, (time - accessUnits.time(at: first)).magnitude > Self.longestWait { _ = free.popFirst() }
    if free.isEmpty { accessUnits.keepLast() }
    release(&sink)
  }

  /// Whether the stretch without an access unit, including bytes that are still to be written, is the longest one so far.
  func isOverdue(after pending: Int) -> Bool { accessUnits.isOverdue(at: end + pending) }

  /// Keeps later packets after everything written so far.
  mutating func close(_ sink: inout some ByteSink & ~Copyable) {
    free.removeAll()
    accessUnits.keepLast()
    release(&sink)
  }

  // MARK: Tags

  /// Places new packets before `next`, the packet that follows.
  ///
  /// - Returns: Whether there was room for them. There may be none if the rate must be kept.
  mutating func place(_ new: [[UInt8]], before next: Span<UInt8>?, _ sink: inout some ByteSink & ~Copyable) -> Bool {
    let replacing = min(new.count, free.count)
    guard replacing == new.count || rate != .kept else { return false }
    for _ in 0..<replacing {
      if let latest = free.popLast() { taken.insert(Place(offset: latest)) }
    }
    for packet in new { packets.append(packet) }
    replaced += replacing
    // New places for the rest, whose bytes are overwritten on release.
    let additional = Array(new.suffix(new.count - replacing))
    if !additional.isEmpty {
      for number in additional.indices { taken.insert(Place(offset: end + number * encapsulation.framing.stride, isAdded: true)) }
      held.append(encapsulation.encapsulated(additional, before: next).span)
      added += additional.count
    }
    release(&sink)
    return true
  }

  // MARK: The PMT

  /// Keeps packets of a PMT after everything written so far: readers do not know its PID before.
  mutating func keepPMTAfterEnd() { pmt.stay(after: end) }

  /// Holds a packet of the program's PMT, which will be replaced.
  mutating func holdPMT(_ unit: Span<UInt8>) { pmt.append(hold(unit)) }

  /// Writes the repeat of the PMT's latest packet, which is marked like that one.
  mutating func repeatPMT(_ packet: [UInt8], insteadOf unit: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    switch pmt.latestMark {
    case .none: write(packet, insteadOf: unit, &sink)
    case .added: write(marked(packet), insteadOf: unit, &sink)
    case .movedUp: write(TransportPacket.markedMovedUp(packet), insteadOf: unit, &sink)
    }
  }

  /// Replaces the packets of the PMT. If there are more of them now, the rest goes to null packets, before the PMT or after it.
  mutating func completePMT(_ packets: [[UInt8]], at time: MediaTime, _ sink: inout some ByteSink & ~Copyable) {
    let freeCount = free.count
    // A null packet before the PMT is taken only if no packet may be added: one after it needs no mark.
    var none = Queue<Int>()
    let places = rate == .kept ? pmt.complete(packets, at: time, free: &free) : pmt.complete(packets, at: time, free: &none)
    for (place, packet) in places { fill(place, packet) }
    replaced += freeCount - free.count
    release(&sink)
    keepWithinSize(&sink)
  }

  /// Adds the packets of a PMT that have no place yet, unless they may wait longer. If the rate must be kept, they are never added.
  ///
  /// - Parameters:
  ///   - next: The packet that follows; `nil` if none does.
  ///   - mayWait: Whether the packets may wait: the next packet does not belong to the PMT, and the stream does not end.
  /// - Returns: Whether it succeeded.
  mutating func placeOwedPMT(
    at time: MediaTime, before next: Span<UInt8>?, mayWait: Bool = true, _ sink: inout some ByteSink & ~Copyable
  ) -> Bool {
    guard pmt.hasOverflow else { return true }
    let waits = mayWait && pmt.mayWait(at: time)
    switch rate {
    case .kept: return waits
    case .preferred where waits: return true
    case .free, .preferred: break
    }
    var packets: [[UInt8]] = []
    while let packet = pmt.popOverflow(at: end, hasNullPackets ? .added : .none) { packets.append(marked(packet)) }
    added += packets.count
    write(encapsulation.encapsulated(packets, before: next).span, &sink)
    return true
  }

  // MARK: Held bytes

  /// Writes all that is held.
  mutating func flush(_ sink: inout some ByteSink & ~Copyable) {
    pmt.abandon()
    close(&sink)
  }

  /// Holds a packet, and returns its place.
  private mutating func hold(_ unit: Span<UInt8>) -> Int {
    let place = end
    encapsulation.record(unit)
    held.append(unit)
    return place
  }

  /// Gives up the earliest null packets if more is held than allowed. Giving up those after an incomplete PMT would not help.
  private mutating func keepWithinSize(_ sink: inout some ByteSink & ~Copyable) {
    while held.count > Self.largestSize, let first = free.first, first < pmt.firstPlace ?? end {
      _ = free.popFirst()
      release(&sink)
    }
  }

  /// Returns an added packet, marked if the stream has null packets.
  private func marked(_ packet: [UInt8]) -> [UInt8] {
    var packet = packet
    if hasNullPackets { TransportPacket.markAdded(&packet) }
    return packet
  }

  /// Overwrites a packet with another, and keeps its timestamp.
  private mutating func fill(_ place: Int, _ packet: [UInt8]) {
    let start = place - base + encapsulation.framing.packetStart
    held.replace(from: start, with: packet.span)
    guard encapsulation.framing == .withParity else { return }
    held.replace(from: start + packet.count, with: encapsulation.parity(of: packet).span)
  }

  /// Writes the bytes that can no longer change.
  private mutating func release(_ sink: inout some ByteSink & ~Copyable) {
    let limit = min(free.first ?? end, pmt.firstPlace ?? end)
    guard limit == end || limit - base >= Self.pieceSize else { return }
    while let place = taken.first, place.offset < limit, let packet = packets.popFirst() {
      _ = taken.popFirst()
      fill(place.offset, place.isAdded ? marked(packet) : packet)
    }
    held.release(limit - base, to: &sink)
    base = limit
  }
}
