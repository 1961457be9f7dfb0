import Basics
import LiveServer
import LiveSession
import ServerConfiguration
import StreamHosting
import Synchronization

extension RunningServer: StreamManager {
  func reports() -> [JSONObject] {
    let states = Dictionary(uniqueKeysWithValues: host.states.map { ($0.name, $0.state) })
    return known.map { report($0, states[$0.name]) }
  }

  /// The streams that are wanted, each with the settings that it has.
  private var known: [ConfigurationEntry] { state.withLock { state in state.wanted.map { state.running[$0.name] ?? $0 } } }

  func report(of name: String) -> JSONObject? {
    guard let entry = known.first(where: { $0.name.hasSameBytes(as: name) }) else { return nil }
    let state = host.states.first { $0.name == entry.name }?.state
    let origin = self.state.withLock { $0.overrides.has(entry.name) } ? "call" : "file"
    return report(entry, state).with("settings", LoadedConfiguration.shown(entry).words).with("origin", origin)
  }

  private func report(_ entry: ConfigurationEntry, _ state: StreamHost.State?) -> JSONObject {
    let session = host.session(entry.name)
    let (word, reason): (String, String?) =
      switch state {
      case .running: ("running", nil)
      case .ended: ("ended", nil)
      case .failed(let reason): ("failed", reason)
      case nil where entry.isForeign: foreign.failure(of: entry.name).map { ("failed", $0) } ?? ("running", nil)
      case nil: ("failed", "it has not begun")
      }
    let isUp = session.map { $0.situation.isInputUp }
    var object = JSONObject(fields: ["name": entry.name, "state": word])
    if let input = entry.value(of: "input") { object.append("input", LoadedConfiguration.shownAddress(input)) }
    if let injector = entry.value(of: "live") ?? entry.value(of: "to") {
      object.append("injector", LoadedConfiguration.shownAddress(injector))
    }
    return object.with("inputState", word == "ended" ? "ended" : isUp.map { $0 ? "up" : "down" })
      .with("playlist", entry.isForeign ? foreign.address(of: entry.name) : Self.playlist(of: entry.name)).with("reason", reason)
  }

  static func playlist(of name: String) -> String { "/live/\(name.percentEncodedPart)/index.m3u8" }

  /// The streams that are wanted, and where players find them. An address without a server is one of this server.
  var playlists: [(stream: String, address: String)] {
    state.withLock { $0.wanted }.compactMap { entry in
      guard entry.isForeign else { return (entry.name, Self.playlist(of: entry.name)) }
      return foreign.address(of: entry.name).map { (entry.name, $0) }
    }
  }
}
