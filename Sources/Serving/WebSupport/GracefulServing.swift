package import Hummingbird
package import Logging
import ServiceLifecycle

extension ApplicationProtocol {
  /// Serves until `end` returns. From then on nobody can connect, and requests in progress have a second to end.
  ///
  /// - Parameter end: Returns when the server is to end. It has to end streams of messages, which have no end of their own.
  /// - Throws: The system's error if the server cannot listen at the address.
  package func serve(until end: @escaping @Sendable () async throws -> Void) async throws {
    var configuration = ServiceGroupConfiguration(services: [.init(service: self)], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(1)
    let services = ServiceGroup(configuration: configuration)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await services.run()
        return true
      }
      group.addTask {
        try await end()
        await services.triggerGracefulShutdown()
        return false
      }
      guard try await group.next() == false else { return group.cancelAll() }
      // Errors of connections that are closed after that second do not matter.
      while let result = await group.nextResult() { _ = result }
    }
  }
}

/// A logger without output for web servers: the lines for requests are written elsewhere.
package func silentLogger() -> Logger {
  var logger = Logger(label: "cuelight")
  logger.logLevel = .critical
  return logger
}
