public import Basics
public import GameEvents
public import StateMachine

extension ScoredQuestion {
  /// The questions of a game and their results, as far as they have happened by `time`.
  ///
  /// It is a fold over the log's entries, like the game's state, and opens and closes questions at the same times. The same entries give the
  /// same questions, whatever the order in which events came, late and corrected ones included.
  ///
  /// - Parameters:
  ///   - log: The events.
  ///   - game: The game.
  ///   - time: What happened later is left out.
  ///   - verifySeal: Checks the seals of answers: a result that does not open its question's seal does not count. With `nil` all count.
  public static func questions(of game: GameID, in log: EventLog, upTo time: MediaTime, verifySeal: SealCheck?) -> [ScoredQuestion] {
    var list = QuestionList(verifySeal: verifySeal)
    for entry in log.countingEntries(of: game) where entry.time <= time {
      list.add(entry)
      if list.isOver { break }
    }
    return list.finish(at: time)
  }
}

/// The fold that makes questions out of events in their order.
private struct QuestionList {
  private(set) var isOver = false
  private var questions: [(question: ScoredQuestion, content: AskQuestion)] = []
  /// The question that takes answers.
  private var open: Int?
  private var clock = MediaTime(ticks: .min)
  private let verifySeal: SealCheck?

  init(verifySeal: SealCheck?) { self.verifySeal = verifySeal }

  mutating func add(_ entry: EventLog.Entry) {
    if case .custom = entry.event.content { return }
    advance(to: entry.time)
    switch entry.event.content {
    case .askQuestion(let content):
      close(at: entry.time)
      open = questions.count
      let question = ScoredQuestion(
        guid: entry.event.guid, number: content.questionNumber, answerCount: content.answers.count, opensAt: entry.time,
        allottedTime: content.allottedTime)
      questions.append((question, content))
    case .showResults(let content): show(content, entry)
    case .endGame:
      close(at: entry.time)
      isOver = true
    case .startGame, .periodicInfo, .custom: break
    }
  }

  mutating func finish(at time: MediaTime) -> [ScoredQuestion] {
    advance(to: time)
    // An open answer counts when the time for answers is up.
    return questions.indices.map { index in
      let entry = questions[index]
      var question = entry.question
      if let right = entry.content.correctAnswer { question.correctAnswer = index == open ? nil : right }
      return question
    }
  }

  private mutating func advance(to time: MediaTime) {
    clock = max(clock, time)
    if let index = open, questions[index].question.closesAt <= clock { open = nil }
  }

  /// Ends the time for answers. An event out of order may be dated before the question that it closes.
  private mutating func close(at time: MediaTime) {
    guard let index = open else { return }
    let question = questions[index].question
    questions[index].question.closesAt = max(min(time, question.closesAt), question.opensAt)
    open = nil
  }

  private mutating func show(_ content: ShowResults, _ entry: EventLog.Entry) {
    if let index = open {
      let question = questions[index].question
      if content.questionGuid == question.guid || content.questionNumber >= question.number { close(at: entry.time) }
    }
    guard let index = questions.firstIndex(where: { $0.question.guid == content.questionGuid }),
      questions[index].question.correctAnswer == nil, opensSeal(of: questions[index].content, content)
    else { return }
    questions[index].question.correctAnswer = content.correctAnswer
    questions[index].question.result = entry.event.guid
    if let points = content.points, points.count == questions[index].question.answerCount { questions[index].question.points = points }
  }

  private func opensSeal(of question: AskQuestion, _ content: ShowResults) -> Bool {
    guard let seal = question.seal, let verifySeal else { return true }
    guard let salt = content.salt else { return false }
    return verifySeal(seal, salt, content.questionGuid, content.correctAnswer)
  }
}
