import Basics
import TransportStream

/// The end of the output that can still change: null packets in it become packets of tags that go in front of what comes after them.
///
/// It holds as much as there are null packets for, up to ``longestWait`` and ``largestSize``; without null packets nothing is held. New packets
/// take the latest null packets that are free, and those that had been given some before move forward with theirs: so each stands as late as it
/// can, all of them stay in their order, and a packet has to be added only where no choice of null packets would have spared it.
struct OutputWindow: Sendable {
  /// How many null packets were replaced.
  private(set) var replaced = 0
  /// How many packets were added.
  private(set) var added = 0
  /// Whether packets may be added.
  let keepsRate: Bool
  private(set) var dressing: PacketEncapsulation

  /// What is held, from `head` on; `base` is where in the output the first byte lies.
  private var held: [UInt8] = []
  private var head = 0
  private var base = 0
  /// The places of null packets that nothing has taken.
  private var free = Queue<Int>()
  /// Where the access units lie that tell the time, from the last one before the first of these null packets on.
  private var units = Queue<UnitPlace>()
  /// The most time, and the most bytes, from one of them to the next; no time until there are two.
  private(set) var longestStep: MediaTime?
  private var longestStretch = 0
  /// The places that packets of tags have, in ascending order, and the packets, of which each goes to the place of its number.
  private var taken = Queue<Int>()
  private var packets = Queue<[UInt8]>()
  /// The places of a program map that is not complete.
  private var mapPlaces: [Int] = []
  /// Where the last packet of a map lies.
  private var lastMapPlace = -1
  /// Packets of a map that have no place yet, and since when.
  private var overflow = Queue<[UInt8]>()
  private var overflowTime = MediaTime.zero

  private struct UnitPlace: Sendable {
    var place: Int
    var time: MediaTime
  }

  /// A tag stands at most so long before the access unit that it would stand in front of: 0.7 s.
  static let longestWait = MediaTime(ticks: 63_000)
  /// So many bytes are held at most: 0.7 s at 95 Mbit/s.
  static let largestSize = 8 << 20
  /// What is done with is emitted in pieces of this size, or as a whole.
  private static let pieceSize = 64 << 10

  init(_ dressing: PacketEncapsulation, keepsRate: Bool) {
    self.dressing = dressing
    self.keepsRate = keepsRate
  }

  private var end: Int { base + held.count }
  /// Whether a map's packets wait for their places.
  var owesMap: Bool { !overflow.isEmpty }
  /// How many null packets tags may take.
  var freeCount: Int { free.count }
  /// Whether a map has begun and is not complete.
  var isInsideMap: Bool { !mapPlaces.isEmpty }
  /// Whether a map that does not end keeps more than may be held.
  var isBlocked: Bool { held.count - head > Self.largestSize && !mapPlaces.isEmpty }

  // MARK: The stream

  /// Takes packets as they are.
  mutating func pass(_ units: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    guard units.count > 0 else { return }
    dressing.pass(units)
    guard head < held.count else {
      sink.write(units)
      base += units.count
      return
    }
    append(units)
    keepWithinSize(&sink)
  }

  /// Takes a null packet that may be replaced.
  mutating func passNull(_ unit: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    let place = end
    dressing.pass(unit)
    append(unit)
    if let packet = overflow.popFirst() {
      fill(place, packet)
      lastMapPlace = place
      replaced += 1
      release(&sink)
    } else {
      free.append(place)
    }
    keepWithinSize(&sink)
  }

  /// The last packet of a stream, whose parity is cut off, with all of it: other packets may follow it now.
  func completed(_ unit: Span<UInt8>) -> [UInt8] { redressed(unit, [UInt8](copying: unit.extracting(dressing.framing.packetRange))) }

  /// Puts a null packet in the place of a packet that is not needed.
  mutating func passNull(insteadOf unit: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    pass(redressed(unit, TransportPacket.nullPacket).span, &sink)
  }

  /// Takes a packet of another content than it came with.
  mutating func pass(_ packet: [UInt8], insteadOf unit: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    pass(redressed(unit, packet).span, &sink)
  }

  /// Takes a packet of a tag that the stream had before: where tags that come take null packets in front of it, it moves forward like their own.
  mutating func passTag(_ packet: [UInt8], insteadOf unit: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    guard !free.isEmpty else { return pass(packet, insteadOf: unit, &sink) }
    taken.insert(end)
    packets.append(packet)
    dressing.pass(unit)
    append(unit)
    keepWithinSize(&sink)
  }

  /// Says that an access unit of this time follows, behind bytes that are still to be passed: null packets that lie too long ago are not waited
  /// with any longer.
  mutating func advance(to time: MediaTime, behind pending: Int = 0, _ sink: inout some ByteSink & ~Copyable) {
    let unit = UnitPlace(place: end + pending, time: time)
    if let last = units.last {
      longestStep = max(longestStep ?? .zero, time - last.time)
      longestStretch = max(longestStretch, unit.place - last.place)
    }
    units.append(unit)
    while let first = free.first, (time - self.time(at: first)).magnitude > Self.longestWait { _ = free.popFirst() }
    if free.isEmpty { keepLastUnit() }
    release(&sink)
  }

  /// The time of a null packet: between those of the access units around it, as its place is between theirs. Places are asked for in their order.
  private mutating func time(at place: Int) -> MediaTime {
    while let next = units.second, next.place <= place { _ = units.popFirst() }
    guard let before = units.first else { return .zero }
    guard before.place < place, let next = units.second else { return before.time }
    // From the next one backwards: so the product is bounded by what is held.
    let ticks = (next.time - before.time).ticks * Int64(next.place - place) / Int64(next.place - before.place)
    return next.time - MediaTime(ticks: ticks)
  }

  private mutating func keepLastUnit() {
    while units.second != nil { _ = units.popFirst() }
  }

  /// Whether the stream has gone on without an access unit for longer than ever before, with bytes that are still to be passed.
  func isOverdue(behind pending: Int) -> Bool {
    guard let last = units.last else { return false }
    return end + pending - last.place > longestStretch
  }

  /// Says that nothing that comes from now on may go in front of what came until now.
  mutating func close(_ sink: inout some ByteSink & ~Copyable) {
    free.removeAll()
    keepLastUnit()
    release(&sink)
  }

  // MARK: Tags

  /// Takes new packets that go in front of `next`, the packet that follows.
  ///
  /// - Returns: Whether there was room for them: where the rate is to be kept, there may be none.
  mutating func place(_ new: [[UInt8]], before next: Span<UInt8>?, _ sink: inout some ByteSink & ~Copyable) -> Bool {
    let replacing = min(new.count, free.count)
    guard replacing == new.count || !keepsRate else { return false }
    for _ in 0..<replacing {
      if let latest = free.popLast() { taken.insert(latest) }
    }
    for packet in new { packets.append(packet) }
    replaced += replacing
    // Places for those that are left; what stands there is written over when it is emitted.
    let additional = Array(new.suffix(new.count - replacing))
    if !additional.isEmpty {
      for number in additional.indices { taken.insert(end + number * dressing.framing.stride) }
      let units = dressing.dressed(additional, before: next)
      append(units.span)
      added += additional.count
    }
    release(&sink)
    return true
  }

  // MARK: Program maps

  /// Says that no packet of a map may go in front of what comes from now on: readers do not know its PID yet.
  mutating func keepMapBehind() { lastMapPlace = max(lastMapPlace, end - 1) }

  /// Takes a packet of the program's map, which will be replaced.
  mutating func passMap(_ unit: Span<UInt8>) {
    dressing.pass(unit)
    mapPlaces.append(end)
    append(unit)
  }

  /// Replaces the packets of the map, and puts those that are more to null packets, before the map or after it.
  mutating func completeMap(_ packets: [[UInt8]], at time: MediaTime, _ sink: inout some ByteSink & ~Copyable) {
    var places = mapPlaces
    while places.count < packets.count, let latest = free.last, latest > lastMapPlace {
      _ = free.popLast()
      places.append(latest)
      replaced += 1
    }
    places.sort()
    for (place, packet) in zip(places, packets) { fill(place, packet) }
    for packet in packets.dropFirst(places.count) { overflow.append(packet) }
    lastMapPlace = places.last ?? lastMapPlace
    overflowTime = time
    mapPlaces = []
    release(&sink)
    keepWithinSize(&sink)
  }

  /// Adds the packets of a map that have found no place until now; where the rate is to be kept, they may wait longer.
  ///
  /// - Parameters:
  ///   - next: The packet that follows; `nil` where none does.
  ///   - mayWait: Whether what follows neither belongs to the map nor is the stream's end.
  /// - Returns: Whether it could be done.
  mutating func settleMap(at time: MediaTime, before next: Span<UInt8>?, mayWait: Bool = true, _ sink: inout some ByteSink & ~Copyable) -> Bool {
    guard !overflow.isEmpty else { return true }
    guard !keepsRate else { return mayWait && time - overflowTime <= Self.longestWait }
    var packets: [[UInt8]] = []
    while let packet = overflow.popFirst() { packets.append(packet) }
    lastMapPlace = end
    added += packets.count
    let units = dressing.dressed(packets, before: next)
    pass(units.span, &sink)
    return true
  }

  // MARK: What is held

  /// Emits all that is held.
  mutating func flush(_ sink: inout some ByteSink & ~Copyable) {
    mapPlaces = []
    close(&sink)
  }

  private mutating func append(_ units: Span<UInt8>) {
    held.append(copying: units)
  }

  /// Gives up the earliest null packets where more is held than may be. Those behind a map that is not complete would not help.
  private mutating func keepWithinSize(_ sink: inout some ByteSink & ~Copyable) {
    while held.count - head > Self.largestSize, let first = free.first, first < mapPlaces.first ?? end {
      _ = free.popFirst()
      release(&sink)
    }
  }

  /// Writes a packet over another, with the timestamp that it has.
  private mutating func fill(_ place: Int, _ packet: [UInt8]) {
    let start = place - base + dressing.framing.packetStart
    held.replaceSubrange(start..<start + packet.count, with: packet)
    guard dressing.framing == .withParity else { return }
    held.replaceSubrange(start + packet.count..<start + dressing.framing.stride, with: dressing.parity(of: packet))
  }

  /// A packet in the place of another, with the timestamp that it has.
  private func redressed(_ unit: Span<UInt8>, _ packet: [UInt8]) -> [UInt8] {
    let front = [UInt8](copying: unit.extracting(..<dressing.framing.packetStart))
    return front + packet + (dressing.framing == .withParity ? dressing.parity(of: packet) : [])
  }

  /// Emits what can change no more.
  private mutating func release(_ sink: inout some ByteSink & ~Copyable) {
    let limit = min(free.first ?? end, mapPlaces.first ?? end)
    guard limit == end || limit - base - head >= Self.pieceSize else { return }
    while let place = taken.first, place < limit, let packet = packets.popFirst() {
      _ = taken.popFirst()
      fill(place, packet)
    }
    if limit - base > head { sink.write(held.span.extracting(head..<limit - base)) }
    head = limit - base
    guard head * 2 >= held.count else { return }
    held.removeFirst(head)
    base += head
    head = 0
  }
}
