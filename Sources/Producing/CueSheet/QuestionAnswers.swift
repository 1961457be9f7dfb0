import Basics
import GameEvents
import Sheets

/// Reads the answers of a question and which of them is right.
enum QuestionAnswers {
  /// Returns the answers, if their number is valid and all are different.
  static func read(_ node: SheetNode, _ problems: inout [SheetProblem]) -> [String]? {
    let placed = node.list("answers", &problems) { element, problems in
      element.text("answers", &problems).map { Placed($0, at: element.place) }
    }
    guard let placed else { return nil }
    guard AskQuestion.answerCount.contains(placed.count) else {
      let (least, most) = (AskQuestion.answerCount.lowerBound, AskQuestion.answerCount.upperBound)
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

    /// Its index among the answers; `nil` if it is none of them.
    func index(among answers: [String]) -> Int? {
      switch self {
      case .text(let text): answers.firstIndex { $0.hasSameBytes(as: text) }
      case .index(let index): answers.indices.contains(index) ? index : nil
      }
    }
  }

  /// The right answer of a result, from `correct` or `correctAnswer`.
  static func late(_ fields: inout SheetFields) -> Placed<Late>? {
    if let node = fields.take("correct") {
      if let other = fields.take("correctAnswer") { report(both: node, other, &fields.problems) }
      return node.text("correct", &fields.problems).map { Placed(.text($0), at: node.place) }
    }
    guard let node = fields.take("correctAnswer") else { return nil }
    return node.integer("correctAnswer", in: Cue.counts, &fields.problems).map { Placed(.index($0), at: node.place) }
  }

  private static func report(both text: SheetNode, _ index: SheetNode, _ problems: inout [SheetProblem]) {
    problems.report(at: max(text.place, index.place), "\"correct\" and \"correctAnswer\" are both given; remove one of them")
  }

  /// The index of the right answer from `correct` or `correctAnswer`.
  ///
  /// - Parameter isRequired: Whether a question without a right answer is a mistake, and no poll.
  static func correctAnswer(among answers: [String]?, _ fields: inout SheetFields, isRequired: Bool) -> Int? {
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
