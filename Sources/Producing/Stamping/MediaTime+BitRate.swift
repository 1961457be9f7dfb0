package import Basics

extension MediaTime {
  /// The bits per second of so many bytes over this duration, rounded up: a rate in a playlist or MPD. What no such number can say is the largest one.
  package func bitRate(byteCount: Int) -> UInt64 {
    let ticks = UInt64(max(ticks, 1))
    let (bits, isTooMuch) = UInt64(byteCount).multipliedReportingOverflow(by: 8 * UInt64(Self.ticksPerSecond))
    let (rate, rest) = bits.quotientAndRemainder(dividingBy: ticks)
    return isTooMuch ? .max : rate + (rest > 0 ? 1 : 0)
  }
}
