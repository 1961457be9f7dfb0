/// Puts the packets of RTP into the order of their sequence numbers (RFC 3550, 5.1 and A.1).
///
/// A packet after a gap waits until the missing ones have arrived, at most for ``patience`` and among at most ``mostWaiting`` packets. It touches no
/// clock: the caller says when a packet arrives, and calls ``release(at:)`` at ``nextMoment``.
struct RTPOrder: Sendable {
  /// Counts of packets.
  struct Counts: Equatable, Sendable {
    /// Packets that did not arrive in time.
    var lost = 0
    /// Packets that arrived after a later one, and in time.
    var reordered = 0
    /// Packets that arrived twice, or too late.
    var dropped = 0
    /// Missing packets that were computed from others.
    var recovered = 0
  }

  /// What the stream continues with.
  enum Output: Equatable, Sendable {
    case payload(ArraySlice<UInt8>)
    /// Another run of the sender begins.
    case restart
  }

  private struct Waiting: Sendable {
    var payload: ArraySlice<UInt8>
    var arrival: ContinuousClock.Instant
  }

  private var counts = Counts()
  /// The run of the sender, and the next sequence number; `nil` before the first packet.
  private var current: (source: UInt32, next: UInt16)?
  /// The packets after a gap, by their sequence numbers.
  private var waiting: [UInt16: Waiting] = [:]
  /// A packet that may be the first one of another run: the packet after it decides.
  private var candidate: RTPPacket?
  /// How long a packet waits for those before it.
  var patience = Duration.milliseconds(200)

  /// The maximum number of packets that wait.
  static let mostWaiting = 512
  /// A sequence number that is further ahead or further back is one of another run.
  private static let mostAhead = 3_000
  private static let mostBehind = 1_000

  /// The counts since the time before.
  mutating func takeCounts() -> Counts { exchange(&counts, with: Counts()) }

  /// When ``release(at:)`` has something to do; `nil` while no packet waits.
  var nextMoment: ContinuousClock.Instant? { waiting.values.map(\.arrival).min().map { $0 + patience } }

  /// The sequence number that the stream continues with; `nil` before the first packet.
  var next: UInt16? { current?.next }

  /// Receives a packet.
  mutating func push(_ packet: RTPPacket, at now: ContinuousClock.Instant) -> [Output] {
    guard let known = current else {
      current = (packet.source, packet.sequence)
      return push(packet, at: now)
    }
    let distance = Self.distance(from: known.next, to: packet.sequence)
    guard packet.source == known.source, (-Self.mostBehind...Self.mostAhead).contains(distance) else { return pushOther(packet, at: now) }
    candidate = nil
    guard distance >= 0, waiting[packet.sequence] == nil else {
      counts.dropped += 1
      return release(at: now)
    }
    if distance == 0, !waiting.isEmpty { counts.reordered += 1 }
    waiting[packet.sequence] = Waiting(payload: packet.payload, arrival: now)
    return release(at: now)
  }

  /// Receives a packet that was computed from others.
  mutating func push(recovered sequence: UInt16, _ payload: ArraySlice<UInt8>, at now: ContinuousClock.Instant) -> [Output] {
    guard let known = current, waiting[sequence] == nil else { return [] }
    guard (0...Self.mostAhead).contains(Self.distance(from: known.next, to: sequence)) else { return [] }
    counts.recovered += 1
    waiting[sequence] = Waiting(payload: payload, arrival: now)
    return release(at: now)
  }

  /// Continues after the gaps for which nobody waits any longer.
  mutating func release(at now: ContinuousClock.Instant) -> [Output] {
    var outputs = takeContiguous()
    while let moment = nextMoment, now >= moment || waiting.count > Self.mostWaiting {
      skipGap()
      outputs += takeContiguous()
    }
    return outputs
  }

  /// Forgets the run, since another sender has the stream; returns what waits.
  mutating func reset() -> [Output] {
    var outputs: [Output] = []
    while !waiting.isEmpty {
      skipGap()
      outputs += takeContiguous()
    }
    (current, candidate) = (nil, nil)
    return outputs
  }

  /// Receives a packet of another run. Two packets one after the other show that it is one (RFC 3550, A.1).
  private mutating func pushOther(_ packet: RTPPacket, at now: ContinuousClock.Instant) -> [Output] {
    guard let first = candidate, first.source == packet.source, first.sequence &+ 1 == packet.sequence else {
      if candidate != nil { counts.dropped += 1 }
      candidate = packet
      return release(at: now)
    }
    let outputs = reset() + [.restart]
    current = (first.source, first.sequence)
    return outputs + push(first, at: now) + push(packet, at: now)
  }

  /// The number of packets from one sequence number to another: negative for an earlier one.
  static func distance(from first: UInt16, to second: UInt16) -> Int { Int(Int16(bitPattern: second &- first)) }

  private mutating func takeContiguous() -> [Output] {
    var outputs: [Output] = []
    while let known = current, let found = waiting.removeValue(forKey: known.next) {
      outputs.append(.payload(found.payload))
      current = (known.source, known.next &+ 1)
    }
    return outputs
  }

  /// Continues with the first packet that waits. Those before it are lost.
  private mutating func skipGap() {
    guard let known = current else { return waiting = [:] }
    guard let first = waiting.keys.min(by: { Self.distance(from: known.next, to: $0) < Self.distance(from: known.next, to: $1) }) else {
      return
    }
    counts.lost += Self.distance(from: known.next, to: first)
    current = (known.source, first)
  }
}
