import Basics
import CommandSupport
import Files
import GameServer
import HLSPlaylist
import LiveServer
import ServerConfiguration

/// The messages at the start of a server with a configuration: where it listens, its streams and its games.
struct RunNotice: Sendable {
  private let options: HostOptions
  private let host: String
  private let server: RunningServer
  private let tokens: CurrentTokens
  private let isJSON: Bool

  init(_ loaded: LoadedConfiguration, _ server: RunningServer, _ tokens: CurrentTokens, isJSON: Bool) {
    (options, self.server, self.tokens, self.isJSON) = (loaded.process.host, server, tokens, isJSON)
    host = loaded.process.place?.host ?? ""
  }

  func tell(
    _ console: Console, _ port: Int, _ games: [(name: String, invitation: Games.Invitation)] = [], operatorToken: String? = nil
  ) {
    let reach = options.connection.reach(host, port)
    let address = options.publicAddress ?? reach.address(machine: NetworkAddresses.reachable)
    let streams = server.playlists.map { (name: $0.stream, playlist: $0.address.hasPrefix("/") ? address + $0.address : $0.address) }
    guard !isJSON else {
      let object = JSONObject(fields: [
        "listening": reach.listening, "address": address,
        "streams": streams.map { JSONObject(fields: ["name": $0.name, "playlist": $0.playlist]) },
        "publish": server.publishing.map { JSONObject(fields: ["stream": $0.stream, "address": $0.address]) },
        "games": games.map { game in
          JSONObject(fields: [
            "name": game.name, "game": game.invitation.id, "code": game.invitation.code, "token": game.invitation.token,
            "page": "\(address)/play?code=\(game.invitation.code)", "console": "\(address)/host?game=\(game.invitation.id)",
            "screen": "\(address)/screen?code=\(game.invitation.code)",
          ])
        },
      ])
      return console.write(object.with("token", tokens.now.madeToken).with("operatorToken", operatorToken))
    }
    console.write("Listens: \(reach.listening)")
    for stream in streams { console.write("Watch:   \(stream.playlist)") }
    for (stream, address) in server.publishing { console.write("Publish: \(address), for \(stream); stream key: a token that may publish") }
    for (name, game) in games {
      console.write("Game:    \(name): \(address)/play?code=\(game.code)")
      console.write("Host:    \(address)/host?game=\(game.id)#token=\(game.token)")
      console.write("Screen:  \(address)/screen?code=\(game.code) (in OBS: /overlay)")
    }
    if let token = tokens.now.madeToken { console.write("Token:   \(token) (programs on this machine need none)") }
    if let operatorToken { console.write("Operator's token, for all games: \(operatorToken)") }
  }
}
