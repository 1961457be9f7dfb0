import Basics
import GameEvents

@testable import StateMachine

/// The state as the page "Playing the game" describes it. Nothing here is changed event by event, as the machine does it: each part of the
/// state is searched for in the whole list of events, so that both hardly make the same mistake.
struct ReferenceFold {
  typealias Answer = GameFold.Answer

  /// The events of the game that runs, since it has replaced another one.
  private var entries: [EventLog.Entry] = []
  /// An event that has ended what comes before it, and shows nothing of its own yet.
  private var closing: EventLog.Entry?
  /// Deadlines up to this time have passed.
  private let end: MediaTime
  /// The time whose selected answer counts while a question is open.
  private let moment: MediaTime
  private let selections: Selections
  private let verifySeal: SealCheck?

  init(
    _ all: some Sequence<EventLog.Entry>, closing: EventLog.Entry? = nil, verified: Set<GameID>, until end: MediaTime, at moment: MediaTime,
    _ selections: Selections, _ verifySeal: SealCheck?
  ) {
    (self.moment, self.selections, self.verifySeal) = (moment, selections, verifySeal)
    var (running, ended): (GameID?, Set<GameID>) = (nil, [])
    // The latest time of the events that have come since and do not count.
    var passed = end
    for entry in all {
      let game = entry.event.gameID
      var counts = !ended.contains(game)
      if counts, let running, running != game, !ended.contains(running) {
        let isVerified = verified.contains(game)
        counts = isVerified == verified.contains(running) ? entry.event.type == .startGame : isVerified
      }
      guard counts else {
        passed = max(passed, entry.time)
        continue
      }
      if running != game { (running, entries) = (game, []) }
      entries.append(entry)
      passed = end
      if entry.event.type == .endGame { ended.insert(game) }
    }
    if let closing, let running, closing.event.gameID == running, !ended.contains(running) {
      self.closing = closing
    } else {
      passed = max(passed, closing?.time ?? passed)
    }
    self.end = passed
  }

  var state: GameState {
    var state = GameState()
    guard let game = entries.first?.event.gameID else { return state }
    let (settled, answers) = (selections.settled(in: game), answers)
    state.game = game
    state.answered = settled.answered + answers.count
    state.score = settled.score + answers.values.filter { $0.isRight == true }.count
    state.info = entries.lazy.compactMap { $0.info }.last
    (state.start, state.phase) = start
    if let ending = entries.last?.ending {
      (state.ending, state.phase) = (ending, .ended)
      return state
    }
    let asked = entries.lastIndex { $0.event.type == .askQuestion }
    if let asked, let (question, isOpen) = question(at: asked) { (state.question, state.phase) = (question, isOpen ? .asking : .closed) }
    for entry in entries[(asked ?? 0)...] {
      guard case .showResults(let content) = entry.event.content else { continue }
      let isOfQuestion = state.question?.guid == content.questionGuid
      let number = state.question?.content.questionNumber ?? state.result?.content.questionNumber ?? .min
      guard isOfQuestion || content.questionNumber >= number else { continue }
      let seal = isOfQuestion ? state.question?.content.seal : answers[content.questionGuid]?.seal
      let isUnknownKind = isOfQuestion && state.question?.content.task.kind.isKnown == false
      state.result = .init(
        payload: EventPayload(content, by: entry.event), time: entry.time,
        seal: isUnknownKind && seal != nil ? .unchecked : check(seal, content))
      state.phase = .results
      if !isOfQuestion { state.question = nil }
    }
    return state
  }

  /// The start, and whether the game is in its lobby or runs.
  private var start: (GameState.Start?, GameState.Phase) {
    var start: GameState.Start?
    var isLobby = false
    // The latest time since the lobby was opened.
    var latest = MediaTime(ticks: .min)
    for (index, entry) in entries.enumerated() {
      latest = max(latest, entry.time)
      if let opened = start, opened.startsAt <= entry.time { isLobby = false }
      if case .startGame(let content) = entry.event.content {
        let (old, isNews) = (start, index > 0 && !isLobby)
        let startsAt = isNews ? old?.startsAt ?? entry.time : entry.time + (content.startsIn ?? .zero)
        isLobby = !isNews && startsAt > entry.time
        start = .init(
          payload: EventPayload(content, by: entry.event), time: entry.time,
          entryOpensAt: isLobby ? max(entry.time, startsAt - .seconds(5 * 60)) : entry.time, startsAt: startsAt)
        latest = .init(ticks: .min)
      } else if isLobby, entry.startsGame {
        start?.startsAt = entry.time
        isLobby = false
      }
    }
    if let closing {
      latest = max(latest, closing.time)
      if isLobby, let opened = start, opened.startsAt > closing.time, closing.startsGame {
        start?.startsAt = closing.time
        isLobby = false
      }
    }
    latest = max(latest, end)
    guard isLobby, let opened = start, opened.startsAt > latest, entries.last?.event.type != .endGame else { return (start, .playing) }
    start?.isEntryOpen = opened.entryOpensAt <= latest
    return (start, .lobby)
  }

  /// The question that an event asks, and whether it takes answers.
  private func question(at index: Int) -> (question: GameState.Question, isOpen: Bool)? {
    let entry = entries[index]
    guard case .askQuestion(let content) = entry.event.content else { return nil }
    var question = GameState.Question(
      payload: EventPayload(content, by: entry.event), opensAt: entry.time, closesAt: entry.time + content.allottedTime)
    let isOpen = isOpen(&question, entries[(index + 1)...])
    question.selection =
      isOpen
      ? selections.answer(to: question.guid, game: entry.event.gameID, at: moment)
      : selections.answer(to: question.guid, game: entry.event.gameID, before: question.closesAt)
    return (question, isOpen)
  }

  /// Whether a question takes answers after the events that follow it. Sets when it closes.
  private func isOpen(_ question: inout GameState.Question, _ following: ArraySlice<EventLog.Entry>) -> Bool {
    for entry in [following, [closing].compactMap { $0 }[...]].joined() {
      guard question.closesAt > entry.time else { return false }
      switch entry.event.content {
      case .adjustTime(let content) where content.questionGuid == question.guid && entry.event.guid != closing?.event.guid:
        question.closesAt = max(question.opensAt + content.allottedTime, entry.time)
        question.adjustment = .init(payload: EventPayload(content, by: entry.event), time: entry.time)
        guard question.closesAt > entry.time else { return false }
      // A result of an earlier question comes too late to be shown.
      case .showResults(let content)
      where content.questionGuid != question.guid && content.questionNumber < question.content.questionNumber: continue
      case .askQuestion, .showResults, .endGame:
        // The order of the numbers may contradict that of the times.
        question.closesAt = max(entry.time, question.opensAt)
        return false
      case .adjustTime, .startGame, .periodicInfo, .custom: continue
      }
    }
    return question.closesAt > end
  }

  /// The player's answers to the questions that have closed.
  var answers: [GUID: Answer] {
    var answers: [GUID: Answer] = [:]
    for index in entries.indices where selections.hasAnswer(to: entries[index]) {
      guard let (question, isOpen) = question(at: index), !isOpen, let selected = question.selection else { continue }
      let right = question.content.right ?? rightAnswer(to: question, entries[index...])
      let grading = question.content.task.grading
      answers[question.guid] = Answer(
        selected: selected, seal: question.content.seal, grading: grading,
        isRight: right.flatMap { grading.isRight(selected, $0) })
    }
    return answers
  }

  /// The right answer that the first credible result tells.
  private func rightAnswer(to question: GameState.Question, _ following: ArraySlice<EventLog.Entry>) -> RightAnswer? {
    for case .showResults(let content) in following.lazy.map({ $0.event.content })
    where content.questionGuid == question.guid && check(question.content.seal, content) != .broken && content.right != nil {
      return content.right
    }
    return nil
  }

  private func check(_ seal: String?, _ content: ShowResults) -> GameState.Seal {
    guard let seal else { return .absent }
    guard let verifySeal else { return .unchecked }
    guard let salt = content.salt, let right = content.right else { return .broken }
    return verifySeal(seal, salt, content.questionGuid, right) ? .valid : .broken
  }
}

extension Selections {
  /// Whether the player has ever selected an answer to the question that an event asks.
  fileprivate func hasAnswer(to entry: EventLog.Entry) -> Bool {
    answer(to: entry.event.guid, game: entry.event.gameID, at: MediaTime(ticks: .max)) != nil
  }
}

extension EventLog.Entry {
  /// Whether the event shows that the game of a lobby has begun.
  fileprivate var startsGame: Bool { event.type == .askQuestion || event.type == .showResults }

  fileprivate var info: GameState.Info? {
    guard case .periodicInfo(let content) = event.content else { return nil }
    return .init(payload: EventPayload(content, by: event), time: time)
  }

  fileprivate var ending: GameState.Ending? {
    guard case .endGame(let content) = event.content else { return nil }
    return .init(payload: EventPayload(content, by: event), time: time)
  }
}

extension GameState {
  /// When the state changes next if nothing happens.
  var nextDeadline: MediaTime? {
    switch phase {
    case .lobby: start.map { $0.isEntryOpen ? $0.startsAt : $0.entryOpensAt }
    case .asking: question?.closesAt
    case .waiting, .playing, .closed, .results, .ended: nil
    }
  }
}
