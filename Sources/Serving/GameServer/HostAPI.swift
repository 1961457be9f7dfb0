import AccessTokens
import Basics
import GameHosting
import GameStore
import HTTPTypes
import Scoring
import WebSupport

/// What hosts call.
extension GameAPI {
  /// Makes sure that the caller leads the game. A command line of the operator, which names no console, may do everything, whoever leads.
  ///
  /// - Throws: `Problem` where another console leads the game.
  func leads(_ call: GameCall, _ runner: GameRunner) async throws(Problem) {
    let console = try Self.console(call)
    guard console.client != nil || call.token?.isOperator != true else { return }
    guard await runner.lead(console, takesOver: call.query["takeover"] != nil) else { throw Self.hostBusy }
  }

  static let hostBusy = Problem("host-busy", .conflict, "another console leads this game; say ?takeover to take the lead from it")

  /// The console that a call comes from.
  static func console(_ call: GameCall) throws(Problem) -> HostLease.Console {
    let client = call.query["client"]
    guard client.map({ (1...128).contains($0.utf8.count) }) ?? true else {
      throw .invalid("", "?client is a name for the console, of 1 to 128 bytes")
    }
    return HostLease.Console(session: call.token?.session ?? "", client: client)
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
    case "start": return .start
    case "next":
      guard let force = object["force"] else { return .next }
      guard let isForced = force.bool else { throw .invalid("/force", "write true or false") }
      return isForced ? .nextUnseen : .next
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
    default: throw .invalid("/command", "write start, next, close, reveal, void, extend, end or kick")
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
