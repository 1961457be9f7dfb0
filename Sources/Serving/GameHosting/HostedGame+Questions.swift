package import Basics
package import Questions
import Sheets

/// Changes of the questions that are to be asked. A question that was asked stays as it is.
extension HostedGame {
  /// A change of the questions that are to be asked.
  package enum QuestionChange: Equatable, Sendable {
    /// Add a question at this place among those that are to be asked, from 0; at the end for `nil`.
    case write(Question, at: Int?)
    /// Give the question of this number another content.
    case edit(question: Int, Question)
    /// Ask the question of this number at this place among those that are to be asked, from 0; also one that was skipped.
    case move(question: Int, to: Int)
    /// Do not ask the question of this number.
    case skip(question: Int)
  }

  /// The maximum number of questions of a game, with those that are skipped.
  package static let mostQuestions = 1_000

  /// The numbers of the questions that are not asked, unless the host moves them back.
  package var skipped: [Int] {
    let others = Set(upcoming).union(asked.map(\.quizIndex))
    return settings.questions.indices.filter { !others.contains($0) }
  }

  /// Whether there is a question of this number that was not asked.
  func mayAsk(_ number: Int) -> Bool { settings.questions.indices.contains(number) && !asked.contains { $0.quizIndex == number } }

  mutating func arrange(_ wanted: QuestionChange, _ change: inout Change) throws(HostingProblem) {
    var order = upcoming
    switch wanted {
    case .write(let content, let place):
      let number = settings.questions.count
      guard number < Self.mostQuestions else { throw .notNow("a game has \(Self.mostQuestions) questions at most") }
      order.insert(number, at: min(place ?? order.count, order.count))
      add(.written(question: number, content), &change)
    case .edit(let number, let content):
      try requireUnasked(number)
      if settings.questions[number] != content { add(.written(question: number, content), &change) }
    case .move(let number, let place):
      try requireUnasked(number)
      order.removeAll { $0 == number }
      order.insert(number, at: min(place, order.count))
    case .skip(let number):
      try requireUnasked(number)
      order.removeAll { $0 == number }
    }
    if order != upcoming { add(.arranged(order), &change) }
  }

  private func requireUnasked(_ number: Int) throws(HostingProblem) {
    guard settings.questions.indices.contains(number) else { throw .invalid("/question", "there is no question of this number") }
    guard mayAsk(number) else { throw .notNow("the question was asked already") }
  }

  /// Changes the content of a question that was not asked, or adds the next one.
  mutating func write(_ content: Question, number: Int) {
    guard mayAsk(number) || number == settings.questions.count else { return }
    if settings.quiz == nil { settings.quiz = settings.questions }
    if number == settings.questions.count { settings.questions.append(content) } else { settings.questions[number] = content }
  }
}

extension HostedGame.Command {
  /// Whether the host who gives it leads the game from then on, if the plan was followed without a host.
  var leads: Bool {
    switch self {
    case .start, .next, .nextUnseen, .close, .reveal, .void, .end, .extend: true
    case .kick, .settle, .questions: false
    }
  }
}

extension Question {
  /// Reads a question as a quiz file in JSON has it; fails with the first mistake in words.
  package static func read(_ object: JSONObject) -> Result<Question, ReadingProblem> {
    let reading = QuizFile.read(Array(JSONObject(fields: ["questions": [object]]).text.utf8), format: .json)
    if let problem = reading.problems.first { return .failure(ReadingProblem(description: problem.message)) }
    guard let question = reading.bank.questions.first else { return .failure(ReadingProblem(description: "write a question")) }
    return .success(question.value)
  }

  /// Why an object is not a question, in words.
  package struct ReadingProblem: Error, CustomStringConvertible {
    package var description: String
  }
}
