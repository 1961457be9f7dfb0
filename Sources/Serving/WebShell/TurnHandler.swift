import NIOCore

/// Passes on the received bytes of a connection in small pieces: one in each turn of the event loop, and only when a read is requested.
///
/// Otherwise thousands of requests that arrive at once would block all other connections of the loop, and would be in memory as requests before the
/// first one is answered. When the client closes its side, NIO reads all remaining bytes without a request.
final class TurnHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// The maximum size of a piece in bytes. A usual request fits into it.
  static let largestPiece = 2 << 10

  private var held = ByteBuffer()
  /// Whether a later handler has requested a read.
  private var isAsked = false
  private var isScheduled = false
  /// Whether the client has closed its side after the held bytes.
  private var isEndHeld = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if held.readableBytes == 0 { held = bytes } else { held.writeBuffer(&bytes) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    guard held.readableBytes > 0 else { return context.fireChannelReadComplete() }
    if isAsked, !isScheduled { handOn(context) }
  }

  func read(context: ChannelHandlerContext) {
    isAsked = true
    guard held.readableBytes > 0 else { return context.read() }
    guard !isScheduled else { return }
    isScheduled = true
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.execute {
      let (handler, context) = bound.value
      handler.takeTurn(context)
    }
  }

  private func takeTurn(_ context: ChannelHandlerContext) {
    isScheduled = false
    guard held.readableBytes > 0 else { return }
    handOn(context)
    // Requests the next read, as the socket does after a read: a handler that wants no more holds this request back.
    context.channel.read()
  }

  private func handOn(_ context: ChannelHandlerContext) {
    guard let piece = held.readSlice(length: min(held.readableBytes, Self.largestPiece)) else { return }
    isAsked = false
    if held.readableBytes == 0 { held = ByteBuffer() }
    context.fireChannelRead(wrapInboundOut(piece))
    context.fireChannelReadComplete()
    if isEndHeld, held.readableBytes == 0 {
      isEndHeld = false
      context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if held.readableBytes > 0, let event = event as? ChannelEvent, event == .inputClosed {
      isEndHeld = true
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    (held, isEndHeld) = (ByteBuffer(), false)
    context.fireChannelInactive()
  }
}
