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
      The times are written anew, each in the form in which it was: comments, order and everything else stay. Times that count from other cues \
      move with those. Events keep their GUIDs and numbers. Cues that would come before the beginning are named and refused, unless --drop-early \
      leaves them out; cues in a part that is cut out (--cut) are named and left out. Where cues are left out, the others get their numbers \
      written into them.

      Example:
        cuelight shift show.yaml --by -12.5 -o cut.yaml --drop-early
        cuelight shift show.yaml --by 00:30 -o later.yaml
        cuelight shift show.yaml --cut 10:00-11:30 --cut 20:00-21:30 -o cut.yaml
        cuelight shift show.yaml --from 10:00 --to 15:00 --by 2.5 -o mended.yaml
      """)

  @Argument(help: "The cue sheet, YAML or JSON.")
  var sheet: String

  @Option(
    name: .long, parsing: .unconditional, help: "How much later each cue is to happen; with a minus in front, earlier.",
    transform: CueOffset.duration(_:))
  var by: MediaTime?

  @Option(name: .long, help: "With --by: move only cues from this time of the sheet on.", transform: Self.time(_:))
  var from: MediaTime?

  @Option(name: .long, help: "With --by: move only cues before this time of the sheet.", transform: Self.time(_:))
  var to: MediaTime?

  @Option(
    name: .long,
    help: "Cut a part of the sheet out, such as 10:00-11:30, and move what follows to its beginning. May be given several times.",
    transform: Self.part(_:))
  var cut: [Range<MediaTime>] = []

  @Option(name: .shortAndLong, help: "The cue sheet to write; - for standard output.")
  var output: String

  @Flag(name: .long, help: "Leave out cues that would come before the beginning, and what belongs to such questions.")
  var dropEarly = false

  @OptionGroup var replacing: ReplaceOption

  func validate() throws {
    try require(by != nil || !cut.isEmpty, "Say what changes: --by moves cues, --cut takes a part out.")
    try require(by != nil || from == nil && to == nil, "--from and --to say which cues --by moves: add --by.")
    if let from, let to { try require(from < to, "--from has to be before --to.") }
  }

  func run() throws {
    let target = try replacing.text(output, besides: [sheet])
    let bytes = try SmallFile(path: sheet).bytes()
    let shift = CueShift(by: by ?? .zero, in: stretch, cutting: cut)
    let file = CueSheetFile(path: sheet)
    let shifted = try orFail(ShiftedSheet(bytes, shift, dropsEarly: dropEarly)) { (error: SheetError) in
      CommandFailure(file.explained(error.problems, of: bytes), cues: file.name)
    }
    for problem in shifted.dropped.prefix(CommandFailure.mostProblems) { StandardError.write("\(sheet):\(problem): left out") }
    let more = shifted.dropped.count - CommandFailure.mostProblems
    if more > 0 { StandardError.write("\(sheet): \(more.of("more cue")) left out") }
    try target.write(shifted.text)
    guard target.path != nil else { return }
    try StandardOutput.write(["\(output): \(shifted.cues.of("cue"))\(Self.words(shift))"])
  }

  /// The cues that are moved, by their times in the sheet; `nil` for all.
  private var stretch: Range<MediaTime>? {
    guard from != nil || to != nil else { return nil }
    let first: MediaTime = from ?? .zero
    let end: MediaTime = to ?? Self.always
    return first..<end
  }

  private static let always = MediaTime(ticks: .max)

  /// What was done to the cues, in words.
  private static func words(_ shift: CueShift) -> String {
    var words = ""
    let removed = shift.cuts.reduce(MediaTime.zero) { $0 + ($1.upperBound - $1.lowerBound) }
    if !shift.cuts.isEmpty { words += ", \(removed.shortestDecimalSeconds) s cut out in \(shift.cuts.count.of("part"))" }
    guard shift.duration != .zero || shift.cuts.isEmpty else { return words }
    let distance = "\(shift.duration.magnitude.shortestDecimalSeconds) s \(shift.duration < .zero ? "earlier" : "later")"
    guard let stretch = shift.stretch else { return "\(words), \(distance)" }
    let end = stretch.upperBound == always ? "on" : "to \(stretch.upperBound.clockText)"
    return "\(words), those from \(stretch.lowerBound.clockText) \(end) \(distance)"
  }

  private static func time(_ text: String) throws -> MediaTime {
    try require(try? MediaTime(cueTime: text), "\(text) is no time; write seconds (12.5), mm:ss or hh:mm:ss.mmm.")
  }

  /// Reads two times with a minus between them.
  private static func part(_ text: String) throws -> Range<MediaTime> {
    let message = "\(text) is no part of a programme; write two times such as 10:00-11:30."
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    try require(ends.count == 2, message)
    let from = try require(try? MediaTime(cueTime: String(ends[0])), message)
    let to = try require(try? MediaTime(cueTime: String(ends[1])), message)
    try require(from < to, "\(text) ends before it begins; write the earlier time first.")
    return from..<to
  }
}
