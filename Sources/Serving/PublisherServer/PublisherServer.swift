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

  private struct Listener {
    var channel: any Channel
    /// The streams that are published here.
    var inboxes: PublishedPlaces
  }

  private let listeners: Mutex<[PublishAddress.Place: Listener]> = Mutex([:])
  /// Listeners are opened and closed one after the other: what one call finds must not change while it waits for the system.
  private let turns = Turns()
  private let connections = PublisherConnections()
  private let mayPublish: @Sendable (_ key: String, _ isLocal: Bool) -> Bool

  /// A server that does not listen yet.
  ///
  /// - Parameter mayPublish: Whether a client with a stream key may publish, given whether it is on this machine.
  package init(mayPublish: @escaping @Sendable (_ key: String, _ isLocal: Bool) -> Bool) { self.mayPublish = mayPublish }

  /// A server that listens at the addresses of inboxes; several may share a host and a port.
  ///
  /// - Throws: ``Failure`` if it cannot listen at one of them.
  package static func start(
    _ inboxes: [PublisherInbox], mayPublish: @escaping @Sendable (_ key: String, _ isLocal: Bool) -> Bool
  ) async throws(Failure) -> PublisherServer {
    let server = PublisherServer(mayPublish: mayPublish)
    try await server.open(inboxes)
    return server
  }

  /// Listens for publishers of further inboxes. A place where the server listens already gets more applications.
  ///
  /// - Throws: ``Failure`` if the server cannot listen at one of the addresses; then it listens for none of these inboxes.
  package func open(_ inboxes: [PublisherInbox]) async throws(Failure) {
    try await turns.take { () async throws(Failure) in try await listen(for: inboxes) }
  }

  /// Does what ``open(_:)`` says, in its turn.
  private func listen(for inboxes: [PublisherInbox]) async throws(Failure) {
    for (number, inbox) in inboxes.enumerated() {
      let place = inbox.address.place
      if let known = listeners.withLock({ $0[place] }) {
        known.inboxes.add(inbox)
        continue
      }
      let places = PublishedPlaces(inbox)
      let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .serverChannelOption(.backlog, value: 64)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        // The handler reads when there is room for more data.
        .childChannelOption(.autoRead, value: false)
        .childChannelOption(.maxMessagesPerRead, value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { [connections, mayPublish] channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(PublisherHandler(places, connections, mayPublish: mayPublish))
          }
        }
      do {
        let channel = try await bootstrap.bind(host: place.host, port: place.port).get()
        listeners.withLock { $0[place] = Listener(channel: channel, inboxes: places) }
      } catch {
        await endListening(for: inboxes.prefix(number))
        throw Failure(address: inbox.address, reason: error)
      }
    }
  }

  /// Listens for publishers of these inboxes no longer. A place without inboxes is closed.
  package func close(_ inboxes: [PublisherInbox]) async {
    await turns.take { await endListening(for: inboxes[...]) }
  }

  /// Does what ``close(_:)`` says, in its turn.
  private func endListening(for inboxes: ArraySlice<PublisherInbox>) async {
    for inbox in inboxes {
      let place = inbox.address.place
      guard let listener = listeners.withLock({ $0[place] }), listener.inboxes.remove(inbox) else { continue }
      listeners.withLock { $0[place] = nil }
      try? await listener.channel.close()
    }
  }

  /// The ports that the server listens on.
  package var ports: [Int] { listeners.withLock { $0.values.compactMap { $0.channel.localAddress?.port } } }

  /// Accepts no more connections, and closes the existing ones.
  package func stop() async {
    await turns.take {
      for listener in listeners.withLock({ exchange(&$0, with: [:]) }).values { try? await listener.channel.close() }
      for channel in connections.takeAll() { try? await channel.close() }
    }
  }
}

/// The streams that are published at one place, which may change while the server listens there.
final class PublishedPlaces: Sendable {
  private let inboxes: Mutex<[PublisherInbox]>

  init(_ inbox: PublisherInbox) { inboxes = Mutex([inbox]) }

  var now: [PublisherInbox] { inboxes.withLock { $0 } }

  func add(_ inbox: PublisherInbox) { inboxes.withLock { $0.append(inbox) } }

  /// Removes an inbox; returns whether none is left.
  func remove(_ inbox: PublisherInbox) -> Bool {
    inboxes.withLock { inboxes in
      inboxes.removeAll { $0 === inbox }
      return inboxes.isEmpty
    }
  }
}
