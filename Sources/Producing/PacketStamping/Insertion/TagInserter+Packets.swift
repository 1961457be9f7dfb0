import Basics
import EventSchedule
import TransportStream

// Packets of the output that may change: null packets, the PMT, and tags of the input.
extension TagInserter {
  /// Receives a null packet, which a packet of a tag or of the PMT may replace.
  mutating func pushNull(
    _ unit: Span<UInt8>, after run: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) -> Outcome {
    window.hasNullPackets = true
    let packet = unit.extracting(framing.packetRange)
    let wasLearning = nullPackets.isLearning
    let isForetold = nullPackets.push(packet)
    isFilterOutdated = isFilterOutdated || wasLearning != nullPackets.isLearning
    // If no packet may be added, those that nothing foretells are better than none.
    guard isForetold || NullPackets.isPlain(packet) && (deadline != nil || window.rate == .kept && !wasLearning) else { return .unchanged }
    let owedPMT = window.owesPMT
    guard deadline == nil || owedPMT || placer.owesPackets else { return .unchanged }
    try write(run, &sink)
    if !owedPMT, let packet = placer.popOwed() {
      window.replaceNull(unit, with: packet, &sink)
      return .finished
    }
    window.writeNull(unit, &sink)
    if owedPMT, !window.owesPMT { isFilterOutdated = true }
    return .finished
  }

  /// Receives a packet of the PMT's PID.
  mutating func pushPMT(
    _ header: TransportPacket, _ packet: Span<UInt8>, of unit: Span<UInt8>, offset: Int, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    guard window.placeOwedPMT(at: follower.clock, before: unit, mayWait: false, &sink) else { throw .noNullPacketForPMT(offset: offset) }
    // If a longer PMT finds no null packets, the next one is owed at once. Readers know the program by the one that is complete.
    if deadline != nil, !follower.isAnnounced { try useArrivedPMT(&sink) }
    try follower.rewritePMT(header, packet, of: unit, &window, &sink)
    if !replacesNullPackets, deadline == nil, !window.isInsidePMT { _ = window.placeOwedPMT(at: follower.clock, before: nil, &sink) }
    if window.owesPMT { isFilterOutdated = true }
  }

  /// Receives a packet of the existing ID3 stream of the program. It is written with its continuity counter among the new packets. The second of two
  /// equal packets becomes a null packet if new packets lie between them. If no packet may be added and null packets before it are free, it may move
  /// forward to make room for later tags. If tags wait for null packets, they take its place, and it waits after them.
  mutating func pushExisting(
    _ header: TransportPacket, _ packet: Span<UInt8>, of unit: Span<UInt8>, offset: Int, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    let received = try placer.carriages.id3.existing.push(header, packet, offset: offset)
    guard !received.isRepeat || placer.carriages.id3.canRepeat else {
      return window.write(TransportPacket.nullPacket, insteadOf: unit, &sink)
    }
    placer.carriages.id3.skipCounters(received.gap)
    for timestamp in received.timestamps {
      if let time = follower.time(of: timestamp) { placer.recordThirdPartyTag(at: time) }
    }
    if received.mayFollowTags {
      placer.place(at: .init(offset: offset, latestTime: follower.latestTime), before: unit, &window, &sink)
    }
    let renumbered = placer.carriages.id3.renumbered(packet)
    guard ExistingStream.isBound(packet) else {
      guard placer.owesPackets else { return window.writeTag(renumbered, insteadOf: unit, &sink) }
      placer.owe(existing: renumbered)
      if let first = placer.popOwed() { window.write(first, insteadOf: unit, &sink) }
      return
    }
    addOwed(before: unit, &sink)
    window.close(&sink)
    window.write(renumbered, insteadOf: unit, &sink)
  }
}
