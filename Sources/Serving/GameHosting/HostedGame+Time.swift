import AnswerIntake
package import Basics
import CueSheet
import GameEvents
import Reach

/// What happens without a command.
extension HostedGame {
  /// Why the next question should not be asked now, in words; `nil` if no reason is known.
  package func obstacle(_ now: Moment) -> String? {
    if now.stream.picture == .down { return "the picture is away: nobody would see the question" }
    // A host that fixes a delay below the lag of the stream's settings leaves viewers out by choice. A lag that the encoder causes is nobody's choice.
    guard asked.isEmpty, let excluded = excluded(now), now.stream.lag?.advice != nil else { return nil }
    return excluded
  }

  /// A warning that answers of usual viewers do not count because the delay is fixed, in words; `nil` if they do, or if that is unknown.
  package func excluded(_ now: Moment) -> String? {
    guard settings.rules.hasFixedDelay, let lag = now.stream.lag, lag.behind > settings.rules.delay + AnswerWindow.tolerance else {
      return nil
    }
    return "\(lag.text); answers count up to \(settings.rules.delay.shortestDecimalSeconds) s behind, so that theirs would not"
  }

  /// Raises the delay to how far behind viewers are, unless it is fixed or follows their reports. A question that accepts answers keeps the delay with
  /// which it began.
  mutating func raiseDelay(_ now: Moment, _ change: inout Change) {
    guard settings.rules.autoDelay == nil, current == nil, end == nil, !now.hasEnded, !settings.rules.hasFixedDelay,
      let lag = now.stream.lag
    else { return }
    let delay = min(lag.furthest, GameRules.delays.upperBound)
    if delay > settings.rules.delay { add(.delayed(delay), &change) }
  }

  /// Sets the delay of the question that is asked next by what viewers report, if the rules say so.
  mutating func followAudience(_ now: Moment, _ change: inout Change) {
    guard let auto = settings.rules.autoDelay else { return }
    let delay = auto.next(now.stream.audience, furthest: now.stream.lag?.furthest, current: settings.rules.delay)
    if delay != settings.rules.delay { add(.delayed(delay), &change) }
  }

  /// Advances to a moment: closes questions, and follows the plan if there is no host.
  ///
  /// - Parameter mayBegin: Called when the game is to begin; returns whether the stream is free.
  package mutating func advance(_ now: Moment, mayBegin: () -> Bool = { true }) -> Change {
    var change = Change()
    refresh()
    guard end == nil else { return change }
    if now.hasEnded {
      leave(now, &change)
      guard end == nil, current != nil else { return change }
    }
    raiseDelay(now, &change)
    if let index = current {
      change.messages += notice(now)
      if asked[index].phase == .open, let closed = asked[index].closedAt,
        now.wallClock >= closed + milliseconds(settings.rules.delay)
      {
        close(index, &change)
      }
    } else if isEnding {
      finish(now, &change)
    } else if isAutomatic {
      follow(now, mayBegin, &change)
    }
    return change
  }

  /// Notices what no record says: that the time of a question is up, and that scoreboards are to be made again.
  package mutating func notice(_ now: Moment) -> [HostMessage] {
    refresh()
    guard let index = current, let edge = now.edge, let closes = asked[index].closesAt, edge >= closes, asked[index].closedAt == nil else {
      return []
    }
    asked[index].closedAt = now.wallClock - milliseconds(edge - closes)
    return [.closed(asked[index].guid)]
  }

  /// Ends a game whose stream has ended.
  mutating func leave(_ now: Moment, _ change: inout Change) {
    guard let index = current else {
      if start != nil { finish(now, &change) }
      return
    }
    switch asked[index].phase {
    case .asking: add(.voided(question: index), &change)
    case .open: closeEarly(index, now, &change)
    case .deciding, .decided, .shown, .voided: break
    }
  }

  mutating func follow(_ now: Moment, _ mayBegin: () -> Bool, _ change: inout Change) {
    guard let edge = now.edge else { return }
    guard start != nil else {
      guard let startsAt, now.wallClock >= startsAt, mayBegin() else { return }
      return begin(&change)
    }
    guard let due = planGoesOnAt, edge >= due else { return }
    guard !hasAskedAll else { return finish(now, &change) }
    // The plan waits for its viewers.
    if obstacle(now) == nil {
      followAudience(now, &change)
      askNext(&change)
    }
  }

  static let titleTime = MediaTime(seconds: 2)

  /// When the plan continues, at the live edge; `nil` before the show's start is in the stream. The title is seen for a moment, and each result for
  /// the pause.
  private var planGoesOnAt: MediaTime? {
    guard let startedAt else { return nil }
    guard let last = asked.last else { return startedAt + Self.titleTime }
    return last.shownAt.map { $0 + settings.rules.pause } ?? startedAt
  }

  /// When a game has something to do next without a command.
  package struct Due: Equatable, Sendable {
    /// Once the live edge has reached this time.
    package var edge: MediaTime?
    /// Milliseconds since 1970.
    package var wallClock: Int64?
  }

  /// When the game has something to do next without a command, after ``advance(_:mayBegin:)`` and ``information(viewers:now:)`` have done what is
  /// due, or if another process does it. Anything else that makes it continue is a change of the game, of the condition of the stream, or of which
  /// game the stream belongs to.
  package func due(_ now: Moment) -> Due {
    guard end == nil else { return Due() }
    var due = Due()
    if startedAt != nil {
      due.edge = MediaTime(ticks: Self.infoInterval.ticks * ((infoNumber ?? now.edge.map { $0.ticks / Self.infoInterval.ticks } ?? -1) + 1))
    }
    func add(edge: MediaTime) { due.edge = min(due.edge ?? edge, edge) }
    if let index = current {
      let question = asked[index]
      if [.open, .deciding].contains(question.phase), let closed = question.closedAt {
        due.wallClock = closed + milliseconds(settings.rules.delay)
      } else if question.closedAt == nil, let closes = question.closesAt {
        add(edge: closes)
      }
    } else if isAutomatic {
      if start == nil { due.wallClock = startsAt } else if let time = planGoesOnAt, time > now.edge ?? time { add(edge: time) }
    }
    return due
  }

  /// The information about the audience that is due; `nil` if none is.
  package mutating func information(viewers: Int, now: Moment) -> Outgoing? {
    guard let edge = now.edge, startedAt != nil, end == nil else { return nil }
    let number = edge.ticks / Self.infoInterval.ticks
    guard infoNumber.map({ number > $0 }) ?? true else { return nil }
    infoNumber = number
    guard let guid = GUID(game: settings.id, deciding: "\(number)", kind: .periodicInfo) else { return nil }
    let cue = cue(.periodicInfo, guid).with("viewers", max(viewers, 0)).with("players", playerCount)
    // Information that is out of date is not worth sending.
    return Outgoing(guid: guid, cue: cue.with("expires", 5))
  }
}
