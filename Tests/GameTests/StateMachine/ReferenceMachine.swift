import Basics
import GameEvents

@testable import StateMachine

/// The machine written down as plainly as possible: whatever happens, the state is folded again from all events.
struct ReferenceMachine: Sendable {
  private(set) var time: MediaTime?
  /// The state at ``time``.
  private(set) var state = GameState()
  private var log: EventLog
  private var tally = GameStateMachine.Counters()
  private var selections = Selections()
  private let verifySeal: SealCheck?
  private var shown: ReferenceFold { didSet { state = shown.state } }
  /// The events up to this time have happened.
  private var happened = MediaTime(ticks: .min)
  private var metGames: Set<GameID> = []

  init(limits: EventLog.Limits = EventLog.Limits(), verifySeal: SealCheck?) {
    log = EventLog(limits: limits)
    self.verifySeal = verifySeal
    shown = ReferenceFold([], verified: [], until: happened, at: happened, selections, verifySeal)
  }

  /// Totals so far.
  var counters: GameStateMachine.Counters {
    var counters = tally
    counters.lost = log.games.reduce(0) { sum, game in
      let (sum, overflow) = sum.addingReportingOverflow(log.lost(of: game).count)
      return overflow ? .max : sum
    }
    return counters
  }

  /// When something changes next if no copy arrives.
  var nextDeadline: MediaTime? { [state.nextDeadline, log.firstTime(after: happened), log.nextDeadline].compactMap { $0 }.min() }

  private func fold(
    _ entries: some Sequence<EventLog.Entry>, closing: EventLog.Entry? = nil, until end: MediaTime, at moment: MediaTime
  ) -> ReferenceFold {
    let verified = Set(log.games.filter { log.isVerified($0) })
    return ReferenceFold(entries, closing: closing, verified: verified, until: end, at: moment, selections, verifySeal)
  }

  private func fold(at time: MediaTime) -> ReferenceFold { fold(log.foldedEntries(upTo: happened), until: time, at: time) }

  /// Replaces the state, and announces what changes.
  private mutating func show(_ new: ReferenceFold, isSeek: Bool = false) -> [GameTransition] {
    let old = state
    shown = new
    return time.map { old.transitions(to: state, at: $0, isSeek: isSeek) } ?? []
  }
}

// MARK: - Time

extension ReferenceMachine {
  /// Advances to `time` and meets the deadlines before it, in order. An earlier time changes nothing.
  mutating func advance(to time: MediaTime) -> [GameTransition] {
    let now = max(time, self.time ?? time)
    var transitions: [GameTransition] = []
    if self.time != nil {
      while let deadline = nextDeadline, deadline <= time { transitions += meet(deadline) }
    }
    guard now != self.time || happened != now else { return transitions }
    (self.time, happened) = (now, now)
    // Another answer may have been selected by now, after going back.
    shown = fold(at: now)
    return transitions
  }

  /// Meets the next deadline: that of the state first, then events, then losses.
  private mutating func meet(_ deadline: MediaTime) -> [GameTransition] {
    let now = max(deadline, time ?? deadline)
    time = now
    if let next = state.nextDeadline, next <= now { return show(fold(at: now)) }
    if let next = log.firstTime(after: happened), next <= now {
      happened = next
      return include(log.entries(at: next), at: now)
    }
    return log.losses(upTo: now).map { loss in
      GameTransition(kind: .eventLost(sequences: loss.sequences), time: now, eventTime: now, guid: nil, game: loss.game, state: state)
    }
  }

  /// Moves to `time`, backwards or forwards.
  mutating func seek(to time: MediaTime) -> [GameTransition] {
    (self.time, happened) = (time, time)
    log.seek(to: time)
    return show(fold(at: time), isSeek: true)
  }

  /// Selects an answer at `time`, after advancing to that.
  mutating func select(answer: Int, at time: MediaTime) -> (outcome: SelectionOutcome, transitions: [GameTransition]) {
    let transitions = advance(to: time)
    guard let time = self.time, let game = state.game, let question = state.question else { return (.noQuestion, transitions) }
    guard question.content.answers.indices.contains(answer) else { return (.unknownAnswer, transitions) }
    guard state.phase == .asking else { return (.tooLate, transitions) }
    selections.select(.one(answer), of: question.guid, game: game, at: time)
    shown = fold(at: time)
    return (.accepted, transitions)
  }
}

// MARK: - Copies

extension ReferenceMachine {
  /// Receives a copy that is presented at `time`, after advancing to that.
  mutating func receive(_ copy: EventCopy, at time: MediaTime) -> [GameTransition] {
    var transitions = advance(to: time)
    let now = max(time, self.time ?? time)
    tally.copies += 1
    var changes = EventLog.Changes()
    let outcome = log.accept(copy, at: time, now: now, changes: &changes)
    func announce(_ kind: GameTransition.Kind, _ guid: GUID? = nil) {
      transitions.append(
        GameTransition(
          kind: kind, time: now, eventTime: EventLog.time(of: copy, seenAt: time), guid: guid ?? copy.event.guid, game: copy.event.gameID,
          state: state))
    }
    // Whether the first copy of a game shows that the reader has missed its beginning.
    if outcome != .duplicate, !copy.event.isCustom, metGames.insert(copy.event.gameID).inserted,
      copy.isRefresh || (copy.event.type != .startGame && copy.event.sequence != 1)
    {
      announce(.joinedLate)
    }
    switch outcome {
    case .duplicate, .corrected: tally.duplicates += 1
    case .new, .recovered: tally.events += 1
    case .conflict, .sequenceConflict: tally.conflicts += 1
    }
    switch outcome {
    case .conflict: announce(.eventConflict)
    case .sequenceConflict(let kept): announce(.sequenceConflict(kept: kept))
    case .duplicate, .corrected, .new, .recovered:
      if let displaced = changes.displaced {
        tally.conflicts += 1
        announce(.sequenceConflict(kept: copy.event.guid), displaced)
      }
      let changed = integrate(copy.event, changes, at: now)
      if outcome == .recovered { announce(.eventRecovered) }
      transitions += changed
    }
    return transitions
  }

  private mutating func integrate(_ event: GameEvent, _ changes: EventLog.Changes, at now: MediaTime) -> [GameTransition] {
    if changes.hasRemovedEntries || !changes.removedGames.isEmpty {
      metGames.formIntersection(log.games)
      selections.prune(keeping: log, running: state.game, shown.answers)
    }
    let added = changes.hasAdded ? log.entry(event.guid, of: event.gameID).flatMap { $0.time <= now ? $0 : nil } : nil
    let isAddedOnly = !changes.isRearranged && !changes.hasRemovedEntries && changes.removedGames.isEmpty && changes.replaced.isEmpty
    if let added, isAddedOnly { return include([added], at: now) }
    let changed = show(fold(at: now))
    guard let added, event.isCustom else { return changed }
    return [announcing(added, at: now)] + changed
  }

  private func announcing(_ custom: EventLog.Entry, at now: MediaTime) -> GameTransition {
    GameTransition(
      kind: .customEvent(custom.event), time: now, eventTime: custom.time, guid: custom.event.guid, game: custom.event.gameID, state: state)
  }

  /// Includes entries that have happened by now. If they are the latest ones, each is announced for itself.
  private mutating func include(_ entries: [EventLog.Entry], at now: MediaTime) -> [GameTransition] {
    var transitions = entries.filter { $0.event.isCustom }.map { announcing($0, at: now) }
    let all = log.foldedEntries(upTo: happened)
    let added = entries.filter { entry in !entry.event.isCustom && log.counts(entry, of: entry.event.gameID) }
    let (before, last) = (all.dropLast(added.count), all.suffix(added.count))
    let latest = before.map(\.time).max() ?? .init(ticks: .min)
    let areLatest = added.allSatisfy { $0.time > latest || $0.event.gameID == before.last?.event.gameID }
    guard areLatest, last.elementsEqual(added, by: { $0.event.guid == $1.event.guid && $0.event.gameID == $1.event.gameID }) else {
      return transitions + show(fold(at: now))
    }
    for index in last.indices { transitions += append(all[...index], at: now) }
    return transitions
  }

  /// Announces what the latest entry ends, then what it shows, then what is due by now. If something has changed since the entry's time, only
  /// the outcome is announced.
  private mutating func append(_ entries: ArraySlice<EventLog.Entry>, at now: MediaTime) -> [GameTransition] {
    guard let entry = entries.last else { return [] }
    let earlier = entries.dropLast()
    let start = MediaTime(ticks: .min)
    let moment = max(earlier.map(\.time).max() ?? start, entry.time)
    let applied = fold(entries, until: start, at: moment)
    let isDue = applied.state.nextDeadline.map { $0 <= now } ?? false
    guard fold(earlier, until: entry.time, at: moment).state == state, entry.time == now || !isDue else {
      return show(fold(entries, until: now, at: now))
    }
    var transitions = show(fold(earlier, closing: entry, until: start, at: moment)) + show(applied)
    while let deadline = state.nextDeadline, deadline <= now { transitions += show(fold(entries, until: deadline, at: now)) }
    shown = fold(entries, until: now, at: now)
    return transitions
  }
}

extension GameState {
  /// What another state shows and this one does not.
  fileprivate func transitions(to new: GameState, at time: MediaTime, isSeek: Bool) -> [GameTransition] {
    guard let game = new.game else { return [] }
    // Of another game, nothing was known.
    let old = self.game == game ? self : GameState()
    var transitions: [GameTransition] = []
    func announce(_ kind: GameTransition.Kind, _ guid: GUID, _ eventTime: MediaTime) {
      transitions.append(GameTransition(kind: kind, time: time, eventTime: eventTime, guid: guid, game: game, state: new))
    }
    let isSameQuestion = old.question?.guid == new.question?.guid
    let wasAsked = old.phase == .asking && isSameQuestion
    if old.phase == .asking, let question = old.question {
      if let closed = new.question, isSameQuestion {
        if new.phase != .asking { announce(.questionClosed, closed.guid, closed.closesAt) }
      } else if !isSeek {
        announce(.questionClosed, question.guid, min(question.closesAt, time))
      }
    }
    if let start = new.start, new.phase == .lobby {
      if old.phase != .lobby || old.start?.guid != start.guid { announce(.lobbyOpened, start.guid, start.time) }
      if start.isEntryOpen, old.phase != .lobby || old.start?.isEntryOpen != true { announce(.entryOpened, start.guid, start.entryOpensAt) }
    } else if let start = new.start, new.phase != .ended, old.start == nil || old.phase == .lobby {
      announce(.gameStarted, start.guid, start.startsAt)
    }
    if let info = new.info, new.phase != .ended, info.guid != old.info?.guid { announce(.infoUpdated, info.guid, info.time) }
    if let question = new.question, new.phase == .asking {
      if !wasAsked {
        announce(.questionAsked, question.guid, question.opensAt)
      } else if let adjustment = question.adjustment, adjustment.guid != old.question?.adjustment?.guid {
        announce(.timeAdjusted, adjustment.guid, adjustment.time)
      }
    }
    if let question = new.question, new.phase == .closed, !wasAsked, old.phase != .closed || !isSameQuestion {
      announce(.questionClosed, question.guid, question.closesAt)
    }
    if let result = new.result, new.phase == .results {
      let isNew = old.phase != .results || old.result?.guid != result.guid
      if isNew { announce(.resultsShown, result.guid, result.time) }
      if result.seal == .broken, isNew || old.result?.seal != .broken { announce(.sealBroken, result.guid, result.time) }
    }
    if let ending = new.ending, new.phase == .ended, old.phase != .ended { announce(.gameEnded, ending.guid, ending.time) }
    return transitions
  }
}

extension EventLog {
  /// What has happened by `time` and moves the state, in the order in which it is folded.
  ///
  /// Each game keeps the log's order. Games are merged by time: an entry counts with the latest time of its game so far, and ties are ordered
  /// by the bytes of the games' names. So the order depends on the entries alone.
  fileprivate func foldedEntries(upTo time: MediaTime) -> [Entry] {
    var ranked: [(time: MediaTime, rank: Int, entry: Entry)] = []
    for (rank, game) in gamesByName.enumerated() {
      var latest = MediaTime(ticks: .min)
      for entry in countingEntries(of: game) where entry.time <= time && !entry.event.isCustom {
        latest = max(latest, entry.time)
        ranked.append((latest, rank, entry))
      }
    }
    // Stable, so that each game keeps its order.
    if games.count > 1 { ranked.sort { ($0.time, $0.rank) < ($1.time, $1.rank) } }
    return ranked.map { $0.entry }
  }

  /// The entries of exactly this time, in the order in which they are folded, custom events among them.
  fileprivate func entries(at time: MediaTime) -> [Entry] {
    gamesByName.flatMap { game in entries(of: game).filter { $0.time == time && happens($0) } }
  }

  /// The time of the first entry after `time`.
  fileprivate func firstTime(after time: MediaTime) -> MediaTime? {
    games.compactMap { game in entries(of: game).lazy.filter { $0.time > time && happens($0) }.map { $0.time }.min() }.min()
  }

  private func happens(_ entry: Entry) -> Bool { entry.event.isCustom || counts(entry, of: entry.event.gameID) }

  private var gamesByName: [GameID] { games.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) } }
}
