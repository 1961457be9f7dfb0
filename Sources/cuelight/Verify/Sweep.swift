import Basics
import CommandSupport
import EventSchedule
import LossSimulation
import PacketStamping
import Stamping
import Terminal

extension Verify {
  /// Stamps the input in memory with each policy, tries the losses, and prints what happens to the events. `table` and `plot` receive the figures
  /// too.
  func runSweep(_ events: [PlannedEvent], into table: OutputFile?, plot: OutputFile?) throws {
    let policies = try (policy.copyCounts() ?? [1, 2, 3, 5]).flatMap { copies in
      try (policy.intervals() ?? [nil, MediaTime(seconds: 1), MediaTime(seconds: 2), MediaTime(seconds: 5)]).map {
        CopyPolicy(copies: copies, refreshInterval: $0, largestTagSize: CopyPolicy.largestPESPayload)
      }
    }
    let named = try loss.packetLosses()
    let sweep = try stampedSweep(events, policies)
    let rows = sweep.rows(named.isEmpty ? Self.losses : named, seed: loss.seed, runs: loss.runs ?? 100) { !Interruption.isRequested }
    try CommandFailure.requireNoInterruption()
    try StandardOutput.write(rows.table)
    try table?.write(Array(rows.csv.utf8))
    try plot?.write(Array(rows.svg(title: "\(input.name) with the events of \(cues ?? input.name)").utf8))
  }

  /// The losses that are tried by default.
  private static let losses: [PacketLoss] =
    [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2].map { .random($0) }
    + [10, 50, 200].flatMap { length in [0.01, 0.05].map { .bursts(length: length, $0) } }

  private func stampedSweep(_ events: [PlannedEvent], _ policies: [CopyPolicy]) throws(CommandFailure) -> LossSweep {
    var sweep = LossSweep(events, policies: policies)
    var stamper = Stamper(input: input.input, output: "")
    stamper.isInterrupted = { Interruption.isRequested }
    do throws(StampingError) {
      try stamper.readTransportStream { (bytes) throws(StampingError) in
        do throws(PacketStampingError) { try sweep.push(bytes) } catch { throw .packets(error) }
      }
      let end: MediaTime
      do throws(PacketStampingError) { end = try sweep.finish() } catch { throw .packets(error) }
      if let last = events.last, last.time >= end { throw .eventsAfterTheEnd(of: end) }
    } catch .packets(.alreadyStamped(let game, _)) {
      throw CommandFailure(
        "\(input.input): carries events of the game \(game) already; --sweep takes the video as it is before stamping",
        status: CommandFailure.wrongUsage)
    } catch {
      throw CommandFailure(error, input: input.input)
    }
    return sweep
  }
}
