import GameEvents
import LibC
package import Reach
import Synchronization

/// The reach of a session's events. Its clock is this machine's: pages tell how long ago they have shown something.
package final class ReachDesk: Sendable {
  private let book = Mutex(ReachBook(seed: .random(in: .min ... .max)))

  init() {}

  func accept(_ guid: GUID) { book.withLock { $0.accept(guid, at: WallClock.now) } }
  func place(_ guid: GUID) { book.withLock { $0.place(guid, at: WallClock.now) } }
  func publish(_ guids: [GUID]) {
    guard !guids.isEmpty else { return }
    book.withLock { book in for guid in guids { book.publish(guid, at: WallClock.now) } }
  }

  /// Takes the reports of a request.
  ///
  /// - Parameters:
  ///   - wrongLines: The number of lines that are none.
  ///   - place: Where they come from, as ``ReachBook`` counts it.
  /// - Returns: Whether the page should go on to report.
  package func take(_ reports: [ViewerReport], wrongLines: Int, from place: String) -> Bool {
    book.withLock { book in
      book.noteWrong(wrongLines)
      // One that is silenced does not keep the others from being counted.
      return reports.map { book.take($0, from: place, at: WallClock.now) }.allSatisfy { $0 == .taken }
    }
  }

  /// Reads the reach.
  package func read<Value: Sendable>(_ body: @Sendable (ReachBook) -> Value) -> Value { book.withLock { body($0) } }
}
