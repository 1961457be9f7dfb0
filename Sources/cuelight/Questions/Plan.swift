import ArgumentParser
import Basics
import CommandSupport
import Files
import LibAV
import Questions
import Sheets
import ShowPlanning
import Terminal

struct Plan: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Make a cue sheet from question banks.",
    discussion: """
      The game starts, two seconds later comes the first question, then one an interval. The result is shown once the time for answers and the delay \
      are over, and the game ends five seconds after the last one. No question comes twice. Answers are shuffled once, but True stays before False. \
      Secret random numbers decide the orders, so each plan is another one. With --seed, the same banks and options make the same cue sheet, byte \
      for byte, and whoever has the banks can compute the orders. Edit the sheet as you like, then stamp it.

      Questions that have times (a column at, time or timecode), or for which --markers has some, are asked then: the n-th question at the n-th \
      marker, or each at the marker with its text as the name.

      With --fit, the questions spread over the whole video, unless --interval says how close they follow; without --number there are as many as \
      fit at the interval. Times are kept to the millisecond.

      With --around, nothing happens in the ad breaks of a video, as with --avoid.

      Example:
        cuelight plan science.yaml quiz.csv --number 10 --order shuffled \\
          --seed 7 --fit show.mp4 -o show.yaml
        cuelight stamp show.mp4 --cues show.yaml -o show.ts
      """)

  @OptionGroup var input: BankOptions

  @Option(name: .shortAndLong, help: "The cue sheet to write; - for standard output.")
  var output: String

  @OptionGroup var selection: SelectionOptions

  @Option(name: .long, help: "The name of the broadcast; the first bank's id, or its file's name, unless said.")
  var game: String?

  @Option(name: .long, help: "What the show is called; the first bank's title, or the game's name, unless said.")
  var title: String?

  @OptionGroup var times: PlanTimeOptions

  @Option(name: .long, help: "A video that the show is to fit into.")
  var fit: String?

  @Option(name: .long, help: "A video whose ad breaks the show is to leave free: one with SCTE 35, or an HLS playlist with tags for it.")
  var around: String?

  @Option(
    name: .long,
    help: "Markers that say when the questions are asked: CSV of Premiere Pro or DaVinci Resolve, an EDL, or labels of Audacity.")
  var markers: String?

  @OptionGroup var replacing: ReplaceOption

  func validate() throws {
    try require(markers != "-" || !input.banks.contains("-"), "Standard input (-) can be read once.")
    guard let format = QuizFormat(path: output), format != .yaml else { return }
    throw ValidationError("A cue sheet is written in YAML; give the output a name that ends in .yaml, which \(output) does not.")
  }

  func run() throws {
    let target = try replacing.text(output, besides: input.banks + [fit, around, markers])
    let banks = try input.files.map { file in try file.questions(input) }
    let questions = banks.flatMap { $0.questions.map(\.value) }
    try input.requireQuestions(questions.count)
    var repetitions = Repetitions()
    let repeated = questions.count { repetitions.add($0) != nil }
    if repeated > 0 {
      let questions = repeated.of("question is", "questions are")
      StandardError.write("\(questions) there twice and left out once; cuelight questions lint says where")
    }
    let game = game ?? banks.first?.id ?? input.files.first?.stem ?? "game"
    var options = PlanOptions(game: game, title: title ?? banks.first?.title ?? game)
    selection.set(&options.selection)
    times.set(&options)
    if let around { options.keptFree += try VideoBreaks(of: around).times }
    if let markers { options.markers = try Self.markers(of: markers) }
    options.length = try fit.map { path in try Self.length(of: path) }
    let plan: ShowPlan
    let text: String
    do throws(PlanningError) {
      plan = try ShowPlan(questions, options)
      text = try plan.cueSheet(comments: comments(plan, of: questions.count), largestTagSize: input.maxTagSize)
    } catch {
      let place = if case .doesNotFit = error { fit.map { "\($0): " } ?? "" } else { "" }
      throw CommandFailure(invalid: "\(place)\(error)")
    }
    try target.write(text)
    if !options.markers.isEmpty { reportMarkers(plan) }
    if target.path != nil { try report(plan) }
  }

  /// The comments at the head of the cue sheet: its sources and options.
  private func comments(_ plan: ShowPlan, of count: Int) -> [String] {
    let names = input.files.map(\.shortName).joined(separator: ", ")
    let selection = plan.options.selection
    let times = plan.hasGivenTimes ? "at given times" : "a question every \(plan.interval.shortestDecimalSeconds) s"
    return [
      "Made by cuelight plan: \(plan.questionCount) of \(count.of("question")) of \(names)",
      "(order \(selection.order.rawValue)\(selection.seed.map { ", seed \($0)" } ?? ""), \(times)).",
      "Change what you like; cuelight stamp takes it as it is.",
    ]
  }

  /// Reports questions without a marker, and markers without a question.
  private func reportMarkers(_ plan: ShowPlan) {
    let name = markers.map { BankFile(path: $0).name } ?? ""
    let (asked, choice, marks) = (plan.questionCount, plan.choiceCount, plan.options.markers.count)
    if selection.number == nil, asked < choice {
      StandardError.write("\(name): there are \(marks.of("marker")) for \(choice.of("question")); the last \(choice - asked) are left out")
    }
    if marks > asked { StandardError.write("\(name): \((marks - asked).of("marker has", "markers have")) no question") }
  }

  /// The markers of a list.
  private static func markers(of path: String) throws(CommandFailure) -> [MarkerList.Marker] {
    let bytes = try SmallFile(path: path).bytes(limit: SheetLimits.bytes)
    return try orFail(MarkerList.read(bytes)) { (error: SheetError) in CommandFailure(error.problems, cues: BankFile(path: path).name) }
  }

  private func report(_ plan: ShowPlan) throws(CommandFailure) {
    let isShort = plan.closest != nil
    let questions =
      "\(plan.questionCount)\(isShort ? " of \(plan.choiceCount)" : "") "
      + (isShort || plan.questionCount > 1 ? "questions" : "question")
    let events = "\(plan.cues.count.of("event")) until \(plan.end.clockText)"
    let reason = plan.closest.map { [Self.reason($0, plan)] } ?? []
    let stream = "\(BankFile(path: output).stem).ts"
    let advice = "Stamp it: cuelight stamp \(fit?.shellWord ?? "VIDEO") --cues \(output.shellWord) -o \(stream.shellWord)"
    let times = plan.hasGivenTimes ? "at given times" : "one every \(plan.interval.clockText)"
    try StandardOutput.write(["\(output): \(questions), \(times), \(events)"] + reason + [advice])
  }

  /// Why questions are left out, and what to do about it.
  private static func reason(_ closest: ShowPlan.Closest, _ plan: ShowPlan) -> String {
    let left = plan.choiceCount - plan.questionCount
    let words = "\(left) \(left == 1 ? "does" : "do") not fit"
    let interval = "an interval of \(closest.interval.shortestDecimalSeconds) s"
    guard closest.fitting > plan.questionCount else { return "\(words), not even at \(interval), the least that there can be" }
    return "\(words); \(closest.fitting) fit at \(interval): write --interval \(closest.interval.shortestDecimalSeconds)"
  }

  /// The duration of a video.
  private static func length(of path: String) throws(CommandFailure) -> MediaTime {
    _ = try orFail(FileInput(path: path) { Interruption.isRequested }) { (error: FileInputError) in CommandFailure(error) }
    let duration = try orFail(MediaInput(path: path) { Interruption.isRequested }.duration) { (error: RemuxError) in
      switch error {
      case .interrupted: return .interruption
      case .notOpened(let cause):
        if let missing = cause.missingLibrary { return CommandFailure("\(path): \(missing)", status: CommandFailure.libraryMissing) }
        return CommandFailure(invalid: "\(path): FFmpeg reads no video in it; --fit takes the video of the show")
      default: return CommandFailure(invalid: "\(error)")
      }
    }
    guard let duration, duration > .zero else {
      throw CommandFailure(invalid: "\(path): does not say how long it is; plan with --interval instead of --fit")
    }
    return duration
  }
}
