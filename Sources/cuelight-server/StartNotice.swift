import Basics
import CommandSupport
import GameServer
import LiveSession
import LibQRCode
import OtherInjectors
import Questions
import Sheets
import Terminal

/// What a game server tells at its start: where it listens, where the players and the host go, and what of the options does not hold.
struct StartNotice {
  private let command: ServeCommand
  private let games: Games
  private let bank: QuestionBank?
  /// Where the web server listens.
  private let listening: String
  private let session: LiveSession?

  init(_ command: ServeCommand, _ games: Games, _ bank: QuestionBank?, listening: String, _ session: LiveSession?) {
    (self.command, self.games, self.bank, self.listening, self.session) = (command, games, bank, listening, session)
  }

  /// The address that players know.
  private var address: String { command.publicAddress ?? listening }

  /// Makes the game that the server is started with, and tells where it is.
  func tell(_ console: Console) async {
    let invitation = await invitation(console)
    for line in invitation?.leftOut.map({ Self.text($0) }) ?? [] where !command.json { console.report(line) }
    let operatorToken = games.operatorToken()
    if command.json {
      console.write(object(invitation, operatorToken))
    } else {
      for line in lines(invitation, operatorToken) { console.write(line) }
    }
    console.follow { [session] in session }
  }

  private func invitation(_ console: Console) async -> Games.Invitation? {
    guard let bank else { return nil }
    do throws(Games.StartProblem) {
      return try await games.start(
        bank, title: command.title ?? bank.title ?? "Quiz", rules: command.rules, startsIn: command.hosted ? nil : Int64(command.startIn))
    } catch {
      console.report("the game cannot begin: \(error)")
      return nil
    }
  }

  private func players(_ invitation: Games.Invitation) -> String { "\(address)/v1/games?code=\(invitation.code)" }

  private func host(_ invitation: Games.Invitation) -> String { "\(address)/v1/games/\(invitation.id)" }

  /// Where people play in a browser; `nil` where the pages have no reader.
  private func page(_ invitation: Games.Invitation) -> String? { command.pages.web.map { _ in "\(address)/play?code=\(invitation.code)" } }

  private func console(_ invitation: Games.Invitation) -> String { "\(address)/host?game=\(invitation.id)" }

  private func lines(_ invitation: Games.Invitation?, _ operatorToken: String) -> [String] {
    var lines: [String] = []
    if let invitation {
      if Terminal.isError { lines += QRCode(page(invitation) ?? players(invitation))?.lines ?? [] }
      if let page = page(invitation) { lines += ["Play:    \(page)", "Console: \(console(invitation))"] }
      lines += [
        "Players: \(players(invitation))", "Code:    \(invitation.code)", "Host:    \(host(invitation))",
        "Token:   \(invitation.token)",
      ]
    } else {
      lines.append("Games:   \(address)/v1/games?next")
    }
    if let session { lines.append("Watch:   \(address)/live/\(session.settings.name)/index.m3u8") }
    if let live = command.live { lines.append("Watch:   \(Serve.streamAddress(live))") }
    if let target = command.target { lines.append("Events:  to \(target.text)") }
    if let stream = command.stream { lines.append("Watch:   \(stream)") }
    if command.publicAddress != nil { lines.append("Listens: \(listening)") }
    lines.append("Operator's token, for all games: \(operatorToken)")
    return lines
  }

  private func object(_ invitation: Games.Invitation?, _ operatorToken: String) -> JSONObject {
    var object = JSONObject()
    object.append("listening", listening)
    object.append("address", address)
    if let invitation {
      object.append("players", players(invitation))
      object.append("page", orNull: page(invitation))
      object.append("console", console(invitation))
      object.append("code", invitation.code)
      object.append("game", invitation.id)
      object.append("host", host(invitation))
      object.append("token", invitation.token)
      if !invitation.leftOut.isEmpty { object.append("leftOut", invitation.leftOut.map { Self.object($0) }) }
    }
    object.append("operatorToken", operatorToken)
    return object
  }

  private static func text(_ leftOut: Games.LeftOut) -> String {
    switch leftOut.key {
    case "automatic":
      leftOut.kept == "true"
        ? "--hosted is left out: the game of an earlier start begins by itself; change that over HTTP"
        : "--start-in is left out: the game of an earlier start waits for its host; change that over HTTP"
    default:
      "\(ServeCommand.option(leftOut.key)) \(leftOut.wanted.visible(.text)) is left out: an earlier start has made the game with "
        + "\(leftOut.kept.visible(.text)); end it to have another one"
    }
  }

  private static func object(_ leftOut: Games.LeftOut) -> JSONObject {
    var object = JSONObject()
    object.append("option", ServeCommand.option(leftOut.key))
    object.append("wanted", leftOut.wanted)
    object.append("kept", leftOut.kept)
    return object
  }
}
