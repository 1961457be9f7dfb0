public import Basics
public import GameEvents

/// A question with its answers.
public struct Question: Equatable, Sendable {
  /// The question's text.
  public var text: String
  /// What it asks for, and how answers are graded.
  public var task: QuestionTask
  /// The answers to choose from, all different: as many as the kind of the question takes; none for a number.
  public var answers: [String]
  /// The right answer; `nil` if there is none, or if it is known later.
  public var right: RightAnswer?
  /// The points of an answer that is right and immediate; `nil` for those of the game's rules.
  public var worth: Int?
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
  /// The picture and the sound that belong to the question.
  public var media: QuestionMedia
  /// Why the answer is right, shown with the answer.
  public var explanation: String?
  /// Where to read more, shown with the answer.
  public var link: String?

  /// A question with its answers.
  public init(
    text: String, task: QuestionTask, answers: [String], right: RightAnswer?, worth: Int? = nil, points: [Int]? = nil,
    category: String? = nil,
    difficulty: Difficulty? = nil,
    allottedTime: MediaTime? = nil, time: String? = nil, media: QuestionMedia = QuestionMedia(), explanation: String? = nil,
    link: String? = nil
  ) {
    self.text = text
    self.task = task
    self.answers = answers
    self.right = right
    self.worth = worth
    self.points = points
    self.category = category
    self.difficulty = difficulty
    self.allottedTime = allottedTime
    self.time = time
    self.media = media
    self.explanation = explanation
    self.link = link
  }

  /// A question with one right answer.
  public init(
    text: String, answers: [String], correctAnswer: Int, points: [Int]? = nil, category: String? = nil, difficulty: Difficulty? = nil,
    allottedTime: MediaTime? = nil, time: String? = nil, media: QuestionMedia = QuestionMedia(), explanation: String? = nil,
    link: String? = nil
  ) {
    self.init(
      text: text, task: QuestionTask(), answers: answers, right: .one(correctAnswer), points: points, category: category,
      difficulty: difficulty, allottedTime: allottedTime, time: time, media: media, explanation: explanation, link: link)
  }

  /// The index of the right answer, where there is exactly one of the answers.
  public var correctAnswer: Int? { right?.index }

  /// Whether both are equal. Texts are compared byte by byte.
  public static func == (left: Question, right: Question) -> Bool {
    left.text.hasSameBytes(as: right.text) && left.answers.haveSameBytes(as: right.answers) && left.right == right.right
      && left.task == right.task && left.worth == right.worth
      && left.points == right.points && left.category.hasSameBytes(as: right.category) && left.difficulty == right.difficulty
      && left.allottedTime == right.allottedTime && left.time.hasSameBytes(as: right.time)
      && left.media == right.media
      && left.explanation.hasSameBytes(as: right.explanation) && left.link.hasSameBytes(as: right.link)
  }

  /// The text of the right answer; empty if there is none.
  public var rightAnswer: String { right.map { $0.words(of: asked(number: 1, allottedTime: .zero)) } ?? "" }

  /// Which answers it takes.
  public var form: AnswerForm { task.form(answerCount: answers.count) }

  /// The event that asks it, without the right answer.
  package func asked(number: Int, allottedTime: MediaTime) -> AskQuestion {
    AskQuestion(
      question: text, task: task, answers: answers, questionNumber: number, allottedTime: self.allottedTime ?? allottedTime,
      category: category, difficulty: difficulty?.rawValue, media: media, worth: worth)
  }

  /// Whether its answers may be shown in any order: those of a poll are often steps of a scale, and the order of items is hidden when they are read.
  package var takesAnyOrder: Bool { task.kind == .single || task.kind == .multiple }

  /// Its type in the words of Open Trivia DB.
  public var type: OpenTriviaType {
    let isBoolean = answers.count == 2 && ["True", "False"].allSatisfy { name in answers.contains { $0.hasSameBytes(as: name) } }
    return isBoolean ? .boolean : .multiple
  }

  /// The question with its answers in another order: `order` has the old index of each answer in the new order.
  public func reordered(_ order: [Int]) -> Question {
    var question = self
    question.answers = order.map { answers[$0] }
    question.points = points.map { points in order.map { points[$0] } }
    question.right = right?.reordered(order)
    return question
  }
}

extension RightAnswer {
  /// Spellings of a right text; `nil` if there is none, or one that nobody can give as an answer. Only as many as a question may have are taken.
  static func spellings(_ texts: [String]) -> RightAnswer? {
    let spellings = texts.prefix(AnswerText.mostSpellings).compactMap { AnswerText($0) }
    return spellings.isEmpty || spellings.count < min(texts.count, AnswerText.mostSpellings) ? nil : .texts(spellings)
  }

  /// The same answer, where the answers are in another order: `order` has the old index of each answer in the new order.
  fileprivate func reordered(_ order: [Int]) -> RightAnswer {
    func new(_ index: Int) -> Int { order.firstIndex(of: index) ?? index }
    return switch self {
    case .one(let index): .one(new(index))
    case .several(let indices): .several(indices.map(new).sorted())
    case .order(let indices): .order(indices.map(new))
    case .number, .texts: self
    }
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
public enum OpenTriviaType: String, CaseIterable, Sendable {
  /// Any answers to choose from.
  case multiple
  /// The answers are True and False.
  case boolean
}
