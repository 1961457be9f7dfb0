package import NIOCore
package import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Guards the requests of a connection, or of an HTTP/2 stream: each has to be complete in time, and no more is read while the client does not
/// receive its replies.
package final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler, ConnectionSpeaker {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  private var connection: ConnectionHandler?
  private var context: ChannelHandlerContext?
  /// The number of requests whose replies are not complete.
  private var openCount = 0
  /// Whether a request is being received.
  private var isReceiving = false
  /// Whether a read was requested while the client received no replies.
  private var isReadHeld = false
  private var lastActivity = NIODeadline.now()
  /// Whether the connection was closed because it was idle.
  private var wasIdle = false

  package init() {}

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    lastActivity = context.eventLoop.now
    connection = ConnectionHandler.of(context.channel)
    connection?.begin(self)
    let pipeline = context.pipeline.syncOperations
    if let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) {
      try? pipeline.addHandler(OldVersionHandler(), position: .before(codec))
    }
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    connection?.end(self, wasIdle: wasIdle)
    (connection, self.context) = (nil, nil)
  }

  /// Closes an idle connection. Clients that do not receive their replies are the business of ``ConnectionHandler``, except for an HTTP/2 stream
  /// whose client lets nothing be sent: that is closed here.
  func closeIfIdle(for time: TimeAmount) {
    guard let context else { return }
    let isAtWork = openCount > 0 && context.channel.isWritable || connection?.isWriting == true
    let now = context.eventLoop.now
    if isAtWork, !isReceiving { lastActivity = now }
    guard now - lastActivity >= time else { return }
    wasIdle = true
    context.close(promise: nil)
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    // The pieces of a slow client's request do not count as activity: a request has to be complete in time.
    case .head:
      (isReceiving, lastActivity) = (true, context.eventLoop.now)
      openCount += 1
    case .body: break
    case .end: (isReceiving, lastActivity) = (false, context.eventLoop.now)
    }
    context.fireChannelRead(data)
  }

  package func read(context: ChannelHandlerContext) {
    if context.channel.isWritable { context.read() } else { isReadHeld = true }
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      if !isReceiving { lastActivity = context.eventLoop.now }
      if isReadHeld {
        isReadHeld = false
        context.read()
      }
    }
    context.fireChannelWritabilityChanged()
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      openCount -= 1
      lastActivity = context.eventLoop.now
    }
    context.write(data, promise: promise)
  }
}
