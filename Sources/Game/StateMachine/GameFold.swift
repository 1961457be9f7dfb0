import Basics
import GameEvents

/// The fold that makes a state out of events in their order, deadlines between them and the player's selections.
///
/// Folding the entries whose time has come, and then advancing to the time, gives the state at that time.
struct GameFold: Sendable {
  /// An answer that counts.
  struct Answer: Equatable, Sendable {
    var selected: Int
    var seal: String?
    /// `nil` until the right answer is known.
    var isRight: Bool?
  }

  private(set) var state = GameState()
  /// The latest time that the fold has reached.
  private(set) var clock = MediaTime(ticks: .min)
  /// The game of the entry that was folded last.
  private(set) var latestGame: GameID?
  /// The answers, in the game that runs, to questions that have closed.
  private(set) var answers: [GUID: Answer] = [:]
  private var endedGames: Set<GameID> = []
  private let verifySeal: SealCheck?

  init(verifySeal: SealCheck?) { self.verifySeal = verifySeal }

  /// The fold of everything in `log` that has happened by `time`.
  init(of log: EventLog, at time: MediaTime, _ selections: Selections, verifySeal: SealCheck?) {
    self.init(verifySeal: verifySeal)
    for entry in log.foldedEntries(upTo: time) {
      makeWay(for: entry, selections)
      apply(entry, selections)
    }
  }

  // MARK: Time

  /// When the state changes next if nothing happens.
  var nextDeadline: MediaTime? {
    switch state.phase {
    case .lobby: state.start.map { $0.isEntryOpen ? $0.startsAt : $0.entryOpensAt }
    case .asking: state.question?.closesAt
    case .waiting, .playing, .closed, .results, .ended: nil
    }
  }

  /// Goes on to `time` and meets the deadlines before it. An earlier time changes nothing.
  mutating func advance(to time: MediaTime, _ selections: Selections) {
    while let deadline = nextDeadline, deadline <= time { meetDeadline(selections) }
    clock = max(clock, time)
    updateSelection(selections)
  }

  private mutating func updateSelection(_ selections: Selections) {
    // Not the whole question: it has a dozen texts, and time passes often.
    guard state.phase == .asking, let game = state.game, let question = state.question?.guid else { return }
    state.question?.selectedAnswer = selections.answer(to: question, game: game, at: clock)
  }

  /// Meets the next deadline.
  mutating func meetDeadline(_ selections: Selections) {
    guard let deadline = nextDeadline else { return }
    clock = max(clock, deadline)
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

  /// Advances to the entry and ends what it implies to be over: the lobby, or the time for answers.
  mutating func makeWay(for entry: EventLog.Entry, _ selections: Selections) {
    advance(to: entry.time, selections)
    guard accepts(entry.event), entry.event.gameID == state.game else { return }
    switch (state.phase, entry.event.content) {
    case (.lobby, .askQuestion), (.lobby, .showResults): startPlaying(at: entry.time)
    case (.asking, .askQuestion), (.asking, .endGame): close(at: entry.time, selections)
    case (.asking, .showResults(let content)) where shows(content): close(at: entry.time, selections)
    default: break
    }
  }

  /// Applies an entry, for which way has been made.
  mutating func apply(_ entry: EventLog.Entry, _ selections: Selections) {
    clock = max(clock, entry.time)
    latestGame = entry.event.gameID
    guard accepts(entry.event) else { return }
    if entry.event.gameID != state.game { enter(entry.event, selections) }
    switch entry.event.content {
    case .startGame(let content): start(content, entry)
    case .askQuestion(let content): ask(content, entry)
    case .periodicInfo(let content):
      state.info = .init(payload: EventPayload(content, by: entry.event), time: entry.time)
    case .showResults(let content): show(content, entry)
    case .endGame(let content): end(content, entry)
    case .custom: break
    }
    updateSelection(selections)
  }

  /// Whether the event moves the state: no game ends twice, and a running game gives way only to the start of another.
  private func accepts(_ event: GameEvent) -> Bool {
    guard !event.isCustom, !endedGames.contains(event.gameID) else { return false }
    return event.type == .startGame || event.gameID == state.game || state.game == nil || state.phase == .ended
  }

  private mutating func enter(_ event: GameEvent, _ selections: Selections) {
    let settled = selections.settled(in: event.gameID)
    state = GameState()
    state.game = event.gameID
    state.score = settled.score
    state.answered = settled.answered
    answers = [:]
    // Whoever enters without the start is in the middle of the game.
    if event.type != .startGame { state.phase = .playing }
  }

  private mutating func start(_ content: StartGame, _ entry: EventLog.Entry) {
    var start = GameState.Start(
      payload: EventPayload(content, by: entry.event), time: entry.time, entryOpensAt: entry.time, startsAt: entry.time)
    if state.phase != .waiting, state.phase != .lobby {
      // The game runs: what its start says is news, that it starts is not.
      start.startsAt = state.start?.startsAt ?? entry.time
    } else if let startsIn = content.startsIn, startsIn > .zero {
      state.phase = .lobby
      start.startsAt = entry.time + startsIn
      start.entryOpensAt = max(entry.time, start.startsAt - GameState.Start.entryDuration)
    } else {
      state.phase = .playing
    }
    state.start = start
  }

  private mutating func ask(_ content: AskQuestion, _ entry: EventLog.Entry) {
    state.phase = .asking
    state.result = nil
    state.question = .init(
      payload: EventPayload(content, by: entry.event), opensAt: entry.time, closesAt: entry.time + content.allottedTime)
  }

  private mutating func end(_ content: EndGame, _ entry: EventLog.Entry) {
    endedGames.insert(entry.event.gameID)
    state.phase = .ended
    state.start?.isEntryOpen = false
    state.question = nil
    state.result = nil
    state.ending = .init(payload: EventPayload(content, by: entry.event), time: entry.time)
  }
}

// MARK: - Questions and their results

extension GameFold {
  private mutating func close(at time: MediaTime, _ selections: Selections) {
    guard let game = state.game, let question = state.question else { return }
    // An event out of order may be dated before the question that it closes.
    let time = max(min(time, question.closesAt), question.opensAt)
    let selected = selections.answer(to: question.guid, game: game, before: time)
    state.phase = .closed
    state.question?.closesAt = time
    state.question?.selectedAnswer = selected
    guard let selected, answers[question.guid] == nil else { return }
    state.answered += 1
    answers[question.guid] = Answer(selected: selected, seal: question.content.seal)
    if let right = question.content.correctAnswer { score(question.guid, right) }
  }

  /// Whether the result is shown: that of a question before the one that is shown comes too late for that.
  private func shows(_ content: ShowResults) -> Bool {
    if let question = state.question {
      return content.questionGuid == question.guid || content.questionNumber >= question.content.questionNumber
    }
    return content.questionNumber >= state.result?.content.questionNumber ?? .min
  }

  private mutating func show(_ content: ShowResults, _ entry: EventLog.Entry) {
    let isOfQuestion = content.questionGuid == state.question?.guid
    let seal = check(isOfQuestion ? state.question?.content.seal : answers[content.questionGuid]?.seal, content)
    if seal != .broken { score(content.questionGuid, content.correctAnswer) }
    guard shows(content) else { return }
    if !isOfQuestion { state.question = nil }
    state.phase = .results
    state.result = .init(
      payload: EventPayload(content, by: entry.event), time: entry.time, seal: seal)
  }

  private func check(_ seal: String?, _ content: ShowResults) -> GameState.Seal {
    guard let seal else { return .absent }
    guard let verifySeal else { return .unchecked }
    guard let salt = content.salt else { return .broken }
    return verifySeal(seal, salt, content.questionGuid, content.correctAnswer) ? .valid : .broken
  }

  /// Scores the player's answer to a question, once.
  private mutating func score(_ question: GUID, _ right: Int) {
    guard let answer = answers[question], answer.isRight == nil else { return }
    answers[question]?.isRight = answer.selected == right
    if answer.selected == right { state.score += 1 }
  }
}
