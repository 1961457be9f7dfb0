import Basics

extension MediaTime {
  /// The bits per second of so many bytes over this duration, the next whole number above it: a segment's rate in a playlist or MPD.
  func bitRate(byteCount: Int) -> UInt64 {
    UInt64(byteCount) * 8 * UInt64(Self.ticksPerSecond) / UInt64(max(ticks, 1)) + 1
  }
}
