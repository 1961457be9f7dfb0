import NIOCore
import NIOHTTP1

/// Marks requests of HTTP/1.0 as what they are: those of a proxy. Clients have spoken HTTP/1.1 for decades, and nginx speaks 1.0 to its upstreams unless it is
/// told otherwise, without a word about the client (RFC 9110, 7.6.3, has the field that says so).
final class OldVersionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.version == .http1_0 else { return context.fireChannelRead(data) }
    head.headers.add(name: "Via", value: "1.0 unknown")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
