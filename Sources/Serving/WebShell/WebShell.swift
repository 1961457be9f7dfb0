import Files
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
package import NIOCore
import NIOSSL
import WebSupport

/// A web server without its pages and calls: listens, guards connections, implements TLS and HTTP/2, logs, and ends gracefully. All servers of this
/// project are a ``WebSite`` in this shell.
package struct WebShell: Sendable {
  /// The address and the connection settings of a server.
  package struct Settings: Sendable {
    package var host: String
    package var port: Int
    /// The files of a certificate chain and its private key in PEM; `nil` for plain HTTP.
    package var certificate: (chain: String, key: String)?
    package var proxies = TrustedProxies([])
    package var log: RequestLog?

    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }
  }

  private let settings: Settings
  private let handlers: @Sendable () -> [any RemovableChannelHandler]
  private let gate: (@Sendable () -> any ChannelHandler)?

  /// A server that does not listen yet.
  ///
  /// - Parameters:
  ///   - gate: Makes a handler that inspects the first bytes of a connection, before TLS and the web server do.
  ///   - handlers: Makes handlers that see the requests of a connection before the site does.
  package init(
    _ settings: Settings, gate: (@Sendable () -> any ChannelHandler)? = nil,
    handlers: @escaping @Sendable () -> [any RemovableChannelHandler] = { [] }
  ) {
    (self.settings, self.gate, self.handlers) = (settings, gate, handlers)
  }

  /// The maximum number of connections that wait to be accepted: thousands of players may connect at once.
  private static let backlog = 4_096
  /// The maximum number of connections that are accepted in one turn of the event loop.
  private static let acceptedAtOnce: UInt = 64
  /// How long requests in progress may take after the server is told to end.
  private static let farewellTime = Duration.seconds(1)

  /// Serves until `end` returns. From then on nobody can connect, and requests in progress have a second to end.
  ///
  /// - Parameters:
  ///   - listening: Called with the port, once there is one.
  ///   - end: Returns when the server is to end. It has to end streams of messages, which have no end of their own.
  /// - Throws: The system's error if it cannot listen there, or if the certificate cannot be read.
  package func serve(
    _ site: some WebSite, listening: @escaping @Sendable (Int) async -> Void, until end: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (capacity, tasks) = (ConnectionCounts.Capacity(descriptors: DescriptorLimit.raise()), ConnectionTasks())
    let application = Application(
      responder: ShellResponder(site: site, proxies: settings.proxies, log: settings.log, isEncrypted: settings.certificate != nil),
      server: try builder(ConnectionCounts(capacity, settings.proxies), tasks),
      configuration: ApplicationConfiguration(
        address: .hostname(settings.host, port: settings.port), serverName: "Cuelight", backlog: Self.backlog,
        availableConnectionsDelegate: MaximumAvailableConnections(capacity.total)),
      onServerRunning: { channel in
        try? await channel.setOption(.maxMessagesPerRead, value: Self.acceptedAtOnce).get()
        await listening(channel.localAddress?.port ?? 0)
      }, logger: silentLogger())
    try await application.serve(until: end)
    await tasks.end(within: Self.farewellTime)
  }

  private func builder(_ connections: ConnectionCounts, _ tasks: ConnectionTasks) throws -> HTTPServerBuilder {
    let (gate, handlers) = (gate, handlers)
    let http1 = HTTP1Channel.Configuration(
      additionalChannelHandlers: [RequestGuard()] + handlers(),
      httpDecoderConfiguration: .init(maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 8 << 10, maxHeaderFieldCount: 64))
    guard let certificate = settings.certificate else {
      return HTTPServerBuilder { responder in
        GuardedChannel(
          base: HTTP1Channel(responder: responder, configuration: http1), connections: connections, tasks: tasks, isEncrypted: false,
          gate: gate)
      }
    }
    let chain = try NIOSSLCertificate.fromPEMFile(certificate.chain).map { NIOSSLCertificateSource.certificate($0) }
    let key = try NIOSSLPrivateKey(file: certificate.key, format: .pem)
    var tls = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    // RFC 8996 forbids older versions.
    tls.minimumTLSVersion = .tlsv12
    // NIO allows 100 concurrent streams in a connection, and closes one that resets 200 streams within half a minute.
    let http2 = HTTP2UpgradeChannel.Configuration(
      idleTimeout: .nanoseconds(ConnectionCounts.usualIdleTime.nanoseconds), streamConfiguration: http1)
    return HTTPServerBuilder { [tls] responder in
      GuardedChannel(
        base: try HTTP2UpgradeChannel(tlsConfiguration: tls, configuration: http2, responder: responder), connections: connections,
        tasks: tasks, isEncrypted: true, gate: gate)
    }
  }
}
