import LivePair
import LiveSession
import NIOCore
import Synchronization
import WebShell
import WebSupport

/// A connection between the nodes of a pair: its reader takes the messages from a queue, on a thread that may block.
final class PairLink: SessionMirror.Line {
  /// The connection, once it is set up: its handler writes in front of the web server's handlers, which do not know the pair's messages.
  private let connection: Mutex<Connection?> = Mutex(nil)
  private let messages = JobQueue<PairMessage>()
  /// Set once the other node is known, so that it may send more than a greeting.
  private let trusted = StopFlag()
  private let ended = StopFlag()

  private struct Connection: Sendable {
    var isLocal: Bool
    /// Sends bytes, and closes the connection after the last ones.
    var write: @Sendable (_ bytes: [UInt8], _ isLast: Bool) -> Void
  }

  /// - Parameter isTrusted: Whether this node has chosen the other one.
  init(isTrusted: Bool) {
    if isTrusted { trusted.set() }
  }

  /// Whether the other end is on this machine.
  var isLocal: Bool { connection.withLock { $0 }?.isLocal ?? true }

  var isTrusted: Bool { trusted.isSet }

  /// Whether no further message follows.
  var hasEnded: Bool { ended.isSet }

  /// Lets the other node send messages of any size.
  func trust() { trusted.set() }

  func send(_ message: PairMessage) { write(message.encoded) }

  /// Sends the preface, which precedes all messages.
  func sendPreface() { write(PairMessage.preface) }

  private func write(_ bytes: [UInt8], isLast: Bool = false) { connection.withLock { $0 }?.write(bytes, isLast) }

  /// Sends a last message.
  func end(with message: PairMessage) { write(message.encoded, isLast: true) }

  func close() { write([], isLast: true) }

  /// Returns the messages that have arrived, or none at the given instant; `nil` once the connection has ended.
  func take(until instant: ContinuousClock.Instant) -> [PairMessage]? { messages.take(until: instant) }

  /// Returns the first message that arrives within a time. Those after it are taken later.
  func first(within time: Duration) -> PairMessage? { messages.takeFirst(until: .now + time) }

  // MARK: The channel

  fileprivate func begin(isLocal: Bool, _ write: @escaping @Sendable (_ bytes: [UInt8], _ isLast: Bool) -> Void) {
    connection.withLock { $0 = Connection(isLocal: isLocal, write: write) }
  }

  fileprivate func receive(_ message: PairMessage) { messages.add(message) }

  fileprivate func finish() {
    ended.set()
    messages.close()
  }
}

/// Reads the messages of a connection.
final class PairHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let link: PairLink
  private var reader = PairMessageReader()

  init(_ link: PairLink) { self.link = link }

  func handlerAdded(context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    link.begin(isLocal: context.remoteAddress?.isLocal ?? true) { [loop = context.eventLoop] bytes, isLast in
      loop.execute {
        let (handler, context) = bound.value
        handler.write(bytes, isLast: isLast, context)
      }
    }
  }

  private func write(_ bytes: [UInt8], isLast: Bool, _ context: ChannelHandlerContext) {
    if !bytes.isEmpty {
      context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }
    if isLast { context.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if link.isTrusted { reader.limit = PairMessage.largest }
    do {
      for message in try reader.push(Array(unwrapInboundIn(data).readableBytesView).span) { link.receive(message) }
    } catch {
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    link.finish()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Inspects the first bytes of a connection: they come from the other node of a pair, or from a client of the web server, whose handlers come after
/// this one.
final class PairGate: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let accept: @Sendable (PairLink) -> Void
  private var beginning: [UInt8] = []

  /// - Parameter accept: Receives the connection of another node.
  init(_ accept: @escaping @Sendable (PairLink) -> Void) { self.accept = accept }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    beginning += unwrapInboundIn(data).readableBytesView
    let preface = PairMessage.preface
    guard beginning.starts(with: preface.prefix(beginning.count)) else { return pass(beginning, context) }
    guard beginning.count >= preface.count else { return }
    let link = PairLink(isTrusted: false)
    // A node sends beats often enough to show that it is alive.
    ConnectionHandler.of(context.channel)?.leaveAlone()
    do {
      try context.pipeline.syncOperations.addHandler(PairHandler(link), position: .after(self))
    } catch {
      return context.close(promise: nil)
    }
    accept(link)
    pass(Array(beginning.dropFirst(preface.count)), context)
  }

  private func pass(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    beginning = []
    if !bytes.isEmpty { context.fireChannelRead(wrapInboundOut(context.channel.allocator.buffer(bytes: bytes))) }
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }
}
