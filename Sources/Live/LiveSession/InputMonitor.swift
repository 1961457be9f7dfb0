import Basics
import TransportStream

/// What was counted of the packets of an input since its beginning.
package struct InputCounts: Equatable, Sendable {
  /// Packets whose continuity counter does not go on: packets are missing in front of them, or they come in another order.
  package var continuityErrors = 0
  /// Packets that the receiver in front of us has marked as damaged (transport_error_indicator).
  package var damagedPackets = 0
  /// Packets whose payload is scrambled.
  package var scrambledPackets = 0
  /// Bytes that belong to no packet.
  package var skippedBytes = 0
  /// Datagrams that were left out, since another sender has the stream.
  package var foreignDatagrams = 0
  /// Bits a second, lately.
  package var bitRate = 0.0

  /// Takes up what was counted of packets. Datagrams are counted elsewhere.
  mutating func take(_ counts: InputCounts) {
    let others = foreignDatagrams
    self = counts
    foreignDatagrams = others
  }
}

/// Watches the packets of an input: counts what is wrong with them, and says it in words, each kind at most once in ten seconds.
struct InputMonitor: Sendable {
  /// What is told together: how many there were since that was told last.
  private struct Kind: Sendable {
    var count = 0
    var pids: Set<PID> = []
    var told: ContinuousClock.Instant?

    mutating func add(_ count: Int = 1, _ pid: PID? = nil) {
      self.count += count
      if let pid, pids.count < InputMonitor.mostNames { pids.insert(pid) }
    }

    /// The number and the PIDs, if it is time to tell them.
    mutating func take(at now: ContinuousClock.Instant) -> (count: Int, pids: [PID])? {
      guard count > 0, told.map({ now - $0 >= InputMonitor.interval }) ?? true else { return nil }
      defer { (count, pids, told) = (0, [], now) }
      return (count, pids.sorted())
    }
  }

  private(set) var counts = InputCounts()
  /// The counter of the latest packet of each PID; ``none`` before the first one.
  private var counters = [UInt8](repeating: none, count: 1 << 13)
  private var lost = Kind()
  private var damaged = Kind()
  private var skipped = Kind()
  /// The PIDs that are scrambled now, those of which that was told, and when.
  private var scrambled: Set<PID> = []
  private var toldScrambled: (pids: Set<PID>, at: ContinuousClock.Instant?) = ([], nil)
  /// The bytes that have come since a moment.
  private var recent: (byteCount: Int, since: ContinuousClock.Instant)?

  /// How often one kind is told.
  private static let interval = Duration.seconds(10)
  /// How long the bit rate is measured.
  private static let measure = Duration.seconds(1)
  /// No message names more PIDs than this.
  private static let mostNames = 8
  private static let none: UInt8 = 0xFF

  /// Records that another source follows: a file begins anew, or an encoder has connected. Its counters begin anew, too.
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
    // The same counter again is a packet that was sent twice (ISO/IEC 13818-1, 2.4.3.3).
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

  /// Records the end of what was received at once; returns what is to be told.
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
    if let (count, pids) = damaged.take(at: now) {
      notices.append("packets are marked as damaged (transport_error_indicator): \(count) on \(Self.names(pids))")
    }
    if let (count, _) = skipped.take(at: now) { notices.append("bytes belong to no packet of a transport stream: \(count)") }
    guard scrambled != toldScrambled.pids, toldScrambled.at.map({ now - $0 >= Self.interval }) ?? true else { return notices }
    let (new, clear) = (scrambled.subtracting(toldScrambled.pids), toldScrambled.pids.subtracting(scrambled))
    if !new.isEmpty { notices.append("scrambled, so that it cannot be read: \(Self.names(new.sorted()))") }
    if !clear.isEmpty { notices.append("no longer scrambled: \(Self.names(clear.sorted()))") }
    toldScrambled = (scrambled, now)
    return notices
  }

  private static func names(_ pids: [PID]) -> String {
    let named = pids.prefix(mostNames).map(String.init).joined(separator: ", ")
    return "PID \(named)\(pids.count > mostNames ? " and others" : "")"
  }
}
