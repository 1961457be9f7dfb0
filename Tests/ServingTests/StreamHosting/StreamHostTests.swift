import LiveHLS
import LiveSession
import NIOCore
import NIOPosix
import PublisherServer
import StreamHosting
import Synchronization
import TestSupport
import Testing

/// Many streams in one process, each by itself.
@Suite struct StreamHostTests {
  /// A host, and what it has told.
  private final class Hosted: Sendable {
    let began = Mutex<[String]>([])
    let paused = Mutex<[String]>([])
    let gone = Mutex<[String]>([])
    let said = Mutex<[String]>([])

    func host() -> StreamHost {
      StreamHost(
        PublisherServer { _, _ in true }, pauses: (.milliseconds(20), .milliseconds(40)),
        began: { session in self.began.withLock { $0.append(session.settings.name) } },
        paused: { name in self.paused.withLock { $0.append(name) } },
        gone: { name in self.gone.withLock { $0.append(name) } }, describe: { "\($0)" },
        say: { stream, message in self.said.withLock { $0.append("\(stream): \(message)") } })
    }
  }

  private static func settings(_ name: String, _ input: String = "rtmp://127.0.0.1:0/live", journal: String? = nil) throws -> LiveSettings {
    var settings = LiveSettings(input: try #require(LiveInput(input)), outputs: [], game: "g", playlist: .event)
    (settings.name, settings.journal) = (name, journal)
    return settings
  }

  private static func wait(_ host: StreamHost, until condition: @escaping @Sendable () -> Bool) async {
    await host.changes.wait(until: .now + .seconds(300), for: condition)
    #expect(condition())
  }

  @Test func beginAndEnd() async throws {
    let (hosted, folder) = (Hosted(), try Workshop.newFolder())
    let host = hosted.host()
    for name in ["b", "a"] { #expect(await host.begin(try Self.settings(name, journal: "\(folder)/\(name)")) == nil) }
    #expect(host.states.map(\.name) == ["a", "b"] && host.states.allSatisfy { $0.state == .running })
    #expect(hosted.began.withLock { $0 } == ["b", "a"])
    let kept = try #require(host.session("a"))
    await host.end("b")
    #expect(host.states.map(\.name) == ["a"] && host.session("b") == nil && hosted.gone.withLock { $0 } == ["b"])
    // The other one is the same session still.
    #expect(host.session("a") === kept && !kept.situation.hasEnded)
    await host.close()
    #expect(kept.situation.hasEnded)
    #expect(await host.begin(try Self.settings("c")) == nil && host.session("c") == nil)
  }

  /// A stream that cannot begin is tried again until it can, and says once why.
  @Test func triedAgain() async throws {
    let (hosted, folder) = (Hosted(), try Workshop.newFolder())
    let host = hosted.host()
    let file = "\(folder)/show.ts"
    #expect(await host.begin(try Self.settings("a", file)) != nil)
    guard case .failed(let reason)? = host.states.first?.state else { return #expect(Bool(false), "it has not failed") }
    #expect(reason.contains("show.ts"))
    try Workshop.write([UInt8](repeating: 0x47, count: 188 * 10), to: file)
    await Self.wait(host) { hosted.began.withLock { $0.contains("a") } }
    #expect(hosted.said.withLock { $0.count { $0.contains("tried again") } } == 1)
    await host.close()
  }

  /// Other settings take the place of the old ones; if they cannot begin, the old ones go on with their journal.
  @Test func replaced() async throws {
    let (hosted, folder) = (Hosted(), try Workshop.newFolder())
    let host = hosted.host()
    await host.begin(try Self.settings("a", journal: "\(folder)/j"))
    let first = try #require(host.session("a"))
    var next = try Self.settings("a", journal: "\(folder)/j")
    next.title = "Two"
    #expect(await host.begin(next) == nil)
    #expect(host.session("a")?.settings.title == "Two" && !first.situation.hasEnded)
    #expect(host.session("a")?.store === first.store)
    #expect(await host.begin(try Self.settings("a", "\(folder)/missing.ts", journal: "\(folder)/j")) != nil)
    #expect(await host.begin(next) == nil)
    #expect(host.session("a")?.settings.title == "Two" && host.states.map(\.state) == [.running])
    #expect(host.session("a")?.store === first.store && !first.store.isClosed)
    #expect(hosted.gone.withLock { $0 }.isEmpty && hosted.paused.withLock { $0 } == ["a", "a"])
    await host.close()
    #expect(first.store.isClosed)
  }

  /// Clients of a stream that fails stay with it: it is away until it begins again, and over only when somebody ends it.
  @Test func failing() async throws {
    let (hosted, folder) = (Hosted(), try Workshop.newFolder())
    let host = hosted.host()
    try Workshop.write([UInt8](repeating: 0x21, count: 4_000), to: "\(folder)/noise.ts")
    await host.begin(try Self.settings("a", "\(folder)/noise.ts", journal: "\(folder)/j"))
    let store = try #require(host.session("a")).store
    await Self.wait(host) { hosted.began.withLock { $0.count } > 2 && host.session("a") != nil }
    #expect(host.session("a")?.store === store && !store.isClosed)
    #expect(hosted.gone.withLock { $0 }.isEmpty && hosted.paused.withLock { $0.first } == "a")
    await host.end("a")
    #expect(store.isClosed && hosted.gone.withLock { $0 } == ["a"])
    await host.close()
  }

  /// Streams whose places were given back can have each other's.
  @Test func swapped() async throws {
    let (hosted, folder) = (Hosted(), try Workshop.newFolder())
    let host = hosted.host()
    for name in ["a", "b"] { await host.begin(try Self.settings(name, journal: "\(folder)/\(name)")) }
    for name in ["a", "b"] { await host.pause(name) }
    #expect(host.session("a") == nil && host.session("b") == nil)
    for (name, other) in [("a", "b"), ("b", "a")] {
      #expect(await host.begin(try Self.settings(name, journal: "\(folder)/\(other)")) == nil)
    }
    await host.close()
  }

  /// A stream of the name of another one goes on from it: they have one journal.
  @Test func sameName() async throws {
    let (hosted, folder) = (Hosted(), try Workshop.newFolder())
    let host = hosted.host()
    #expect(await host.begin(try Self.settings("a", journal: "\(folder)/j")) == nil)
    var next = try Self.settings("a", journal: "\(folder)/j")
    next.title = "Two"
    #expect(await host.begin(next) == nil)
    #expect(host.session("a")?.settings.title == "Two" && host.states.map(\.state) == [.running])
    #expect(hosted.paused.withLock { $0 } == ["a"] && hosted.gone.withLock { $0 }.isEmpty && hosted.began.withLock { $0 } == ["a", "a"])
    await host.close()
  }

  /// A stream whose publishers find no listener gives its journal back.
  @Test func givenUp() async throws {
    let (hosted, folder) = (Hosted(), try Workshop.newFolder())
    let host = hosted.host()
    let taken = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup).bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(taken.localAddress?.port)
    let settings = try Self.settings("a", "rtmp://127.0.0.1:\(port)/a", journal: "\(folder)/j")
    guard case .publishers? = await host.begin(settings) else {
      Issue.record("two listen on one port")
      return
    }
    await host.end("a")
    let session = try LiveSession(settings) { _ in }
    session.abandon()
    try await taken.close()
    await host.close()
  }

  /// Two streams are published to one place by their applications, and a place without streams is closed.
  @Test func publishers() async throws {
    let hosted = Hosted()
    let host = hosted.host()
    let inbox = { (name: String) in host.session(name)?.inboxes.first }
    #expect(await host.begin(try Self.settings("a", "rtmp://127.0.0.1:0/a")) == nil)
    #expect(await host.begin(try Self.settings("b", "rtmp://127.0.0.1:0/b")) == nil)
    let first = try #require(inbox("a"))
    let number = try #require(first.begin())
    #expect(first.add([], of: number))
    await host.end("a")
    // A publisher of a stream that is gone is cut off.
    #expect(!first.add([], of: number) && inbox("b")?.begin() != nil)
    await host.close()
  }
}
