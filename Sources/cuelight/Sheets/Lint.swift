import ArgumentParser
import Basics
import CommandSupport
import CueSheet
import EventSchedule
import Seals
import Sheets

struct Lint: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Check cue sheets: every mistake, and what is allowed and seldom meant, by line and column.",
    discussion: """
      A mistake keeps a sheet from being stamped. A warning does not: a result before time is up, a question without a result or over another \
      one, a game without beginning or end, with --video a question in an ad break, an event of your own that looks like one of the game's, a text that a comment cuts off. The exit \
      status is 1 where anything is found. Question banks have cuelight questions lint.

      Example:
        cuelight lint show.yaml
        cuelight stamp show.mp4 --cues show.yaml -o show.ts --strict
      """)

  @Argument(help: "The cue sheets, YAML or JSON; - for standard input.")
  var sheets: [String]

  @Option(
    name: .long, help: "The video of the show; a question whose time for answers meets one of its ad breaks (SCTE 35) is a warning.")
  var video: String?

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  func validate() throws {
    guard (sheets + [video]).count(where: { $0 == "-" }) <= 1 else { throw ValidationError("Standard input (-) can be read once.") }
  }

  func run() throws {
    var output = StandardOutput()
    var isClean = true
    let breaks = try video.map { path throws(CommandFailure) in try VideoBreaks(of: path).times } ?? []
    for path in sheets {
      let name = path == "-" ? "standard input" : path
      let bytes = try SmallFile(path: path).bytes()
      let file = CueSheetFile(path: path)
      // The size of a tag does not depend on the key.
      var reading = CueSheet.read(bytes, policy: CopyPolicy(), answers: .sealed(.random()), readTag: file.readTag)
      reading.mistakes = file.explained(reading.mistakes, of: bytes)
      reading.warnings += reading.sheet?.warnings(breaks: breaks) ?? []
      isClean = isClean && reading.mistakes.isEmpty && reading.warnings.isEmpty
      if json {
        for found in Self.found(reading.mistakes, reading.warnings) { try output.line(found.object(name)) }
      } else {
        for found in Self.found(reading.mistakes.counted("line"), reading.warnings.counted("line")) { try output.line(found.text(name)) }
      }
      if json { try output.line(Self.summary(reading, name)) } else { try output.line(Self.text(reading, name)) }
    }
    try output.flush()
    guard isClean else { throw CommandFailure.checkFailed }
  }

  /// A mistake or a warning.
  private struct Found {
    var problem: SheetProblem
    var isMistake: Bool

    func text(_ name: String) -> String { "\(name):\(problem.line):\(problem.column): \(isMistake ? "" : "warning: ")\(problem.message)" }

    func object(_ name: String) -> JSONObject {
      JSONObject(fields: [
        "type": "problem", "sheet": name, "line": problem.line, "column": problem.column, "severity": isMistake ? "mistake" : "warning",
        "what": problem.message,
      ])
    }
  }

  private static func found(_ mistakes: [SheetProblem], _ warnings: [SheetProblem]) -> [Found] {
    let found = mistakes.map { Found(problem: $0, isMistake: true) } + warnings.map { Found(problem: $0, isMistake: false) }
    return found.enumerated().sorted { ($0.element.problem.place, $0.offset) < ($1.element.problem.place, $1.offset) }.map(\.element)
  }

  private static func text(_ reading: CueSheet.Reading, _ name: String) -> String {
    let mistakes = count(reading.mistakes.count, "mistake")
    let warnings = count(reading.warnings.count, "warning")
    guard let sheet = reading.sheet, let last = sheet.events.last else { return "\(name): \(mistakes), \(warnings)" }
    return "\(name): \(sheet.events.count.of("event")) until \(last.time.clockText), \(mistakes), \(warnings)"
  }

  private static func count(_ number: Int, _ noun: String) -> String { number == 0 ? "no \(noun)" : number.of(noun) }

  private static func summary(_ reading: CueSheet.Reading, _ name: String) -> JSONObject {
    JSONObject(fields: [
      "type": "summary", "sheet": name, "events": reading.sheet?.events.count, "mistakes": reading.mistakes.count,
      "warnings": reading.warnings.count,
    ])
  }
}
