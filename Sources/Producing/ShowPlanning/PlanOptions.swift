public import Basics
public import Questions

/// What a planned show is to be like.
public struct PlanOptions: Equatable, Sendable {
  /// The name of the broadcast.
  public var game: String
  /// What the show is called.
  public var title: String
  /// Which questions are taken.
  public var selection = QuestionSelection()
  /// When the game starts; `nil` for behind a countdown of 10 seconds, or as late before that as the questions fit into `length`.
  public var start: MediaTime?
  /// How long after a question the next one is asked; `nil` for 30 seconds, or for what spreads the questions over `length`.
  public var interval: MediaTime?
  /// How long answers are taken, where a question does not say it.
  public var allottedTime = MediaTime(seconds: 10)
  /// How long after that the result is shown.
  public var resultDelay = MediaTime(seconds: 2)
  /// How often information about the audience is sent; `nil` for never.
  public var infoInterval: MediaTime?
  /// How many viewers that information names, for the producer to replace.
  public var viewers = 0
  /// When nothing is to happen.
  public var keptFree: [Range<MediaTime>] = []
  /// How long the programme is, if the show is to fit into it.
  public var length: MediaTime?

  /// A show with its name, and otherwise as usual.
  public init(game: String, title: String) {
    self.game = game
    self.title = title
  }

  /// The time from a question to its result, in whole milliseconds.
  func span(of question: Question) -> MediaTime {
    (question.allottedTime ?? allottedTime).wholeMilliseconds + resultDelay.wholeMilliseconds
  }

  /// The shortest interval between questions: that of questions without a time of their own, or where all have one, that of the shortest.
  func leastInterval(of questions: [Question]) -> MediaTime {
    let spans = questions.map { span(of: $0) }
    let common = zip(questions, spans).first { $0.0.allottedTime == nil }?.1
    return (common ?? spans.min() ?? .zero) + Self.leastShown
  }

  /// When the game starts at the earliest, where nothing says otherwise: copies of the start have been sent before.
  public static let earliestStart = MediaTime(seconds: 1)
  /// How long after a question the next one is asked, where nothing says otherwise.
  public static let usualInterval = MediaTime(seconds: 30)
  /// How long after the start of the game the first question is asked: the title can be seen.
  public static let lead = MediaTime(seconds: 2)
  /// How long before the start of the game it is announced at most, for players to see a countdown.
  public static let longestCountdown = MediaTime(seconds: 10)
  /// The shortest countdown that is worth one; with less room the game starts at once.
  public static let shortestCountdown = MediaTime(seconds: 3)
  /// How long a result is shown at least, before the next question.
  public static let leastShown = MediaTime(seconds: 2)
  /// How long the last result is shown before the game ends.
  public static let lastShown = MediaTime(seconds: 5)
  /// How much of the programme is left at least behind the end of the game, so that all copies of it can be sent.
  public static let tail = MediaTime(seconds: 1)
  /// The largest time and duration: two days, far more than any show, and far from what a `MediaTime` cannot hold.
  public static let largestTime = MediaTime(seconds: 172_800)
}

/// Which questions a show takes from its banks, and in which order.
public struct QuestionSelection: Equatable, Sendable {
  /// How many; `nil` for all, or as many as fit.
  public var number: Int?
  /// Of these categories, whatever their case; all where there are none.
  public var categories: [String] = []
  /// Of these difficulties; all where there are none.
  public var difficulties: Set<Difficulty> = []
  /// Of this kind; `nil` for both.
  public var kind: QuestionKind?
  /// In which order.
  public var order = QuestionOrder.asGiven
  /// What decides the order of questions, where it is chance, and that of the answers; `nil` for the system's random numbers. The orders of a
  /// seed are public: whoever knows the questions can compute them.
  public var seed: UInt64?

  /// All questions, as they are given.
  public init() {}
}

/// The order of the questions in a show.
public enum QuestionOrder: String, CaseIterable, Sendable {
  /// That of the banks: the first ones are taken.
  case asGiven = "as-given"
  /// By chance, which the seed decides if there is one.
  case shuffled
  /// Taken by chance and sorted by difficulty; those that have none count as medium.
  case easyToHard = "easy-to-hard"
}
