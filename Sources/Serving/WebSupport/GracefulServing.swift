package import Hummingbird
package import Logging
import ServiceLifecycle

extension ApplicationProtocol {
  /// Serves until something has happened. From then on nobody can connect, and requests that are being worked on have a second to end.
  ///
  /// - Parameter end: Returns when nothing more is to be served. Messages that are sent without an end have to be ended by it.
  /// - Throws: what the system says if nobody can listen at the address.
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
      // Errors of connections that are cut after that second do not matter.
      while let result = await group.nextResult() { _ = result }
    }
  }
}

/// A logger for web servers, which say nothing: each request's own line is written elsewhere.
package func silentLogger() -> Logger {
  var logger = Logger(label: "cuelight")
  logger.logLevel = .critical
  return logger
}
