public import Basics
public import Questions

/// The options of a planned show.
public struct PlanOptions: Equatable, Sendable {
  /// The name of the broadcast.
  public var game: String
  /// What the show is called.
  public var title: String
  /// Which questions are taken.
  public var selection = QuestionSelection()
  /// When the game starts; `nil` for after a countdown of 10 seconds, or for the latest earlier time at which the questions fit into `length`.
  public var start: MediaTime?
  /// How long after a question the next one is asked; `nil` for 30 seconds, or for the interval that spreads the questions over `length`.
  public var interval: MediaTime?
  /// How long answers are accepted, if a question does not say it.
  public var allottedTime = MediaTime(seconds: 10)
  /// How long after that the result is shown.
  public var resultDelay = MediaTime(seconds: 2)
  /// How often information about the audience is sent; `nil` for never.
  public var infoInterval: MediaTime?
  /// The number of viewers in that information, for the producer to replace.
  public var viewers = 0
  /// The ranges in which nothing may happen.
  public var keptFree: [Range<MediaTime>] = []
  /// When the questions are asked: the n-th at the n-th marker, or each at the marker of its name; empty for other times.
  public var markers: [MarkerList.Marker] = []
  /// What timecodes mean in times of questions and markers.
  public var timecodes = PlanTimecodes()
  /// Whether the cue sheet says times by their distance from the cue before, so that what follows moves with it.
  public var hasRelativeTimes = false
  /// How long the programme is, if the show is to fit into it.
  public var length: MediaTime?

  /// The default options for a show of a game and title.
  public init(game: String, title: String) {
    self.game = game
    self.title = title
  }

  /// The time from a question to its result, in whole milliseconds.
  func span(of question: Question) -> MediaTime {
    (question.allottedTime ?? allottedTime).wholeMilliseconds + resultDelay.wholeMilliseconds
  }

  /// The shortest interval between questions: that of questions without a time of their own, or if all have one, that of the shortest.
  func leastInterval(of questions: [Question]) -> MediaTime {
    let spans = questions.map { span(of: $0) }
    let common = zip(questions, spans).first { $0.0.allottedTime == nil }?.1
    return (common ?? spans.min() ?? .zero) + Self.leastShown
  }

  /// The earliest start of the game by default, so that copies of the start can be sent before.
  public static let earliestStart = MediaTime(seconds: 1)
  /// How long after a question the next one is asked, by default.
  public static let usualInterval = MediaTime(seconds: 30)
  /// How long after the start of the game the first question is asked: the title is visible meanwhile.
  public static let lead = MediaTime(seconds: 2)
  /// The longest time before the start of the game at which it is announced, so that players see a countdown.
  public static let longestCountdown = MediaTime(seconds: 10)
  /// The shortest useful countdown. With less room, the game starts at once.
  public static let shortestCountdown = MediaTime(seconds: 3)
  /// The shortest time that a result is shown before the next question.
  public static let leastShown = MediaTime(seconds: 2)
  /// How long the last result is shown before the game ends.
  public static let lastShown = MediaTime(seconds: 5)
  /// The minimum time from the end of the game to the end of the programme, so that all copies of the end can be sent.
  public static let tail = MediaTime(seconds: 1)
  /// The time from the end of the game to the end of the programme that a plan leaves if the questions fit: two segments of the usual 6 seconds, at
  /// whose starts the end is sent again.
  public static let refreshedTail = MediaTime(seconds: 12)
  /// The largest time and duration: two days, far more than any show, and far from what a `MediaTime` cannot hold.
  public static let largestTime = MediaTime(seconds: 172_800)
}

/// Which questions a show takes from its banks, and in which order.
public struct QuestionSelection: Equatable, Sendable {
  /// How many; `nil` for all, or as many as fit.
  public var number: Int?
  /// Of these categories, regardless of case; of all if empty.
  public var categories: [String] = []
  /// Of these difficulties; of all if empty.
  public var difficulties: Set<Difficulty> = []
  /// Of this kind; `nil` for both.
  public var kind: OpenTriviaType?
  /// In which order.
  public var order = QuestionOrder.asGiven
  /// The seed of the order of questions, if it is random, and of the answers; `nil` for the system's random numbers. The orders of a seed are not
  /// secret: anyone who knows the questions can compute them.
  public var seed: UInt64?

  /// All questions, in the given order.
  public init() {}
}

/// The order of the questions in a show.
public enum QuestionOrder: String, CaseIterable, Sendable {
  /// That of the banks: the first ones are taken.
  case asGiven = "as-given"
  /// Randomly, by the seed if there is one.
  case shuffled
  /// Chosen randomly and sorted by difficulty; questions without one count as medium.
  case easyToHard = "easy-to-hard"
}
