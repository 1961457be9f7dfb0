/// How the input of a live session is.
package enum LiveInputState: String, CaseIterable, Sendable {
  case up, down
  /// It is over, and so is the stream.
  case ended
}
