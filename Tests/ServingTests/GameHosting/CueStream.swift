import AnswerIntake
import Basics
import CueSheet
import EventSchedule
import GameEvents
import GameHosting
import LiveGame
import Scoring
import Seals
import TestSupport

/// A stream that a show's events go into: what the injector makes of its cues, and what viewers see of it.
struct CueStream: Sendable {
  private var live: LiveGame
  /// The events, in the order in which they came into the stream.
  private(set) var events: [GameEvent] = []
  private var log = EventLog()

  /// - Parameter isSigned: Whether the injector signs events, which makes them longer.
  init(isSigned: Bool = true) {
    live = LiveGame(
      LiveGame.Settings(
        game: "stream", policy: CopyPolicy(), answers: .sealed(testKey), sign: isSigned ? TestSignature.sign : nil))
  }

  /// Puts an event into the stream as the injector does.
  ///
  /// - Returns: The event's tag at its largest, in bytes.
  /// - Throws: `LiveProblem` where the injector refuses the cue.
  @discardableResult
  mutating func put(_ outgoing: HostedGame.Outgoing, at now: HostedGame.Moment) throws -> Int {
    let request = try LiveRequest(json: JSONValue.object(outgoing.cue).text)
    let (_, change) = try live.accept(
      request, newGUID: outgoing.guid, now: LiveGame.Now(time: now.edge, wallClock: now.wallClock))
    var size = 0
    for arrival in change.arrivals {
      var event = arrival.planned.event
      event.at = now.edge
      events.append(event)
      let copy = EventCopy(of: event, copies: 3)
      _ = live.place(copy, pts: 0, wallClock: now.wallClock)
      _ = log.accept(copy, at: now.edge ?? .zero)
      size = max(size, try CopyPolicy().largestTagSize(of: event, signature: arrival.planned.signature))
    }
    return size
  }

  /// What `cuelight replay` makes of the stream up to a time, with the record of what the players did.
  func replayed(_ show: HostedShow, upTo time: MediaTime) throws -> ScoredGame {
    var game = ScoredGame(rules: show.game.settings.rules.scoring)
    var players: [PlayerID] = []
    for player in show.players { players.append(try game.join(player.nickname, at: player.joinedAt)) }
    for (index, answer) in show.answers.enumerated() {
      let asked = show.game.asked[Int(answer.question)].guid
      _ = game.answer(Int(answer.answer), to: asked, by: players[Int(answer.player)], at: answer.time, arrival: Int64(index + 1))
    }
    game.follow(log, game: GameID(show.game.settings.id), upTo: time, verifySeal: AnswerSeal.verify)
    return game
  }
}

extension HostedShow {
  /// Puts everything that is on its way into a stream, and tells the game where it is.
  mutating func placeAll(in stream: inout CueStream) throws {
    while let outgoing = game.outgoing.first {
      try stream.put(outgoing, at: now)
      place(outgoing.guid)
    }
  }
}
