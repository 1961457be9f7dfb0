package import Basics
package import GameEvents

/// Answers that are texts.
extension ScoredGame {
  /// Records an answer without judging it.
  package mutating func record(
    _ answer: GivenAnswer, to question: ScoredQuestion, by player: PlayerID, at time: MediaTime, arrival: Int64 = 0
  ) {
    let text: AnswerText? = if case .text(let text) = answer, question.form == .text { text } else { nil }
    record(0..<1, to: question.guid) { _ in (question.form.keptCode(of: answer), text, player, time, arrival) }
  }

  /// Makes texts right before the result is known to players, so that there is room for them however many others are given.
  package mutating func reserve(_ right: RightAnswer?, _ grading: Grading, of question: GUID) {
    guard case .texts(let texts)? = right, let index = makeSheet(of: question) else { return }
    accept(texts, grading, index)
  }

  /// An answer of a question, by its code; `nil` if there is none, or if its text was not kept.
  package func given(_ code: Int, to question: GUID) -> GivenAnswer? {
    guard let index = sheetIndex(of: question), let known = sheets[index].question, let code = UInt32(exactly: code) else { return nil }
    return known.form == .text ? sheets[index].texts?.text(code).map { .text($0) } : known.form.answer(code)
  }

  /// Whether an answer, by its code, is a right text.
  package func isRightText(_ code: Int, to question: GUID) -> Bool {
    guard let index = sheetIndex(of: question), let code = UInt32(exactly: code) else { return false }
    return sheets[index].texts?.isRight(code) ?? false
  }

  /// Whether a text is right.
  package func isRight(_ text: AnswerText, to question: GUID) -> Bool {
    sheetIndex(of: question).flatMap { sheets[$0].texts }?.isRight(text, comparison) ?? false
  }

  mutating func code(of text: AnswerText, _ index: Int) -> UInt32 {
    var texts = sheets[index].texts ?? TextTable()
    // The only reference to the table, so that it is changed in place.
    sheets[index].texts = nil
    defer { sheets[index].texts = texts }
    return texts.code(of: text, comparison)
  }

  mutating func accept(_ right: [AnswerText], _ grading: Grading, _ index: Int) {
    var texts = sheets[index].texts ?? TextTable()
    sheets[index].texts = nil
    texts.accept(right, tolerance: grading.tolerance, comparison)
    sheets[index].texts = texts
  }
}
