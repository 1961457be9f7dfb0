import ArgumentParser
import CueSheet
import EventReading
import EventSchedule
import FileInput
import JSONText
import MediaTime
import Verification

struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check that a stream carries exactly the events of a cue sheet, once each and on time.",
    discussion: """
      The first line of output says what differs, if anything does; the exit status is then 1.

      Example:
        cuelight verify show.ts --cues show.yaml
      """)

  @Argument(help: "The stream: MPEG-TS, fragmented MP4 or packed audio; - for standard input.")
  var input: String

  @Option(name: .long, help: "The cue sheet, YAML or JSON.")
  var cues: String

  @Option(name: .long, help: "How many seconds a copy may be off its cue.")
  var tolerance = "0.001"

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  func validate() throws {
    guard let tolerance = MediaTime(decimalSeconds: tolerance), tolerance >= .zero else {
      throw ValidationError("--tolerance takes seconds, not \(tolerance).")
    }
  }

  mutating func run() throws {
    // A stream may have been stamped with any policy, and every tag fits that lies in it.
    let policy = CopyPolicy(largestTagSize: CopyPolicy.largestPESPayload)
    let sheet = try CueSheetFile(path: cues).read(policy, answers: .open)
    var verifier = Verifier(
      sheet.events, tolerance: MediaTime(decimalSeconds: tolerance) ?? .zero, verifySeal: AnswerSeal.verify)
    let reader = try StreamSource(path: input).read { (item, _) throws(CommandFailure) in
      verifier.take(item)
      if case .damage(let damage) = item { StandardError.write("\(input): byte \(damage.offset): \(damage.reason)") }
    }
    let report = verifier.finish(at: reader.end)
    var output = StandardOutput()
    if json { try printJSON(report, &output) } else { try printText(report, &output) }
    try output.flush()
    guard report.differences.isEmpty else { throw CommandFailure.checkFailed }
  }

  private func printText(_ report: Verifier.Report, _ output: inout StandardOutput) throws(CommandFailure) {
    for difference in report.differences {
      try output.line(TransitionPrinter.printable("\(StreamSource(path: input).name): \(difference)"))
    }
    let damages = report.damages > 0 ? ", \(report.damages) damaged \(report.damages == 1 ? "place" : "places")" : ""
    let others = report.otherEvents > 0 ? ", \(report.otherEvents) events of other games" : ""
    let verdict =
      report.differences.isEmpty
      ? "every event exactly once" : report.differences.count == 1 ? "1 difference" : "\(report.differences.count) differences"
    let offset = report.copies > 0 ? ", none more than \(report.largestOffset.decimalSeconds) s off its cue" : ""
    let name = StreamSource(path: input).name
    try output.line("\(name): \(verdict): \(report.events) events in \(report.copies) copies\(offset)\(others)\(damages)")
  }

  private func printJSON(_ report: Verifier.Report, _ output: inout StandardOutput) throws(CommandFailure) {
    for difference in report.differences {
      var line = JSONObject()
      line.add("type", "difference")
      line.add("what", "\(difference)")
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
    try output.line(line.text)
  }
}
