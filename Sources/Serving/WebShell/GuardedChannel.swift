import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// A connection as the web server sets it up, together with its guard, which works for every protocol, and before one is chosen.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
  typealias Value = Base.Value

  let base: Base
  let connections: ConnectionCounts
  let tasks: ConnectionTasks
  /// Whether the base puts TLS in front.
  let isEncrypted: Bool
  /// Makes a handler that inspects the first bytes of a connection, before TLS and the web server do.
  let gate: (@Sendable () -> any ChannelHandler)?

  /// The system's buffer for a client that sends faster than the server reads, in bytes.
  private static var receiveBuffer: ChannelOptions.Types.SocketOption.Value { 64 << 10 }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    typealias Position = ChannelPipeline.SynchronousOperations.Position
    let pipeline = channel.pipeline.syncOperations
    let connection = ConnectionHandler(connections, isEncrypted: isEncrypted)
    // A socket that is already closed refuses the option; the closing is noticed soon enough.
    try? channel.syncOptions?.setOption(ChannelOptions.socketOption(.so_rcvbuf), value: Self.receiveBuffer)
    try? channel.syncOptions?.setOption(ChannelOptions.maxMessagesPerRead, value: 1)
    do {
      try pipeline.addHandler(connection)
      if let gate { try pipeline.addHandler(gate()) }
      guard isEncrypted else {
        try pipeline.addHandler(TurnHandler())
        return base.setup(channel: channel, logger: logger)
      }
      let value = base.setup(channel: channel, logger: logger)
      let (tls, handshake) = (try pipeline.handler(type: NIOSSLServerHandler.self), HandshakeHandler(connection))
      try pipeline.addHandler(handshake, position: Position.after(tls))
      try pipeline.addHandler(TurnHandler(), position: Position.after(handshake))
      return value
    } catch {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(error)
    }
  }

  /// Starts serving the connection without waiting for its end: the server's own task group is not suited to thousands of connections.
  func handle(value: Value, logger: Logger) async { tasks.add { [base] in await base.handle(value: value, logger: logger) } }
}
