import Synchronization

/// Writes messages to a place that may block for ever, such as a pipe that nobody reads. The caller never waits: if too many messages wait, further ones
/// are dropped and counted.
package final class MessageWriter: Sendable {
  private let backlog = Backlog()
  private let worker: Worker

  /// The maximum number of waiting bytes: some thousands of lines.
  package static let mostWaiting = 1 << 20

  /// - Parameters:
  ///   - leftOut: Makes a message of the number of dropped ones. It follows the messages that were not dropped.
  ///   - write: Writes a message. It may block.
  package init(leftOut: @escaping @Sendable (Int) -> String, write: @escaping @Sendable (String) -> Void) {
    let backlog = backlog
    worker = Worker("messages") {
      while let texts = backlog.texts.take() {
        for text in texts {
          write(text)
          backlog.remove(text)
        }
        let count = backlog.takeLeftOut()
        if count > 0 { write(leftOut(count)) }
      }
    }
  }

  /// Queues a message; returns whether there was room.
  @discardableResult
  package func write(_ text: String) -> Bool { backlog.add(text) }

  /// Writes the waiting messages and ends; returns whether that was possible within a time.
  @discardableResult
  package func close(seconds: Double) -> Bool {
    backlog.texts.close()
    return worker.join(seconds: seconds)
  }
}

/// The waiting messages. Their thread outlives the writer if it is stuck.
private final class Backlog: Sendable {
  private struct State {
    /// The number of waiting bytes, with those that are being written.
    var waiting = 0
    var leftOut = 0
  }

  private let state = Mutex(State())
  let texts = JobQueue<String>()

  func add(_ text: String) -> Bool {
    let hasRoom = state.withLock { state in
      guard state.waiting + text.utf8.count <= MessageWriter.mostWaiting else {
        state.leftOut += 1
        return false
      }
      state.waiting += text.utf8.count
      return true
    }
    if hasRoom { texts.add(text) }
    return hasRoom
  }

  func remove(_ text: String) { state.withLock { $0.waiting -= text.utf8.count } }

  func takeLeftOut() -> Int {
    state.withLock { state in
      // The messages before come first.
      state.waiting == 0 ? exchange(&state.leftOut, with: 0) : 0
    }
  }
}
