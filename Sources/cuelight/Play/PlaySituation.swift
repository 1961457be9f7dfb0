import Basics

extension PlayScreen {
  /// What is shown besides the game.
  struct Situation: Equatable {
    /// The programme's time; `nil` before the stream has begun.
    var now: MediaTime?
    /// A message about the stream.
    var message: String?
    /// Whether the stream has ended.
    var isOver = false
    /// Why there was no game, where the stream has ended without one.
    var absence: String?
  }
}
