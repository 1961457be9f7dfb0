/// The state of a live session's input.
package enum LiveInputState: String, CaseIterable, Sendable {
  case up, down
  /// The stream is over.
  case ended
}
