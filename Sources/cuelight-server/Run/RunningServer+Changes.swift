import Basics
import CommandSupport
import LiveServer
import LiveSession
import PublisherServer
import ServerConfiguration
import Sheets
import StreamHosting
import Synchronization
import WebSupport

// Changes of the streams. Each is made in its turn.
extension RunningServer {
  // MARK: What is wanted

  /// Remembers the changes over HTTP; `nil` if nothing is remembered.
  static func overridesFile(in data: String?) -> KeptObject? { data.map { KeptObject(path: "\($0)/streams.json") } }

  /// Writes the changes over HTTP: when this returns, they are on the disk.
  func keep(_ overrides: StreamOverrides) async throws(Problem) {
    guard let file = Self.overridesFile(in: data) else {
      throw .streamConflict("without \"data\" in the configuration nothing is kept over a restart; add data: FOLDER")
    }
    do throws(CommandFailure) {
      try await Worker.run { () throws(CommandFailure) in try file.write(overrides.object) }
    } catch {
      throw .overloaded(error.message ?? "the disk does not take the change")
    }
  }

  /// The streams of the file, with the changes over HTTP.
  static func wanted(_ state: State) -> [ConfigurationEntry] {
    state.overrides.applied(to: state.file) { name, settings in
      guard let entry = try? ServerConfiguration.stream(name, parsing: settings, LoadedConfiguration.keys) else { return nil }
      return LoadedConfiguration.mistakes(in: entry).isEmpty ? entry : nil
    }
  }

  /// The settings of streams by their names, or why they cannot be read. The files that they name are read once, since they may change.
  func settings(of entries: [ConfigurationEntry]) async -> [String: Result<StreamSettings, CommandFailure>] {
    await Worker.run { [data] in
      let pairs = entries.map { entry -> (String, Result<StreamSettings, CommandFailure>) in
        do throws(CommandFailure) { return (entry.name, .success(try LoadedConfiguration.settings(of: entry, data: data))) } catch {
          return (entry.name, .failure(error))
        }
      }
      return Dictionary(pairs) { $1 }
    }
  }

  // MARK: What runs

  /// What ran under a name before a change.
  private struct Previous {
    var session: LiveSettings?
    var foreign: ForeignStream?
  }

  /// Makes the streams be what is wanted, as far as their settings can be read and can begin. Streams that do not change are not touched.
  ///
  /// - Returns: The changed streams that go on as they were. A new stream that cannot begin is tried again.
  func apply(_ changes: StreamChanges, _ settings: [String: Result<StreamSettings, CommandFailure>]) async -> [StreamChanges.Failure] {
    // First the places of all are given back, since another stream may want one. All at once: some may take long to end.
    await withTaskGroup(of: Void.self) { group in
      for name in changes.removed { group.addTask { await self.end(name) } }
    }
    let previous = await withTaskGroup(of: (String, Previous).self) { group in
      for entry in changes.changed {
        guard case .success(let wanted)? = settings[entry.name] else { continue }
        group.addTask { (entry.name, await self.pause(entry.name, for: wanted)) }
      }
      return await group.reduce(into: [String: Previous]()) { $0[$1.0] = $1.1 }
    }
    return await withTaskGroup(of: StreamChanges.Failure?.self) { group in
      for entry in changes.added + changes.changed {
        guard let wanted = settings[entry.name] else { continue }
        group.addTask { await self.begin(entry, wanted, previous[entry.name]) }
      }
      return await group.reduce(into: []) { if let failure = $1 { $0.append(failure) } }
    }
  }

  /// Begins a stream with new settings; returns why it goes on as it was. A stream that did not run before is tried again.
  private func begin(
    _ entry: ConfigurationEntry, _ wanted: Result<StreamSettings, CommandFailure>, _ previous: Previous?
  ) async -> StreamChanges.Failure? {
    do throws(CommandFailure) {
      let settings = try wanted.get()
      if previous == nil { state.withLock { $0.running[entry.name] = entry } }
      try await begin(settings)
      state.withLock { $0.running[entry.name] = entry }
      return nil
    } catch {
      let reason = error.message ?? ""
      guard let previous else {
        say("\(entry.name): \(reason)")
        return nil
      }
      await goBack(entry.name, to: previous)
      say("\(entry.name): it goes on as it was: \(reason)")
      return StreamChanges.Failure(name: entry.name, reason: reason)
    }
  }

  private func begin(_ settings: StreamSettings) async throws(CommandFailure) {
    switch settings {
    case .session(let settings): if let failure = await host.begin(settings) { throw CommandFailure(invalid: host.describe(failure)) }
    case .foreign(let stream): try await foreign.begin(stream)
    }
  }

  /// Ends what runs under a name, and gives back its places. If the stream then goes on as one of this process, its playlists do, too.
  private func pause(_ name: String, for wanted: StreamSettings) async -> Previous {
    let previous = Previous(session: host.settings(of: name), foreign: foreign.stream(name))
    if case .session = wanted { await host.pause(name) } else if previous.session != nil { await host.end(name) }
    if previous.foreign != nil { await foreign.end(name) }
    return previous
  }

  private func goBack(_ name: String, to previous: Previous) async {
    if previous.session == nil, host.settings(of: name) != nil { await host.end(name) }
    if previous.foreign == nil { await foreign.end(name) }
    if let settings = previous.session { await host.begin(settings) }
    // It is tried again.
    if let stream = previous.foreign { try? await foreign.begin(stream) }
  }

  private func end(_ name: String) async {
    await host.end(name)
    await foreign.end(name)
    state.withLock { $0.running[name] = nil }
  }

  // MARK: The file

  /// Loads the file again.
  ///
  /// - Returns: What has changed.
  /// - Throws: `CommandFailure` with every mistake; then nothing has changed.
  private func load() async throws(CommandFailure) -> StreamChanges {
    try await turns.take { () async throws(CommandFailure) in
      let loaded = try await Worker.run { [path] () throws(CommandFailure) in try LoadedConfiguration(path: path) }
      let before = state.withLock { $0 }
      var next = before
      next.file = loaded.configuration.streams
      next.overrides.forget(changedIn: next.file)
      next.wanted = Self.wanted(next)
      let problems = StreamPlaces.problems(next.wanted, data: data)
      guard problems.isEmpty else { throw CommandFailure(problems, cues: path) }
      var changes = before.changes(to: next)
      // Everything is read before anything changes.
      let settings = await settings(of: changes.added + changes.changed)
      for setting in settings.sorted(by: { $0.key < $1.key }) { _ = try setting.value.get() }
      if let file = loaded.process.host.tokenFile {
        tokens.replace(by: try await Worker.run { () throws(CommandFailure) in try Main.tokens(file) })
      }
      if !loaded.configuration.hasSameProcess(as: process) {
        say("\(path): the settings of the process have changed; they hold from the next start on")
      }
      state.withLock { state in (state.file, state.overrides, state.wanted) = (next.file, next.overrides, next.wanted) }
      if data != nil, next.overrides != before.overrides {
        do throws(Problem) { try await keep(next.overrides) } catch { say(error.detail) }
      }
      for failure in await apply(changes, settings) { changes.fail(failure) }
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

  /// Loads the file again for a call.
  func reload() async throws(Problem) -> JSONObject {
    let changes: StreamChanges
    do throws(CommandFailure) { changes = try await load() } catch {
      let lines = error.message?.split(separator: "\n").map(String.init) ?? []
      throw .mistakes(lines)
    }
    return JSONObject(fields: [
      "added": changes.added.map(\.name), "changed": changes.changed.map(\.name), "ended": changes.removed, "unchanged": changes.unchanged,
      "failed": changes.failed.map { JSONObject(fields: ["name": $0.name, "reason": $0.reason]) },
    ])
  }

  // MARK: One stream

  /// Begins a stream, or goes on with it, as a call wants, and remembers that. If one of the two fails, nothing has changed.
  ///
  /// - Returns: Whether the stream is new.
  func put(_ name: String, _ settings: String) async throws(Problem) -> Bool {
    try await turns.take { () async throws(Problem) in
      let entry = try LoadedConfiguration.sent(name, settings)
      let before = state.withLock { $0 }
      var next = before
      next.overrides.set(name, settings, over: before.file.first { $0.name == name })
      next.wanted = Self.wanted(next)
      guard next.wanted.count <= ServerConfiguration.mostStreams else {
        throw .streamConflict("a server has \(ServerConfiguration.mostStreams) streams at most")
      }
      // A stream whose wanted settings could not begin has its places still.
      let others = before.running.filter { $0.key != name }.map(\.value)
      let problems = StreamPlaces.problems(others + next.wanted, data: data)
      guard problems.isEmpty else { throw .mistakes(problems.map(\.message)) }
      let wanted: StreamSettings
      do throws(CommandFailure) {
        wanted = try await Worker.run { [data] () throws(CommandFailure) in try LoadedConfiguration.settings(of: entry, data: data) }
      } catch {
        throw .invalid("", error.message ?? "")
      }
      let known = before.running[name]
      if let known, known.saysTheSame(as: entry) {
        try await keep(next.overrides)
      } else {
        let previous = await pause(name, for: wanted)
        do throws(CommandFailure) { try await begin(wanted) } catch {
          await undo(name, known, previous)
          throw .streamConflict("the stream cannot begin: \(error.message ?? "")")
        }
        do throws(Problem) { try await keep(next.overrides) } catch {
          await undo(name, known, previous)
          throw error
        }
      }
      state.withLock { state in
        (state.overrides, state.wanted) = (next.overrides, next.wanted)
        state.running[name] = entry
      }
      return known == nil
    }
  }

  private func undo(_ name: String, _ known: ConfigurationEntry?, _ previous: Previous) async {
    if known == nil { await end(name) } else { await goBack(name, to: previous) }
  }

  /// Ends a stream, and remembers that.
  func delete(_ name: String) async throws(Problem) {
    try await turns.take { () async throws(Problem) in
      let before = state.withLock { $0 }
      guard before.wanted.contains(where: { $0.name == name }) else { throw .unknownStream(name) }
      var next = before
      next.overrides.set(name, nil, over: before.file.first { $0.name == name })
      next.wanted = Self.wanted(next)
      try await keep(next.overrides)
      state.withLock { [next] state in (state.overrides, state.wanted) = (next.overrides, next.wanted) }
      await end(name)
    }
  }
}
