/// Decides how long a command waits for an event to be in a stream whose input is missing.
struct InputPatience {
  /// What to do before the next call, which the server answers after half a minute at most.
  enum Step: Equatable {
    case wait
    /// Report that the input sends nothing, and wait.
    case tell
    case end
  }

  /// The number of calls in a row before which the input sent nothing.
  private var silentCalls = 0

  /// The maximum number of them: two calls take a minute.
  private static let most = 2

  /// Decides what to do before the next call.
  mutating func step(isInputUp: Bool) -> Step {
    guard !isInputUp else {
      silentCalls = 0
      return .wait
    }
    silentCalls += 1
    return silentCalls > Self.most ? .end : silentCalls == 1 ? .tell : .wait
  }
}
