import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import GameServer

/// Who may keep a connection, and how what it has sent is handed on.
@Suite struct ConnectionTests {
  private let address: SocketAddress

  init() throws { address = try SocketAddress(ipAddress: "192.0.2.1", port: 1) }

  /// Does something with a connection from an address, from the time 0 on.
  private func connect<Value>(_ handlers: [any ChannelHandler], _ body: (EmbeddedChannel) throws -> Value) throws -> Value {
    let channel = EmbeddedChannel()
    defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
    channel.remoteAddress = address
    try channel.pipeline.syncOperations.addHandlers(handlers)
    try channel.connect(to: address).wait()
    return try body(channel)
  }

  /// How many seconds a connection is kept, at most so many.
  private func life(of channel: EmbeddedChannel, atMost seconds: Int, _ each: (Int) -> Void = { _ in }) -> Int {
    for second in 0..<seconds {
      guard channel.isActive else { return second }
      each(second)
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    }
    return channel.isActive ? seconds : seconds - 1
  }

  // MARK: Time

  /// Without its handshake a connection ends soon; with it, and without requests, later.
  @Test func handshakes() throws {
    try connect([ConnectionHandler(ConnectionCounts(), isEncrypted: true)]) { channel in #expect(life(of: channel, atMost: 60) == 10) }
    let connection = ConnectionHandler(ConnectionCounts(), isEncrypted: true)
    try connect([connection, HandshakeHandler(connection)]) { channel in
      channel.embeddedEventLoop.advanceTime(by: .seconds(5))
      channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: "h2"))
      #expect((35...38).contains(life(of: channel, atMost: 60)))
    }
  }

  /// As long as somebody speaks on it a connection is kept, and for a while behind that, unless nothing came of it.
  @Test func idleConnections() throws {
    for (wasIdle, rest) in [(false, 35...38), (true, 0...3)] {
      let connection = ConnectionHandler(ConnectionCounts(), isEncrypted: false)
      try connect([connection]) { channel in
        connection.begin()
        connection.begin()
        #expect(life(of: channel, atMost: 1_000) == 1_000)
        connection.end(wasIdle: true)
        #expect(life(of: channel, atMost: 1_000) == 1_000)
        connection.end(wasIdle: wasIdle)
        #expect(rest.contains(life(of: channel, atMost: 60)))
      }
    }
  }

  /// Who takes nothing of what is written is cut off; who takes a little now and then is not.
  @Test func readers() throws {
    let bytes = ByteBuffer(repeating: 0, count: 100)
    let connection = ConnectionHandler(ConnectionCounts(), isEncrypted: false)
    try connect([connection]) { channel in
      connection.begin()
      #expect(!connection.isWriting)
      let slow = life(of: channel, atMost: 300) { second in
        channel.write(bytes, promise: nil)
        guard second % 20 == 0 else { return }
        channel.flush()
        channel.write(bytes, promise: nil)
      }
      #expect(slow == 300 && connection.isWriting)
      #expect((10...33).contains(life(of: channel, atMost: 60) { _ in channel.write(bytes, promise: nil) }))
    }
  }

  @Test func progress() {
    func time(_ seconds: Int64) -> NIODeadline { NIODeadline.uptimeNanoseconds(0) + TimeAmount.seconds(seconds) }
    var progress = WriteProgress(since: time(0))
    #expect(progress.stalled(written: 0, waiting: 0, at: time(5)) == .zero)
    #expect(progress.stalled(written: 10, waiting: 10, at: time(7)) == .seconds(2))
    #expect(progress.stalled(written: 20, waiting: 20, at: time(9)) == .seconds(4))
    #expect(progress.stalled(written: 30, waiting: 29, at: time(10)) == .zero)
    #expect(progress.stalled(written: 31, waiting: 30, at: time(15)) == .seconds(5))
    #expect(progress.stalled(written: 31, waiting: 0, at: time(16)) == .zero)
  }

  /// A connection counts for its address until it ends.
  @Test func addresses() throws {
    let counts = ConnectionCounts()
    for _ in 1..<ConnectionCounts.most { _ = counts.open("192.0.2.1") }
    func isKept() throws -> Bool { try connect([ConnectionHandler(counts, isEncrypted: false)]) { $0.isActive } }
    try connect([ConnectionHandler(counts, isEncrypted: false)]) { channel in
      let isOtherKept = try isKept()
      #expect(channel.isActive && !isOtherKept)
    }
    #expect(try isKept())
  }

  // MARK: Turns

  /// What comes out behind, and whether more is asked for there.
  private final class Listener: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    var pieces: [Int] = []
    var text = ""
    var hasEnded = false
    var isOpen = true

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let piece = unwrapInboundIn(data)
      pieces.append(piece.readableBytes)
      text += String(buffer: piece)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if let event = event as? ChannelEvent, event == .inputClosed { hasEnded = true }
    }

    func read(context: ChannelHandlerContext) {
      if isOpen { context.read() }
    }
  }

  /// All that was sent comes in order and in small pieces, the first at once, and the end behind it.
  @Test func pieces() throws {
    let listener = Listener()
    let text = String((0..<10_000).map { Character("\($0 % 10)") })
    try connect([TurnHandler(), listener]) { channel in
      channel.read()
      try channel.writeInbound(ByteBuffer(string: String(text.prefix(6_000))))
      #expect(listener.pieces == [TurnHandler.largestPiece])
      // As NIO does where a client says that nothing more comes.
      try channel.writeInbound(ByteBuffer(string: String(text.dropFirst(6_000))))
      channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
      #expect(listener.pieces.count == 1 && !listener.hasEnded)
      channel.read()
      channel.embeddedEventLoop.run()
    }
    #expect(listener.text == text && listener.hasEnded)
    #expect(listener.pieces.allSatisfy { $0 <= TurnHandler.largestPiece })
  }

  /// Nothing is handed on that nobody has asked for.
  @Test func backPressure() throws {
    let listener = Listener()
    try connect([TurnHandler(), listener]) { channel in
      channel.read()
      listener.isOpen = false
      try channel.writeInbound(ByteBuffer(repeating: 1, count: 3 * TurnHandler.largestPiece))
      for _ in 0..<3 {
        channel.read()
        channel.embeddedEventLoop.run()
      }
      #expect(listener.pieces.count == 1)
      listener.isOpen = true
      channel.read()
      channel.embeddedEventLoop.run()
      #expect(listener.pieces.count == 3 && !listener.hasEnded)
      // What is small comes as it is.
      try channel.writeInbound(ByteBuffer(string: "abc"))
      channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
      #expect(listener.pieces.last == 3 && listener.hasEnded)
    }
  }

  /// With the connection goes what was not handed on.
  @Test func theEndOfAConnection() throws {
    let listener = Listener()
    try connect([TurnHandler(), listener]) { channel in
      channel.read()
      try channel.writeInbound(ByteBuffer(repeating: 1, count: 3 * TurnHandler.largestPiece))
      channel.read()
      channel.close(promise: nil)
      channel.embeddedEventLoop.run()
    }
    #expect(listener.pieces.count == 1)
  }
}
