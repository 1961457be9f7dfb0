import TransportStream

/// Counts of the packets of an input since its beginning.
package struct InputCounts: Equatable, Sendable {
  /// Packets whose continuity counter does not continue: packets before them are missing, or their order has changed.
  package var continuityErrors = 0
  /// Packets that an earlier receiver has marked as damaged (transport_error_indicator).
  package var damagedPackets = 0
  /// Packets whose payload is scrambled.
  package var scrambledPackets = 0
  /// Bytes that belong to no packet.
  package var skippedBytes = 0
  /// Datagrams that were ignored, since another sender has the stream.
  package var foreignDatagrams = 0
  /// Packets of RTP that are missing, by their sequence numbers.
  package var lostDatagrams = 0
  /// Packets of RTP that arrived after a later one, and in time.
  package var reorderedDatagrams = 0
  /// Packets of RTP that arrived twice, or too late.
  package var uselessDatagrams = 0
  /// Packets of RTP that were computed from others (forward error correction).
  package var recoveredDatagrams = 0
  /// The recent bit rate in bits a second.
  package var bitRate = 0.0
}

/// Watches the packets of an input: counts what is wrong with them, and writes a message about each kind of fault at most once in ten seconds.
struct InputMonitor: Sendable {
  private(set) var counts = InputCounts()
  /// The counter of the latest packet of each PID; ``none`` before the first one. It is no `ContinuityCounter`: all packets of the input pass here, so that
  /// only these bits are read, and packets without a payload may have any counter.
  private var counters = [UInt8](repeating: none, count: 1 << 13)
  private var lost = Tally<PID>(mostNames: mostNames)
  private var lostDatagrams = Tally<PID>(mostNames: 0)
  private var damaged = Tally<PID>(mostNames: mostNames)
  private var skipped = Tally<PID>(mostNames: 0)
  /// The PIDs that are scrambled now, those of the latest message, and its moment.
  private var scrambled: Set<PID> = []
  private var reported: (pids: Set<PID>, at: ContinuousClock.Instant?) = ([], nil)
  /// The number of bytes since an instant.
  private var recent: (byteCount: Int, since: ContinuousClock.Instant)?

  /// How long the bit rate is measured.
  private static let measure = Duration.seconds(1)
  /// No message names more PIDs than this.
  private static let mostNames = 8
  private static let none: UInt8 = 0xFF

  /// Records the start of another source, such as a file that is repeated or another encoder, whose counters start anew.
  mutating func beginSource() {
    for pid in counters.indices { counters[pid] = Self.none }
  }

  /// Receives a packet of 188 bytes.
  mutating func push(_ packet: Span<UInt8>) {
    let pid = TransportPacket.pid(of: packet)
    guard pid != TransportPacket.nullPID else { return }
    if packet[1] & 0x80 != 0 {
      counts.damagedPackets += 1
      damaged.add(1, pid)
      // Its counter may be wrong as well.
      counters[Int(pid)] = Self.none
      return
    }
    let control = packet[3]
    guard control & 0x10 != 0 else { return }
    if control & 0xC0 != 0 {
      counts.scrambledPackets += 1
      scrambled.insert(pid)
    } else if !scrambled.isEmpty {
      scrambled.remove(pid)
    }
    let (counter, last) = (control & 0x0F, counters[Int(pid)])
    counters[Int(pid)] = counter
    // A packet may be sent twice, with the same counter (ISO/IEC 13818-1, 2.4.3.3).
    guard last != Self.none, counter != last, counter != (last + 1) & 0x0F else { return }
    let isAnnounced = control & 0x20 != 0 && packet[4] > 0 && packet[5] & 0x80 != 0
    guard !isAnnounced else { return }
    counts.continuityErrors += 1
    lost.add(1, pid)
  }

  /// Records bytes that belong to no packet.
  mutating func skip(byteCount: Int) {
    counts.skippedBytes += byteCount
    skipped.add(byteCount)
  }

  /// Records datagrams of other senders.
  mutating func ignore(datagrams count: Int) { counts.foreignDatagrams += count }

  /// Records what the sequence numbers of RTP say.
  mutating func add(_ order: RTPOrder.Counts) {
    counts.lostDatagrams += order.lost
    counts.reorderedDatagrams += order.reordered
    counts.uselessDatagrams += order.dropped
    counts.recoveredDatagrams += order.recovered
    if order.lost > 0 { lostDatagrams.add(order.lost) }
  }

  /// Records the end of the bytes that were received at once; returns the messages that are due.
  mutating func endPortion(byteCount: Int, at now: ContinuousClock.Instant) -> [String] {
    var since = recent?.since ?? now
    var bytes = (recent?.byteCount ?? 0) + byteCount
    if now - since >= Self.measure {
      counts.bitRate = Double(bytes) * 8 / (now - since).inSeconds
      (since, bytes) = (now, 0)
    }
    recent = (bytes, since)
    var notices: [String] = []
    if let (count, pids) = lost.take(at: now) {
      notices.append("packets are missing, or come in another order: \(count) continuity errors on \(Self.names(pids))")
    }
    if let (count, _) = lostDatagrams.take(at: now) { notices.append("packets of RTP are missing: \(count)") }
    if let (count, pids) = damaged.take(at: now) {
      notices.append("packets are marked as damaged (transport_error_indicator): \(count) on \(Self.names(pids))")
    }
    if let (count, _) = skipped.take(at: now) { notices.append("bytes belong to no packet of a transport stream: \(count)") }
    guard scrambled != reported.pids, reported.at.map({ now - $0 >= messageInterval }) ?? true else { return notices }
    let (new, clear) = (scrambled.subtracting(reported.pids), reported.pids.subtracting(scrambled))
    if !new.isEmpty { notices.append("scrambled, so that it cannot be read: \(Self.names(new))") }
    if !clear.isEmpty { notices.append("no longer scrambled: \(Self.names(clear))") }
    reported = (scrambled, now)
    return notices
  }

  private static func names(_ pids: Set<PID>) -> String {
    let named = pids.sorted().prefix(mostNames).map(String.init).joined(separator: ", ")
    return "PID \(named)\(pids.count > mostNames ? " and others" : "")"
  }
}
