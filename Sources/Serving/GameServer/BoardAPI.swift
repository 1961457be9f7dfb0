import Basics
import GameEvents
import GameHosting
import GameJSON
import HTTPTypes
import Scoring
import WebSupport

/// What everybody may see.
extension GameAPI {
  /// How many of the players whom the host has taken out the state names.
  private static let mostKicked = 100

  func state(_ runner: GameRunner) -> JSONObject {
    let share = runner.audience.share
    return runner.look { game, now in
      var object = JSONObject()
      object.append("game", game.settings.id)
      object.append("phase", game.phase(at: now).rawValue)
      if let index = game.asked.indices.last {
        let asked = game.asked[index]
        var question = JSONObject()
        question.append("guid", asked.guid.text)
        question.append("number", index + 1)
        question.append("opensAt", orNull: asked.opensAt)
        question.append("closesAt", orNull: asked.closesAt)
        question.append("voided", asked.phase == .voided)
        object.append("question", question)
        object.append("revealAt", orNull: Self.date(game.revealAt(asked, now: now)))
      } else {
        object.append("question", JSONValue.null)
        object.append("revealAt", JSONValue.null)
      }
      object.append("startsAt", orNull: Self.date(game.startsAt))
      object.append("picture", orNull: now.stream.picture?.rawValue)
      object.append("behind", orNull: now.stream.lag?.behind)
      object.append("delay", game.settings.rules.delay)
      object.append("players", game.playerCount)
      object.append("kicked", game.kickedPlayers(Self.mostKicked))
      object.append("board", game.boards.count)
      object.append("leaders", (game.board(game.boards.count)?.leaders.prefix(HostedGame.leaderCount) ?? []).map(\.object))
      var presence = JSONObject()
      presence.append("every", AudienceCount.interval)
      if let number = JSONNumber("\(share)") { presence.append("share", .number(number)) }
      object.append("presence", presence)
      return object
    }
  }

  /// A scoreboard; with `nil` the latest one.
  func board(_ runner: GameRunner, _ version: Int?) -> JSONObject {
    runner.look { game, _ in
      var object = JSONObject()
      let version = version ?? game.boards.count
      object.append("game", game.settings.id)
      object.append("version", version)
      guard let board = game.board(version) else {
        object.append("leaders", [JSONObject]())
        return object
      }
      if let scoreboard = board.scoreboard { object.append("scoreboard", scoreboard.object) }
      if let results = board.results { object.append("results", results.objects) }
      object.append("leaders", board.leaders.map(\.object))
      return object
    }
  }

  /// One of the scoreboards that were shown.
  func boardVersion(_ call: GameCall, _ runner: GameRunner) throws(Problem) -> Answer {
    guard let version = call.parts["version"].flatMap({ Int($0, in: .counts) }), version >= 1,
      version <= runner.look({ game, _ in game.boards.count })
    else { throw Problem("notFound", .notFound, "there is no such board yet") }
    // Not for ever: a player who is taken out leaves the boards that were shown, too.
    return cached(call, board(runner, version), seconds: 2)
  }
}
