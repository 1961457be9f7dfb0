import AnswerIntake
package import Basics
import CueSheet
import GameEvents

/// What happens by itself.
extension HostedGame {
  /// Why the next question should not be asked now, in words; `nil` if nothing is known against it.
  package func obstacle(_ now: Moment) -> String? {
    if now.stream.picture == .down { return "the picture is away: nobody would see the question" }
    // Who fixes a delay that is shorter than the settings of the stream make viewers late leaves some out; an encoder is nobody's choice.
    guard asked.isEmpty, let excluded = excluded(now), now.stream.lag?.advice != nil else { return nil }
    return excluded
  }

  /// That answers of usual viewers do not count since the delay is fixed, in words; `nil` if they do, or nobody knows.
  package func excluded(_ now: Moment) -> String? {
    guard settings.rules.hasFixedDelay, let lag = now.stream.lag, lag.behind > settings.rules.delay + AnswerWindow.tolerance else {
      return nil
    }
    return "\(lag.text); answers count up to \(settings.rules.delay.shortestDecimalSeconds) s behind, so that theirs would not"
  }

  /// Lets answers count from as far behind as viewers are, unless the delay is fixed. A question that takes answers keeps what it began with.
  mutating func raiseDelay(_ now: Moment, _ change: inout Change) {
    guard current == nil, end == nil, !now.hasEnded, !settings.rules.hasFixedDelay, let lag = now.stream.lag else { return }
    let delay = min(lag.furthest, GameRules.delays.upperBound)
    if delay > settings.rules.delay { add(.delayed(delay), &change) }
  }

  /// Goes on to a moment: closes questions, and follows the plan where there is no host.
  ///
  /// - Parameter mayBegin: Asked when the game is to begin: whether the stream is free.
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

  /// Notices what no record says: that the time of a question is up, and that boards are to be made again.
  package mutating func notice(_ now: Moment) -> [HostMessage] {
    refresh()
    guard let index = current, let edge = now.edge, let closes = asked[index].closesAt, edge >= closes, asked[index].closedAt == nil else {
      return []
    }
    asked[index].closedAt = now.wallClock - milliseconds(edge - closes)
    return [.closed(asked[index].guid)]
  }

  /// Brings a game to its end whose stream has ended.
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
    // It waits for its viewers.
    if obstacle(now) == nil { askNext(&change) }
  }

  static let titleTime = MediaTime(seconds: 2)

  /// When the plan goes on by itself, at the live edge; `nil` before the show is in the stream. The title is seen for a moment, and each result for the
  /// pause.
  private var planGoesOnAt: MediaTime? {
    guard let startedAt else { return nil }
    guard let last = asked.last else { return startedAt + Self.titleTime }
    return last.shownAt.map { $0 + settings.rules.pause } ?? startedAt
  }

  /// When a game next goes on by itself.
  package struct Due: Equatable, Sendable {
    /// Once the live edge is here.
    package var edge: MediaTime?
    /// Milliseconds since 1970.
    package var wallClock: Int64?
  }

  /// When the game next goes on by itself, after ``advance(_:mayBegin:)`` and ``information(viewers:now:)`` have done what is due, or where another process
  /// does it. Whatever else makes it
  /// go on is a change of the game, of the condition of the stream, or of whose stream it is.
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

  /// The information about the audience that is due; `nil` where none is.
  package mutating func information(viewers: Int, now: Moment) -> Outgoing? {
    guard let edge = now.edge, startedAt != nil, end == nil else { return nil }
    let number = edge.ticks / Self.infoInterval.ticks
    guard infoNumber.map({ number > $0 }) ?? true else { return nil }
    infoNumber = number
    guard let guid = GUID(game: settings.id, deciding: "\(number)", kind: .periodicInfo) else { return nil }
    let cue = cue(.periodicInfo, guid).with("viewers", max(viewers, 0)).with("players", playerCount)
    // Old news is not worth sending.
    return Outgoing(guid: guid, cue: cue.with("expires", 5))
  }
}
