import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import WebShell

/// How long requests may take, and who speaks an old version.
@Suite struct RequestGuardTests {
  private let capacity = ConnectionCounts.Capacity(total: 100, perAddress: 100)

  /// Takes the parts of replies, as the codec between guard and connection does.
  private final class Codec: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) { promise?.succeed() }
  }

  /// Does something with a connection that begins at the time 0.
  private func connect(_ body: (EmbeddedChannel) throws -> Void) throws {
    let channel = EmbeddedChannel()
    defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
    let address = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
    channel.remoteAddress = address
    let connection = ConnectionHandler(ConnectionCounts(capacity), isEncrypted: false)
    try channel.pipeline.syncOperations.addHandlers([connection, Codec(), RequestGuard()])
    try channel.connect(to: address).wait()
    try body(channel)
  }

  private static let head = HTTPRequestPart.head(HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/"))

  /// How many seconds the connection is kept, at most so many.
  private func life(of channel: EmbeddedChannel, atMost seconds: Int, _ each: (Int) throws -> Void = { _ in }) throws -> Int {
    for second in 0..<seconds {
      guard channel.isActive else { return second }
      try each(second)
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    }
    return seconds
  }

  private let usual = 30...34

  @Test func nothing() throws {
    try connect { channel in
      let life = try life(of: channel, atMost: 100)
      #expect(usual.contains(life))
    }
  }

  /// A request has to be whole in time, however many pieces of it arrive.
  @Test func slowRequests() throws {
    try connect { channel in
      try channel.writeInbound(Self.head)
      let life = try life(of: channel, atMost: 100) { _ in try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x"))) }
      #expect(usual.contains(life))
    }
  }

  /// The server may take its time for a reply, such as a stream of messages; after it the connection is idle.
  @Test func longReplies() throws {
    try connect { channel in
      try channel.writeInbound(Self.head)
      try channel.writeInbound(HTTPRequestPart.end(nil))
      #expect(try life(of: channel, atMost: 500) == 500)
      // The guard sees replies before they are bytes.
      let context = try channel.pipeline.syncOperations.context(handlerType: RequestGuard.self)
      try #require(context.handler as? RequestGuard).write(context: context, data: NIOAny(HTTPResponsePart.end(nil)), promise: nil)
      #expect(try usual.contains(life(of: channel, atMost: 100)))
    }
  }

  /// HTTP/1.0 is what proxies speak.
  @Test func oldVersions() throws {
    for (version, isMarked) in [(HTTPVersion.http1_0, true), (.http1_1, false)] {
      let channel = EmbeddedChannel()
      try channel.pipeline.syncOperations.addHandlers([HTTP1ToHTTPServerCodec(secure: false), RequestGuard()])
      try channel.writeInbound(
        HTTPServerRequestPart.head(HTTPRequestHead(version: version, method: .GET, uri: "/", headers: ["Host": "x"])))
      guard case .head(let request)? = try channel.readInbound(as: HTTPRequestPart.self) else { throw CancellationError() }
      #expect((HTTPField.Name("Via").flatMap { request.headerFields[$0] } != nil) == isMarked, "\(version)")
      _ = try channel.finish(acceptAlreadyClosed: true)
    }
  }
}
