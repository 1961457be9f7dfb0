import Basics
import Files
import GameServer
import LibC
import LibQRCode
import LiveSession
import OtherInjectors
import Questions
import Terminal

/// The messages of a game server at its start: where it listens, the addresses for players and the host, and which options have no effect.
struct StartNotice {
  private let command: ServeCommand
  private let games: Games
  private let bank: QuestionBank?
  /// Where the web server listens.
  private let reach: ListenAddress.Reach
  private let session: LiveSession?
  /// Whether there is a file of tokens, from which publishers need one.
  private let hasKeys: Bool
  /// The stream key that was made for the operator; `nil` if the operator has made keys.
  private let madeKey: String?
  /// The address of this machine in its network.
  private let machine = NetworkAddresses.reachable

  init(
    _ command: ServeCommand, _ games: Games, _ bank: QuestionBank?, _ reach: ListenAddress.Reach, _ session: LiveSession?, hasKeys: Bool,
    madeKey: String? = nil
  ) {
    (self.command, self.games, self.bank, self.reach, self.session) = (command, games, bank, reach, session)
    (self.hasKeys, self.madeKey) = (hasKeys, madeKey)
  }

  /// The address that players know.
  private var address: String { command.host.publicAddress ?? reach.address(machine: machine) }

  /// The addresses to which encoders publish, and the key for each.
  private var publish: [(address: String, key: String)] {
    (session?.inboxes ?? []).map { inbox in
      var address = inbox.address
      let isEverywhere = ListenAddress.isEverywhere(address.place.host)
      if isEverywhere { address.place.host = machine ?? "localhost" }
      let key =
        madeKey != nil
        ? madeKey ?? ""
        : hasKeys
          ? "a token of --token-file that may publish"
          : isEverywhere ? "any, from this machine alone; --token-file has keys for others" : "any, from this machine alone"
      return (address.text, key)
    }
  }

  /// Makes the game that the server is started with, and prints its addresses; returns the game's identifier.
  @discardableResult
  func tell(_ console: Console) async -> String? {
    let invitation = await invitation(console)
    for line in invitation?.leftOut.map({ Self.text($0) }) ?? [] where !command.json { console.report(line) }
    let operatorToken = games.operatorToken()
    if command.json {
      console.write(object(invitation, operatorToken))
    } else {
      for line in lines(invitation, operatorToken) { console.write(line) }
    }
    if command.host.publicAddress == nil, let hint = reach.hint(machine: machine) { console.report(hint) }
    console.follow { [session] in session }
    return invitation?.id
  }

  private func invitation(_ console: Console) async -> Games.Invitation? {
    guard let bank else { return nil }
    do throws(Games.StartProblem) {
      return try await games.start(
        bank, title: command.game.title ?? bank.title ?? "Quiz", rules: command.game.rules,
        startsAt: command.game.startsAt(at: WallClock.now))
    } catch {
      console.report("the game cannot begin: \(error)")
      return nil
    }
  }

  /// The address of the page for players.
  private func page(_ invitation: Games.Invitation) -> String { "\(address)/play?code=\(invitation.code)" }

  /// The address of the page for a projector.
  private func screen(_ invitation: Games.Invitation) -> String { "\(address)/screen?code=\(invitation.code)" }

  private func console(_ invitation: Games.Invitation) -> String { "\(address)/host?game=\(invitation.id)" }

  /// The address of the console, with the host's token: browsers do not send the part after the hash, so that no log contains it.
  private func hostLink(_ invitation: Games.Invitation) -> String { "\(console(invitation))#token=\(invitation.token)" }

  private func lines(_ invitation: Games.Invitation?, _ operatorToken: String) -> [String] {
    var lines: [String] = []
    if let invitation {
      if Terminal.isError { lines += QRCode(page(invitation))?.lines ?? [] }
      lines += [
        "Play:    \(page(invitation))", "Code:    \(invitation.code)", "Host:    \(hostLink(invitation))",
        "Screen:  \(screen(invitation)) (in OBS: /overlay)",
      ]
    } else {
      lines += ["Play:    \(address)/play", "Host:    \(address)/host#token=\(operatorToken)"]
    }
    if let session { lines.append("Watch:   \(address)/live/\(session.settings.name)/index.m3u8") }
    if let target = command.injection.target { lines.append("Events:  to \(target.text)") }
    if let stream = command.injection.address { lines.append("Watch:   \(stream)") }
    for (address, key) in publish { lines.append("Publish: \(address), stream key: \(key)") }
    if !reach.listening.hasSameBytes(as: address) { lines.append("Listens: \(reach.listening)") }
    lines.append("Operator's token, for all games: \(operatorToken)")
    return lines
  }

  private func object(_ invitation: Games.Invitation?, _ operatorToken: String) -> JSONObject {
    var object = JSONObject(fields: ["listening": reach.listening, "address": address])
    if let invitation {
      let game = JSONObject(fields: [
        "players": "\(address)/v1/games?code=\(invitation.code)", "page": page(invitation), "console": console(invitation),
        "hostLink": hostLink(invitation), "screen": screen(invitation),
        "code": invitation.code, "game": invitation.id, "host": "\(address)/v1/games/\(invitation.id)", "token": invitation.token,
      ])
      object.appendAbsent(game.with("leftOut", invitation.leftOut.isEmpty ? nil : invitation.leftOut.map { Self.object($0) }))
    }
    let places = publish.map { address, key in JSONObject(fields: ["address": address, "key": key]) }
    return object.with("publish", places.isEmpty ? nil : places).with("operatorToken", operatorToken)
  }

  private static func text(_ leftOut: Games.LeftOut) -> String {
    switch leftOut.key {
    case "automatic":
      leftOut.kept == "true"
        ? "--hosted is left out: the game of an earlier start begins by itself; change that over HTTP"
        : "--start-in is left out: the game of an earlier start waits for its host; change that over HTTP"
    default:
      "\(GameOptions.option(leftOut.key)) \(leftOut.wanted.visible(.text)) is left out: an earlier start has made the game with "
        + "\(leftOut.kept.visible(.text)); end it to have another one"
    }
  }

  private static func object(_ leftOut: Games.LeftOut) -> JSONObject {
    JSONObject(fields: ["option": GameOptions.option(leftOut.key), "wanted": leftOut.wanted, "kept": leftOut.kept])
  }
}
