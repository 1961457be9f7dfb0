import Basics
import GameEvents
import Sheets

/// A cue as it was written. Missing and wrong values are `nil`, and have been reported.
struct Cue: Sendable {
  /// Where the cue begins.
  var place: SheetPlace
  /// When it happens, as it was written.
  var moment: Placed<CueMoment>?
  /// The text of its time, as it was written.
  var momentText: String?
  /// When it happens on the programme's timeline, once that is known.
  var at: MediaTime?
  var type: EventType
  /// Where the type is.
  var typePlace: SheetPlace
  var guid: Placed<GUID>?
  var sequence: Placed<Int>?
  var content: Content

  /// The content of a cue, by its event's type.
  enum Content: Sendable {
    case startGame(Start)
    case askQuestion(Question)
    case adjustTime(Adjustment)
    case periodicInfo(PeriodicInfo?, JSONObject)
    case showResults(Results)
    case endGame(End)
    case custom(JSONObject, currentFor: MediaTime?)
    case id3(ID3Cue?)
  }

  struct Start: Sendable {
    var title: String?
    var totalQuestions: Int?
    var startsIn: MediaTime?
    var startsAt: String?
  }

  struct Question: Sendable {
    var question: String?
    var task: QuestionTask
    var worth: Int?
    var answers: [String]?
    var right: RightAnswer?
    var questionNumber: Placed<Int>?
    var totalQuestions: Int?
    var allottedTime: MediaTime
    var category: String?
    var difficulty: String?
    var media = QuestionMedia()
  }

  struct Adjustment: Sendable {
    var questionNumber: Placed<Int>?
    var allottedTime: MediaTime?
  }

  struct Results: Sendable {
    var questionNumber: Placed<Int>?
    /// The right answer of a question that has none of its own.
    var correct: Placed<QuestionAnswers.Late>?
    var counts: Placed<[Int]>?
    var histogram: Histogram?
    var texts: TextCounts?
    var points: Placed<[Int]>?
    var explanation: String?
    var url: String?
    var leaderboard: [LeaderboardEntry]?
  }

  struct End: Sendable {
    var totalQuestions: Int?
    var winners: [String]?
    var leaderboard: [LeaderboardEntry]?
    /// The hash of the public record.
    var record: String?
  }

  /// The range of sequence and question numbers, which every client can represent.
  static let numbers = 1...2_147_483_647
  /// The range of counters and totals.
  static let counts = 0...Int.max
}

/// Values at the top of a sheet, for cues without their own.
struct CueDefaults: Sendable {
  var title: String?
  var allottedTime = MediaTime(seconds: 10)
  var category: String?
  var difficulty: String?
}
