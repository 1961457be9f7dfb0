import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import WebShell

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

  /// Somebody who speaks on a connection, and for how long nothing may happen there.
  private final class Speaker: ConnectionSpeaker {
    var times: [TimeAmount] = []

    func closeIfIdle(for time: TimeAmount) { times.append(time) }
  }

  private func counts(total: Int = 10_000, perAddress: Int = 10_000) -> ConnectionCounts {
    ConnectionCounts(ConnectionCounts.Capacity(total: total, perAddress: perAddress))
  }

  // MARK: Time

  /// Without its handshake a connection ends soon; with it, and without requests, later.
  @Test func handshakes() throws {
    try connect([ConnectionHandler(counts(), isEncrypted: true)]) { channel in #expect(life(of: channel, atMost: 60) == 10) }
    let connection = ConnectionHandler(counts(), isEncrypted: true)
    try connect([connection, HandshakeHandler(connection)]) { channel in
      channel.embeddedEventLoop.advanceTime(by: .seconds(5))
      channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: "h2"))
      #expect((35...38).contains(life(of: channel, atMost: 60)))
    }
  }

  /// As long as somebody speaks on it a connection is kept, and for a while behind that, unless nothing came of it.
  @Test func idleConnections() throws {
    for (wasIdle, rest) in [(false, 35...38), (true, 0...3)] {
      let connection = ConnectionHandler(counts(), isEncrypted: false)
      try connect([connection]) { channel in
        let (first, second) = (Speaker(), Speaker())
        connection.begin(first)
        connection.begin(second)
        #expect(life(of: channel, atMost: 1_000) == 1_000)
        connection.end(first, wasIdle: true)
        #expect(life(of: channel, atMost: 1_000) == 1_000)
        connection.end(second, wasIdle: wasIdle)
        #expect(rest.contains(life(of: channel, atMost: 60)))
        #expect(first.times.count == 400 && first.times.allSatisfy { $0 == .seconds(30) })
      }
    }
  }

  /// Who takes nothing of what is written is cut off; who takes a little now and then is not.
  @Test func readers() throws {
    let bytes = ByteBuffer(repeating: 0, count: 100)
    let connection = ConnectionHandler(counts(), isEncrypted: false)
    try connect([connection]) { channel in
      connection.begin(Speaker())
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

  /// A connection that is used for something else is left alone, even if its handshake never comes.
  @Test func leftAlone() throws {
    let connection = ConnectionHandler(counts(), isEncrypted: true)
    try connect([connection]) { channel in
      connection.leaveAlone()
      #expect(life(of: channel, atMost: 1_000) == 1_000)
    }
  }

  // MARK: Numbers

  /// A connection counts for its address until it ends.
  @Test func addresses() throws {
    let counts = counts(perAddress: 3)
    for _ in 1..<3 { _ = counts.open("192.0.2.1") }
    func isKept() throws -> Bool { try connect([ConnectionHandler(counts, isEncrypted: false)]) { $0.isActive } }
    try connect([ConnectionHandler(counts, isEncrypted: false)]) { channel in
      let isOtherKept = try isKept()
      #expect(channel.isActive && !isOtherKept)
    }
    #expect(try isKept())
    #expect(counts.total == 2)
  }

  /// What may be opened is shared between connections and everything else, and no address gets all of it.
  @Test(arguments: [
    (1_024, 768, 384), (256, 192, 96), (64, 48, 24), (4, 3, 16), (0, 1, 16), (65_536, 65_280, 10_000), (1 << 20, (1 << 20) - 256, 10_000),
  ])
  func capacity(descriptors: Int, total: Int, perAddress: Int) {
    #expect(ConnectionCounts.Capacity(descriptors: descriptors) == ConnectionCounts.Capacity(total: total, perAddress: perAddress))
  }

  @Test func counting() {
    let counts = counts(perAddress: 5)
    for _ in 0..<5 { _ = counts.open("a") }
    #expect(!counts.open("a") && counts.open("b"))
    counts.close("a", waiting: 0)
    counts.close("a", waiting: 0)
    #expect(counts.open("a") && !counts.open("a"))
    // All addresses of one place count together.
    for number in 0..<5 { _ = counts.open("2001:db8::\(String(number, radix: 16))") }
    #expect(!counts.open("2001:db8::ffff:1") && counts.open("2001:db8:0:1::1"))
    // A proxy has the connections of many clients.
    let proxied = ConnectionCounts(ConnectionCounts.Capacity(total: 100, perAddress: 2), TrustedProxies(["10.0.0.0/8"]))
    for _ in 0..<10 { #expect(proxied.open("10.0.0.1")) }
    proxied.close("10.0.0.1", waiting: 0)
    #expect(proxied.total == 9)
  }

  /// If nearly all places are taken, a connection without a request goes soon.
  @Test func crowds() throws {
    let counts = counts(total: 8)
    for number in 0..<5 { _ = counts.open("198.51.100.\(number)") }
    func life() throws -> Int {
      let connection = ConnectionHandler(counts, isEncrypted: false)
      return try connect([connection]) { channel in self.life(of: channel, atMost: 60) }
    }
    #expect(try (35...38).contains(life()))
    _ = counts.open("198.51.100.9")
    #expect(try (10...13).contains(life()))
    // A handshake has to be quicker, too.
    #expect(try connect([ConnectionHandler(counts, isEncrypted: true)]) { self.life(of: $0, atMost: 60) } == 5)
  }

  /// If too much waits for the clients of an address, those are cut off soon who take nothing.
  @Test func bytesInFlight() throws {
    let (counts, most) = (counts(), ConnectionCounts.mostWaitingOfAddress)
    #expect(!counts.wait(most, of: "192.0.2.1"))
    _ = counts.open("192.0.2.1")
    #expect(!counts.wait(most, of: "192.0.2.1") && counts.wait(1, of: "192.0.2.1") && !counts.wait(0, of: "192.0.2.2"))
    let connection = ConnectionHandler(counts, isEncrypted: false)
    try connect([connection]) { channel in
      connection.begin(Speaker())
      channel.write(ByteBuffer(repeating: 0, count: 10), promise: nil)
      #expect((2...6).contains(life(of: channel, atMost: 60)))
    }
    counts.close("192.0.2.1", waiting: most + 1)
    #expect(!counts.wait(0, of: "192.0.2.1"))
    // All addresses together.
    let others = (1...5).map { "198.51.100.\($0)" }
    for address in others {
      _ = counts.open(address)
      _ = counts.wait(most, of: address)
    }
    #expect(counts.wait(0, of: "192.0.2.3"))
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
