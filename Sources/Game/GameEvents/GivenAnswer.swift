public import Basics

/// A player's answer to a question.
public enum GivenAnswer: Equatable, Sendable {
  /// The index of one answer, from 0.
  case one(Int)
  /// The indices of several answers, each once.
  case several([Int])
  /// The indices of all answers, in the player's order.
  case order([Int])
  /// A number.
  case number(DecimalNumber)
  /// A text.
  case text(AnswerText)
}

extension GivenAnswer: JSONWritable {
  /// The answer as JSON: an index, a list of indices, a number, or a text.
  public var json: JSONValue {
    switch self {
    case .one(let index): .number(JSONNumber(index))
    case .several(let indices), .order(let indices): .array(indices.map { .number(JSONNumber($0)) })
    case .number(let number): number.json
    case .text(let text): .string(text.text)
    }
  }

  /// Reads an answer as JSON; `nil` for anything else.
  ///
  /// JSON does not tell an order from several answers, nor an index from a number: ``AnswerForm/code(of:)-(GivenAnswer)`` takes the one for the other.
  public init?(json: JSONValue) {
    if let index = json.int, index >= 0 {
      self = .one(index)
    } else if let number = json.number.flatMap({ DecimalNumber($0.text) }) {
      self = .number(number)
    } else if let list = json.array, (1...31).contains(list.count) {
      let indices = list.compactMap { $0.int }
      guard indices.count == list.count else { return nil }
      self = .several(indices)
    } else if let text = json.string.flatMap({ AnswerText($0) }) {
      self = .text(text)
    } else {
      return nil
    }
  }
}

/// The right answer of a question.
public enum RightAnswer: Equatable, Sendable {
  /// The index of one answer, from 0. If it is none of the answers, nobody is right.
  case one(Int)
  /// The indices of the right answers, in ascending order.
  case several([Int])
  /// The indices of all answers, in their right order.
  case order([Int])
  /// The right number.
  case number(DecimalNumber)
  /// The spellings that are right; the first one is shown.
  case texts([AnswerText])

  /// The index of the right answer, where there is exactly one of the answers.
  public var index: Int? { if case .one(let index) = self { index } else { nil } }

  /// The text that a question's seal commits to: indices or a number, with commas between them; texts, with line feeds between them.
  package var sealedText: String {
    switch self {
    case .one(let index): "\(index)"
    case .several(let indices), .order(let indices): indices.map { "\($0)" }.separated(by: ",")
    case .number(let number): number.text
    case .texts(let texts): texts.map { $0.text }.separated(by: "\n")
    }
  }
}

extension RightAnswer {
  /// The right answer for people: the answers' texts, or the number with its unit. An answer that is not known is its number, from 1, in brackets.
  package func words(of question: AskQuestion?) -> String {
    func text(_ index: Int) -> String {
      if let answers = question?.answers, answers.indices.contains(index) { answers[index] } else { "[\(index + 1)]" }
    }
    switch self {
    case .one(let index): return text(index)
    case .several(let indices): return indices.map(text).separated(by: ", ")
    case .order(let indices): return indices.map(text).separated(by: " → ")
    case .number(let number): return question?.task.unit.map { "\(number.text) \($0)" } ?? number.text
    case .texts(let texts): return texts.first?.text ?? ""
    }
  }
}

extension GivenAnswer {
  /// The answer for people, as ``RightAnswer/words(of:)``.
  package func words(of question: AskQuestion?) -> String {
    switch self {
    case .one(let index): RightAnswer.one(index).words(of: question)
    case .several(let indices): RightAnswer.several(indices).words(of: question)
    case .order(let indices): RightAnswer.order(indices).words(of: question)
    case .number(let number): RightAnswer.number(number).words(of: question)
    case .text(let text): text.text
    }
  }
}

// MARK: - JSON

extension RightAnswer {
  /// The keys of right answers, one for each form.
  package static let keys = ["correctAnswer", "correctAnswers", "correctOrder", "correctNumber", "correctTexts"]

  /// Its key.
  package var key: String {
    switch self {
    case .one: "correctAnswer"
    case .several: "correctAnswers"
    case .order: "correctOrder"
    case .number: "correctNumber"
    case .texts: "correctTexts"
    }
  }

  /// Its value.
  package var json: JSONValue {
    switch self {
    case .one(let index): index.json
    case .several(let indices), .order(let indices): indices.json
    case .number(let number): number.json
    case .texts(let texts): .array(texts.map { .string($0.text) })
    }
  }

  /// Reads the right answer of a result, whose question may be unknown.
  static func read(from fields: inout EventFields) throws(EventError) -> RightAnswer? {
    if let index = try fields.integer("correctAnswer", atLeast: 0) { return .one(index) }
    if let indices = try fields.integers("correctAnswers", atLeast: 0) { return .several(indices) }
    if let indices = try fields.integers("correctOrder", atLeast: 0) { return .order(indices) }
    if let number = try fields.decimal("correctNumber") { return .number(number) }
    return try AnswerText.list("correctTexts", from: &fields).map { .texts($0) }
  }
}

extension [String] {
  /// The texts with a separator between them.
  fileprivate func separated(by separator: String) -> String {
    var text = ""
    for (index, part) in enumerated() { text += index == 0 ? part : separator + part }
    return text
  }
}

// Embedded Swift has no `Codable`.
#if !hasFeature(Embedded)
  extension GivenAnswer: Codable {}
#endif
