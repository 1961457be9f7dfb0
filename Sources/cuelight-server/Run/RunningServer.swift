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
  private struct State {
    /// The streams of the file as it was loaded last.
    var file: [ConfigurationEntry]
    var overrides = StreamOverrides()
    /// The streams as they are wanted: those of the file, with the changes over HTTP.
    var wanted: [ConfigurationEntry] = []
  }

  private let path: String
  private let data: String?
  private let state: Mutex<State>
  private let turns = Turns()
  private let host: StreamHost
  /// The streams that other programs carry.
  private let foreign: ForeignStreams
  private let tokens: CurrentTokens
  /// The settings of the process, which only a start changes.
  private let process: ServerConfiguration
  private let site = Relay<SiteChange>()
  private let games: GameStreams
  private let say: @Sendable (String) -> Void
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
    (self.path, self.tokens, self.games, self.say) = (path, tokens, games, say)
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
      began: { [site, games] session in
        let name = session.settings.name
        webhooks?.follow(session, tellsGames: false)
        site.send(.put(LiveServer(session, tokens: tokens, origins: origins)))
        games.set(name, Injectors.local(session), address: Self.playlist(of: name))
      },
      gone: { [site, games] name in
        site.send(.remove(name))
        games.set(name, nil, address: nil)
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

  // MARK: Changes over HTTP, kept over a restart

  /// Remembers the changes; `nil` if nothing is remembered.
  private static func overridesFile(in data: String?) -> KeptObject? { data.map { KeptObject(path: "\($0)/streams.json") } }

  private func keep(_ overrides: StreamOverrides) throws(Problem) {
    guard let file = Self.overridesFile(in: data) else {
      throw .streamConflict("without \"data\" in the configuration nothing is kept over a restart; add data: FOLDER")
    }
    do throws(CommandFailure) { try file.write(overrides.object) } catch {
      throw .overloaded(error.message ?? "the disk does not take the change")
    }
  }

  private static func wanted(_ state: State) -> [ConfigurationEntry] {
    state.overrides.applied(to: state.file) { name, settings in
      guard let entry = try? ServerConfiguration.stream(name, parsing: settings, LoadedConfiguration.keys) else { return nil }
      return LoadedConfiguration.mistakes(in: entry).isEmpty ? entry : nil
    }
  }

  // MARK: Applying

  /// Makes the streams be what is wanted. Streams that do not change are not touched.
  private func apply(_ changes: StreamChanges) async {
    for name in changes.removed { await end(name) }
    // All at once: one that takes long to end must not keep the others from their new settings.
    await withTaskGroup(of: Void.self) { group in
      for entry in changes.changed { group.addTask { await self.change(entry) } }
      for entry in changes.added { group.addTask { await self.begin(entry) } }
    }
  }

  private func begin(_ entry: ConfigurationEntry) async {
    do throws(CommandFailure) {
      switch try LoadedConfiguration.settings(of: entry, data: data) {
      case .session(let settings): await host.begin(settings)
      case .foreign(let stream): await begin(stream)
      }
    } catch {
      say("\(entry.name): \(error.message ?? "")")
    }
  }

  private func begin(_ stream: ForeignStream) async {
    do throws(CommandFailure) { try await foreign.begin(stream) } catch { say("\(stream.name): \(error.message ?? "")") }
  }

  private func change(_ entry: ConfigurationEntry) async {
    do throws(CommandFailure) { try await replace(try LoadedConfiguration.settings(of: entry, data: data)) } catch {
      say("\(entry.name): it goes on as it was: \(error.message ?? "")")
    }
  }

  /// Begins a stream, or goes on with it with other settings. If these cannot begin, the old ones go on.
  ///
  /// - Throws: `CommandFailure`: why the new settings cannot begin.
  private func replace(_ settings: StreamSettings) async throws(CommandFailure) {
    switch settings {
    case .session(let settings):
      let before = foreign.stream(settings.name)
      await foreign.end(settings.name)
      do throws(StreamHost.Failure) { try await host.replace(settings) } catch {
        if let before { await begin(before) }
        throw CommandFailure(invalid: host.describe(error))
      }
    case .foreign(let stream):
      let (before, session) = (foreign.stream(stream.name), host.settings(of: stream.name))
      await end(stream.name)
      do throws(CommandFailure) { try await foreign.begin(stream) } catch {
        await foreign.end(stream.name)
        if let session { await host.begin(session) }
        if let before { await begin(before) }
        throw error
      }
    }
  }

  private func end(_ name: String) async {
    await host.end(name)
    await foreign.end(name)
  }

  /// Loads the file again.
  ///
  /// - Returns: What has changed.
  /// - Throws: `CommandFailure` with every mistake; then nothing has changed.
  private func load() async throws(CommandFailure) -> StreamChanges {
    try await turns.take { () async throws(CommandFailure) in
      let loaded = try LoadedConfiguration(path: path)
      // Files with keys and cues are read before anything changes.
      for stream in loaded.configuration.streams { _ = try LoadedConfiguration.settings(of: stream, data: data) }
      if let file = loaded.process.host.tokenFile { tokens.replace(by: try Main.tokens(file)) }
      if !loaded.configuration.hasSameProcess(as: process) {
        say("\(path): the settings of the process have changed; they hold from the next start on")
      }
      let before = state.withLock { $0 }
      var next = before
      next.file = loaded.configuration.streams
      next.overrides.forget(changedIn: next.file)
      next.wanted = Self.wanted(next)
      let changes = StreamChanges(from: before.wanted, to: next.wanted)
      state.withLock { [next] in $0 = next }
      if data != nil { do throws(Problem) { try keep(next.overrides) } catch { say(error.detail) } }
      await apply(changes)
      newGames.send(loaded.configuration.games)
      return changes
    }
  }

  /// Loads the file again, and tells the operator what has changed.
  func loadAgain() async {
    do throws(CommandFailure) {
      say("\(path): \(try await load().text)")
    } catch {
      say("the configuration stays as it was:\n\(error.message ?? "")")
    }
  }
}

extension RunningServer: StreamRun {
  /// All streams begin at once: one that cannot begin does not keep the others from it. A change may have begun some already.
  func begin() async {
    await turns.take {
      let wanted = state.withLock { $0.wanted }.filter { host.settings(of: $0.name) == nil && foreign.stream($0.name) == nil }
      await withTaskGroup(of: Void.self) { group in
        for entry in wanted { group.addTask { await self.begin(entry) } }
      }
    }
  }

  /// A process goes on without its streams: they may come back.
  func haveFailed() async -> Bool {
    try? await Task.sleep(for: .seconds(100 * 366 * 86_400))
    return false
  }

  func stopWaiting() async {
    await turns.take {
      await host.close()
      await foreign.close()
    }
  }
}

extension RunningServer: StreamManager {
  func reports() -> [JSONObject] {
    let states = Dictionary(uniqueKeysWithValues: host.states.map { ($0.name, $0.state) })
    return state.withLock { $0.wanted }.map { report($0, states[$0.name]) }
  }

  func report(of name: String) -> JSONObject? {
    guard let entry = state.withLock({ $0.wanted.first { $0.name.hasSameBytes(as: name) } }) else { return nil }
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

  private static func playlist(of name: String) -> String { "/live/\(name.percentEncodedPart)/index.m3u8" }

  /// The streams that are wanted, and where players find them. An address without a server is one of this server.
  var playlists: [(stream: String, address: String)] {
    state.withLock { $0.wanted }.compactMap { entry in
      guard entry.isForeign else { return (entry.name, Self.playlist(of: entry.name)) }
      return foreign.address(of: entry.name).map { (entry.name, $0) }
    }
  }

  func put(_ name: String, _ settings: String) async throws(Problem) -> Bool {
    try await turns.take { () async throws(Problem) in
      let entry = try LoadedConfiguration.sent(name, settings)
      let wanted: StreamSettings
      do throws(CommandFailure) { wanted = try LoadedConfiguration.settings(of: entry, data: data) } catch {
        throw .invalid("", error.message ?? "")
      }
      let before = state.withLock { $0 }
      var next = before
      next.overrides.set(name, settings, over: before.file.first { $0.name == name })
      next.wanted = Self.wanted(next)
      let changes = StreamChanges(from: before.wanted, to: next.wanted)
      try keep(next.overrides)
      let isNew = changes.added.contains { $0.name == name }
      do throws(CommandFailure) {
        if isNew || !changes.changed.isEmpty { try await replace(wanted) }
      } catch {
        try? keep(before.overrides)
        throw .streamConflict("the stream cannot begin: \(error.message ?? "")")
      }
      state.withLock { $0 = next }
      return isNew
    }
  }

  func delete(_ name: String) async throws(Problem) {
    try await turns.take { () async throws(Problem) in
      let before = state.withLock { $0 }
      guard before.wanted.contains(where: { $0.name == name }) else {
        throw .unknownStream(name)
      }
      var next = before
      next.overrides.set(name, nil, over: before.file.first { $0.name == name })
      next.wanted = Self.wanted(next)
      try keep(next.overrides)
      state.withLock { [next] in $0 = next }
      await end(name)
    }
  }

  func reload() async throws(Problem) -> JSONObject {
    let changes: StreamChanges
    do throws(CommandFailure) { changes = try await load() } catch {
      var problem = Problem.invalid("", error.message?.split(separator: "\n").first.map(String.init) ?? "")
      let lines = error.message?.split(separator: "\n").map { JSONObject(fields: ["detail": String($0)]) } ?? []
      problem.members.append("errors", lines)
      throw problem
    }
    return JSONObject(fields: [
      "added": changes.added.map(\.name), "changed": changes.changed.map(\.name), "ended": changes.removed, "unchanged": changes.unchanged,
    ])
  }
}
