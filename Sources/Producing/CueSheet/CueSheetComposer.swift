import Seals
import Basics
import EventSchedule
import GameEvents
import Sheets

/// Makes events of cues: puts them in order, counts them, ties results to questions, and gives identifiers and seals.
struct CueSheetComposer {
  let game: String
  let policy: CopyPolicy
  let answers: CueSheet.AnswerMode
  private(set) var problems = [SheetProblem]()
  private(set) var events: [PlannedEvent] = []
  private(set) var places: [SheetPlace] = []
  private var numbering = SequenceNumbering()
  private var questions = QuestionNumbering()
  private var identifiers = IdentifierCheck()
  /// How many questions the game has, unless a cue says otherwise.
  private var totalQuestions = 0
  private var askedQuestions = 0

  /// A fourth would be needed once in millions of the largest sheets.
  private static let mostAttempts = 4

  init(game: String, policy: CopyPolicy, answers: CueSheet.AnswerMode) {
    self.game = game
    self.policy = policy
    self.answers = answers
  }

  /// Composes all cues. `isComplete` is false where some could not be read, so that a missing question is no surprise.
  mutating func compose(_ cues: [Cue], isComplete: Bool) {
    let inOrder = cues.enumerated().sorted { left, right in
      let (leftTime, rightTime) = (left.element.at ?? .zero, right.element.at ?? .zero)
      return (leftTime, left.offset) < (rightTime, right.offset)
    }
    let sorted = inOrder.map(\.element)
    problems += GameOrder.problems(of: sorted)
    identifiers = IdentifierCheck(of: sorted)
    askedQuestions = sorted.count { if case .askQuestion = $0.content { true } else { false } }
    totalQuestions = askedQuestions
    for cue in sorted {
      guard case .startGame(let start) = cue.content, let given = start.totalQuestions else { continue }
      totalQuestions = given
      break
    }
    for cue in sorted { compose(cue, isComplete: isComplete) }
  }

  private mutating func compose(_ cue: Cue, isComplete: Bool) {
    let sequence = numbering.next(for: cue, &problems)
    switch cue.content {
    case .startGame(let start):
      guard let title = start.title else { return }
      let total = start.totalQuestions ?? totalQuestions
      add(.startGame(StartGame(title: title, totalQuestions: total, startsIn: start.startsIn, startsAt: start.startsAt)), cue, sequence)
    case .askQuestion(let question):
      ask(question, cue, sequence)
    case .periodicInfo(let info, let counters):
      if let info { add(.periodicInfo(info), cue, sequence, unknownKeys: counters) }
    case .showResults(let results):
      show(results, cue, sequence, isComplete: isComplete)
    case .endGame(let end):
      let total = end.totalQuestions ?? askedQuestions
      add(.endGame(EndGame(totalQuestions: total, winners: end.winners, leaderboard: end.leaderboard)), cue, sequence)
    case .custom(let keys, let currentFor):
      add(.custom(cue.type, keys), cue, sequence, currentFor: currentFor)
    }
  }

  private mutating func ask(_ cue: Cue.Question, _ whole: Cue, _ sequence: Int) {
    let number = questions.add(cue, at: whole.place, &problems)
    guard let text = cue.question, let choice = cue.answers, let correctAnswer = cue.correctAnswer else { return }
    var question = AskQuestion(
      question: text, answers: choice, questionNumber: number, totalQuestions: cue.totalQuestions ?? totalQuestions,
      allottedTime: cue.allottedTime, category: cue.category, difficulty: cue.difficulty)
    guard let guid = guid(.askQuestion(question), whole, sequence) else { return }
    switch answers {
    case .open:
      questions.identifyLast(guid, salt: nil)
      question.correctAnswer = correctAnswer
    case .sealed(let key):
      let salt = AnswerSeal.salt(key: key, guid: guid, question: text, answers: choice, correctAnswer: correctAnswer)
      questions.identifyLast(guid, salt: salt)
      question.seal = AnswerSeal.seal(salt: salt, guid: guid, correctAnswer: correctAnswer)
    }
    add(.askQuestion(question), whole, sequence, guid: guid)
  }

  private mutating func show(_ cue: Cue.Results, _ whole: Cue, _ sequence: Int, isComplete: Bool) {
    guard let question = questions.takeResult(cue, at: whole.place, isComplete: isComplete, &problems) else { return }
    if let choice = question.cue.answers {
      for (key, list) in [("counts", cue.counts), ("points", cue.points)] {
        guard let list, list.value.count != choice.count else { continue }
        let numbers = "\(list.value.count) \(list.value.count == 1 ? "number" : "numbers")"
        problems.report(
          at: list.place, "\(key.quoted) has \(numbers), but the question has \(choice.count) answers; write one for each")
      }
    }
    guard let guid = question.guid, let correctAnswer = question.cue.correctAnswer else { return }
    let results = ShowResults(
      questionGuid: guid, questionNumber: question.number, correctAnswer: correctAnswer, salt: question.salt, counts: cue.counts?.value,
      points: cue.points?.value, explanation: cue.explanation, url: cue.url, leaderboard: cue.leaderboard)
    add(.showResults(results), whole, sequence)
  }

  private func guid(_ content: EventContent, _ cue: Cue, _ sequence: Int, unknownKeys: JSONObject = JSONObject()) -> GUID? {
    if let given = cue.guid?.value { return given }
    let derived = (0..<Self.mostAttempts).lazy.compactMap { attempt in
      GUID(game: game, sequence: sequence, content: content, unknownKeys: unknownKeys, attempt: attempt)
    }
    return derived.first { !identifiers.hasChecksum(of: $0) } ?? derived.first
  }

  private mutating func add(
    _ content: EventContent, _ cue: Cue, _ sequence: Int, guid given: GUID? = nil, unknownKeys: JSONObject = JSONObject(),
    currentFor: MediaTime? = nil
  ) {
    guard let guid = given ?? guid(content, cue, sequence, unknownKeys: unknownKeys) else { return }
    let event = GameEvent(guid: guid, game: game, sequence: sequence, at: cue.at, content: content, unknownKeys: unknownKeys)
    identifiers.check(guid, cue, &problems)
    checkSize(of: event, at: cue.place)
    events.append(PlannedEvent(event, currentFor: currentFor))
    places.append(cue.place)
  }

  private mutating func checkSize(of event: GameEvent, at place: SheetPlace) {
    do throws(EventError) {
      let size = try policy.largestTagSize(of: event)
      guard size > policy.largestTagSize else { return }
      let help = policy.largestTagSize < CopyPolicy.largestPESPayload ? " or raise --max-tag-size" : ""
      problems.report(
        at: place, "the event's tag has up to \(size) bytes, above the limit of \(policy.largestTagSize); shorten its texts\(help)")
    } catch {
      problems.report(at: place, "the event cannot be written: \(error); shorten its texts")
    }
  }
}
