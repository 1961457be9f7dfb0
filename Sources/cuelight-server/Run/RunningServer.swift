import Basics
import CommandSupport
import GameServer
import HLSPlaylist
import LiveServer
import LiveSession
import PublisherServer
import ServerConfiguration
import Sheets
import StreamHosting
import Synchronization
import Webhooks
import WebSupport

/// The streams of a process that runs a configuration: begins them, and changes them as the file and callers want.
final class RunningServer: Sendable {
  struct State {
    /// The streams of the file as it was loaded last.
    var file: [ConfigurationEntry]
    var overrides = StreamOverrides()
    /// The streams as they are wanted: those of the file, with the changes over HTTP.
    var wanted: [ConfigurationEntry] = []
    /// The settings that each stream has. They are not the wanted ones if those cannot begin.
    var running: [String: ConfigurationEntry] = [:]

    /// What makes the streams be as another state wants them.
    func changes(to next: State) -> StreamChanges {
      StreamChanges(from: running.sorted { $0.key < $1.key }.map(\.value), to: next.wanted)
    }
  }

  let path: String
  let data: String?
  let state: Mutex<State>
  /// Changes of the streams are made one after the other.
  let turns = Turns()
  let host: StreamHost
  /// The streams that other programs carry.
  let foreign: ForeignStreams
  let tokens: CurrentTokens
  /// The settings of the process, which only a start changes.
  let process: ServerConfiguration
  private let site = Relay<SiteChange>()
  let say: @Sendable (String) -> Void
  /// Called with the games of a file that was loaded again.
  let newGames = Relay<[ConfigurationEntry]>()

  /// A change of what is served.
  enum SiteChange: Sendable {
    case put(LiveServer)
    case remove(String)
  }

  /// - Parameters:
  ///   - path: The configuration's path.
  ///   - games: The streams of games, which follow the streams of this process.
  ///   - webhooks: Is told what happens to the streams.
  ///   - say: Receives messages for the operator.
  init(
    _ loaded: LoadedConfiguration, path: String, tokens: CurrentTokens, games: GameStreams, webhooks: WebhookSender?,
    say: @escaping @Sendable (String) -> Void
  ) throws(CommandFailure) {
    (self.path, self.tokens, self.say) = (path, tokens, say)
    (data, process) = (loaded.process.host.data, loaded.configuration)
    foreign = ForeignStreams(games, say: say)
    let origins = loaded.process.cors
    var state = State(file: loaded.configuration.streams)
    let hint = "the changes of streams cannot be read; remove the file to go back to the configuration"
    if let kept = try Self.overridesFile(in: data)?.read(hint) { state.overrides = StreamOverrides(kept) }
    state.overrides.forget(changedIn: state.file)
    state.wanted = Self.wanted(state)
    self.state = Mutex(state)
    host = StreamHost(
      PublisherServer { tokens.now.mayPublish($0, isLocal: $1) },
      began: { [site] session in
        let name = session.settings.name
        webhooks?.follow(session, tellsGames: false)
        site.send(.put(LiveServer(session, tokens: tokens, origins: origins)))
        games.set(name, Injectors.local(session), address: Self.playlist(of: name))
      },
      paused: { games.set($0, nil, address: Self.playlist(of: $0)) },
      gone: { [site] name in
        site.send(.remove(name))
        games.remove(name)
      },
      describe: { failure in
        switch failure {
        case .session(let error): CommandFailure(error, cues: nil).message ?? ""
        case .publishers(let error): CommandFailure.cannotListen(on: error.address.text, error.reason).message ?? ""
        }
      }, say: { say("\($0): \($1)") })
  }

  /// Connects the streams with what serves them.
  func serve(by streams: LiveStreams) {
    site.reach { change in
      switch change {
      case .put(let server): streams.put(server)
      case .remove(let name): streams.remove(name)
      }
    }
  }

  /// The names of the streams that are wanted.
  var names: [String] { state.withLock { $0.wanted.map(\.name) } }

  /// The addresses where encoders publish.
  var publishing: [(stream: String, address: String)] {
    names.flatMap { name in host.session(name)?.inboxes.map { (name, $0.address.text) } ?? [] }
  }
}

extension RunningServer: StreamRun {
  /// All streams begin at once: one that cannot begin does not keep the others from it. A change may have begun some already.
  func begin() async {
    await turns.take {
      let state = state.withLock { $0 }
      var changes = state.changes(to: state)
      // Only a change of the file, or a call, ends a stream.
      changes.removed = []
      _ = await apply(changes, await settings(of: changes.added + changes.changed))
    }
  }

  /// A process goes on without its streams: they may come back.
  func haveFailed() async -> Bool {
    try? await Task.sleep(for: .seconds(100 * 366 * 86_400))
    return false
  }

  /// It does not wait for its turn: what begins a stream at the time notices that none is wanted any more.
  func stopWaiting() async {
    await host.close()
    await foreign.close()
  }
}
