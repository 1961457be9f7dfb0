public import Basics
public import GameEvents

// MARK: - Copies

extension GameStateMachine {
  /// Receives a copy that is presented at `time`, after advancing to that. A copy that is a little late does not move the clock back.
  public mutating func receive(_ copy: EventCopy, at time: MediaTime) -> [GameTransition] {
    var transitions = advance(to: time)
    tally.copies += 1
    var changes = EventLog.Changes()
    let outcome = log.accept(copy, at: time, now: self.time ?? time, changes: &changes)
    // Most copies repeat a known event and change nothing.
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
      transitions.append(announcing(.eventConflict, copy.event.guid, copy.event.gameID, eventTime: eventTime))
    case .sequenceConflict(let kept):
      tally.conflicts += 1
      transitions.append(announcing(.sequenceConflict(kept: kept), copy.event.guid, copy.event.gameID, eventTime: eventTime))
    case .corrected, .new, .recovered:
      if outcome == .corrected { tally.duplicates += 1 } else { tally.events += 1 }
      if let displaced = changes.displaced {
        tally.conflicts += 1
        transitions.append(announcing(.sequenceConflict(kept: copy.event.guid), displaced, copy.event.gameID, eventTime: eventTime))
      }
      let changes = integrate(copy.event, changes)
      if outcome == .recovered {
        transitions.append(announcing(.eventRecovered, copy.event.guid, copy.event.gameID, eventTime: eventTime))
      }
      transitions += changes
    }
    return transitions
  }

  /// Announces that the reader joined a game late, if its first copy shows that.
  private mutating func announceLateJoin(_ copy: EventCopy, at time: MediaTime) -> GameTransition? {
    guard !copy.event.isCustom, metGames.insert(copy.event.gameID).inserted else { return nil }
    guard copy.isRefresh || (copy.event.type != .startGame && copy.event.sequence != 1) else { return nil }
    return announcing(.joinedLate, copy.event.guid, copy.event.gameID, eventTime: EventLog.time(of: copy, seenAt: time))
  }

  /// Applies the changes of the log.
  private mutating func integrate(_ event: GameEvent, _ changes: EventLog.Changes) -> [GameTransition] {
    guard let time else { return [] }
    let game = event.gameID
    let old = state
    let isReloaded = changes.isRearranged || changes.hasRemovedEntries
    if changes.hasRemovedEntries || !changes.removedGames.isEmpty { forgetRemoved(changes.removedGames) }
    for entry in changes.replaced {
      if entry.time > time {
        removeComing(entry)
      } else if !isReloaded {
        folded.remove(entry.event.guid, of: game, byTime: log.isOrderedByTime(game), selections)
      }
    }
    if isReloaded { reload(game) }
    let isRefolded = isReloaded || !changes.removedGames.isEmpty || !changes.replaced.isEmpty
    if isRefolded { showFold() }
    // An event that is too large for the log was removed at once.
    guard changes.hasAdded, let entry = log.entry(event.guid, of: game) else { return GameTransition.between(old, state, at: time) }
    if entry.time > time {
      if !isReloaded { insertComing(entry) }
    } else if event.isCustom {
      return [announcing(.customEvent(event), event.guid, game, eventTime: entry.time)] + GameTransition.between(old, state, at: time)
    } else if !isReloaded {
      if !isRefolded { return include([entry]) }
      insert(entry)
      showFold()
    }
    return GameTransition.between(old, state, at: time)
  }

  /// Forgets games and events that were removed from the log.
  private mutating func forgetRemoved(_ removedGames: [GameID]) {
    metGames = Set(log.games.filter { metGames.contains($0) })
    selections.prune(keeping: log, running: state.game, current.answers)
    guard !removedGames.isEmpty else { return }
    folded.remove(removedGames, selections)
    coming.removeAll { removedGames.contains($0.event.gameID) }
  }

  private func announcing(_ kind: GameTransition.Kind, _ guid: GUID, _ game: GameID, eventTime: MediaTime) -> GameTransition {
    GameTransition(kind: kind, time: time ?? eventTime, eventTime: eventTime, guid: guid, game: game, state: state)
  }
}

// MARK: - Future events

extension GameStateMachine {
  private mutating func insertComing(_ entry: EventLog.Entry) {
    guard entry.event.isCustom || log.counts(entry, of: entry.event.gameID) else { return }
    coming.insert(entry, at: coming.partitionIndex { $0.time <= entry.time })
  }

  private mutating func removeComing(_ entry: EventLog.Entry) {
    let first = coming.partitionIndex { $0.time <= entry.time }
    let index = coming[first...].firstIndex { $0.event.guid == entry.event.guid && $0.event.gameID == entry.event.gameID }
    if let index { coming.remove(at: index) }
  }

  /// Removes the events that happen at `time`, the next time of any, and returns them in the order of the fold.
  mutating func removeComing(at time: MediaTime) -> [EventLog.Entry] {
    var due: [EventLog.Entry] = []
    while let next = coming.last, next.time == time {
      due.append(next)
      coming.removeLast()
    }
    guard due.count > 1 else { return due }
    return due.ordered { left, right in
      let (game, other) = (left.event.gameID, right.event.gameID)
      return game == other ? EntryPlace(left).precedes(EntryPlace(right), byTime: log.isOrderedByTime(game)) : game.precedes(other)
    }
  }

  /// Collects the future events of a game again.
  private mutating func findComing(of game: GameID, after time: MediaTime) {
    let entries = log.entries(of: game).filter { $0.time > time && ($0.event.isCustom || log.counts($0, of: game)) }
    guard !entries.isEmpty || coming.contains(where: { $0.event.gameID == game }) else { return }
    coming.removeAll { $0.event.gameID == game }
    coming += entries
    coming.order { $0.time > $1.time }
  }
}

// MARK: - The fold

extension GameStateMachine {
  /// Folds everything again.
  mutating func refold() {
    guard let time else { return }
    folded.load(log, upTo: time, selections)
    coming = []
    for game in log.games { findComing(of: game, after: time) }
    showFold()
  }

  /// Folds a game of the log again.
  private mutating func reload(_ game: GameID) {
    guard let time else { return }
    folded.reload(game, of: log, upTo: time, selections)
    findComing(of: game, after: time)
  }

  /// Advances from the latest entry to now.
  private mutating func showFold() {
    guard let time else { return }
    current = folded.fold
    advanceFold(to: time)
  }

  /// Inserts an entry that has happened by now.
  private mutating func insert(_ entry: EventLog.Entry) {
    guard let entry = folded.make(entry, of: log) else { return }
    folded.insert(entry, byTime: log.isOrderedByTime(entry.game), selections)
  }

  /// Includes entries that have happened by now, in their order.
  mutating func include(_ entries: [EventLog.Entry]) -> [GameTransition] {
    guard let time else { return [] }
    var transitions: [GameTransition] = []
    var added: [FoldedEntry] = []
    for entry in entries {
      if entry.event.isCustom {
        transitions.append(announcing(.customEvent(entry.event), entry.event.guid, entry.event.gameID, eventTime: entry.time))
      } else if let entry = folded.make(entry, of: log) {
        added.append(entry)
      }
    }
    guard !added.isEmpty else { return transitions }
    if added.allSatisfy({ folded.isLast($0, byTime: log.isOrderedByTime($0.game)) }) {
      if transitions.isEmpty, added.count == 1 { return append(added[0], at: time) }
      for entry in added { transitions += append(entry, at: time) }
      return transitions
    }
    let old = state
    for entry in added { folded.insert(entry, byTime: log.isOrderedByTime(entry.game), selections) }
    showFold()
    return transitions + GameTransition.between(old, state, at: time)
  }

  /// Advances from the latest entry to this one.
  private mutating func append(_ entry: FoldedEntry, at time: MediaTime) -> [GameTransition] {
    let old = state
    var fold = folded.fold
    let clock = max(folded.latestTime, entry.time)
    fold.advance(to: entry.time, selections)
    // If something changed between the event and now, the present outcome is announced at once.
    let isContinuation = fold.state(at: clock, selections) == old
    fold.makeWay(for: entry, selections)
    let between = fold.state(at: clock, selections)
    fold.apply(entry, selections)
    folded.append(entry, fold)
    current = fold
    guard isContinuation, entry.time == time || fold.nextDeadline ?? .init(ticks: .max) > time else {
      advanceFold(to: time)
      return GameTransition.between(old, state, at: time)
    }
    state = fold.state(at: clock, selections)
    let after = state
    // Changes that are due now are announced one by one, with the states in between.
    var transitions = GameTransition.between(old, between, at: time)
    transitions += GameTransition.between(between, after, at: time)
    while let deadline = current.nextDeadline, deadline <= time { transitions += meetDeadline(at: time) }
    advanceFold(to: time)
    return transitions
  }
}
