import NIOCore
import NIOTLS

/// Reports to the guard of a connection that its handshake is complete. It comes after TLS in the channel.
final class HandshakeHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let connection: ConnectionHandler

  init(_ connection: ConnectionHandler) { self.connection = connection }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent { connection.handshakeCompleted() }
    context.fireUserInboundEventTriggered(event)
  }
}
