import Synchronization

/// Writes messages where that may block for ever, such as into a pipe that nobody reads. Whoever hands one over goes on at once: where too many wait, the
/// message is left out and counted.
package final class MessageWriter: Sendable {
  private let backlog = Backlog()
  private let worker: Worker

  /// The most bytes that wait: some thousands of lines.
  package static let mostWaiting = 1 << 20

  /// Begins.
  ///
  /// - Parameters:
  ///   - leftOut: Tells how many messages were left out, behind those that were not.
  ///   - write: Writes a message; it may take as long as it wants.
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

  /// Hands a message over; returns whether there was room.
  @discardableResult
  package func write(_ text: String) -> Bool { backlog.add(text) }

  /// Writes what waits, if that is possible within a time, and ends; returns whether it was.
  @discardableResult
  package func close(seconds: Double) -> Bool {
    backlog.texts.close()
    return worker.join(seconds: seconds)
  }
}

/// The messages that wait. The thread that writes them outlives the writer where it is stuck.
private final class Backlog: Sendable {
  private struct State {
    /// How many bytes wait, with those that are being written.
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
      // What waits was told before.
      guard state.waiting == 0 else { return 0 }
      defer { state.leftOut = 0 }
      return state.leftOut
    }
  }
}
