import Synchronization

/// Carries messages to a receiver that does not exist yet when the relay is made. Messages before that are dropped.
package final class Relay<Message: Sendable>: Sendable {
  /// A type of its own: a function that is kept in a generic place by itself is wrapped once more each time it is looked at.
  private struct Receiver {
    var receive: (@Sendable (Message) -> Void)?
  }

  private let receiver = Mutex(Receiver())

  /// A relay without a receiver.
  package init() {}

  /// From now on messages reach the receiver.
  package func reach(_ receive: @escaping @Sendable (Message) -> Void) { receiver.withLock { $0.receive = receive } }

  /// Passes a message on.
  package func send(_ message: Message) { receiver.withLock { $0.receive }?(message) }
}
