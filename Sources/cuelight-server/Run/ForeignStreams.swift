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
    /// The session that sends events to the injector; `nil` if another `cuelight live` does that.
    var session: OutboundSession?
    /// Why the stream cannot begin.
    var failure: String?
  }

  private let streams: Mutex<[String: Running]> = Mutex([:])
  private let games: GameStreams
  private let say: @Sendable (String) -> Void

  /// - Parameters:
  ///   - games: The streams of games, which follow these.
  ///   - say: Receives messages for the operator.
  init(_ games: GameStreams, say: @escaping @Sendable (String) -> Void) { (self.games, self.say) = (games, say) }

  /// Begins to put events into a stream.
  ///
  /// - Throws: `CommandFailure` if the journal cannot be opened. The stream is known as one that has failed then.
  func begin(_ stream: ForeignStream) async throws(CommandFailure) {
    var running = Running(stream: stream)
    let injector: any Injector
    switch stream.injection {
    case .live(let address, let token): injector = Injectors.remote(address, token: token)
    case .outbound(let settings):
      do throws(CommandFailure) {
        let session = try await session(settings, stream.name)
        (running.session, injector) = (session, Injectors.outbound(session))
      } catch {
        running.failure = error.message
        streams.withLock { $0[stream.name] = running }
        throw error
      }
    }
    streams.withLock { $0[stream.name] = running }
    games.set(stream.name, injector, address: stream.address)
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
    guard let running = streams.withLock({ $0.removeValue(forKey: name) }) else { return }
    games.set(name, nil, address: nil)
    await running.session?.stopWaiting()
  }

  /// Ends all streams.
  func close() async {
    let all = streams.withLock { streams in
      defer { streams = [:] }
      return streams.values.compactMap(\.session)
    }
    for session in all { await session.stopWaiting() }
  }

  /// Where players find a stream; `nil` if that is not known, or if this process carries the stream.
  func address(of name: String) -> String? { stream(name)?.address }

  /// A stream by its name.
  func stream(_ name: String) -> ForeignStream? { streams.withLock { $0[name]?.stream } }

  /// Why a stream has failed; `nil` if it runs.
  func failure(of name: String) -> String? { streams.withLock { $0[name]?.failure } }
}
