import Basics
import GameEvents

/// The fold that makes a state out of events in their order, deadlines between them and the player's selections.
///
/// Folding the entries whose time has come, and then advancing to the time, gives the state at that time.
struct GameFold: Equatable, Sendable {
  /// An answer that counts.
  struct Answer: Equatable, Sendable {
    var selected: GivenAnswer
    var seal: String?
    /// How it is graded.
    var grading: Grading
    /// `nil` until the right answer is known.
    var isRight: Bool?

    static func == (left: Answer, right: Answer) -> Bool {
      left.selected == right.selected && left.isRight == right.isRight && left.grading == right.grading
        && left.seal.hasSameBytes(as: right.seal)
    }
  }

  /// The state, without the answer that the player has selected while the question takes answers.
  private(set) var state = GameState()
  /// The answers, in the game that runs, to questions that have closed.
  private(set) var answers: [GUID: Answer] = [:]
  /// The number of the game that runs, and whether its entries are verified.
  private var running: (number: Int, isVerified: Bool)?
  private var endedGames: [Int] = []
  private let verifySeal: SealCheck?

  init(verifySeal: SealCheck?) { self.verifySeal = verifySeal }

  /// Whether both lead to the same states from here on.
  static func == (left: GameFold, right: GameFold) -> Bool {
    left.running?.number == right.running?.number && left.endedGames == right.endedGames && left.state == right.state
      && left.answers == right.answers
  }

  // MARK: Time

  /// When the state changes next if no event happens.
  var nextDeadline: MediaTime? {
    switch state.phase {
    case .lobby: state.start.map { $0.isEntryOpen ? $0.startsAt : $0.entryOpensAt }
    case .asking: state.question?.closesAt
    case .waiting, .playing, .closed, .results, .ended: nil
    }
  }

  /// Advances to `time` and meets the deadlines before it.
  mutating func advance(to time: MediaTime, _ selections: Selections) {
    while let deadline = nextDeadline, deadline <= time { meetDeadline(selections) }
  }

  /// The state at `time`, to which the fold was advanced, with the answer that the player has selected by then.
  func state(at time: MediaTime, _ selections: Selections) -> GameState {
    var state = state
    // Only the answer is set. Copying the whole question, with a dozen texts, would be slow, and this happens often.
    guard state.phase == .asking, let game = state.game, let question = state.question?.guid else { return state }
    state.question?.selection = selections.answer(to: question, game: game, at: time)
    return state
  }

  /// Meets the next deadline.
  mutating func meetDeadline(_ selections: Selections) {
    guard let deadline = nextDeadline else { return }
    if state.phase == .asking {
      close(at: deadline, selections)
    } else if state.start?.isEntryOpen == false {
      state.start?.isEntryOpen = true
    } else {
      startPlaying(at: deadline)
    }
  }

  private mutating func startPlaying(at time: MediaTime) {
    state.phase = .playing
    state.start?.isEntryOpen = false
    state.start?.startsAt = time
  }

  // MARK: Events

  /// Advances to the entry and ends the lobby or the time for answers, if the entry implies that.
  mutating func makeWay(for entry: FoldedEntry, _ selections: Selections) {
    advance(to: entry.time, selections)
    guard accepts(entry), entry.gameNumber == running?.number else { return }
    switch (state.phase, entry.content) {
    case (.lobby, .ask), (.lobby, .results): startPlaying(at: entry.time)
    case (.asking, .ask), (.asking, .end): close(at: entry.time, selections)
    case (.asking, .results(let payload)) where shows(payload): close(at: entry.time, selections)
    default: break
    }
  }

  /// Applies an entry. ``makeWay(for:_:)`` has been called with it before.
  mutating func apply(_ entry: FoldedEntry, _ selections: Selections) {
    guard accepts(entry) else { return }
    if entry.gameNumber != running?.number { enter(entry, selections) }
    switch entry.content {
    case .start(let payload): start(payload, entry.time)
    case .ask(let payload): ask(payload, entry.time)
    case .adjust(let payload): adjust(payload, entry.time, selections)
    case .info(let payload): state.info = .init(payload: payload, time: entry.time)
    case .results(let payload): show(payload, entry.time)
    case .end(let payload): end(payload, entry)
    }
  }

  /// Whether the entry affects the state. A game that has ended does not. A running game is replaced only by the start of another one. But
  /// a game with verified entries replaces one with unverified entries at once, and is never replaced by it.
  private func accepts(_ entry: FoldedEntry) -> Bool {
    guard !endedGames.contains(entry.gameNumber) else { return false }
    guard let running, running.number != entry.gameNumber, state.phase != .ended else { return true }
    return entry.isVerified == running.isVerified ? entry.isStart : entry.isVerified
  }

  private mutating func enter(_ entry: FoldedEntry, _ selections: Selections) {
    let settled = selections.settled(in: entry.game)
    running = (entry.gameNumber, entry.isVerified)
    state = GameState()
    state.game = entry.game
    state.score = settled.score
    state.answered = settled.answered
    answers = [:]
    // If the start is unknown, the reader has joined in the middle of the game.
    if !entry.isStart { state.phase = .playing }
  }

  private mutating func start(_ payload: EventPayload<StartGame>, _ time: MediaTime) {
    var start = GameState.Start(payload: payload, time: time, entryOpensAt: time, startsAt: time)
    if state.phase != .waiting, state.phase != .lobby {
      // The game is running already: a further start has new content, but does not start it again.
      start.startsAt = state.start?.startsAt ?? time
    } else if let startsIn = payload.content.startsIn, startsIn > .zero {
      state.phase = .lobby
      start.startsAt = time + startsIn
      start.entryOpensAt = max(time, start.startsAt - GameState.Start.entryDuration)
    } else {
      state.phase = .playing
    }
    state.start = start
  }

  private mutating func ask(_ payload: EventPayload<AskQuestion>, _ time: MediaTime) {
    state.phase = .asking
    state.result = nil
    state.question = .init(payload: payload, opensAt: time, closesAt: time + payload.content.allottedTime)
  }

  private mutating func end(_ payload: EventPayload<EndGame>, _ entry: FoldedEntry) {
    endedGames.append(entry.gameNumber)
    state.phase = .ended
    state.start?.isEntryOpen = false
    state.question = nil
    state.result = nil
    state.ending = .init(payload: payload, time: entry.time)
  }
}

// MARK: - Questions and their results

extension GameFold {
  /// Changes the time for answers. After its end the right answer may be known, so no event reopens the question.
  private mutating func adjust(_ payload: EventPayload<AdjustTime>, _ time: MediaTime, _ selections: Selections) {
    guard state.phase == .asking, let question = state.question, question.guid == payload.content.questionGuid else { return }
    let end = payload.content.end(ofQuestionFrom: question.opensAt, adjustedAt: time)
    state.question?.closesAt = end
    state.question?.adjustment = .init(payload: payload, time: time)
    if end <= time { close(at: end, selections) }
  }

  private mutating func close(at time: MediaTime, _ selections: Selections) {
    guard let game = state.game, let question = state.question else { return }
    // An event out of order may be dated before the question that it closes.
    let time = max(min(time, question.closesAt), question.opensAt)
    let selected = selections.answer(to: question.guid, game: game, before: time)
    state.phase = .closed
    state.question?.closesAt = time
    state.question?.selection = selected
    guard let selected, answers[question.guid] == nil else { return }
    state.answered += 1
    answers[question.guid] = Answer(selected: selected, seal: question.content.seal, grading: question.content.task.grading)
    if let right = question.content.right { score(question.guid, right) }
  }

  /// Whether the result is shown. The result of an earlier question than the shown one is too late for that.
  private func shows(_ payload: EventPayload<ShowResults>) -> Bool {
    if let question = state.question {
      return payload.content.questionNumber >= question.content.questionNumber || payload.content.questionGuid == question.guid
    }
    return payload.content.questionNumber >= state.result?.content.questionNumber ?? .min
  }

  private mutating func show(_ payload: EventPayload<ShowResults>, _ time: MediaTime) {
    let content = payload.content
    let question = content.questionGuid == state.question?.guid ? state.question?.content : nil
    // The right answer of a kind that is not known here cannot be read, so nobody can say that it is not the sealed one.
    let isReadable = question?.task.kind.isKnown ?? true
    let seal = GameState.Seal(
      question == nil ? answers[content.questionGuid]?.seal : question?.seal, openedBy: content, isReadable ? verifySeal : nil)
    if seal != .broken, let right = content.right { score(content.questionGuid, right) }
    guard shows(payload) else { return }
    if question == nil { state.question = nil }
    state.phase = .results
    state.result = .init(payload: payload, time: time, seal: seal)
  }

  /// Scores the player's answer to a question, once.
  private mutating func score(_ question: GUID, _ right: RightAnswer) {
    guard let answer = answers[question], answer.isRight == nil, let isRight = answer.grading.isRight(answer.selected, right) else {
      return
    }
    answers[question]?.isRight = isRight
    if isRight { state.score += 1 }
  }
}
