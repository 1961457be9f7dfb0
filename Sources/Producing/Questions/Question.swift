public import Basics

/// A question with its answers, exactly one of which is right.
public struct Question: Equatable, Sendable {
  /// The question's text.
  public var text: String
  /// The answers to choose from: 2 to 9, all different.
  public var answers: [String]
  /// The index of the right answer.
  public var correctAnswer: Int
  /// The points of each answer, in the order of the answers. They may be negative.
  public var points: [Int]?
  /// What the question is about.
  public var category: String?
  /// How hard it is.
  public var difficulty: Difficulty?
  /// How long answers are accepted; `nil` for the same time as for other questions.
  public var allottedTime: MediaTime?
  /// When it is to be asked, as it was written: seconds, `mm:ss`, `hh:mm:ss` or a timecode `hh:mm:ss:ff`; `nil` if a plan decides.
  public var time: String?
  /// The address of a picture that belongs to the question.
  public var picture: String?
  /// Why the answer is right, shown with the answer.
  public var explanation: String?
  /// Where to read more, shown with the answer.
  public var link: String?

  /// A question with its answers.
  public init(
    text: String, answers: [String], correctAnswer: Int, points: [Int]? = nil, category: String? = nil, difficulty: Difficulty? = nil,
    allottedTime: MediaTime? = nil, time: String? = nil, picture: String? = nil, explanation: String? = nil, link: String? = nil
  ) {
    self.text = text
    self.answers = answers
    self.correctAnswer = correctAnswer
    self.points = points
    self.category = category
    self.difficulty = difficulty
    self.allottedTime = allottedTime
    self.time = time
    self.picture = picture
    self.explanation = explanation
    self.link = link
  }

  /// Whether both are equal. Texts are compared byte by byte.
  public static func == (left: Question, right: Question) -> Bool {
    left.text.hasSameBytes(as: right.text) && left.answers.haveSameBytes(as: right.answers) && left.correctAnswer == right.correctAnswer
      && left.points == right.points && left.category.hasSameBytes(as: right.category) && left.difficulty == right.difficulty
      && left.allottedTime == right.allottedTime && left.time.hasSameBytes(as: right.time)
      && left.picture.hasSameBytes(as: right.picture)
      && left.explanation.hasSameBytes(as: right.explanation) && left.link.hasSameBytes(as: right.link)
  }

  /// The text of the right answer.
  public var rightAnswer: String { answers.indices.contains(correctAnswer) ? answers[correctAnswer] : "" }

  /// Which kind of question it is.
  public var kind: QuestionKind {
    let isBoolean = answers.count == 2 && ["True", "False"].allSatisfy { name in answers.contains { $0.hasSameBytes(as: name) } }
    return isBoolean ? .boolean : .multiple
  }

  /// The question with its answers in another order: `order` has the old index of each answer in the new order.
  public func reordered(_ order: [Int]) -> Question {
    var question = self
    question.answers = order.map { answers[$0] }
    question.points = points.map { points in order.map { points[$0] } }
    question.correctAnswer = order.firstIndex(of: correctAnswer) ?? correctAnswer
    return question
  }
}

/// The difficulty of a question, in the words of Open Trivia DB.
public enum Difficulty: String, CaseIterable, Comparable, Sendable {
  /// Most players know it.
  case easy
  /// Some players know it.
  case medium
  /// Few players know it.
  case hard

  private var rank: Int {
    switch self {
    case .easy: 0
    case .medium: 1
    case .hard: 2
    }
  }

  /// Whether `left` is easier.
  public static func < (left: Difficulty, right: Difficulty) -> Bool { left.rank < right.rank }
}

/// The kind of a question, in the words of Open Trivia DB.
public enum QuestionKind: String, CaseIterable, Sendable {
  /// Any answers to choose from.
  case multiple
  /// The answers are True and False.
  case boolean
}
