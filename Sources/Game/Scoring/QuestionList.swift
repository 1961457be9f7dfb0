public import Basics
public import GameEvents
public import StateMachine

extension ScoredQuestion {
  /// The questions of a game and their results, as far as they have happened by `time`.
  ///
  /// It is a fold over the log's entries, like the game's state, and opens and closes questions at the same times. The same entries give the
  /// same questions, in whatever order events arrived, including late and corrected ones.
  ///
  /// - Parameters:
  ///   - log: The events.
  ///   - game: The game.
  ///   - time: Later events are left out.
  ///   - verifySeal: Checks the seals of answers: a result that does not open its question's seal does not count. With `nil`, all results count.
  public static func questions(of game: GameID, in log: EventLog, upTo time: MediaTime, verifySeal: SealCheck?) -> [ScoredQuestion] {
    var list = QuestionList()
    for entry in log.countingEntries(of: game) where entry.time <= time {
      list.add(entry, verifySeal)
      if list.isOver { break }
    }
    return list.questions(at: time)
  }
}

/// Follows the questions of one game in one log, which mostly grows at its end. The fold is not repeated for earlier entries.
struct QuestionFollower: Sendable {
  /// The changes since the last call.
  enum Changes {
    /// These questions, in their order.
    case questions([ScoredQuestion])
    /// Perhaps all questions.
    case everything
  }

  private var list = QuestionList()
  /// How many entries are folded.
  private var count = 0
  private var revision: EventLog.Revision?
  private var time = MediaTime(ticks: .min)

  /// The changes of the game's questions and results that have happened by `time`.
  mutating func changes(in log: EventLog, game: GameID, upTo time: MediaTime, verifySeal: SealCheck?) -> Changes {
    let revision = log.revision(of: game)
    let isContinued = revision == self.revision && time >= self.time
    if !isContinued { (list, count) = (QuestionList(), 0) }
    (self.revision, self.time) = (revision, time)
    let entries = log.countingEntries(of: game)
    while count < entries.count, entries[count].time <= time, !list.isOver {
      list.add(entries[count], verifySeal)
      count += 1
    }
    // An event precedes one that is known before its time.
    let isInOrder = list.isOver || !entries[count...].contains { $0.time <= time }
    let changed = list.takeChanges(at: time)
    return isContinued && isInOrder ? .questions(changed) : .everything
  }
}

/// The fold that makes questions out of events in their order.
struct QuestionList: Sendable {
  private(set) var isOver = false
  private var questions: [(question: ScoredQuestion, content: AskQuestion)] = []
  private var indices: [GUID: Int] = [:]
  /// The question that takes answers.
  private var open: Int?
  /// The questions that have changed since the last ``takeChanges(at:)``.
  private var changed: Set<Int> = []
  private var clock = MediaTime(ticks: .min)

  mutating func add(_ entry: EventLog.Entry, _ verifySeal: SealCheck?) {
    if case .custom = entry.event.content { return }
    advance(to: entry.time)
    switch entry.event.content {
    case .askQuestion(let content):
      close(at: entry.time)
      open = questions.count
      let question = ScoredQuestion(
        guid: entry.event.guid, number: content.questionNumber, form: content.form, grading: content.task.grading, worth: content.worth,
        opensAt: entry.time, allottedTime: content.allottedTime)
      indices[entry.event.guid] = indices[entry.event.guid] ?? questions.count
      changed.insert(questions.count)
      questions.append((question, content))
    case .adjustTime(let content): adjust(content, at: entry.time)
    case .showResults(let content): show(content, entry, verifySeal)
    case .endGame:
      close(at: entry.time)
      isOver = true
    case .startGame, .periodicInfo, .custom: break
    }
  }

  /// All questions at a time, which is not before the entries.
  func questions(at time: MediaTime) -> [ScoredQuestion] { questions.indices.map { question($0, at: time) } }

  /// The questions that have changed since the last call.
  mutating func takeChanges(at time: MediaTime) -> [ScoredQuestion] {
    let indices = changed.sorted()
    // The time for answers may be up at the next call.
    changed = open.map { [$0] } ?? []
    return indices.map { question($0, at: time) }
  }

  private func question(_ index: Int, at time: MediaTime) -> ScoredQuestion {
    var question = questions[index].question
    // An unsealed right answer counts once the time for answers is up.
    if let right = questions[index].content.right {
      question.right = index == open && question.closesAt > max(clock, time) ? nil : right
    }
    return question
  }

  private mutating func advance(to time: MediaTime) {
    clock = max(clock, time)
    if let index = open, questions[index].question.closesAt <= clock { open = nil }
  }

  /// Changes the time for answers of the open question.
  private mutating func adjust(_ content: AdjustTime, at time: MediaTime) {
    guard let index = open, questions[index].question.guid == content.questionGuid else { return }
    changed.insert(index)
    questions[index].question.closesAt = content.end(ofQuestionFrom: questions[index].question.opensAt, adjustedAt: time)
    advance(to: time)
  }

  /// Ends the time for answers. An event out of order may be dated before the question that it closes.
  private mutating func close(at time: MediaTime) {
    guard let index = open else { return }
    changed.insert(index)
    let question = questions[index].question
    questions[index].question.closesAt = max(min(time, question.closesAt), question.opensAt)
    open = nil
  }

  private mutating func show(_ content: ShowResults, _ entry: EventLog.Entry, _ verifySeal: SealCheck?) {
    if let index = open {
      let question = questions[index].question
      if content.questionGuid == question.guid || content.questionNumber >= question.number { close(at: entry.time) }
    }
    guard let index = indices[content.questionGuid], questions[index].question.right == nil, let right = content.right,
      GameState.Seal(questions[index].content.seal, openedBy: content, verifySeal) != .broken
    else { return }
    changed.insert(index)
    questions[index].question.right = right
    questions[index].question.result = entry.event.guid
    if let points = content.points, points.count == questions[index].question.answerCount { questions[index].question.points = points }
  }
}
