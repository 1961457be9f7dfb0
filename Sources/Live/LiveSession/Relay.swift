import Synchronization

/// Sends messages to a receiver that does not exist yet when the relay is made. Earlier messages are dropped.
package final class Relay<Message: Sendable>: Sendable {
  /// A type of its own, since each access to a function in a generic property wraps it once more.
  private struct Receiver {
    var receive: (@Sendable (Message) -> Void)?
  }

  private let receiver = Mutex(Receiver())

  /// A relay without a receiver.
  package init() {}

  /// Sets the receiver of further messages.
  package func reach(_ receive: @escaping @Sendable (Message) -> Void) { receiver.withLock { $0.receive = receive } }

  /// Sends a message.
  package func send(_ message: Message) { receiver.withLock { $0.receive }?(message) }
}
