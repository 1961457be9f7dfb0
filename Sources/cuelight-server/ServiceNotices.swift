import Files
import Foundation
import Terminal

/// Tells the service manager how the server is. Without one it does nothing.
struct ServiceNotices: Sendable {
  private let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)

  /// Tells that the inputs and the web server listen, and from then on that the server works, as often as the manager wants to hear it. It tells the end
  /// once the user has asked for it.
  ///
  /// The signs of life come from the threads that answer requests: if those are stuck, the manager starts the server again.
  ///
  /// - Parameter status: What the server does, in a line.
  func ready(_ status: String) {
    guard let manager else { return }
    manager.tell(.ready, .status(status))
    if let interval = manager.watchdogInterval {
      Task {
        while !Task.isCancelled {
          manager.tell(.watchdog)
          try? await Task.sleep(for: interval)
        }
      }
    }
    Task {
      await Interruption.wait()
      manager.tell(.stopping)
    }
  }

  /// Tells that the configuration is being read again, until `reloadEnds`.
  func reloadBegins() { manager?.tell(.reloading) }

  /// Tells that the configuration was read again.
  func reloadEnds() { manager?.tell(.ready) }
}
