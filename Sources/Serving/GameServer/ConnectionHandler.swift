import NIOCore

/// Looks after a connection as a whole, whatever is spoken on it: it counts for its address, makes its handshake in time, takes what is written to it,
/// and has something going on. One that does not is cut off.
///
/// It is the first handler of the channel, in front of TLS.
final class ConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// How long a connection that still has to make its handshake may take for it.
  static let handshakeTime = TimeAmount.seconds(10)
  /// How long nothing may go on: no request, and nothing taken of what is written.
  static let idleTime = TimeAmount.seconds(30)
  /// How long a connection without requests may take to go when HTTP/2 has said goodbye.
  static let farewellTime = TimeAmount.seconds(5)
  /// How often it is looked at.
  private static let interval = TimeAmount.milliseconds(2_500)

  private let connections: ConnectionCounts
  private var context: ChannelHandlerContext?
  /// Where the connection comes from, as long as it is counted.
  private var address: String?
  private var isOneTooMany = false
  private var isReady: Bool
  /// How many bytes were written to the socket's queue.
  private var written = 0
  private var progress: WriteProgress
  /// Those who speak on it: one for HTTP/1.1, and one for each stream of HTTP/2.
  private var speakers = 0
  private var lastUse: NIODeadline
  private var timer: Scheduled<Void>?

  /// - Parameter isEncrypted: Whether there is a handshake first, whose end ``handshakeCompleted()`` tells.
  init(_ connections: ConnectionCounts, isEncrypted: Bool) {
    (self.connections, isReady) = (connections, !isEncrypted)
    (lastUse, progress) = (.now(), WriteProgress(since: .now()))
  }

  /// The one of the connection that a channel is, or whose stream it is.
  static func of(_ channel: any Channel) -> ConnectionHandler? {
    if let own = try? channel.pipeline.syncOperations.handler(type: ConnectionHandler.self) { return own }
    return try? channel.parent?.pipeline.syncOperations.handler(type: ConnectionHandler.self)
  }

  // MARK: What others tell

  /// The handshake is made.
  func handshakeCompleted() { (isReady, lastUse) = (true, now) }

  /// Somebody speaks on the connection from now on.
  func begin() { speakers += 1 }

  /// Somebody speaks no more.
  ///
  /// - Parameter wasIdle: Whether nothing came of it: that does not keep the connection open.
  func end(wasIdle: Bool) {
    speakers -= 1
    if !wasIdle { lastUse = now }
  }

  /// Whether something waits that the client has not taken yet.
  var isWriting: Bool { waiting > 0 }

  private var waiting: Int { (try? context?.channel.syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0 }

  private var now: NIODeadline { context?.eventLoop.now ?? .now() }

  // MARK: The connection

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    lastUse = context.eventLoop.now
    progress = WriteProgress(since: lastUse)
    if let address = context.channel.remoteAddress?.ipAddress {
      self.address = address
      isOneTooMany = !connections.open(address)
    }
    watch(context, in: isReady ? Self.interval : Self.handshakeTime)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    if let address { connections.close(address) }
    address = nil
    timer?.cancel()
    timer = nil
    self.context = nil
  }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    if isOneTooMany { context.close(promise: nil) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    written += unwrapOutboundIn(data).readableBytes
    context.write(data, promise: promise)
  }

  // MARK: Time

  private func watch(_ context: ChannelHandlerContext, in time: TimeAmount) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(in: time) {
      let (handler, context) = bound.value
      handler.check(context)
    }
  }

  private func check(_ context: ChannelHandlerContext) {
    let now = context.eventLoop.now
    let stalled = progress.stalled(written: written, waiting: waiting, at: now)
    let isUsed = speakers > 0 || now - lastUse < Self.idleTime + Self.farewellTime
    guard isReady, isUsed, stalled < Self.idleTime else { return context.close(promise: nil) }
    watch(context, in: Self.interval)
  }
}

/// Whether somebody takes what is written.
struct WriteProgress: Equatable, Sendable {
  private var taken = 0
  private var since: NIODeadline

  init(since: NIODeadline) { self.since = since }

  /// For how long nothing was taken, though something waits.
  ///
  /// - Parameters:
  ///   - written: How many bytes were written since the beginning.
  ///   - waiting: How many of them were not taken yet.
  mutating func stalled(written: Int, waiting: Int, at now: NIODeadline) -> TimeAmount {
    if waiting == 0 || written - waiting != taken { (taken, since) = (written - waiting, now) }
    return now - since
  }
}
