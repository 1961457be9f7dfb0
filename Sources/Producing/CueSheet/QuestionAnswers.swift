import Basics
import GameEvents
import Sheets

/// Reads the answers of a question and which of them is right.
enum QuestionAnswers {
  /// Returns the answers, if their number is valid and all are different.
  private static func read(_ node: SheetNode, _ count: ClosedRange<Int>, _ problems: inout [SheetProblem]) -> [String]? {
    let placed = node.list("answers", &problems) { element, problems in
      element.text("answers", &problems).map { Placed($0, at: element.place) }
    }
    guard let placed else { return nil }
    guard count.contains(placed.count) else {
      let (least, most) = (count.lowerBound, count.upperBound)
      return problems.refuse(at: node.place, "a question has \(least) to \(most) answers, this one has \(placed.count)")
    }
    var areDifferent = true
    for (index, answer) in placed.enumerated() {
      guard let first = placed[..<index].first(where: { $0.value.hasSameBytes(as: answer.value) }) else { continue }
      areDifferent = false
      problems.report(
        at: answer.place,
        "the answer \(answer.value.quoted) is already in line \(first.place.line), column \(first.place.column); make all answers different"
      )
    }
    return areDifferent ? placed.map(\.value) : nil
  }

  /// The right answer of a result whose question has none.
  enum Late: Sendable {
    case text(String)
    case index(Int)
    /// A list, or the key of a kind of questions whose right answer is not one of the answers.
    case other(SheetMember)

    /// What it means for a question; `nil` if that cannot have it.
    func right(of task: QuestionTask, among answers: [String], at place: SheetPlace, _ problems: inout [SheetProblem]) -> RightAnswer? {
      if task.kind.isOneRight {
        switch self {
        case .text(let text): return answers.firstIndex { $0.hasSameBytes(as: text) }.map { .one($0) }
        case .index(let index): return answers.indices.contains(index) ? .one(index) : nil
        case .other: return nil
        }
      }
      var fields = SheetFields([member(at: place)], at: place, name: "this showResults cue")
      let right = fields.right(of: task, among: answers)
      problems += fields.problems
      return right?.value
    }

    private func member(at place: SheetPlace) -> SheetMember {
      switch self {
      case .text(let text):
        SheetMember(key: "correct", keyPlace: place, value: .scalar(SheetScalar(text: text, isPlain: true, place: place)))
      case .index(let index):
        SheetMember(key: "correctAnswer", keyPlace: place, value: .scalar(SheetScalar(text: "\(index)", isPlain: true, place: place)))
      case .other(let member): member
      }
    }
  }

  /// The right answer of a result, from `correct` or the key of the wire format.
  static func late(_ fields: inout SheetFields) -> Placed<Late>? {
    if let node = fields.take("correct") {
      if let other = fields.take("correctAnswer") { report(both: node, other, &fields.problems) }
      if case .list = node { return Placed(.other(SheetMember(key: "correct", keyPlace: node.place, value: node)), at: node.place) }
      return node.text("correct", &fields.problems).map { Placed(.text($0), at: node.place) }
    }
    for key in RightAnswer.keys where key != "correctAnswer" {
      if let node = fields.take(key) { return Placed(.other(SheetMember(key: key, keyPlace: node.place, value: node)), at: node.place) }
    }
    guard let node = fields.take("correctAnswer") else { return nil }
    return node.integer("correctAnswer", in: Cue.counts, &fields.problems).map { Placed(.index($0), at: node.place) }
  }

  /// The answers to choose from, and which of them is right.
  ///
  /// - Parameter isRequired: Whether a question without a right answer is a mistake, unless it is of a kind that has none.
  static func read(
    _ task: QuestionTask, _ fields: inout SheetFields, isRequired: Bool
  ) -> (answers: [String]?, right: RightAnswer?) {
    guard let count = task.answerCount else {
      fields.refuse(["answers"], task.answersRefusal)
      let right = fields.right(of: task, among: [])
      if right == nil, isRequired, task.kind.needsRight {
        fields.problems.report(at: fields.place, "the right \(task.kind.text) is missing; add correct: with it")
      }
      return ([], right?.value)
    }
    let answers = fields.take("answers", isRequired: true).flatMap { read($0, count, &fields.problems) }
    if task.kind == .single {
      return (answers, correctAnswer(among: answers, &fields, isRequired: isRequired).map { .one($0) })
    }
    let problemCount = fields.problems.count
    // With faulty answers nothing can be said about the right one.
    let right = fields.right(of: task, among: answers ?? [])
    if answers == nil { fields.problems.removeSubrange(problemCount...) }
    if right == nil, isRequired, task.kind.needsRight, fields.problems.count == problemCount, answers != nil {
      fields.problems.report(at: fields.place, "the right answer is missing; add correct: with a list of answers")
    }
    return (answers, right?.value)
  }

  private static func report(both text: SheetNode, _ index: SheetNode, _ problems: inout [SheetProblem]) {
    problems.report(at: max(text.place, index.place), "\"correct\" and \"correctAnswer\" are both given; remove one of them")
  }

  /// The index of the right answer from `correct` or `correctAnswer`.
  ///
  /// - Parameter isRequired: Whether a question without a right answer is a mistake, and no poll.
  private static func correctAnswer(among answers: [String]?, _ fields: inout SheetFields, isRequired: Bool) -> Int? {
    let (text, index) = (fields.take("correct"), fields.take("correctAnswer"))
    switch (text, index) {
    case (nil, nil):
      guard isRequired else { return nil }
      return fields.problems.refuse(
        at: fields.place, "the right answer is missing; add correct: with the text of an answer or correctAnswer: with its index from 0")
    case (let text?, let index?):
      report(both: text, index, &fields.problems)
      return nil
    case (let node?, nil):
      guard let text = node.text("correct", &fields.problems), let answers else { return nil }
      if let index = answers.firstIndex(where: { $0.hasSameBytes(as: text) }) { return index }
      let choice = answers.map(\.quoted).joined(separator: ", ")
      return fields.problems.refuse(at: node.place, "\"correct\" is \(text.quoted), which is none of the answers; write one of \(choice)")
    case (nil, let node?):
      guard let answers else { return node.integer("correctAnswer", in: Cue.counts, &fields.problems) }
      return node.integer("correctAnswer", in: 0...answers.count - 1, &fields.problems)
    }
  }
}
