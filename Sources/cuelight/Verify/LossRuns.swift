import Basics
import EventReading
import EventSchedule
import HLSReading
import LossSimulation
import StreamInput
import Verification

extension Verify {
  /// Reads the input through a loss, as often as the user asks for, and prints what becomes of the events.
  func simulate(_ loss: SimulatedLoss, _ events: [PlannedEvent], _ printer: inout VerificationPrinter) throws(CommandFailure) {
    let isWhole = try input.forEachRendition(all: allRenditions) { (source, choice) throws(CommandFailure) in
      var summary = LossSummary()
      var progress: StreamInput.Progress
      if self.loss.dropsEverySegment {
        let (whole, segments, latest) = try numbers(of: source, loss, events)
        // Audio beside a video that carries the events needs none of its own.
        if choice?.isVariant == false, whole.copies == 0 { return latest }
        progress = latest
        for number in segments {
          var one = loss
          one.segments = [number]
          let reading = try read(source, one, seed: self.loss.seed, events)
          try printer.print(reading.report, run: "without segment \(number)", choice, &summary)
        }
      } else {
        let count = UInt64(self.loss.runs ?? 1)
        progress = StreamInput.Progress()
        for run in 0..<count {
          let seed = self.loss.seed &+ run
          let reading = try read(source, loss, seed: seed, events, reportsDamage: count == 1)
          if choice?.isVariant == false, reading.report.copies == 0 { return reading.progress }
          progress = reading.progress
          try printer.print(reading.report, run: loss.isRandom ? "seed \(seed)" : "with the loss", choice, &summary)
        }
      }
      printer.losses += progress.losses
      try printer.print(summary, choice)
      return progress
    }
    if !isWhole { printer.losses += 1 }
  }

  private struct Reading {
    var report: Verifier.Report
    var progress: StreamInput.Progress
    var segments: [UInt64]
  }

  private func read(
    _ source: StreamSource, _ loss: SimulatedLoss, seed: UInt64, _ events: [PlannedEvent], reportsDamage: Bool = false
  ) throws(CommandFailure) -> Reading {
    var filter = LossFilter(loss, seed: seed)
    var source = source
    source.skippedSegments = loss.segments
    var verifier = verifier(events, .lossy)
    var progress = StreamInput.Progress()
    var damages = DamageSummary(source: source)
    do throws(CommandFailure) {
      progress = try source.read(through: { filter.change($0) }) { (item, segment, _) throws(CommandFailure) in
        verifier.take(item)
        if reportsDamage, case .damage(let damage) = item { damages.add(damage, in: segment) }
      }
    } catch {
      // A stream that is damaged beyond recognition carries no events.
      guard error.status == CommandFailure.invalidInput, filter.refused == nil, loss.isRandom || !loss.ranges.isEmpty else { throw error }
      if let message = error.message { StandardError.write("cuelight: \(message)") }
    }
    damages.finish()
    if let container = filter.refused {
      throw CommandFailure(
        "\(source.name): packets are lost only from transport streams, and this is \(container.name); use --drop-segment or --flip-bits",
        status: CommandFailure.wrongUsage)
    }
    let unknown = loss.segments.subtracting(filter.segments).min()
    if let unknown {
      let numbers = filter.segments.first.map { "its segments are \($0) to \(filter.segments.last ?? $0)" }
      throw CommandFailure(
        "\(source.name): no segment \(unknown): \(numbers ?? "this is no presentation, which has segments")",
        status: CommandFailure.wrongUsage)
    }
    return Reading(report: verifier.finish(at: progress.end), progress: progress, segments: filter.segments)
  }

  /// The media sequence numbers of a presentation's segments.
  private func numbers(
    of source: StreamSource, _ loss: SimulatedLoss, _ events: [PlannedEvent]
  ) throws(CommandFailure) -> (Verifier.Report, [UInt64], StreamInput.Progress) {
    let reading = try read(source, loss, seed: self.loss.seed, events)
    guard !reading.segments.isEmpty else {
      throw CommandFailure("\(source.name): no presentation, so there are no segments to lose", status: CommandFailure.wrongUsage)
    }
    return (reading.report, reading.segments, reading.progress)
  }
}

extension Container {
  fileprivate var name: String {
    switch self {
    case .transportStream: "a transport stream"
    case .fragmentedMP4: "fragmented MP4"
    case .packedAudio: "packed audio"
    }
  }
}
