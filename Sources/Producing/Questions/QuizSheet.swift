import Basics
import GameEvents
package import Sheets

// Cuelight's quiz files: lists and mappings from YAML or JSON become questions.

extension QuestionBank.Reading {
  /// Reads a quiz file: `id`, `title` and `questions`, each with `question`, `answers`, `correct` or `correctAnswer`, and optionally `category`,
  /// `difficulty`, `points`, `seconds`, `picture`, `pictureText`, `pictureSize`, `sound`, `soundText`, `explanation` and `link`.
  ///
  /// - Parameters:
  ///   - root: The file's tree.
  ///   - problems: Earlier problems with the text, which are reported too.
  package init(quiz root: SheetNode, problems: [SheetProblem] = []) {
    guard case .mapping(let members, let place) = root else {
      self.init(SheetError(problems + [SheetProblem(at: root.place, "the quiz file is \(root.kind); write a mapping with questions:")]))
      return
    }
    if let cues = members.first(where: { $0.key.hasSameBytes(as: "cues") }),
      !members.contains(where: { $0.key.hasSameBytes(as: "questions") })
    {
      let message = "this is a cue sheet, not a quiz file: it is complete, and cuelight stamp takes it as it is"
      self.init(SheetError(problems + [SheetProblem(at: cues.keyPlace, message)]))
      return
    }
    var fields = SheetFields(members, at: place, name: "the quiz file")
    var bank = QuestionBank()
    bank.id = fields.checkedText("id", "the id", limit: QuestionLimits.name)?.value.trimmed
    bank.title = fields.checkedText("title", "the title", limit: QuestionLimits.name)?.value.trimmed
    let list = fields.take("questions", isRequired: true)
    fields.refuseRest()
    var found = problems + fields.problems
    if let list { bank.questions = Self.questions(list, &found) }
    self.init(bank, problems: found)
  }

  private static func questions(_ node: SheetNode, _ problems: inout [SheetProblem]) -> [Placed<Question>] {
    guard case .list(let nodes, let place) = node else {
      problems.report(at: node.place, "\"questions\" is \(node.kind); write a list of questions, each beginning with a dash")
      return []
    }
    if nodes.isEmpty { problems.report(at: place, "there is no question; add one") }
    if nodes.count > QuestionLimits.questions {
      problems.report(
        at: nodes[QuestionLimits.questions].place,
        "there are \(nodes.count) questions, above the limit of \(QuestionLimits.questions); split the file here")
      return []
    }
    // A question in which a key is repeated has a mistake that was found before.
    let faulty = Set(problems.map { problem in nodes.partitionIndex { $0.place > problem.place } - 1 })
    return nodes.enumerated().compactMap { index, node in
      guard let question = question(node, &problems), !faulty.contains(index) else { return nil }
      return Placed(question, at: node.place)
    }
  }

  private static func question(_ node: SheetNode, _ problems: inout [SheetProblem]) -> Question? {
    let message = "a question is \(node.kind) here; write a mapping such as { question: …, answers: […], correct: … }"
    guard var fields = node.fields("this question", &problems, else: message) else { return nil }
    var draft = QuestionDraft(at: node.place)
    draft.text = fields.placedText("question", isRequired: true)
    draft.unitPlace = fields.place(of: "unit")
    draft.task = fields.questionTask()
    if draft.task.answerCount == nil {
      fields.refuse(["answers"], draft.task.answersRefusal)
    } else if let answers = fields.take("answers", isRequired: true) {
      draft.answersPlace = answers.place
      draft.answers = answers.list("answers", &fields.problems) { element, problems in
        element.written("answers", &problems).map { Placed($0, at: element.place) }
      }
    }
    draft.right = right(of: draft, &fields)
    draft.worth = fields.worth()
    draft.points = fields.integers("points", in: QuestionLimits.points)
    draft.category = fields.placedText("category")
    draft.difficulty = fields.placedText("difficulty")
    draft.seconds = fields.placedText("seconds")
    draft.time = fields.placedText("at")
    draft.media = fields.mediaDraft()
    draft.explanation = fields.placedText("explanation")
    draft.link = fields.placedText("link")
    fields.refuseRest()
    problems += fields.problems
    let question = draft.checked(&problems)
    return fields.problems.isEmpty ? question?.hidingOrder() : nil
  }

  /// Returns the right answer.
  private static func right(of draft: QuestionDraft, _ fields: inout SheetFields) -> RightAnswer? {
    guard draft.task.kind != .single else { return correctAnswer(among: draft.answers, &fields).map { .one($0) } }
    guard draft.task.kind != .prediction else {
      fields.refuse(["correct"] + RightAnswer.keys, "named by the host when it is known")
      return nil
    }
    let (answers, count) = ((draft.answers ?? []).map { $0.value.trimmed }, fields.problems.count)
    let right = fields.right(of: draft.task, among: answers)?.value
    if right == nil, draft.task.kind == .order, fields.problems.count == count { return .order(Array(answers.indices)) }
    if right == nil, draft.task.kind.needsRight, fields.problems.count == count {
      let what =
        switch draft.task.kind {
        case .number: "the right number"
        case .text: "the right text, or a list of right spellings"
        default: "a list of the right answers"
        }
      fields.problems.report(at: fields.place, "no answer is right; add correct: with \(what)")
    }
    return right
  }

  /// Returns the index of the right answer. A question has exactly one.
  private static func correctAnswer(among answers: [Placed<String>]?, _ fields: inout SheetFields) -> Int? {
    let (text, index) = (fields.take("correct"), fields.take("correctAnswer"))
    switch (text, index) {
    case (nil, nil):
      return fields.problems.refuse(
        at: fields.place, "no answer is right; add correct: with the text of an answer or correctAnswer: with its index from 0")
    case (let text?, let index?):
      return fields.problems.refuse(
        at: max(text.place, index.place),
        "\"correct\" and \"correctAnswer\" are both given; exactly one answer is right, remove one of them")
    case (.list(let elements, let place)?, nil), (nil, .list(let elements, let place)?):
      return fields.problems.refuse(
        at: place,
        elements.count == 1
          ? "the right answer stands in a list; write it without brackets or dash"
          : "\(elements.isEmpty ? "no answer is" : "\(elements.count) answers are") said to be right; exactly one is: write its text alone")
    case (let node?, nil):
      guard let text = node.written("correct", &fields.problems)?.trimmed, let answers else { return nil }
      if let index = answers.firstIndex(where: { $0.value.trimmed.hasSameBytes(as: text) }) { return index }
      // Too many answers are reported instead of the choice.
      guard answers.count <= AskQuestion.answerCount.upperBound else { return nil }
      let choice = answers.map { $0.value.trimmed.quoted }.joined(separator: ", ")
      return fields.problems.refuse(at: node.place, "\"correct\" is \(text.quoted), which is none of the answers; write one of \(choice)")
    case (nil, let node?):
      let count = answers?.count ?? 0
      return node.integer("correctAnswer", in: 0...max(0, count - 1), &fields.problems)
    }
  }
}

extension SheetNode {
  /// A text as it was written, empty or not; `nil` if the node is not a single value, which is reported.
  fileprivate func written(_ key: String, _ problems: inout [SheetProblem]) -> String? { scalar(key, "a single text", &problems)?.text }
}

extension SheetFields {
  /// A text with its place, empty or not.
  fileprivate mutating func placedText(_ key: String, isRequired: Bool = false) -> Placed<String>? {
    guard let node = take(key, isRequired: isRequired) else { return nil }
    return node.written(key, &problems).map { Placed($0, at: node.place) }
  }

  /// A text that is neither empty nor too long.
  fileprivate mutating func checkedText(_ key: String, _ name: String, limit: Int) -> Placed<String>? {
    let text = placedText(key)
    let count = problems.count
    QuestionDraft.check(text, name, limit: limit, &problems)
    return problems.count == count ? text : nil
  }
}
