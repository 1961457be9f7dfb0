package import Basics
import CueSheet
package import GameEvents
import Scoring

/// The commands of hosts, and their effects.
extension HostedGame {
  /// A command of a host.
  package enum Command: Equatable, Sendable {
    /// Begin, and ask nothing yet.
    case start
    /// Ask the next question; first begin, and after the last question end.
    case next
    /// The same, also if viewers would not see it, or their answers would not count.
    case nextUnseen
    /// Accept no more answers from now on.
    case close
    /// Show the result now.
    case reveal
    /// Show no result.
    case void
    /// End the game.
    case end
    /// Accept answers this much longer.
    case extend(MediaTime)
    /// Say which answer of a prediction, by its index, is right.
    case settle(question: GUID, answer: Int)
    /// Remove a player from the game.
    case kick(player: Int)
    /// Change which questions are to be asked.
    case questions(QuestionChange)
  }

  /// Whether a command of this identifier was carried out.
  package func hasDone(_ id: String) -> Bool { commands.contains(id) }

  /// Carries out a command.
  ///
  /// - Parameters:
  ///   - id: The host's identifier of the command; a command that is repeated with the same one does nothing.
  ///   - mayBegin: Called when the game is to begin; returns whether the stream is free.
  /// - Throws: ``HostingProblem``; then nothing has changed.
  package mutating func carryOut(
    _ command: Command, id: String, now: Moment, mayBegin: () -> Bool = { true }
  ) throws(HostingProblem) -> Change {
    guard !commands.contains(id) else { return Change() }
    guard end == nil, !isEnding else { throw .ended }
    var change = Change()
    switch command {
    case .start:
      guard start == nil else { throw .notNow("the game has begun") }
      try begin(mayBegin, &change)
    case .next, .nextUnseen: try next(now, mayBegin, isForced: command == .nextUnseen, &change)
    case .close:
      guard let edge = now.edge, let index = current, asked[index].phase == .open else { throw .notNow("no question takes answers") }
      guard let closes = asked[index].closesAt, edge < closes else { throw .notNow("the time is up already") }
      try requireNoAdjustment(index)
      // Answers stop at once; readers of the stream learn it from the stream.
      closeEarly(index, now, &change)
      adjust(index, (asked[index].closesAt ?? edge) - (asked[index].opensAt ?? edge), &change)
    case .reveal:
      guard let index = current, asked[index].phase == .open else { throw .notNow("no question waits for its result") }
      closeEarly(index, now, &change)
      close(index, &change)
    case .extend(let time):
      guard let edge = now.edge, let index = current, asked[index].phase == .open, let opens = asked[index].opensAt,
        let closes = asked[index].closesAt
      else { throw .notNow("no question takes answers") }
      // The event must be in the stream before the time is up.
      guard edge + Self.margin < closes else { throw .notNow("the time is up already") }
      let allotted = closes - opens + time
      guard allotted - settings.rules.allottedTime <= Self.longestExtension else {
        throw .notNow("a question is extended by 10 minutes at most")
      }
      try requireNoAdjustment(index)
      adjust(index, allotted, &change)
    case .void:
      guard let index = current, asked[index].phase != .asking else { throw .notNow("no question waits for its result") }
      guard asked[index].phase == .open else { throw .notNow("the result is decided, and may be in the stream already") }
      add(.voided(question: index), &change)
    case .end:
      if let index = current {
        // Nobody knows yet whether a decided result is in the stream: the end comes after it.
        guard asked[index].phase == .asking || asked[index].phase == .open else {
          add(.ending, &change)
          break
        }
        add(.voided(question: index), &change)
      }
      finish(now, &change)
    case .settle(let question, let answer): try settle(question, answer, now: now, &change)
    case .kick(let player):
      guard player >= 0, player < scored.roster.count, !isKicked(player) else { throw .unknownPlayer }
      add(.kicked(player: player), &change)
    case .questions(let wanted): try arrange(wanted, &change)
    }
    // From now on the game has a host.
    if isAutomatic, command.leads, ![.next, .nextUnseen].contains(command) || !change.records.isEmpty { add(.automatic(false), &change) }
    add(.command(id: id), &change)
    return change
  }

  /// Sets whether the plan is followed without a host, and when it begins.
  ///
  /// - Throws: `HostingProblem` if the game has begun.
  package mutating func plan(automatic: Bool, startsAt: Int64?, entryOpensAt: Int64?) throws(HostingProblem) -> Change {
    var change = Change()
    if startsAt != self.startsAt || entryOpensAt != self.entryOpensAt {
      guard start == nil else { throw .notNow("the game has begun") }
      add(.planned(startsAt: startsAt, entryOpensAt: entryOpensAt), &change)
    }
    if automatic != isAutomatic { add(.automatic(automatic), &change) }
    return change
  }

  static let longestExtension = MediaTime(seconds: 600)

  mutating func next(_ now: Moment, _ mayBegin: () -> Bool, isForced: Bool, _ change: inout Change) throws(HostingProblem) {
    if let index = current {
      throw .notNow(asked[index].phase == .open ? "a question takes answers; close or void it first" : "a result is on its way")
    }
    if !isForced, !hasAskedAll, let obstacle = obstacle(now) { throw .unseen(obstacle) }
    if start == nil { try begin(mayBegin, &change) }
    guard !hasAskedAll else { return finish(now, &change) }
    raiseDelay(now, &change)
    followAudience(now, &change)
    askNext(&change)
  }

  private mutating func begin(_ mayBegin: () -> Bool, _ change: inout Change) throws(HostingProblem) {
    guard mayBegin() else { throw .notNow("another game is in the stream; end it first") }
    begin(&change)
  }

  mutating func begin(_ change: inout Change) {
    guard let guid = GUID(game: settings.id, deciding: "", kind: .startGame) else { return }
    add(.started(guid), &change)
  }

  mutating func askNext(_ change: inout Change) {
    guard let number = upcoming.first,
      let guid = GUID(game: settings.id, deciding: "\(asked.count + 1)", kind: .askQuestion)
    else { return }
    add(.asked(guid, question: number), &change)
  }

  private func requireNoAdjustment(_ index: Int) throws(HostingProblem) {
    guard asked[index].adjustment == nil else { throw .notNow("a change of the time is on its way into the stream") }
  }

  /// Sends a new time for answers into the stream. It takes effect once its event is there.
  mutating func adjust(_ index: Int, _ allottedTime: MediaTime, _ change: inout Change) {
    let name = "\(asked[index].guid.text) \(asked[index].adjustmentCount + 1)"
    guard let guid = GUID(game: settings.id, deciding: name, kind: .adjustTime) else { return }
    add(.adjusting(guid, question: index, allottedTime: allottedTime), &change)
  }

  /// Ends the time for answers at the live edge, if it is not up yet.
  mutating func closeEarly(_ index: Int, _ now: Moment, _ change: inout Change) {
    guard let edge = now.edge, let closes = asked[index].closesAt, edge < closes else { return }
    // No accepted answer lies after the end.
    let end = max(edge, asked[index].opensAt ?? edge, asked[index].latestAnswer.map { $0 + MediaTime(ticks: 1) } ?? edge)
    add(.closed(question: index, at: end), &change)
  }

  mutating func close(_ index: Int, _ change: inout Change) {
    asked[index].phase = .deciding
    change.closing = index
  }
}
