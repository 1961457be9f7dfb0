package import LiveSession
import NIOCore
import NIOPosix
import Synchronization

/// Listens for RTMP publishers, such as encoders: each publishes the stream whose application it names.
package final class PublisherServer: Sendable {
  /// Why the server cannot listen at an address.
  package struct Failure: Error, Sendable, CustomStringConvertible {
    /// The address.
    package var address: PublishAddress
    /// The system's error.
    package var reason: any Error
    /// The reason in words.
    package var description: String { "cannot listen on \(address.text): \(reason)" }
  }

  private let listeners: [any Channel]
  private let connections: PublisherConnections

  private init(_ listeners: [any Channel], _ connections: PublisherConnections) {
    (self.listeners, self.connections) = (listeners, connections)
  }

  /// Listens at the addresses of inboxes; several may share a host and a port.
  ///
  /// - Parameter mayPublish: Whether a client with a stream key may publish, given whether it is on this machine.
  /// - Throws: ``Failure`` if the server cannot listen at one of them.
  package static func start(
    _ inboxes: [PublisherInbox], mayPublish: @escaping @Sendable (_ key: String, _ isLocal: Bool) -> Bool
  ) async throws(Failure) -> PublisherServer {
    let connections = PublisherConnections()
    var listeners: [any Channel] = []
    for place in Set(inboxes.map(\.address.place)) {
      let own = inboxes.filter { $0.address.place == place }
      let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .serverChannelOption(.backlog, value: 64)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        // The handler reads when there is room for more data.
        .childChannelOption(.autoRead, value: false)
        .childChannelOption(.maxMessagesPerRead, value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(PublisherHandler(own, connections, mayPublish: mayPublish))
          }
        }
      do {
        listeners.append(try await bootstrap.bind(host: place.host, port: place.port).get())
      } catch {
        for listener in listeners { listener.close(promise: nil) }
        throw Failure(address: own[0].address, reason: error)
      }
    }
    return PublisherServer(listeners, connections)
  }

  /// The ports that the server listens on.
  package var ports: [Int] { listeners.compactMap { $0.localAddress?.port } }

  /// Accepts no more connections, and closes the existing ones.
  package func stop() async {
    for listener in listeners { try? await listener.close() }
    for channel in connections.takeAll() { try? await channel.close() }
  }
}
