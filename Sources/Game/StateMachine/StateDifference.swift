import Basics
import GameEvents

extension GameTransition {
  /// The transitions to announce when `new` replaces `old`: what the new state shows and the old one did not.
  ///
  /// - Parameters:
  ///   - time: When it was seen.
  ///   - isSeek: Whether the reader moved. A question that it moved away from has not closed.
  static func between(_ old: GameState, _ new: GameState, at time: MediaTime, isSeek: Bool = false) -> [GameTransition] {
    guard let game = new.game else { return [] }
    let difference = StateDifference(old: old, new: new)
    return (difference.closing(at: time, isSeek: isSeek) + difference.start + difference.info + difference.phase).map { change in
      GameTransition(kind: change.kind, time: time, eventTime: change.time, guid: change.guid, game: game, state: new)
    }
  }
}

/// Two states, and the transitions that lead from the first to the second.
private struct StateDifference {
  /// A transition, before it gets its time and the state.
  struct Change {
    var kind: GameTransition.Kind
    var guid: GUID
    var time: MediaTime
  }

  var old: GameState
  var new: GameState

  private var isSameGame: Bool { old.game == new.game }
  private var wasInLobby: Bool { isSameGame && old.phase == .lobby }

  private var wasAskingTheSame: Bool { isSameGame && old.phase == .asking && old.question?.guid == new.question?.guid }

  /// The end of the time for answers, if the old state took some.
  func closing(at time: MediaTime, isSeek: Bool) -> [Change] {
    guard isSameGame, old.phase == .asking, let question = old.question else { return [] }
    if wasAskingTheSame {
      guard new.phase != .asking, let closed = new.question else { return [] }
      return [Change(kind: .questionClosed, guid: closed.guid, time: closed.closesAt)]
    }
    return isSeek ? [] : [Change(kind: .questionClosed, guid: question.guid, time: min(question.closesAt, time))]
  }

  var start: [Change] {
    guard let start = new.start else { return [] }
    switch new.phase {
    case .lobby:
      var changes: [Change] = []
      if !wasInLobby || old.start?.guid != start.guid {
        changes.append(Change(kind: .lobbyOpened, guid: start.guid, time: start.time))
      }
      if start.isEntryOpen, !(wasInLobby && old.start?.isEntryOpen == true) {
        changes.append(Change(kind: .entryOpened, guid: start.guid, time: start.entryOpensAt))
      }
      return changes
    case .playing, .asking, .closed, .results:
      guard !isSameGame || old.start == nil || wasInLobby else { return [] }
      return [Change(kind: .gameStarted, guid: start.guid, time: start.startsAt)]
    case .waiting, .ended: return []
    }
  }

  var info: [Change] {
    guard let info = new.info, new.phase != .ended, !isSameGame || old.info?.guid != info.guid else { return [] }
    return [Change(kind: .infoUpdated, guid: info.guid, time: info.time)]
  }

  var phase: [Change] {
    switch new.phase {
    case .asking:
      guard let question = new.question else { return [] }
      if !wasAskingTheSame { return [Change(kind: .questionAsked, guid: question.guid, time: question.opensAt)] }
      guard let adjustment = question.adjustment, adjustment.guid != old.question?.adjustment?.guid else { return [] }
      return [Change(kind: .timeAdjusted, guid: adjustment.guid, time: adjustment.time)]
    case .closed:
      let isKnown = isSameGame && old.phase == .closed && old.question?.guid == new.question?.guid
      guard !isKnown, !wasAskingTheSame, let question = new.question else { return [] }
      return [Change(kind: .questionClosed, guid: question.guid, time: question.closesAt)]
    case .results: return results
    case .ended:
      guard !isSameGame || old.phase != .ended, let ending = new.ending else { return [] }
      return [Change(kind: .gameEnded, guid: ending.guid, time: ending.time)]
    case .waiting, .lobby, .playing: return []
    }
  }

  private var results: [Change] {
    guard let result = new.result else { return [] }
    let isKnown = isSameGame && old.phase == .results && old.result?.guid == result.guid
    var changes: [Change] = []
    if !isKnown { changes.append(Change(kind: .resultsShown, guid: result.guid, time: result.time)) }
    if result.seal == .broken, !(isKnown && old.result?.seal == .broken) {
      changes.append(Change(kind: .sealBroken, guid: result.guid, time: result.time))
    }
    return changes
  }
}
