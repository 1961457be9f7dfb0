package import NIOCore

/// Somebody who speaks on a connection: one for HTTP/1.1, and one for each stream of HTTP/2.
protocol ConnectionSpeaker: AnyObject {
  /// Ends if nothing has happened for a time.
  func closeIfIdle(for time: TimeAmount)
}

/// Looks after a connection as a whole, whatever is spoken on it: counts it for its address, and closes it if it does not make its handshake in time, does
/// not take what is written to it, or is not used.
///
/// It is the first handler of the channel, in front of TLS.
package final class ConnectionHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = IOData
  package typealias OutboundOut = IOData

  /// How long a connection that still has to make its handshake may take for it.
  static let handshakeTime = TimeAmount.seconds(10)
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
  /// How many bytes were last counted as not taken.
  private var countedWaiting = 0
  private var speakers: [ObjectIdentifier: any ConnectionSpeaker] = [:]
  private var lastUse: NIODeadline
  private var timer: Scheduled<Void>?

  /// - Parameter isEncrypted: Whether there is a handshake first, whose end ``handshakeCompleted()`` tells.
  init(_ connections: ConnectionCounts, isEncrypted: Bool) {
    (self.connections, isReady) = (connections, !isEncrypted)
    (lastUse, progress) = (.now(), WriteProgress(since: .now()))
  }

  /// The one of the connection that a channel is, or whose stream it is.
  package static func of(_ channel: any Channel) -> ConnectionHandler? {
    if let own = try? channel.pipeline.syncOperations.handler(type: ConnectionHandler.self) { return own }
    return try? channel.parent?.pipeline.syncOperations.handler(type: ConnectionHandler.self)
  }

  // MARK: What others tell

  /// The handshake is made.
  func handshakeCompleted() { (isReady, lastUse) = (true, now) }

  /// Somebody speaks on the connection from now on.
  func begin(_ speaker: any ConnectionSpeaker) { speakers[ObjectIdentifier(speaker)] = speaker }

  /// Somebody no longer speaks.
  ///
  /// - Parameter wasIdle: Whether nothing came of it: that does not keep the connection open.
  func end(_ speaker: any ConnectionSpeaker, wasIdle: Bool) {
    speakers[ObjectIdentifier(speaker)] = nil
    if !wasIdle { lastUse = now }
  }

  /// The connection is used for something else than the web server, which looks after it itself.
  package func leaveAlone() {
    timer?.cancel()
    timer = nil
  }

  /// Whether something waits that the client has not taken yet.
  var isWriting: Bool { waiting > 0 }

  private var waiting: Int { (try? context?.channel.syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0 }

  private var now: NIODeadline { context?.eventLoop.now ?? .now() }

  // MARK: The connection

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    lastUse = context.eventLoop.now
    progress = WriteProgress(since: lastUse)
    if let address = context.channel.remoteAddress?.ipAddress {
      self.address = address
      isOneTooMany = !connections.open(address)
    }
    watch(context, in: isReady ? Self.interval : min(Self.handshakeTime, connections.idleTime))
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    if let address { connections.close(address, waiting: countedWaiting) }
    (address, countedWaiting) = (nil, 0)
    leaveAlone()
    self.context = nil
  }

  package func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    if isOneTooMany { context.close(promise: nil) }
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
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
    let (now, waiting, idleTime) = (context.eventLoop.now, waiting, connections.idleTime)
    let stalled = progress.stalled(written: written, waiting: waiting, at: now)
    let isTooMuch = address.map { connections.wait(waiting - countedWaiting, of: $0) } ?? false
    countedWaiting = waiting
    // If too much waits for clients, nobody may take nothing for long.
    let patience = isTooMuch ? Self.interval : idleTime
    for speaker in Array(speakers.values) { speaker.closeIfIdle(for: idleTime) }
    let isUsed = !speakers.isEmpty || now - lastUse < idleTime + Self.farewellTime
    guard isReady, isUsed, stalled < patience else { return context.close(promise: nil) }
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
