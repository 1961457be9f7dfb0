public import Basics

/// A question opens for answers.
public struct AskQuestion: Equatable, Sendable {
  /// The question's text.
  public var question: String
  /// What it asks for, and how answers are graded.
  public var task: QuestionTask
  /// The answers to choose from, all different: 2 to 12, or what its ``kind`` says; none for a number.
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
  /// The picture and the sound that belong to it.
  public var media: QuestionMedia
  /// The points of an answer that is right and immediate: see "Points" in the wire format; `nil` for those of the game's rules.
  public var worth: Int?
  /// The right answer, in plain text, for clients that score by themselves.
  public var right: RightAnswer?
  /// The commitment to the right answer, which the result opens: see ``AnswerSeal``.
  public var seal: String?
  /// How many answers a question may have.
  public static let answerCount = 2...12
  /// The most points that an answer may be worth.
  public static let largestWorth = 10_000

  /// A question with its answers.
  public init(
    question: String, task: QuestionTask, answers: [String], questionNumber: Int, totalQuestions: Int? = nil, allottedTime: MediaTime,
    category: String? = nil, difficulty: String? = nil, media: QuestionMedia = QuestionMedia(), worth: Int? = nil,
    right: RightAnswer? = nil,
    seal: String? = nil
  ) {
    self.question = question
    self.task = task
    self.answers = answers
    self.questionNumber = questionNumber
    self.totalQuestions = totalQuestions
    self.allottedTime = allottedTime
    self.category = category
    self.difficulty = difficulty
    self.media = media
    self.worth = worth
    self.right = right
    self.seal = seal
  }

  /// A question with one right answer, by its index.
  public init(
    question: String, answers: [String], questionNumber: Int, totalQuestions: Int? = nil, allottedTime: MediaTime, category: String? = nil,
    difficulty: String? = nil, correctAnswer: Int? = nil, seal: String? = nil
  ) {
    self.init(
      question: question, task: QuestionTask(), answers: answers, questionNumber: questionNumber, totalQuestions: totalQuestions,
      allottedTime: allottedTime,
      category: category, difficulty: difficulty, right: correctAnswer.map { .one($0) }, seal: seal)
  }

  /// The index of the right answer, in plain text, where there is exactly one of the answers.
  public var correctAnswer: Int? {
    get { right?.index }
    set { right = newValue.map { .one($0) } }
  }

  /// Which answers it takes.
  public var form: AnswerForm { task.form(answerCount: answers.count) }

  /// Whether both are equal; texts are compared byte by byte.
  public static func == (left: AskQuestion, right: AskQuestion) -> Bool {
    left.questionNumber == right.questionNumber && left.totalQuestions == right.totalQuestions && left.allottedTime == right.allottedTime
      && left.right == right.right && left.question.hasSameBytes(as: right.question) && left.answers.haveSameBytes(as: right.answers)
      && left.category.hasSameBytes(as: right.category) && left.difficulty.hasSameBytes(as: right.difficulty)
      && left.seal.hasSameBytes(as: right.seal) && left.task == right.task && left.media == right.media && left.worth == right.worth
  }
}

extension AskQuestion {
  init(from fields: inout EventFields) throws(EventError) {
    question = try EventFields.require(try fields.text("question"), "question")
    let kind = fields.kind()
    answers = kind == .poll && fields.peek("words")?.bool == true ? [] : try kind.answers(from: &fields)
    questionNumber = try EventFields.require(try fields.integer("questionNumber", atLeast: 1), "questionNumber")
    totalQuestions = try fields.integer("totalQuestions", atLeast: 0)
    allottedTime = try EventFields.require(try fields.duration("allottedTime"), "allottedTime")
    category = try fields.text("category")
    difficulty = try fields.text("difficulty")
    task = try QuestionTask(kind, from: &fields)
    media = QuestionMedia(from: &fields)
    worth = fields.worth()
    right = nil
    right = try kind.right(from: &fields, form)
    seal = try fields.text("seal")
  }

  func write(to object: inout JSONObject) {
    object.append("question", question)
    task.writeKind(to: &object)
    if !answers.isEmpty { object.append("answers", answers) }
    object.append("questionNumber", questionNumber)
    if let totalQuestions { object.append("totalQuestions", totalQuestions) }
    object.append("allottedTime", allottedTime)
    if let category { object.append("category", category) }
    if let difficulty { object.append("difficulty", difficulty) }
    task.writeDetails(to: &object)
    media.write(to: &object)
    if let worth { object.append("points", worth) }
    if let right { object.append(right.key, right.json) }
    if let seal { object.append("seal", seal) }
  }
}

// MARK: - Reading by kind

extension QuestionKind {
  /// The answers to choose from.
  fileprivate func answers(from fields: inout EventFields) throws(EventError) -> [String] {
    let answers: [String]
    switch self {
    case .single, .multiple, .poll, .prediction, .order: answers = try EventFields.require(try fields.texts("answers"), "answers")
    case .number, .text: return []
    // Answers of another form than a list of texts stay an unknown key.
    case .other: return fields.peek("answers").flatMap { $0.texts } == nil ? [] : try fields.texts("answers") ?? []
    }
    guard let count = answerCount, count.contains(answers.count), answers.areDifferent else {
      throw .invalid(
        key: "answers", expected: "a list of \(answerCount?.lowerBound ?? 0) to \(answerCount?.upperBound ?? 0) different strings")
    }
    return answers
  }

  /// The right answer in plain text.
  fileprivate func right(from fields: inout EventFields, _ form: AnswerForm) throws(EventError) -> RightAnswer? {
    let right: RightAnswer?
    switch self {
    // As in streams from before there were kinds: such a poll has a right answer, and other readers score it.
    case .single, .prediction: right = try fields.integer("correctAnswer", atLeast: 0).map { .one($0) }
    case .multiple: right = try fields.integers("correctAnswers", atLeast: 0).map { .several($0.sorted()) }
    case .order: right = try fields.integers("correctOrder", atLeast: 0).map { .order($0) }
    case .number: right = try fields.decimal("correctNumber").map { .number($0) }
    case .text: right = try AnswerText.list("correctTexts", from: &fields).map { .texts($0) }
    case .poll, .other: right = nil
    }
    guard let right, !right.belongs(to: form) else { return right }
    switch right {
    case .one: throw .invalid(key: right.key, expected: "the index of one of the answers")
    case .several: throw .invalid(key: right.key, expected: "a list of indices of answers")
    case .order: throw .invalid(key: right.key, expected: "a list of all indices of answers")
    case .number: throw .invalid(key: right.key, expected: "a number")
    case .texts: throw .invalid(key: right.key, expected: AnswerText.expectedList)
    }
  }
}

extension RightAnswer {
  /// Whether it can be the right answer to a question of this form. A right number need not be a step of the scale.
  package func belongs(to form: AnswerForm) -> Bool {
    switch self {
    case .one(let index): form.code(of: GivenAnswer.one(index)) != nil
    case .several(let indices): form.code(of: GivenAnswer.several(indices)) != nil
    case .order(let indices): form.code(of: GivenAnswer.order(indices)) != nil
    case .number: if case .number = form { true } else { false }
    case .texts: form == .text
    }
  }
}

extension [String] {
  /// Whether no two of the texts have the same bytes.
  fileprivate var areDifferent: Bool {
    indices.allSatisfy { index in !self[..<index].contains { $0.hasSameBytes(as: self[index]) } }
  }
}

extension JSONValue {
  /// The texts of a list of texts.
  fileprivate var texts: [String]? {
    guard let elements = array else { return nil }
    let texts = elements.compactMap { $0.string }
    return texts.count == elements.count ? texts : nil
  }
}
