import AccessTokens
import Basics
import GameHosting
import GameStore
import HTTPTypes
import Scoring
import WebSupport

/// What hosts call.
extension GameAPI {
  /// - Throws: `Problem` if another host leads the game. The operator overrules every host.
  func leads(_ call: GameCall, _ runner: GameRunner) async throws(Problem) {
    guard call.token?.isOperator != true else { return }
    guard await runner.lead(call.token?.session ?? "") else {
      throw Problem("host-busy", .conflict, "another host leads this game; listen with ?takeover to take it over")
    }
  }

  func command(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    let object = try call.object()
    guard let id = object["id"]?.string, (1...128).contains(id.utf8.count) else {
      throw .invalid("/id", "write a UUID of your own for this command")
    }
    let command = try Self.command(object)
    try await leads(call, runner)
    do throws(GameFailure) { try await runner.carryOut(.command(command, id: id)) } catch { throw Problem(error) }
    var answer = JSONObject()
    answer.append("id", id)
    answer.append("state", runner.look { game, now in game.phase(at: now).rawValue })
    return Answer(.ok, answer)
  }

  private static func command(_ object: JSONObject) throws(Problem) -> HostedGame.Command {
    switch object["command"]?.string {
    case "next": return .next
    case "close": return .close
    case "reveal": return .reveal
    case "void": return .void
    case "end": return .end
    case "extend":
      guard let number = object["seconds"]?.number, let time = MediaTime(decimalSeconds: number.text), time > .zero,
        time <= MediaTime(seconds: 600)
      else { throw .invalid("/seconds", "write a number above 0, at most 600") }
      return .extend(time)
    case "kick":
      guard let player = object["player"]?.int else { throw .invalid("/player", "write a player's number") }
      return .kick(player: player)
    default: throw .invalid("/command", "write next, close, reveal, void, extend, end or kick")
    }
  }

  /// How many players one answer lists.
  private static let mostListed = 10_000

  /// The players, for the host, from one of them on: with `next`, where there are more.
  func players(_ call: GameCall, _ runner: GameRunner) throws(Problem) -> Answer {
    var first = 0
    if let text = call.query["from"] {
      guard let number = Int(text), number >= 0 else { throw .invalid("", "?from is the number of a player") }
      first = number
    }
    let (list, next): ([(player: Int, nickname: String)], Int?) = runner.look { [first] game, _ in
      let nicknames = game.scored.roster.nicknames
      let places =
        min(first, nicknames.count)..<min(first, nicknames.count) + min(Self.mostListed, nicknames.count - min(first, nicknames.count))
      let list = places.filter { !game.isKicked($0) }.map { player in (player, nicknames[player].text) }
      return (list, places.upperBound < nicknames.count ? places.upperBound : nil)
    }
    var object = JSONObject()
    object.append(
      "players",
      list.map { player, nickname in
        var object = JSONObject()
        object.append("player", player)
        object.append("nickname", nickname)
        return object
      })
    if let next { object.append("next", next) }
    return Answer(.ok, "application/json", bytes(object), headers: [(.cacheControl, "no-store")])
  }

  // MARK: The host's access

  /// Ends all tokens of the game's host, and gives another one.
  func renewHost(_ runner: GameRunner) async throws(Problem) -> Answer {
    do throws(StoreError) { _ = try await runner.renewHost() } catch { throw Problem(error) }
    var answer = JSONObject()
    appendHostToken(of: runner, to: &answer)
    return Answer(.created, "application/json", bytes(answer), headers: [(.cacheControl, "no-store")])
  }

  func appendHostToken(of runner: GameRunner, to answer: inout JSONObject) {
    let token = Self.hostToken(of: runner)
    answer.append("token", tokens.text(token))
    answer.append("expires", orNull: Self.date(token.expires * 1_000))
  }

  /// A token for the host of a game.
  static func hostToken(of runner: GameRunner) -> AccessToken {
    AccessToken(
      role: .host, game: runner.stored.id, session: newSession(), generation: runner.hostGeneration, expires: now + tokenLife)
  }
}
