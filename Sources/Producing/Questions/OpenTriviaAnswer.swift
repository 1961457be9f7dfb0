import Basics
public import Sheets

/// What Open Trivia DB answers: questions (`api.php`) or a session token (`api_token.php`).
public struct OpenTriviaAnswer: Equatable, Sendable {
  /// The result of the call.
  public var code: OpenTriviaCode
  /// The session token, if one was requested.
  public var token: String?
  /// The questions, and what is wrong with those that were left out.
  public var questions: QuestionBank.Reading

  /// Reads an answer. The keys of a question may have any order, and further keys are skipped. The list of its questions alone is read, too, as
  /// programs keep it.
  ///
  /// - Parameters:
  ///   - text: The answer's JSON.
  ///   - encoding: How its texts are encoded; `nil` to detect it.
  /// - Throws: `SheetError` if it is not an answer of Open Trivia DB. Mistakes in single questions are among ``questions``.
  public init(parsing text: String, encoding: OpenTriviaEncoding? = nil) throws(SheetError) {
    guard let (root, repeated) = JSONSheet.parse(text) else {
      throw JSONSheet.failure(of: text) ?? SheetError(at: .start, "this is no answer of Open Trivia DB, which is a JSON object")
    }
    if let results = Self.results(of: root) {
      code = .success
      questions = try Self.checked(results, encoding, repeated)
      return
    }
    guard case .mapping(let members, let place) = root else {
      throw SheetError(at: root.place, "this is no answer of Open Trivia DB: it is \(root.kind)")
    }
    var fields = SheetFields(members, at: place, name: "the answer of Open Trivia DB")
    guard let code = fields.integer("response_code", in: 0...Int.max, isRequired: true) else { throw SheetError(fields.problems) }
    self.code = OpenTriviaCode(rawValue: code)
    token = fields.take("token").flatMap { node in
      guard case .scalar(let scalar) = node, !scalar.isPlain else { return nil }
      return scalar.text
    }
    questions = QuestionBank.Reading(QuestionBank(), problems: repeated)
    guard let results = fields.take("results") else { return }
    questions = try Self.checked(results, encoding, repeated)
  }

  /// The list of questions that a text has without an answer around it, or in one without its code; `nil` if they are in another form.
  static func results(of root: SheetNode) -> SheetNode? {
    var list = root
    if case .mapping(let members, _) = root {
      guard !members.contains(where: { $0.key.hasSameBytes(as: "response_code") }),
        let results = members.first(where: { $0.key.hasSameBytes(as: "results") })
      else { return nil }
      list = results.value
    }
    guard case .list(let nodes, _) = list, case .mapping(let members, _)? = nodes.first else { return nil }
    return members.contains { $0.key.hasSameBytes(as: "incorrect_answers") } ? list : nil
  }

  private static func checked(
    _ results: SheetNode, _ encoding: OpenTriviaEncoding?, _ repeated: [SheetProblem]
  ) throws(SheetError) -> QuestionBank.Reading {
    guard case .list(let nodes, _) = results else {
      throw SheetError(at: results.place, "\"results\" is \(results.kind) where a list of questions is expected")
    }
    guard nodes.count <= QuestionLimits.questions else {
      throw SheetError(
        at: nodes[QuestionLimits.questions].place,
        "there are \(nodes.count) questions, above the limit of \(QuestionLimits.questions); split the file here")
    }
    return questions(nodes, encoding, repeated)
  }

  private static func questions(_ nodes: [SheetNode], _ encoding: OpenTriviaEncoding?, _ repeated: [SheetProblem]) -> QuestionBank.Reading {
    var problems = repeated
    let written = nodes.compactMap { WrittenQuestion($0, &problems) }
    let encoding = encoding ?? .detect(types: written.compactMap { $0.type?.value }, texts: written.flatMap { $0.texts.map { $0.value } })
    let questions = written.compactMap { question in question.decoded(encoding, &problems).map { Placed($0, at: question.place) } }
    return QuestionBank.Reading(QuestionBank(questions: questions), problems: problems)
  }
}

/// A question of an answer, still encoded.
private struct WrittenQuestion {
  var place: SheetPlace
  var type: Placed<String>?
  var difficulty: Placed<String>?
  var category: Placed<String>?
  var question: Placed<String>?
  var correct: Placed<String>?
  var incorrect: [Placed<String>]?
  var isWhole: Bool

  /// The encoded texts besides the type.
  var texts: [Placed<String>] { [difficulty, category, question, correct].compactMap { $0 } + (incorrect ?? []) }

  init?(_ node: SheetNode, _ problems: inout [SheetProblem]) {
    let message = "a question is \(node.kind) here where an object is expected"
    guard var fields = node.fields("this question", &problems, else: message) else { return nil }
    place = node.place
    func text(_ key: String, _ fields: inout SheetFields) -> Placed<String>? {
      guard let node = fields.take(key, isRequired: true) else { return nil }
      return node.scalar(key, "a text", &fields.problems).map { Placed($0.text, at: $0.place) }
    }
    type = text("type", &fields)
    difficulty = text("difficulty", &fields)
    category = text("category", &fields)
    question = text("question", &fields)
    correct = text("correct_answer", &fields)
    incorrect = fields.take("incorrect_answers", isRequired: true)?.list("incorrect_answers", &fields.problems) { node, problems in
      node.scalar("incorrect_answers", "a text", &problems).map { Placed($0.text, at: $0.place) }
    }
    isWhole = fields.problems.isEmpty
    problems += fields.problems
  }

  /// Returns the question if it has no mistakes. Mistakes are reported.
  func decoded(_ encoding: OpenTriviaEncoding, _ problems: inout [SheetProblem]) -> Question? {
    guard isWhole else { return nil }
    let count = problems.count
    func decode(_ text: Placed<String>?, _ problems: inout [SheetProblem]) -> Placed<String>? {
      guard let text else { return nil }
      guard let decoded = encoding.decode(text.value) else {
        return problems.refuse(at: text.place, "\(text.value.quoted) is not written in \(encoding.rawValue)")
      }
      return Placed(decoded, at: text.place)
    }
    let kind = decode(type, &problems)
    var draft = QuestionDraft(at: place)
    draft.text = decode(question, &problems)
    draft.category = decode(category, &problems)
    draft.difficulty = decode(difficulty, &problems)
    draft.answers = ([correct] + (incorrect ?? []).map { $0 }).compactMap { decode($0, &problems) }
    draft.correctAnswer = 0
    guard problems.count == count else { return nil }
    if let kind, OpenTriviaType(rawValue: kind.value) == nil {
      problems.report(at: kind.place, "\"type\" is \(kind.value.quoted); multiple or boolean is expected")
    }
    let question = draft.checked(&problems)
    if let question, kind.flatMap({ OpenTriviaType(rawValue: $0.value) }) == .boolean, question.type != .boolean {
      problems.report(at: place, "\"type\" is boolean, but the answers are not True and False; correct the answers or the type")
    }
    guard problems.count == count, let question else { return nil }
    // True comes before False, whichever is right.
    return question.type == .boolean && question.answers[0].hasSameBytes(as: "False") ? question.reordered([1, 0]) : question
  }
}
