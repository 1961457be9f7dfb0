import NIOCore

/// Passes on what a connection has sent in small pieces: one in each turn of the event loop, and only when more is asked for.
///
/// Thousands of requests that come at once would keep all other connections of the loop waiting, and would be in memory as requests before the first
/// one is answered. Where the client says that nothing more comes, NIO reads all that is there without being asked.
final class TurnHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// The most bytes of a piece. A usual request fits.
  static let largestPiece = 2 << 10

  private var held = ByteBuffer()
  /// Whether somebody behind wants more.
  private var isAsked = false
  private var isScheduled = false
  /// Whether the client has said that nothing follows what is held.
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
    // As the socket does after it was read: whoever wants no more keeps this back.
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
