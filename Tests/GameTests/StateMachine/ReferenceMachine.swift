import Basics
import GameEvents

@testable import StateMachine

/// The fold of all events in their order, written down as plainly as possible: a step for each event that has happened, and everything folded
/// again for each that comes late. What the machine does faster must lead to the same states and transitions.
struct ReferenceFold: Sendable {
  typealias Answer = GameFold.Answer

  private(set) var state = GameState()
  /// The latest time that the fold has reached.
  private(set) var clock = MediaTime(ticks: .min)
  /// The game of the entry that was folded last.
  private(set) var latestGame: GameID?
  /// The answers, in the game that runs, to questions that have closed.
  private(set) var answers: [GUID: Answer] = [:]
  private var endedGames: Set<GameID> = []
  /// The games with verified events.
  var verifiedGames: Set<GameID> = []
  private let verifySeal: SealCheck?

  init(verifySeal: SealCheck?) { self.verifySeal = verifySeal }

  /// The fold of everything in `log` that has happened by `time`.
  init(of log: EventLog, at time: MediaTime, _ selections: Selections, verifySeal: SealCheck?) {
    self.init(verifySeal: verifySeal)
    verifiedGames = Set(log.games.filter { log.isVerified($0) })
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

  /// Applies an entry. ``makeWay(for:_:)`` has been called with it before.
  mutating func apply(_ entry: EventLog.Entry, _ selections: Selections) {
    clock = max(clock, entry.time)
    latestGame = entry.event.gameID
    guard accepts(entry.event) else { return }
    if entry.event.gameID != state.game { enter(entry.event, selections) }
    switch entry.event.content {
    case .startGame(let content): start(content, entry)
    case .askQuestion(let content): ask(content, entry)
    case .adjustTime(let content): adjust(content, entry, selections)
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
    guard let game = state.game, event.gameID != game, state.phase != .ended else { return true }
    guard verifiedGames.contains(game) == verifiedGames.contains(event.gameID) else { return verifiedGames.contains(event.gameID) }
    return event.type == .startGame
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

extension ReferenceFold {
  private mutating func adjust(_ content: AdjustTime, _ entry: EventLog.Entry, _ selections: Selections) {
    guard state.phase == .asking, let question = state.question, content.questionGuid == question.guid else { return }
    state.question?.adjustment = .init(payload: EventPayload(content, by: entry.event), time: entry.time)
    state.question?.closesAt = max(question.opensAt + content.allottedTime, entry.time)
    if let end = state.question?.closesAt, end <= entry.time { close(at: end, selections) }
  }

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

extension EventLog {
  /// What has happened by `time` and moves the state, in the order in which it is folded.
  ///
  /// Each game keeps the log's order. Games are merged by time: an entry counts with the latest time of its game so far, and ties are ordered
  /// by the bytes of the games' names. So the order depends on the entries alone.
  fileprivate func foldedEntries(upTo time: MediaTime) -> [Entry] {
    let games = gamesByName
    guard games.count > 1 else { return games.first.map { folded($0, upTo: time) } ?? [] }
    var ranked: [(time: MediaTime, rank: Int, entry: Entry)] = []
    for (rank, game) in games.enumerated() {
      var latest = MediaTime(ticks: .min)
      for entry in folded(game, upTo: time) {
        latest = max(latest, entry.time)
        ranked.append((latest, rank, entry))
      }
    }
    // Stable, so that each game keeps its order.
    ranked.sort { ($0.time, $0.rank) < ($1.time, $1.rank) }
    return ranked.map { $0.entry }
  }

  /// Whether `entries`, which have happened by `time`, come after everything else in their game that has.
  fileprivate func areLatest(_ entries: some BidirectionalCollection<Entry>, of game: GameID, upTo time: MediaTime) -> Bool {
    var index = entries.endIndex
    for entry in countingEntries(of: game).reversed() where entry.isFolded(upTo: time) {
      guard index > entries.startIndex else { return true }
      index = entries.index(before: index)
      guard entries[index].event.guid == entry.event.guid else { return false }
    }
    return index == entries.startIndex
  }

  /// The entries of exactly this time, in the order in which they are folded, custom events among them.
  fileprivate func entries(at time: MediaTime) -> [Entry] {
    gamesByName.flatMap { game in entries(of: game).filter { $0.time == time && ($0.event.isCustom || counts($0, of: game)) } }
  }

  /// The time of the first entry after `time`.
  fileprivate func firstTime(after time: MediaTime) -> MediaTime? {
    games.flatMap { game in entries(of: game).filter { $0.time > time && ($0.event.isCustom || counts($0, of: game)) } }.map { $0.time }
      .min()
  }

  private var gamesByName: [GameID] { games.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) } }

  private func folded(_ game: GameID, upTo time: MediaTime) -> [Entry] { countingEntries(of: game).filter { $0.isFolded(upTo: time) } }
}

extension EventLog.Entry {
  /// Whether the event has happened by `time` and is one of the game's six, which alone move the state.
  fileprivate func isFolded(upTo time: MediaTime) -> Bool { self.time <= time && !event.isCustom }
}

/// The machine with that fold.
struct ReferenceMachine: Sendable {
  var time: MediaTime?
  var log: EventLog
  var tally = GameStateMachine.Counters()
  var selections = Selections()
  let verifySeal: SealCheck?
  var folded: ReferenceFold
  var current: ReferenceFold
  var nextEvent: MediaTime?
  var metGames: Set<GameID> = []

  init(limits: EventLog.Limits = EventLog.Limits(), verifySeal: SealCheck?) {
    log = EventLog(limits: limits)
    self.verifySeal = verifySeal
    folded = ReferenceFold(verifySeal: verifySeal)
    current = folded
  }

  /// The state at ``time``.
  var state: GameState { current.state }

  /// What came so far.
  var counters: GameStateMachine.Counters {
    var counters = tally
    for game in log.games {
      let (sum, overflow) = counters.lost.addingReportingOverflow(log.lost(of: game).count)
      counters.lost = overflow ? .max : sum
    }
    return counters
  }

  /// When something changes next if no copy comes: entry opens, the game starts, a question closes, an event that came before its time
  /// happens, a missing one is lost.
  var nextDeadline: MediaTime? { earlier(earlier(current.nextDeadline, nextEvent), log.nextDeadline) }

  /// The earlier of two times of which either may be missing.
  private func earlier(_ time: MediaTime?, _ other: MediaTime?) -> MediaTime? {
    guard let time, let other else { return time ?? other }
    return min(time, other)
  }
}

// MARK: - Time

extension ReferenceMachine {
  /// Goes on to `time` and meets the deadlines before it, in order. An earlier time changes nothing.
  mutating func advance(to time: MediaTime) -> [GameTransition] {
    guard let now = self.time else {
      self.time = time
      return []
    }
    var transitions: [GameTransition] = []
    while let deadline = nextDeadline, deadline <= time { transitions += meetDeadline(at: max(deadline, self.time ?? now)) }
    self.time = max(time, now)
    current.advance(to: max(time, now), selections)
    return transitions
  }

  /// Moves to `time`, backwards or forwards: the events stay, the state becomes that of the time. What lies between is not announced, and
  /// events that are missing there are not lost.
  mutating func seek(to time: MediaTime) -> [GameTransition] {
    let old = state
    self.time = time
    log.seek(to: time)
    refold()
    return GameTransition.between(old, state, at: time, isSeek: true)
  }

  /// The stream has ended: what is missing is lost, and an open question closes when its time is up.
  mutating func finish() -> [GameTransition] {
    let losses = announce(log.finish())
    guard state.phase == .asking, let question = state.question else { return losses }
    return losses + advance(to: question.closesAt)
  }

  /// Meets one deadline: that of the state first, as the fold does.
  mutating func meetDeadline(at time: MediaTime) -> [GameTransition] {
    self.time = time
    if let deadline = current.nextDeadline, deadline <= time {
      let old = state
      current.meetDeadline(selections)
      return GameTransition.between(old, state, at: time)
    }
    if let event = nextEvent, event <= time {
      nextEvent = log.firstTime(after: time)
      return include(log.entries(at: event))
    }
    return announce(log.losses(upTo: time))
  }

  private func announce(_ losses: [EventLog.Loss]) -> [GameTransition] {
    guard let time else { return [] }
    return losses.map { loss in
      GameTransition(kind: .eventLost(sequences: loss.sequences), time: time, eventTime: time, guid: nil, game: loss.game, state: state)
    }
  }
}

extension ReferenceMachine {
  /// Selects an answer at `time`, after advancing to that. Until the question closes another may be selected in its place.
  ///
  /// - Parameters:
  ///   - answer: The index of the answer.
  ///   - time: When it was selected; a time that has passed already counts as now.
  /// - Returns: What became of it, and the transitions of advancing.
  mutating func select(answer: Int, at time: MediaTime) -> (outcome: SelectionOutcome, transitions: [GameTransition]) {
    let transitions = advance(to: time)
    return (select(answer), transitions)
  }

  private mutating func select(_ answer: Int) -> SelectionOutcome {
    guard let time, let game = state.game, let question = state.question else { return .noQuestion }
    guard question.content.answers.indices.contains(answer) else { return .unknownAnswer }
    guard state.phase == .asking else { return .tooLate }
    selections.select(answer, of: question.guid, game: game, at: time)
    current.advance(to: time, selections)
    return .accepted
  }
}

extension ReferenceMachine {
  /// Receives a copy that is presented at `time`, after advancing to that. A copy that comes a little late does not move the clock back.
  mutating func receive(_ copy: EventCopy, at time: MediaTime) -> [GameTransition] {
    var transitions = advance(to: time)
    tally.copies += 1
    var changes = EventLog.Changes()
    let outcome = log.accept(copy, at: time, now: self.time ?? time, changes: &changes)
    if outcome == .duplicate {
      tally.duplicates += 1
      return changes.isEmpty ? transitions : transitions + integrate(copy.event, changes)
    }
    if let greeting = announceLateJoin(copy, at: time) { transitions.append(greeting) }
    let eventTime = EventLog.time(of: copy, seenAt: time)
    switch outcome {
    case .duplicate: break
    case .conflict:
      tally.conflicts += 1
      transitions.append(announcing(.eventConflict, copy.event, eventTime: eventTime))
    case .sequenceConflict(let kept):
      tally.conflicts += 1
      transitions.append(announcing(.sequenceConflict(kept: kept), copy.event, eventTime: eventTime))
    case .corrected, .new, .recovered:
      if outcome == .corrected { tally.duplicates += 1 } else { tally.events += 1 }
      if let displaced = changes.displaced {
        tally.conflicts += 1
        var transition = announcing(.sequenceConflict(kept: copy.event.guid), copy.event, eventTime: eventTime)
        transition.guid = displaced
        transitions.append(transition)
      }
      let changes = integrate(copy.event, changes)
      if outcome == .recovered { transitions.append(announcing(.eventRecovered, copy.event, eventTime: eventTime)) }
      transitions += changes
    }
    return transitions
  }

  /// Announces that the reader came late to a game, where the first copy of it shows that.
  private mutating func announceLateJoin(_ copy: EventCopy, at time: MediaTime) -> GameTransition? {
    guard !copy.event.isCustom, metGames.insert(copy.event.gameID).inserted else { return nil }
    guard copy.isRefresh || (copy.event.type != .startGame && copy.event.sequence != 1) else { return nil }
    return announcing(.joinedLate, copy.event, eventTime: EventLog.time(of: copy, seenAt: time))
  }

  private mutating func integrate(_ event: GameEvent, _ changes: EventLog.Changes) -> [GameTransition] {
    guard let time else { return [] }
    let old = state
    if changes.hasRemovedEntries || !changes.removedGames.isEmpty {
      metGames.formIntersection(log.games)
      selections.prune(keeping: log, running: state.game, current.answers)
    }
    let isRefolded = changes.isRearranged || changes.hasRemovedEntries || !changes.removedGames.isEmpty || !changes.replaced.isEmpty
    if isRefolded { refold() }
    nextEvent = log.firstTime(after: time)
    guard changes.hasAdded, let entry = log.entry(event.guid, of: event.gameID), entry.time <= time else {
      return GameTransition.between(old, state, at: time)
    }
    if event.isCustom {
      return [announcing(.customEvent(event), event, eventTime: entry.time)] + GameTransition.between(old, state, at: time)
    }
    if isRefolded || !log.counts(entry, of: event.gameID) { return GameTransition.between(old, state, at: time) }
    return include([entry])
  }

  private func announcing(_ kind: GameTransition.Kind, _ event: GameEvent, eventTime: MediaTime) -> GameTransition {
    GameTransition(kind: kind, time: time ?? eventTime, eventTime: eventTime, guid: event.guid, game: event.gameID, state: state)
  }
}

// MARK: - The fold

extension ReferenceMachine {
  /// Folds everything again.
  mutating func refold() {
    guard let time else { return }
    folded = ReferenceFold(of: log, at: time, selections, verifySeal: verifySeal)
    current = folded
    current.advance(to: time, selections)
    nextEvent = log.firstTime(after: time)
  }

  /// Folds entries that have happened by now, if they are the latest; otherwise folds everything again.
  mutating func include(_ entries: [EventLog.Entry]) -> [GameTransition] {
    guard let time else { return [] }
    var transitions: [GameTransition] = []
    for entry in entries where entry.event.isCustom {
      transitions.append(announcing(.customEvent(entry.event), entry.event, eventTime: entry.time))
    }
    let entries = entries.filter { !$0.event.isCustom }
    guard areLatest(entries, at: time) else {
      let old = state
      refold()
      return transitions + GameTransition.between(old, state, at: time)
    }
    if transitions.isEmpty, entries.count == 1 { return append(entries[0], at: time) }
    for entry in entries { transitions += append(entry, at: time) }
    return transitions
  }

  /// Whether the entries, in their order, follow all that is in the fold.
  private func areLatest(_ entries: [EventLog.Entry], at time: MediaTime) -> Bool {
    guard entries.allSatisfy({ $0.time > folded.clock || $0.event.gameID == folded.latestGame }) else { return false }
    // Nearly always it is one.
    if entries.count == 1 { return log.areLatest(entries, of: entries[0].event.gameID, upTo: time) }
    return Set(entries.map { $0.event.gameID }).allSatisfy { game in
      log.areLatest(entries.filter { $0.event.gameID == game }, of: game, upTo: time)
    }
  }

  /// Goes on from the latest entry to this one.
  private mutating func append(_ entry: EventLog.Entry, at time: MediaTime) -> [GameTransition] {
    let old = state
    folded.verifiedGames = Set(log.games.filter { log.isVerified($0) })
    folded.advance(to: entry.time, selections)
    // Where something changed between the event and now, what it leads to by now is announced at once.
    let isContinuation = folded.state == old
    folded.makeWay(for: entry, selections)
    let between = folded.state
    folded.apply(entry, selections)
    current = folded
    guard isContinuation, entry.time == time || folded.nextDeadline ?? .init(ticks: .max) > time else {
      current.advance(to: time, selections)
      return GameTransition.between(old, state, at: time)
    }
    let after = state
    // Changes that are due at this very moment are announced one by one, with the states in between.
    var transitions = GameTransition.between(old, between, at: time)
    transitions += GameTransition.between(between, after, at: time)
    while let deadline = current.nextDeadline, deadline <= time { transitions += meetDeadline(at: time) }
    current.advance(to: time, selections)
    return transitions
  }
}
