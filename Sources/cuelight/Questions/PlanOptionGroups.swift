import ArgumentParser
import Basics
import CommandSupport
import CueSheet
import Questions
import ShowPlanning

/// Which questions a show takes.
struct SelectionOptions: ParsableArguments {
  @Option(name: .long, help: "How many questions; all, or with --fit as many as fit, unless said.")
  var number: Int?

  @Option(name: .long, help: "Only questions of this category, by name or Open Trivia DB's number; may be given several times.")
  var category: [String] = []

  @Option(name: .long, help: "Only easy, medium or hard questions; may be given several times.", transform: PlanWords.difficulty(_:))
  var difficulty: [Difficulty] = []

  @Option(name: .customLong("type"), help: "Only multiple or boolean questions.", transform: PlanWords.kind(_:))
  var kind: OpenTriviaType?

  @Option(name: .long, help: "as-given, shuffled, or easy-to-hard (taken by chance, then sorted).", transform: PlanWords.order(_:))
  var order = QuestionOrder.asGiven

  @Option(
    name: .long,
    help: "A number that decides the order of questions and answers, which is public then; secret random numbers unless said.")
  var seed: UInt64?

  func validate() throws {
    if let number, number < 1 { throw ValidationError("--number takes a number from 1, not \(number).") }
  }

  func set(_ selection: inout QuestionSelection) {
    selection.number = number
    selection.categories = category.map { name in Int(name).flatMap { _ in OpenTriviaCategory.named(name)?.name } ?? name }
    selection.difficulties = Set(difficulty)
    selection.kind = kind
    selection.order = order
    selection.seed = seed
  }
}

/// The times of a show.
struct PlanTimeOptions: ParsableArguments {
  @Option(
    name: .long,
    help:
      "When the game starts, from 3s on with a countdown of up to 10s before; 10s unless said, or as late from 1s on as the questions fit.",
    transform: PlanWords.time(_:))
  var start: MediaTime?

  @Option(
    name: .long, help: "How long after a question the next one is asked; 30s unless said or --fit spreads them.",
    transform: PlanWords.duration(_:))
  var interval: MediaTime?

  @Option(name: .long, help: "How long answers are taken; 10s unless said.", transform: PlanWords.duration(_:))
  var allottedTime: MediaTime?

  @Option(name: .long, help: "How long after that the result is shown; 2s unless said.", transform: PlanWords.time(_:))
  var resultDelay: MediaTime?

  @Option(name: .long, help: "How often information about the audience is sent; never unless said.", transform: PlanWords.duration(_:))
  var infoInterval: MediaTime?

  @Option(name: .long, help: "How many viewers that information names, for you to replace; 0 unless said.")
  var viewers: Int?

  @Option(name: .long, help: "When nothing is to happen, such as 12:00-12:30; may be given several times.", transform: PlanWords.range(_:))
  var avoid: [Range<MediaTime>] = []

  @Option(
    name: .long, help: "The frames in a second of timecodes in columns of times and in markers, such as 25 or 29.97.",
    transform: PlanWords.rate(_:))
  var frameRate: String?

  @Option(name: .long, help: "The timecode of the video's first frame, such as 01:00:00:00; zero unless said.")
  var firstTimecode: String?

  @Flag(name: .long, help: "Write times as distances, so that what follows moves with a cue.")
  var relativeTimes = false

  func validate() throws {
    if let viewers {
      guard viewers >= 0 else { throw ValidationError("--viewers takes a number from 0, not \(viewers).") }
      try require(infoInterval != nil, "--viewers goes with --info-interval, which says how often that information is sent.")
    }
    if let infoInterval, infoInterval < MediaTime(seconds: 1) { throw ValidationError("--info-interval takes a second or more.") }
  }

  func set(_ options: inout PlanOptions) {
    options.start = start
    options.interval = interval
    options.allottedTime = allottedTime ?? options.allottedTime
    options.resultDelay = resultDelay ?? options.resultDelay
    options.infoInterval = infoInterval
    options.viewers = viewers ?? options.viewers
    options.keptFree = avoid
    options.timecodes = PlanTimecodes(frameRate: frameRate, first: firstTimecode)
    options.hasRelativeTimes = relativeTimes
  }
}

/// Reads the words and times of options.
enum PlanWords {
  static func difficulty(_ name: String) throws -> Difficulty { try ValidationError.value("--difficulty", name) }

  static func kind(_ name: String) throws -> OpenTriviaType { try ValidationError.value("--type", name) }

  static func order(_ name: String) throws -> QuestionOrder { try ValidationError.value("--order", name) }

  static func rate(_ text: String) throws -> String {
    try require(PlanTimecodes.isRate(text), "--frame-rate takes \(PlanTimecodes.rates), not \(text).")
    return text
  }

  static func time(_ text: String) throws -> MediaTime {
    guard let time = try? MediaTime(cueTime: text), time <= PlanOptions.largestTime else {
      throw ValidationError("\(text) is no time below two days; write seconds (12.5), mm:ss or hh:mm:ss.mmm.")
    }
    return time
  }

  static func duration(_ text: String) throws -> MediaTime {
    let time = try time(text)
    guard time >= MediaTime(ticks: MediaTime.ticksPerSecond / 1_000) else { throw ValidationError("\(text) is no duration above 0.") }
    return time
  }

  /// Reads two times with a hyphen between them.
  static func range(_ text: String) throws -> Range<MediaTime> {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    try require(parts.count == 2, "--avoid takes two times with a hyphen between them, such as 12:00-12:30, not \(text).")
    let (from, to) = (try time(String(parts[0])), try time(String(parts[1])))
    guard from < to else { throw ValidationError("--avoid takes an earlier time before a later one, not \(text).") }
    return from..<to
  }
}
