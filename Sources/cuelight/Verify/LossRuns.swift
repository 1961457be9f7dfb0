import CommandSupport
import EventReading
import EventSchedule
import HLSReading
import LossSimulation
import StreamInput
import Verification

extension Verify {
  /// Reads the input through a loss, once or many times, and prints what happens to the events.
  func simulate(_ loss: SimulatedLoss, _ events: [PlannedEvent], _ printer: inout VerificationPrinter) throws(CommandFailure) {
    let isWhole = try input.forEachRendition(all: allRenditions) { (source, choice, _) throws(CommandFailure) in
      var summary = RunSummary()
      var runs = loss.runs(self.loss.runs ?? 1, from: self.loss.seed)
      var progress = StreamInput.Progress()
      let neighbours = self.loss.neighboursInTurn
      if let neighbours {
        let whole = try read(source, loss.run(seed: self.loss.seed), events)
        guard !whole.segments.isEmpty else { throw CommandFailure(.noPresentation, input: source.name) }
        // An audio rendition of a video that carries the events needs none of its own.
        if choice?.isVariant == false, whole.report.copies == 0 { return whole.progress }
        progress = whole.progress
        runs = loss.runs(without: neighbours, of: whole.segments, seed: self.loss.seed)
      }
      for run in runs {
        let reading = try read(source, run, events, reportsDamage: neighbours == nil && runs.count == 1)
        if neighbours == nil {
          if choice?.isVariant == false, reading.report.copies == 0 { return reading.progress }
          progress = reading.progress
        }
        try printer.print(reading.report, run: run.name, choice, &summary)
      }
      printer.losses += progress.losses
      try printer.print(summary, choice)
      return progress
    }
    if !isWhole { printer.losses += 1 }
  }

  private func read(
    _ source: StreamSource, _ run: LossRun, _ events: [PlannedEvent], reportsDamage: Bool = false
  ) throws(CommandFailure) -> (report: Verifier.Report, progress: StreamInput.Progress, segments: [UInt64]) {
    var filter = LossFilter(run.loss, seed: run.seed)
    var source = source
    source.skippedSegments = run.loss.segments
    var verifier = verifier(events, .lossy)
    var progress = StreamInput.Progress()
    var damages = DamageSummary(source: source)
    do throws(CommandFailure) {
      progress = try source.read(through: { filter.change($0) }) { (item, segment, _) throws(CommandFailure) in
        verifier.receive(item)
        if reportsDamage, case .damage(let damage) = item { damages.add(damage, in: segment) }
      }
    } catch {
      // A stream that is damaged beyond recognition carries no events.
      guard error.status == CommandFailure.invalidInput, filter.refused == nil, run.loss.canDestroyStreams else { throw error }
      error.report(by: "cuelight")
    }
    damages.finish()
    do throws(LossError) { try run.check(filter) } catch { throw CommandFailure(error, input: source.name) }
    return (verifier.finish(at: progress.end), progress, filter.segments)
  }
}

extension CommandFailure {
  fileprivate init(_ error: LossError, input: String) {
    let advice = if case .noPackets = error { "; use --drop-segment or --flip-bits" } else { "" }
    self.init("\(input): \(error)\(advice)", status: Self.wrongUsage)
  }
}
