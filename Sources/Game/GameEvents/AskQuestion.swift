public import Basics

/// A question opens for answers.
public struct AskQuestion: Equatable, Sendable {
  /// The question's text.
  public var question: String
  /// The answers to choose from: 2 to 9, all different.
  public var answers: [String]
  /// The question's place in its game, from 1.
  public var questionNumber: Int
  /// How many questions the game has.
  public var totalQuestions: Int?
  /// How long answers are taken, from the event's time on.
  public var allottedTime: MediaTime
  /// The question's category.
  public var category: String?
  /// The question's difficulty.
  public var difficulty: String?
  /// The index of the right answer, in plain text, for clients that score by themselves.
  public var correctAnswer: Int?
  /// The commitment to the right answer, which the result opens: see ``AnswerSeal``.
  public var seal: String?

  /// How many answers a question may have.
  public static let answerCount = 2...9

  /// A question with its answers.
  public init(
    question: String, answers: [String], questionNumber: Int, totalQuestions: Int? = nil, allottedTime: MediaTime, category: String? = nil,
    difficulty: String? = nil, correctAnswer: Int? = nil, seal: String? = nil
  ) {
    self.question = question
    self.answers = answers
    self.questionNumber = questionNumber
    self.totalQuestions = totalQuestions
    self.allottedTime = allottedTime
    self.category = category
    self.difficulty = difficulty
    self.correctAnswer = correctAnswer
    self.seal = seal
  }

  /// Whether both are equal; texts are compared byte by byte.
  public static func == (left: AskQuestion, right: AskQuestion) -> Bool {
    left.questionNumber == right.questionNumber && left.totalQuestions == right.totalQuestions && left.allottedTime == right.allottedTime
      && left.correctAnswer == right.correctAnswer && left.question.hasSameBytes(as: right.question)
      && left.answers.haveSameBytes(as: right.answers) && left.category.hasSameBytes(as: right.category)
      && left.difficulty.hasSameBytes(as: right.difficulty) && left.seal.hasSameBytes(as: right.seal)
  }
}

extension AskQuestion {
  init(from fields: inout EventFields) throws(EventError) {
    question = try EventFields.require(try fields.text("question"), "question")
    answers = try EventFields.require(try fields.texts("answers"), "answers")
    guard Self.answerCount.contains(answers.count), Self.areDifferent(answers) else {
      throw .invalid(key: "answers", expected: "a list of 2 to 9 different strings")
    }
    questionNumber = try EventFields.require(try fields.integer("questionNumber", atLeast: 1), "questionNumber")
    totalQuestions = try fields.integer("totalQuestions", atLeast: 0)
    allottedTime = try EventFields.require(try fields.duration("allottedTime"), "allottedTime")
    category = try fields.text("category")
    difficulty = try fields.text("difficulty")
    correctAnswer = try fields.integer("correctAnswer", atLeast: 0)
    if let correctAnswer, correctAnswer >= answers.count {
      throw .invalid(key: "correctAnswer", expected: "the index of one of the answers")
    }
    seal = try fields.text("seal")
  }

  func write(to object: inout JSONObject) {
    object.append("question", question)
    object.append("answers", answers)
    object.append("questionNumber", questionNumber)
    if let totalQuestions { object.append("totalQuestions", totalQuestions) }
    object.append("allottedTime", allottedTime)
    if let category { object.append("category", category) }
    if let difficulty { object.append("difficulty", difficulty) }
    if let correctAnswer { object.append("correctAnswer", correctAnswer) }
    if let seal { object.append("seal", seal) }
  }

  /// Whether no two of the texts have the same bytes.
  private static func areDifferent(_ texts: [String]) -> Bool {
    texts.indices.allSatisfy { index in !texts[..<index].contains { $0.hasSameBytes(as: texts[index]) } }
  }
}
