import NIOCore
import NIOPosix

/// Whoever sends requests on a connection and hears what comes back. All calls come on its event loop.
protocol ResponseReceiver: AnyObject {
  /// The connection is open: requests may be sent through the handler.
  func connectionOpened(_ handler: ResponseHandler)
  /// The connection could not be opened.
  func connectionFailed(_ reason: String)
  func received(_ piece: ResponseParser.Piece)
  /// The connection is closed, and not by the receiver itself.
  func connectionClosed(_ reason: String)
}

/// Writes requests to a connection, and turns what comes back into parts of responses.
final class ResponseHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Hears nothing any more once the connection is closed.
  private var receiver: (any ResponseReceiver)?
  private var context: ChannelHandlerContext?
  private var parser = ResponseParser()
  /// What has come of a head that is not whole yet.
  private var rest: ByteBuffer?
  private var reason = "the server has closed the connection"

  private init(_ receiver: any ResponseReceiver) { self.receiver = receiver }

  /// Opens a connection, and tells the receiver when it is open.
  ///
  /// - Parameter bufferSize: How many bytes are read at once.
  static func connect(_ receiver: any ResponseReceiver, to address: SocketAddress, on loop: any EventLoop, bufferSize: Int) {
    let bound = NIOLoopBound(receiver, eventLoop: loop)
    ClientBootstrap(group: loop)
      .connectTimeout(.seconds(10))
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: bufferSize))
      // A response fits in one piece, so each connection needs one buffer only.
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ResponseHandler(bound.value))
        }
      }
      .connect(to: address)
      .whenFailure { bound.value.connectionFailed("\($0)") }
  }

  func send(_ request: ByteBuffer) { context?.writeAndFlush(wrapOutboundOut(request), promise: nil) }

  /// Closes the connection; the receiver hears no more of it.
  func close() {
    receiver = nil
    context?.close(promise: nil)
  }

  // MARK: What comes

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) { receiver?.connectionOpened(self) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if var whole = rest {
      rest = nil
      whole.writeBuffer(&bytes)
      bytes = whole
    }
    do throws(ResponseMistake) {
      while let receiver, let piece = try parser.next(&bytes) { receiver.received(piece) }
    } catch {
      reason = error.description
      context.close(promise: nil)
      return
    }
    if bytes.readableBytes > 0 { rest = bytes }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    reason = "\(error)"
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    let receiver = receiver
    self.receiver = nil
    receiver?.connectionClosed(reason)
  }
}
