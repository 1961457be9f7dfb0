import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// A connection as the web server sets it up, with what looks after it: whatever it speaks, and before it speaks at all.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
  typealias Value = Base.Value

  let base: Base
  let connections: ConnectionCounts
  let tasks: ConnectionTasks
  /// Whether the base puts TLS in front.
  let isEncrypted: Bool
  /// What looks at the first bytes of a connection, before TLS and the web server do.
  let gate: (@Sendable () -> any ChannelHandler)?

  /// What the system keeps of a client that sends faster than it is read, in bytes.
  private static var receiveBuffer: ChannelOptions.Types.SocketOption.Value { 64 << 10 }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    typealias Position = ChannelPipeline.SynchronousOperations.Position
    let pipeline = channel.pipeline.syncOperations
    let connection = ConnectionHandler(connections, isEncrypted: isEncrypted)
    // A socket that is gone already refuses; that is noticed soon enough.
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

  /// Lets the connection be spoken on, and does not wait for it: the server's own task group is none for thousands of connections.
  func handle(value: Value, logger: Logger) async { tasks.add { [base] in await base.handle(value: value, logger: logger) } }
}
