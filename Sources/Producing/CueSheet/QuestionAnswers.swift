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

  /// The index of the right answer from `correct` or `correctAnswer`, of which a question has one.
  static func correctAnswer(among answers: [String]?, _ fields: inout SheetFields) -> Int? {
    let (text, index) = (fields.take("correct"), fields.take("correctAnswer"))
    switch (text, index) {
    case (nil, nil):
      return fields.problems.refuse(
        at: fields.place, "the right answer is missing; add correct: with the text of an answer or correctAnswer: with its index from 0")
    case (let text?, let index?):
      return fields.problems.refuse(
        at: max(text.place, index.place), "\"correct\" and \"correctAnswer\" are both given; remove one of them")
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
