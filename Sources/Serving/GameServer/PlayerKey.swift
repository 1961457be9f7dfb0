import Basics
import LibC
import LiveSession

/// Ties a player's token to the client that has joined, in addition to the player's number.
enum PlayerKey {
  /// A hash of the client's identifier.
  static func hash(_ key: String) -> UInt64 {
    SHA256.hash(Array("player\n\(key)".utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The hash in the form in which tokens carry it.
  static func text(_ hash: UInt64) -> String { String(hash, radix: 36) }
}

/// The time of day, which advances evenly while the process runs, whatever happens to the system's clock.
enum SteadyClock {
  private static let start = (wallClock: WallClock.now, instant: ContinuousClock.now)

  /// Milliseconds since 1970.
  static var now: Int64 { start.wallClock + Int64((ContinuousClock.now - start.instant).inSeconds * 1_000) }
}
