import CommandSupport
import Files
import Stamping
import Synchronization
import Terminal

/// Shows on a terminal how far the work has come, once it has taken more than a second.
final class ProgressBar: Sendable {
  // A class, because the work's closure and its caller share one bar.
  private struct State {
    var start = ContinuousClock.now
    var lastShown: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  /// Determined once, because progress is reported thousands of times.
  private let isShown = Terminal.isError
  private static let width = 30

  /// Shows how far the work has come.
  func show(_ progress: WorkProgress) {
    guard isShown else { return }
    state.withLock { state in
      let now = ContinuousClock.now
      guard now - state.start > .seconds(1), now - (state.lastShown ?? state.start) > .milliseconds(100) else { return }
      state.lastShown = now
      StandardError.showLine(Self.text(progress))
    }
  }

  /// The bar as text.
  static func text(_ progress: WorkProgress) -> String {
    let megabytes = "\(progress.bytes / 1_000_000) MB"
    guard let fraction = progress.fraction else { return megabytes }
    let filled = Int(fraction * Double(width))
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: width - filled)
    return "[\(bar)] \(Int(fraction * 100)) %  \(megabytes)"
  }

  /// Erases the bar.
  func clear() {
    state.withLock { state in
      if state.lastShown != nil { StandardError.showLine("") }
      state.lastShown = nil
    }
  }
}
