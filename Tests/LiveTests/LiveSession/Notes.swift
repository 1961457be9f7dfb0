import LiveSession
import Synchronization

/// What was noted, in order.
final class Notes: Sendable {
  private let notes = Mutex<[String]>([])
  let changes = Changes()

  func add(_ note: String) {
    notes.withLock { if $0.last != note { $0.append(note) } }
    changes.tell()
  }

  var all: [String] { notes.withLock { $0 } }

  /// Waits for the last note.
  func wait(for note: String) async { await changes.wait(until: .now + .seconds(60)) { all.last == note } }
}
