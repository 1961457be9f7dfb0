import Files
import Foundation
import Synchronization
import Terminal

/// Shows on a terminal how far the work has come, once it has taken more than a second.
final class ProgressBar: Sendable {
  // A class: the work's closure and its caller share one bar.
  private struct State {
    var start = ContinuousClock.now
    var lastShown: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  /// Looked up once: progress comes thousands of times.
  private let isShown = Terminal.isError
  private static let width = 30

  /// Shows that `count` bytes are done, of `total` where that is known.
  func show(_ count: Int, of total: Int?) {
    guard isShown else { return }
    state.withLock { state in
      let now = ContinuousClock.now
      guard now - state.start > .seconds(1), now - (state.lastShown ?? state.start) > .milliseconds(100) else { return }
      state.lastShown = now
      let megabytes = "\(count / 1_000_000) MB"
      guard let total, total > 0 else { return Self.write("\r\u{1B}[K\(megabytes)") }
      let filled = min(Self.width, count * Self.width / total)
      let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: Self.width - filled)
      Self.write("\r\u{1B}[K[\(bar)] \(count * 100 / total) %  \(megabytes)")
    }
  }

  /// Erases the bar.
  func clear() {
    state.withLock { state in
      if state.lastShown != nil { Self.write("\r\u{1B}[K") }
      state.lastShown = nil
    }
  }

  private static func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
