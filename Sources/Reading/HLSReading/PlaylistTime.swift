package import Basics
package import HLSPlaylist

// Playlists count in billionths of a second, streams in ticks.

extension MediaTime {
  /// The duration in a playlist, to the nearest tick.
  package init(_ seconds: PlaylistDecimal) {
    let (whole, rest) = seconds.billionths.quotientAndRemainder(dividingBy: 1_000_000_000)
    let half: Int64 = rest < 0 ? -50_000 : 50_000
    // At most 9.3 * 10^9 seconds: both products fit 64 bits.
    self.init(ticks: whole * Self.ticksPerSecond + (rest * 9 + half) / 100_000)
  }
}

extension PlaylistDecimal {
  /// The duration in seconds, to the billionth below, at most the largest value of a playlist.
  package init(_ time: MediaTime) {
    let limit = Self.largestWhole * MediaTime.ticksPerSecond
    let (whole, rest) = min(max(time.ticks, -limit), limit).quotientAndRemainder(dividingBy: MediaTime.ticksPerSecond)
    self.init(billionths: whole * 1_000_000_000 + rest * 100_000 / 9)
  }
}
