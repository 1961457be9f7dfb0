import ArgumentParser
import CommandSupport
import GameServer
import LiveInterface
import LiveSession
import ServerConfiguration
import Synchronization

/// The settings of a stream, read with all its files.
enum StreamSettings {
  /// A stream of this process.
  case session(LiveSettings)
  /// A stream that another program carries.
  case foreign(ForeignStream)
}

/// A stream that another program carries: who puts events into it, and where players find it.
struct ForeignStream: Sendable {
  enum Injection: Sendable {
    /// A `cuelight live` elsewhere, and the token for it.
    case live(StreamAddress, token: String?)
    /// An injector of another maker, which a session of this process sends events to.
    case outbound(OutboundSession.Settings)
  }

  var name: String
  /// Where players find it; `nil` if that is not known.
  var address: String?
  var injection: Injection

  /// Reads the files that an entry names.
  init(_ entry: ConfigurationEntry, data: String?) throws(CommandFailure) {
    let options: ForeignStreamOptions
    do { options = try ForeignStreamOptions.parse(entry.words) } catch {
      throw CommandFailure(invalid: "\(entry.name): \(ForeignStreamOptions.message(for: error))")
    }
    (name, address) = (entry.name, options.injection.address)
    let journal = options.journal ?? data.map { LoadedConfiguration.journal(of: entry.name, in: $0) }
    if let remote = try options.injection.remote() {
      injection = .live(remote.address, token: remote.token)
    } else if let settings = try options.injection.outbound(title: options.title, journal: journal) {
      injection = .outbound(settings)
    } else {
      throw CommandFailure(invalid: "\(entry.name): there is no injector")
    }
  }
}

/// The streams of a configuration that other programs carry. Games are played on them as on the streams of this process.
final class ForeignStreams: Sendable {
  private struct Running {
    var stream: ForeignStream
    /// Counts what has run, so that an attempt for an old stream does not touch a new one of the name.
    var number: Int
    /// The session that sends events to the injector; `nil` if another `cuelight live` does that.
    var session: OutboundSession?
    /// Why the stream cannot begin, and when it is tried again.
    var backOff = BackOff(.seconds(1), longest: .seconds(30))
  }

  private struct State {
    var streams: [String: Running] = [:]
    var count = 0
    var isClosed = false
  }

  private let state: Mutex<State> = Mutex(State())
  private let games: GameStreams
  private let say: @Sendable (String) -> Void

  /// - Parameters:
  ///   - games: The streams of games, which follow these.
  ///   - say: Receives messages for the operator.
  init(_ games: GameStreams, say: @escaping @Sendable (String) -> Void) { (self.games, self.say) = (games, say) }

  /// Begins to put events into a stream. If that fails, it is tried again until the stream is ended.
  ///
  /// - Throws: `CommandFailure` if the journal cannot be opened.
  func begin(_ stream: ForeignStream) async throws(CommandFailure) {
    games.set(stream.name, nil, address: stream.address)
    await state.withLock { $0.streams.removeValue(forKey: stream.name) }?.session?.stopWaiting()
    let number: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.count += 1
      state.streams[stream.name] = Running(stream: stream, number: state.count)
      return state.count
    }
    if let number { try await start(stream, number) }
  }

  private func start(_ stream: ForeignStream, _ number: Int) async throws(CommandFailure) {
    switch stream.injection {
    case .live(let address, let token):
      set(stream, number, nil, Injectors.remote(address, token: token))
    case .outbound(let settings):
      do throws(CommandFailure) {
        let session = try await session(settings, stream.name)
        if !set(stream, number, session, Injectors.outbound(session)) { await session.stopWaiting() }
      } catch {
        retry(stream, number, error.message ?? "it cannot begin")
        throw error
      }
    }
  }

  /// Uses an injector, unless the stream has ended meanwhile; returns whether it has not.
  @discardableResult
  private func set(_ stream: ForeignStream, _ number: Int, _ session: OutboundSession?, _ injector: any Injector) -> Bool {
    let isWanted = state.withLock { state in
      guard state.streams[stream.name]?.number == number, !state.isClosed else { return false }
      state.streams[stream.name]?.session = session
      _ = state.streams[stream.name]?.backOff.succeed()
      return true
    }
    if isWanted { games.set(stream.name, injector, address: stream.address) }
    return isWanted
  }

  /// Begins a stream again after a pause, which grows with each failure.
  private func retry(_ stream: ForeignStream, _ number: Int, _ reason: String) {
    let pause: (isNew: Bool, until: ContinuousClock.Instant)? = state.withLock { state in
      guard var backOff = state.streams[stream.name]?.backOff, state.streams[stream.name]?.number == number, !state.isClosed else {
        return nil
      }
      // The caller of ``begin(_:)`` reports the first failure.
      let isFirst = backOff.failures == 0
      let isOther = backOff.fail(reason, at: .now)
      state.streams[stream.name]?.backOff = backOff
      return backOff.nextTry.map { (isOther && !isFirst, $0) }
    }
    guard let pause else { return }
    if pause.isNew { say("\(stream.name): \(reason); it is tried again") }
    Task {
      try? await Task.sleep(until: pause.until, clock: .continuous)
      guard state.withLock({ $0.streams[stream.name]?.number == number && !$0.isClosed }) else { return }
      try? await start(stream, number)
    }
  }

  /// A session that sends events. Its journal may be long, and is read on a thread that may wait.
  private func session(_ settings: OutboundSession.Settings, _ name: String) async throws(CommandFailure) -> OutboundSession {
    do throws(LiveSessionError) {
      let session = try await Worker.run { [say] () throws(LiveSessionError) in try OutboundSession(settings) { say("\(name): \($0)") } }
      session.start()
      return session
    } catch {
      throw CommandFailure(error, cues: nil)
    }
  }

  /// Ends a stream, once what was accepted is sent or in the journal.
  func end(_ name: String) async {
    guard let running = state.withLock({ $0.streams.removeValue(forKey: name) }) else { return }
    games.remove(name)
    await running.session?.stopWaiting()
  }

  /// Ends all streams at once. None begins any more.
  func close() async {
    let all = state.withLock { state in
      state.isClosed = true
      return state.streams.values.compactMap(\.session)
    }
    await withTaskGroup(of: Void.self) { group in
      for session in all { group.addTask { await session.stopWaiting() } }
    }
  }

  /// Where players find a stream; `nil` if that is not known, or if this process carries the stream.
  func address(of name: String) -> String? { stream(name)?.address }

  /// A stream by its name.
  func stream(_ name: String) -> ForeignStream? { state.withLock { $0.streams[name]?.stream } }

  /// Why a stream has failed; `nil` if it runs.
  func failure(of name: String) -> String? { state.withLock { $0.streams[name]?.backOff.reason } }
}
