import ArgumentParser
import CueSheet
import EventReading
import EventSchedule
import FileInput
import HLSReading
import JSONText
import MediaTime
import StreamInput
import Verification

struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check that a stream carries exactly the events of a cue sheet, once each and on time.",
    discussion: """
      The first line of output says what differs, if anything does; the exit status is then 1.

      Example:
        cuelight verify show.ts --cues show.yaml
      """)

  @OptionGroup var input: InputOptions

  @Option(name: .long, help: "The cue sheet, YAML or JSON.")
  var cues: String

  @Option(name: .long, help: "How many seconds a copy may be off its cue.")
  var tolerance = "0.001"

  @Flag(name: .long, help: "HLS: check all renditions, each against the cue sheet.")
  var allRenditions = false

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  func validate() throws {
    guard !allRenditions || input.rendition == nil else { throw ValidationError("--all-renditions and --rendition exclude each other.") }
    guard let tolerance = MediaTime(decimalSeconds: tolerance), tolerance >= .zero else {
      throw ValidationError("--tolerance takes seconds, not \(tolerance).")
    }
  }

  mutating func run() throws {
    // A stream may have been stamped with any policy, and every tag fits that lies in it.
    let policy = CopyPolicy(largestTagSize: CopyPolicy.largestPESPayload)
    let sheet = try CueSheetFile(path: cues).read(policy, answers: .open)
    var output = StandardOutput()
    var (passed, losses) = (true, 0)
    try input.forEachRendition(all: allRenditions) { (source, choice) throws(CommandFailure) in
      var verifier = Verifier(sheet.events, tolerance: MediaTime(decimalSeconds: tolerance) ?? .zero, verifySeal: AnswerSeal.verify)
      let progress = try source.read { (item, segment, _) throws(CommandFailure) in
        verifier.take(item)
        if case .damage(let damage) = item { source.report(damage, in: segment) }
      }
      let report = verifier.finish(at: progress.end)
      losses += progress.losses
      // Sound beside a picture that carries the events is right without them.
      if choice?.isVariant == false, report.copies == 0 { return progress }
      let name = choice.map { "\(source.name) (\($0.uri))" } ?? source.name
      if json { try printJSON(report, choice, &output) } else { try printText(report, name, &output) }
      passed = passed && report.differences.isEmpty
      return progress
    }
    try output.flush()
    guard passed else { throw CommandFailure.checkFailed }
    guard losses == 0 else { throw CommandFailure(nil, status: CommandFailure.ioError) }
  }

  private func printText(_ report: Verifier.Report, _ name: String, _ output: inout StandardOutput) throws(CommandFailure) {
    for difference in report.differences {
      try output.line(TransitionPrinter.printable("\(name): \(difference)"))
    }
    let damages = report.damages > 0 ? ", \(report.damages) damaged \(report.damages == 1 ? "place" : "places")" : ""
    let others = report.otherEvents > 0 ? ", \(report.otherEvents) events of other games" : ""
    let verdict =
      report.differences.isEmpty
      ? "every event exactly once" : report.differences.count == 1 ? "1 difference" : "\(report.differences.count) differences"
    let offset = report.copies > 0 ? ", none more than \(report.largestOffset.decimalSeconds) s off its cue" : ""
    try output.line("\(name): \(verdict): \(report.events) events in \(report.copies) copies\(offset)\(others)\(damages)")
  }

  private func printJSON(
    _ report: Verifier.Report, _ choice: HLSChoice?, _ output: inout StandardOutput
  ) throws(CommandFailure) {
    for difference in report.differences {
      var line = JSONObject()
      line.add("type", "difference")
      line.add("what", "\(difference)")
      if let choice { line.add("rendition", choice.uri) }
      try output.line(line.text)
    }
    var line = JSONObject()
    line.add("type", "summary")
    line.add("passed", report.differences.isEmpty)
    line.add("differences", report.differences.count)
    line.add("events", report.events)
    line.add("copies", report.copies)
    line.add("otherEvents", report.otherEvents)
    line.add("damaged", report.damages)
    line.add("largestOffset", report.largestOffset)
    if let choice { line.add("rendition", choice.uri) }
    try output.line(line.text)
  }
}
