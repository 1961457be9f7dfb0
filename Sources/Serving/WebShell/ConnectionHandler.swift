package import NIOCore

/// A protocol handler of a connection: one for HTTP/1.1, and one for each stream of HTTP/2.
protocol ConnectionSpeaker: AnyObject {
  /// Closes itself if it has been idle for a time.
  func closeIfIdle(for time: TimeAmount)
}

/// Guards a connection as a whole, independent of its protocol: counts it for its address, and closes it if its handshake takes too long, if its
/// client does not receive what is written, or if it is not used.
///
/// It is the first handler of the channel, in front of TLS.
package final class ConnectionHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = IOData
  package typealias OutboundOut = IOData

  /// The maximum duration of the handshake.
  static let handshakeTime = TimeAmount.seconds(10)
  /// How long a connection without requests may stay open after HTTP/2 has announced its end.
  static let farewellTime = TimeAmount.seconds(5)
  /// How often the connection is checked.
  private static let interval = TimeAmount.milliseconds(2_500)

  private let connections: ConnectionCounts
  private var context: ChannelHandlerContext?
  /// The address of the connection, as long as it is counted.
  private var address: String?
  private var isOneTooMany = false
  private var isReady: Bool
  /// The number of bytes that were written to the socket's queue.
  private var written = 0
  private var progress: WriteProgress
  /// The number of bytes that were last counted as waiting.
  private var countedWaiting = 0
  private var speakers: [ObjectIdentifier: any ConnectionSpeaker] = [:]
  private var lastUse: NIODeadline
  private var timer: Scheduled<Void>?

  /// - Parameter isEncrypted: Whether the connection begins with a handshake, whose end ``handshakeCompleted()`` reports.
  init(_ connections: ConnectionCounts, isEncrypted: Bool) {
    (self.connections, isReady) = (connections, !isEncrypted)
    (lastUse, progress) = (.now(), WriteProgress(since: .now()))
  }

  /// The handler of a connection, given its channel or that of one of its streams.
  package static func of(_ channel: any Channel) -> ConnectionHandler? {
    if let own = try? channel.pipeline.syncOperations.handler(type: ConnectionHandler.self) { return own }
    return try? channel.parent?.pipeline.syncOperations.handler(type: ConnectionHandler.self)
  }

  // MARK: Reports of other handlers

  /// Records that the handshake is complete.
  func handshakeCompleted() { (isReady, lastUse) = (true, now) }

  /// Adds a protocol handler of the connection.
  func begin(_ speaker: any ConnectionSpeaker) { speakers[ObjectIdentifier(speaker)] = speaker }

  /// Removes a protocol handler.
  ///
  /// - Parameter wasIdle: Whether it had no activity: then its end does not count as use of the connection.
  func end(_ speaker: any ConnectionSpeaker, wasIdle: Bool) {
    speakers[ObjectIdentifier(speaker)] = nil
    if !wasIdle { lastUse = now }
  }

  /// Stops guarding the connection, which is used for something other than the web server.
  package func leaveAlone() {
    timer?.cancel()
    timer = nil
  }

  /// Whether bytes wait that the client has not received yet.
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
    // If too many bytes wait for clients, a client may be without progress only for a short time.
    let patience = isTooMuch ? Self.interval : idleTime
    for speaker in Array(speakers.values) { speaker.closeIfIdle(for: idleTime) }
    let isUsed = !speakers.isEmpty || now - lastUse < idleTime + Self.farewellTime
    guard isReady, isUsed, stalled < patience else { return context.close(promise: nil) }
    watch(context, in: Self.interval)
  }
}

/// The progress of sending.
struct WriteProgress: Equatable, Sendable {
  private var taken = 0
  private var since: NIODeadline

  init(since: NIODeadline) { self.since = since }

  /// How long sending has made no progress although bytes wait.
  ///
  /// - Parameters:
  ///   - written: The number of bytes written since the beginning.
  ///   - waiting: The number of those that were not received yet.
  mutating func stalled(written: Int, waiting: Int, at now: NIODeadline) -> TimeAmount {
    if waiting == 0 || written - waiting != taken { (taken, since) = (written - waiting, now) }
    return now - since
  }
}
