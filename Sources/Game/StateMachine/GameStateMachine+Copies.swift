public import Basics
public import GameEvents

// MARK: - Copies

extension GameStateMachine {
  /// Receives a copy that is presented at `time`, after advancing to that. A copy that comes a little late does not move the clock back.
  public mutating func receive(_ copy: EventCopy, at time: MediaTime) -> [GameTransition] {
    var transitions = advance(to: time)
    tally.copies += 1
    var haveLeft = false
    let outcome = log.accept(copy, at: time, haveLeft: &haveLeft)
    // Most copies repeat a known event, and change nothing.
    if outcome == .duplicate {
      tally.duplicates += 1
      return transitions
    }
    if let greeting = greet(copy, at: time) { transitions.append(greeting) }
    let eventTime = EventLog.time(of: copy, seenAt: time)
    switch outcome {
    case .duplicate: break
    case .conflict:
      tally.conflicts += 1
      transitions.append(announcing(.eventConflict, copy.event, eventTime: eventTime))
    case .corrected:
      tally.duplicates += 1
      transitions += correct(copy.event)
    case .new, .recovered:
      tally.events += 1
      if haveLeft { forgetWhatLeft() }
      let isReordered = copy.event.sequence == nil && gamesOrderedByTime.insert(copy.event.gameID).inserted
      let changes = integrate(copy.event, at: eventTime, refolding: isReordered || haveLeft)
      if outcome == .recovered { transitions.append(announcing(.eventRecovered, copy.event, eventTime: eventTime)) }
      transitions += changes
    }
    return transitions
  }

  /// Announces that the reader came late to a game, where the first copy of it shows that.
  private mutating func greet(_ copy: EventCopy, at time: MediaTime) -> GameTransition? {
    guard !copy.event.isCustom, metGames.insert(copy.event.gameID).inserted else { return nil }
    guard copy.isRefresh || (copy.event.type != .startGame && copy.event.sequence != 1) else { return nil }
    return announcing(.joinedLate, copy.event, eventTime: EventLog.time(of: copy, seenAt: time))
  }

  /// Forgets games and events that have left the log.
  private mutating func forgetWhatLeft() {
    let games = Set(log.games)
    metGames.formIntersection(games)
    gamesOrderedByTime.formIntersection(games)
    selections.prune(keeping: log, fold: current)
  }

  private mutating func integrate(_ event: GameEvent, at eventTime: MediaTime, refolding: Bool) -> [GameTransition] {
    guard let time else { return [] }
    let old = state
    if refolding { refold() }
    guard eventTime <= time else {
      nextEvent = min(nextEvent ?? eventTime, eventTime)
      return []
    }
    if event.isCustom { return [announcing(.customEvent(event), event, eventTime: eventTime)] }
    if refolding { return GameTransition.between(old, state, at: time) }
    return log.entry(event.guid, of: event.gameID).map { include([$0]) } ?? []
  }

  private mutating func correct(_ event: GameEvent) -> [GameTransition] {
    guard let time, let entry = log.entry(event.guid, of: event.gameID) else { return [] }
    let old = state
    // Perhaps it was the only one without sequence number.
    gamesOrderedByTime.remove(event.gameID)
    refold()
    guard entry.event.isCustom, entry.time <= time else { return GameTransition.between(old, state, at: time) }
    return [announcing(.customEvent(event), event, eventTime: entry.time)]
  }

  private func announcing(_ kind: GameTransition.Kind, _ event: GameEvent, eventTime: MediaTime) -> GameTransition {
    GameTransition(kind: kind, time: time ?? eventTime, eventTime: eventTime, guid: event.guid, game: event.gameID, state: state)
  }
}

// MARK: - The fold

extension GameStateMachine {
  /// Folds everything again.
  mutating func refold() {
    guard let time else { return }
    folded = GameFold(of: log, at: time, selections, verifySeal: verifySeal)
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
