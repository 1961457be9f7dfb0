import LiveHLS
import LiveSession
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
    let gone = Mutex<[String]>([])
    let said = Mutex<[String]>([])

    func host() -> StreamHost {
      StreamHost(
        PublisherServer { _, _ in true }, pauses: (.milliseconds(20), .milliseconds(40)),
        began: { session in self.began.withLock { $0.append(session.settings.name) } },
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
    await host.changes.wait(until: .now + .seconds(30), for: condition)
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
    var next = try Self.settings("a", journal: "\(folder)/j")
    next.title = "Two"
    try await host.replace(next)
    #expect(host.session("a")?.settings.title == "Two")
    await #expect(throws: StreamHost.Failure.self) {
      try await host.replace(try Self.settings("a", "\(folder)/missing.ts", journal: "\(folder)/j"))
    }
    #expect(host.session("a")?.settings.title == "Two" && host.states.map(\.state) == [.running])
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
