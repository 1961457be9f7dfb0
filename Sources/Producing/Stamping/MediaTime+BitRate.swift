package import Basics

extension MediaTime {
  /// The bit rate of a number of bytes over this duration, in bits a second, rounded up, for playlists and MPDs. It saturates at the largest integer.
  package func bitRate(byteCount: Int) -> UInt64 {
    let ticks = UInt64(max(ticks, 1))
    let (bits, isTooMuch) = UInt64(byteCount).multipliedReportingOverflow(by: 8 * UInt64(Self.ticksPerSecond))
    let (rate, rest) = bits.quotientAndRemainder(dividingBy: ticks)
    return isTooMuch ? .max : rate + (rest > 0 ? 1 : 0)
  }
}
