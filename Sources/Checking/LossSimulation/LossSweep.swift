public import Basics
public import EventSchedule
public import PacketStamping
import TransportStream

/// What becomes of a cue sheet's events under many losses, with many ways of repeating them: the figures to choose one by.
///
/// The unstamped transport stream is pushed once and stamped with each policy, in memory that does not grow with its pictures.
public struct LossSweep: Sendable {
  /// The figures of one policy under one loss.
  public struct Row: Equatable, Sendable {
    /// How the events are repeated.
    public var policy: CopyPolicy
    /// What is lost.
    public var loss: PacketLoss
    /// How many seeds were tried.
    public var runs: Int
    /// How many events each run has.
    public var events: Int
    /// How many events did not arrive, in all runs together.
    public var lostEvents: Int
    /// In how many runs one or more events did not arrive.
    public var runsWithLosses: Int
    /// How late after their time half of the events that arrived were known; `nil` where none arrived.
    public var median: MediaTime?
    /// How late 95 of a hundred were known.
    public var percentile95: MediaTime?
    /// How late 99 of a hundred were known.
    public var percentile99: MediaTime?
    /// How late the last was known.
    public var latest: MediaTime?
    /// What the events take of the stream, packets and all, in bits a second.
    public var bitRate: Int
  }

  /// One policy's stream.
  private struct Lane: Sendable {
    let policy: CopyPolicy
    var stamper: PacketStamper
    var skeleton: StampedSkeleton
    var end = MediaTime.zero

    mutating func push(_ chunk: Span<UInt8>) throws(PacketStampingError) {
      try stamper.push(chunk, into: &skeleton)
    }

    mutating func finish() throws(PacketStampingError) {
      end = try stamper.finish(into: &skeleton).end
    }

    var bitRate: Int {
      guard end > .zero else { return 0 }
      return Int(clamping: Int64(skeleton.tagPacketCount * TransportPacket.size * 8) * MediaTime.ticksPerSecond / end.ticks)
    }
  }

  private let events: [PlannedEvent]
  private var lanes: [Lane]

  /// A sweep of these policies.
  public init(_ events: [PlannedEvent], policies: [CopyPolicy]) {
    self.events = events
    // The skeleton knows packets that stand alone.
    var options = PacketStamper.Options()
    options.onlyPlainPackets = true
    lanes = policies.map {
      Lane(policy: $0, stamper: PacketStamper(EventSchedule(events, policy: $0), options), skeleton: StampedSkeleton(events))
    }
  }

  /// Takes the next bytes of the transport stream.
  ///
  /// - Throws: ``PacketStamping/PacketStampingError``, also where the stream has events of the game already.
  public mutating func push(_ chunk: Span<UInt8>) throws(PacketStampingError) {
    for index in lanes.indices { try lanes[index].push(chunk) }
  }

  /// Ends the stream.
  ///
  /// - Returns: When the programme ends; the events that come later were not put in.
  /// - Throws: ``PacketStamping/PacketStampingError``.
  public mutating func finish() throws(PacketStampingError) -> MediaTime {
    for index in lanes.indices { try lanes[index].finish() }
    return lanes.first?.end ?? .zero
  }

  /// The figures: for each loss those of each policy.
  ///
  /// - Parameters:
  ///   - losses: What is lost.
  ///   - seed: The first seed.
  ///   - runs: How many seeds, one after the other, are tried.
  ///   - goesOn: Asked between two rows; the sweep ends where it says no.
  public func rows(_ losses: [PacketLoss], seed: UInt64, runs: Int, goesOn: () -> Bool = { true }) -> [Row] {
    var rows: [Row] = []
    for loss in losses {
      for lane in lanes {
        guard goesOn() else { return rows }
        rows.append(row(lane, loss, seed: seed, runs: runs))
      }
    }
    return rows
  }

  private func row(_ lane: Lane, _ loss: PacketLoss, seed: UInt64, runs: Int) -> Row {
    var known: [Int64] = []
    known.reserveCapacity(runs * events.count)
    var (lostEvents, runsWithLosses) = (0, 0)
    for run in 0..<runs {
      let delays = lane.skeleton.delays(loss, seed: seed &+ UInt64(run))
      var lost = 0
      for delay in delays {
        if let delay { known.append(delay.ticks) } else { lost += 1 }
      }
      lostEvents += lost
      if lost > 0 { runsWithLosses += 1 }
    }
    known.sort()
    return Row(
      policy: lane.policy, loss: loss, runs: runs, events: events.count, lostEvents: lostEvents, runsWithLosses: runsWithLosses,
      median: known.percentile(50), percentile95: known.percentile(95), percentile99: known.percentile(99),
      latest: known.last.map { MediaTime(ticks: $0) }, bitRate: lane.bitRate)
  }
}

extension [Int64] {
  /// The smallest of the sorted numbers that so many of a hundred are not above.
  fileprivate func percentile(_ percent: Int) -> MediaTime? {
    isEmpty ? nil : MediaTime(ticks: self[Swift.max(0, (count * percent + 99) / 100 - 1)])
  }
}
