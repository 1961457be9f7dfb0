import Basics
import GameEvents
import GameHosting
import GameJSON
import HTTPTypes
import Scoring
import Reach
import WebSupport

/// Calls for everybody.
extension GameAPI {
  /// The maximum number of players removed by the host that the state lists.
  private static let mostKicked = 100

  func state(_ runner: GameRunner) -> JSONObject {
    var presence = JSONObject(fields: ["every": AudienceCount.interval])
    if let share = JSONNumber("\(runner.audience.share)") { presence.append("share", .number(share)) }
    let live = runner.stage.liveCounts()
    return runner.look { [presence] game, now in
      let asked = game.asked.last
      let question = asked.map { asked in
        JSONObject(fields: [
          "guid": asked.guid.text, "number": game.asked.count, "opensAt": asked.opensAt, "closesAt": asked.closesAt,
          "voided": asked.phase == .voided,
        ]).with("counts", live?.question == asked.guid ? live?.counts : nil)
      }
      let revealAt = asked.flatMap { game.revealAt($0, now: now) }
      let leaders = game.board(game.boards.count)?.leaders.prefix(HostedGame.leaderCount) ?? []
      return JSONObject(fields: [
        "game": game.settings.id, "phase": game.phase(at: now).rawValue, "question": question, "revealAt": Self.date(revealAt),
        "startsAt": Self.date(game.startsAt), "picture": now.stream.picture?.rawValue, "behind": now.stream.lag?.behind,
        "delay": game.settings.rules.delay, "players": game.playerCount, "kicked": game.kickedPlayers(Self.mostKicked),
        "board": game.boards.count, "leaders": leaders.map(\.object), "presence": presence,
      ]).with("audience", now.stream.audience?.object)
    }
  }

  /// A scoreboard; the latest one for `nil`.
  func board(_ runner: GameRunner, _ version: Int?) -> JSONObject {
    runner.look { game in
      let version = version ?? game.boards.count
      let board = game.board(version)
      return JSONObject(fields: ["game": game.settings.id, "version": version]).with("scoreboard", board?.scoreboard?.object)
        .with("results", board?.results?.objects).with("leaders", (board?.leaders ?? []).map(\.object)).with(
          "teams", board?.teams?.prefix(HostedGame.boardCount).map(\.object))
    }
  }

  /// What screens show, as server-sent events.
  func stage(_ call: GameCall, _ runner: GameRunner) throws(Problem) -> Answer {
    guard !call.isHead else { return Answer(.ok, "text/event-stream", []) }
    guard let (messages, first, number) = runner.stage.listen() else { throw .overloaded("too many screens show this game") }
    runner.keeper.changed()
    return MessageStream.answer(messages, first: (Stage.event, first), number: number)
  }

  /// One of the scoreboards that were shown.
  func boardVersion(_ call: GameCall, _ runner: GameRunner) throws(Problem) -> Answer {
    guard let version = call.parts["version"].flatMap({ Int($0, in: .counts) }), version >= 1,
      version <= runner.look({ game in game.boards.count })
    else { throw Problem("notFound", .notFound, "there is no such board yet") }
    // Not cached for ever: a player who is removed leaves the scoreboards that were shown, too.
    return cached(call, board(runner, version), seconds: 2)
  }
}
