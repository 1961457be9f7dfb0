import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import TestSupport
import Testing

@testable import GameServer

/// What becomes of a connection with answers when the server ends.
@Suite struct AnswerHandlerTests {
  /// The status of a reply and its Connection field, and whether the connection is closed behind it.
  private struct Last: Equatable {
    var status: Int?
    var connection: String?
    var isClosed: Bool
    var isToldToEnd: Bool
  }

  /// Whether somebody behind was told that the server ends.
  private final class Listener: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart

    var isToldToEnd = false

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event is ChannelShouldQuiesceEvent { isToldToEnd = true }
    }
  }

  /// Sends an answer without a token, and lets the server end behind some of its parts.
  private func send(_ game: String, endingBehind count: Int, _ served: ServedGames) throws -> Last {
    let (channel, listener) = (EmbeddedChannel(), Listener())
    defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
    try channel.pipeline.syncOperations.addHandlers([AnswerHandler(served.api), listener])
    try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    let head = HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/v1/games/\(game)/answers")
    let parts: [HTTPRequestPart] = [.head(head), .body(ByteBuffer(string: "{}")), .end(nil)]
    for (index, part) in parts.enumerated() {
      if index == count { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
      try channel.writeInbound(part)
    }
    var last = Last(isClosed: !channel.isActive, isToldToEnd: listener.isToldToEnd)
    while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
      guard case .head(let response) = part else { continue }
      (last.status, last.connection) = (response.status.code, response.headerFields[.connection])
    }
    return last
  }

  /// Where an answer is coming in, its reply is the connection's last; otherwise the web server sees to it.
  @Test func theEnd() async throws {
    let served = try ServedGames(folder: try Workshop.newFolder())
    defer { served.end() }
    let (game, _) = await served.make()
    for count in [1, 2] {
      #expect(try send(game, endingBehind: count, served) == Last(status: 401, connection: "close", isClosed: true, isToldToEnd: false))
    }
    #expect(try send(game, endingBehind: 0, served) == Last(status: 401, connection: nil, isClosed: false, isToldToEnd: true))
    #expect(try send(game, endingBehind: 3, served) == Last(status: 401, connection: nil, isClosed: false, isToldToEnd: false))
  }
}
