import LiveSession
import Synchronization

/// Which game a stream belongs to: one at a time, or viewers would see two at once.
final class StreamClaim: Sendable {
  private let holder: Mutex<String?> = Mutex(nil)

  /// Takes the stream for a game; returns whether it belongs to the game.
  func take(_ game: String) -> Bool {
    holder.withLock { holder in
      holder = holder ?? game
      return holder == game
    }
  }

  /// Gives the stream back, or withdraws the wish for it.
  func leave(_ game: String) {
    holder.withLock { if $0 == game { $0 = nil } }
    left.send(game)
  }

  /// Receives each game that has left: another one may be waiting.
  let left = Relay<String>()
}
