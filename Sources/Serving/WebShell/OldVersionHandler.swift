import NIOCore
import NIOHTTP1

/// Marks requests of HTTP/1.0 as forwarded by a proxy. Clients have used HTTP/1.1 for decades, and nginx uses 1.0 towards its upstreams by default,
/// without naming the client (RFC 9110, 7.6.3, defines the field that names the proxy).
final class OldVersionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.version == .http1_0 else { return context.fireChannelRead(data) }
    head.headers.add(name: "Via", value: "1.0 unknown")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
