import ArgumentParser
import Basics
import CommandSupport
import CueSheet
import Sheets

struct Shift: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shift",
    abstract: "Move the cues of a sheet, for a video that was cut or got a new beginning.",
    discussion: """
      Only the times are written anew, each in the form in which it was: comments, order and everything else stay. Times that count from other \
      cues move with those. Cues that would come before the beginning are named and refused, unless --drop-early leaves them out.

      Example:
        cuelight shift show.yaml --by -12.5 -o cut.yaml --drop-early
        cuelight shift show.yaml --by 00:30 -o later.yaml
      """)

  @Argument(help: "The cue sheet, YAML or JSON.")
  var sheet: String

  @Option(
    name: .long, parsing: .unconditional, help: "How much later each cue is to happen; with a minus in front, earlier.",
    transform: CueOffset.duration(_:))
  var by: MediaTime

  @Option(name: .shortAndLong, help: "The cue sheet to write; - for standard output.")
  var output: String

  @Flag(name: .long, help: "Leave out cues that would come before the beginning, and what belongs to such questions.")
  var dropEarly = false

  @OptionGroup var replacing: ReplaceOption

  func run() throws {
    let target = try replacing.text(output, besides: [sheet])
    let bytes = try SmallFile(path: sheet).bytes()
    let shifted = try orFail(ShiftedSheet(bytes, by: by, dropsEarly: dropEarly)) { (error: SheetError) in
      CommandFailure(error.problems, cues: sheet)
    }
    for problem in shifted.dropped.prefix(CommandFailure.mostProblems) { StandardError.write("\(sheet):\(problem): left out") }
    try target.write(shifted.text)
    guard target.path != nil else { return }
    let seconds = by.magnitude.shortestDecimalSeconds
    try StandardOutput.write(["\(output): \(shifted.cues.of("cue")), \(seconds) s \(by < .zero ? "earlier" : "later")"])
  }
}
