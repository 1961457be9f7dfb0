import LivePair
import LiveSession
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import LiveServer

/// What a connection begins with: a node of a pair, or a client of the web server.
@Suite struct PairGateTests {
  private final class Accepted: Sendable {
    private let links = Mutex<[PairLink]>([])

    func add(_ link: PairLink) { links.withLock { $0.append(link) } }
    var all: [PairLink] { links.withLock { $0 } }
  }

  private static func channel(_ accepted: Accepted) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(PairGate { accepted.add($0) })
    return channel
  }

  private static func push(_ bytes: [UInt8], in size: Int, to channel: EmbeddedChannel) throws {
    for start in stride(from: 0, to: bytes.count, by: size) {
      try channel.writeInbound(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
    }
  }

  private static func inbound(_ channel: EmbeddedChannel) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let buffer = try channel.readInbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
    return bytes
  }

  /// Requests go on as they come, also those that begin as a node does.
  @Test(arguments: [1, 3, 1_000], ["GET / HTTP/1.1\r\n\r\n", "CUELIGHT-PAIS", "CUELIGHT-PAIR/2\r\nabc"])
  func aClient(size: Int, text: String) throws {
    let accepted = Accepted()
    let channel = try Self.channel(accepted)
    try Self.push(Array(text.utf8), in: size, to: channel)
    #expect(try Self.inbound(channel) == Array(text.utf8) && accepted.all.isEmpty)
    _ = try channel.finish()
  }

  @Test(arguments: [1, 7, 1_000]) func aNode(size: Int) throws {
    let accepted = Accepted()
    let channel = try Self.channel(accepted)
    let hello = PairHello(stream: "live", game: "g", node: "b", phase: .undecided, term: 0, length: 0, digest: "")
    try Self.push(PairMessage.preface + PairMessage.hello(hello).encoded + PairMessage.beat(inputAge: 1).encoded, in: size, to: channel)
    let link = try #require(accepted.all.first)
    #expect(link.take(until: .now) == [.hello(hello), .beat(inputAge: 1)] && accepted.all.count == 1)
    #expect(try Self.inbound(channel) == [])
    link.send(.hello(hello))
    channel.embeddedEventLoop.run()
    let sent = try #require(try channel.readOutbound(as: ByteBuffer.self))
    #expect(Array(sent.readableBytesView) == PairMessage.hello(hello).encoded)
    link.close()
    channel.embeddedEventLoop.run()
    #expect(!channel.isActive && link.hasEnded && link.take(until: .now) == nil)
  }

  /// A stranger may not make this node keep much: only a greeting is read before somebody is known.
  @Test func tooMuch() throws {
    let accepted = Accepted()
    let channel = try Self.channel(accepted)
    let large = PairMessage.journal(offset: 0, bytes: [UInt8](repeating: 1, count: 1 << 20)).encoded
    _ = try? channel.writeInbound(ByteBuffer(bytes: PairMessage.preface + large))
    channel.embeddedEventLoop.run()
    #expect(!channel.isActive && accepted.all.first?.take(until: .now) == nil)
  }
}
