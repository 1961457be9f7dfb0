package import Basics
package import EventSchedule
package import PacketStamping
import TransportStream

/// Tries many losses on many ways to repeat the events of a cue sheet, so that one can be chosen by its figures.
///
/// The unstamped transport stream is pushed once and stamped with each policy. Memory grows with the tags, not with the video.
package struct LossSweep: Sendable {
  /// The figures of one policy under one loss.
  package struct Row: Equatable, Sendable {
    /// How the events are repeated.
    package var policy: CopyPolicy
    /// What is lost.
    package var loss: PacketLoss
    /// The number of seeds that were tried.
    package var runs: Int
    /// The number of events of each run.
    package var events: Int
    /// The number of events that did not arrive, in all runs together.
    package var lostEvents: Int
    /// The number of runs in which an event did not arrive.
    package var runsWithLosses: Int
    /// The delay within which half of the events that arrived were known; `nil` if none arrived.
    package var median: MediaTime?
    /// The delay within which 95 % were known.
    package var percentile95: MediaTime?
    /// The delay within which 99 % were known.
    package var percentile99: MediaTime?
    /// The delay of the last one.
    package var latest: MediaTime?
    /// The bit rate of the tags' transport packets, in bits a second.
    package var bitRate: Int
  }

  /// One policy's stream.
  private struct Lane: Sendable {
    let policy: CopyPolicy
    var stamper: PacketStamper
    var skeleton: StampedSkeleton
    var end = MediaTime.zero

    mutating func push(_ chunk: Span<UInt8>) throws(PacketStampingError) { try stamper.push(chunk, into: &skeleton) }

    mutating func finish() throws(PacketStampingError) { end = try stamper.finish(into: &skeleton).end }

    var bitRate: Int {
      guard end > .zero else { return 0 }
      return Int(clamping: Int64(skeleton.tagPacketCount * TransportPacket.size * 8) * MediaTime.ticksPerSecond / end.ticks)
    }
  }

  private let events: [PlannedEvent]
  private var lanes: [Lane]

  /// A sweep of these policies.
  package init(_ events: [PlannedEvent], policies: [CopyPolicy]) {
    self.events = events
    // The skeleton reads whole packets of 188 bytes.
    var options = PacketStamper.Options()
    options.onlyPlainPackets = true
    lanes = policies.map {
      Lane(policy: $0, stamper: PacketStamper(EventSchedule(events, policy: $0), options), skeleton: StampedSkeleton(events))
    }
  }

  /// Stamps the next bytes of the transport stream.
  ///
  /// - Throws: ``PacketStamping/PacketStampingError``, also if the stream contains events of the game already.
  package mutating func push(_ chunk: Span<UInt8>) throws(PacketStampingError) {
    for index in lanes.indices { try lanes[index].push(chunk) }
  }

  /// Ends the stream.
  ///
  /// - Returns: When the programme ends; later events were not inserted.
  /// - Throws: ``PacketStamping/PacketStampingError``.
  package mutating func finish() throws(PacketStampingError) -> MediaTime {
    for index in lanes.indices { try lanes[index].finish() }
    return lanes.first?.end ?? .zero
  }

  /// The figures of each policy under each loss.
  ///
  /// - Parameters:
  ///   - losses: What is lost.
  ///   - seed: The first seed.
  ///   - runs: The number of seeds that are tried, from the first one on.
  ///   - goesOn: Called before each row; `false` ends the sweep.
  package func rows(_ losses: [PacketLoss], seed: UInt64, runs: Int, goesOn: () -> Bool = { true }) -> [Row] {
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
  /// The smallest of the sorted numbers that is not below `percent` of them.
  fileprivate func percentile(_ percent: Int) -> MediaTime? {
    isEmpty ? nil : MediaTime(ticks: self[Swift.max(0, (count * percent + 99) / 100 - 1)])
  }
}
