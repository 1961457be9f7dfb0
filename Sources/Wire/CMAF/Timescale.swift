package import Basics

/// Ticks per second in the fields of a track, an index or an event message; never 0.
package struct Timescale: Hashable, Sendable {
  /// Ticks per second.
  package let ticksPerSecond: UInt32

  /// A timescale in ticks per second; `nil` for 0.
  package init?(_ ticksPerSecond: UInt32) {
    guard ticksPerSecond > 0 else { return nil }
    self.ticksPerSecond = ticksPerSecond
  }

  private init(nonzero ticksPerSecond: UInt32) { self.ticksPerSecond = ticksPerSecond }

  /// The clock of `MediaTime`: 90,000 ticks a second.
  package static let mediaTime = Timescale(nonzero: UInt32(MediaTime.ticksPerSecond))

  /// The time of a number of ticks: exact if 90,000 divided by the timescale is whole, else the nearest tick of 90 kHz (half a tick away from
  /// zero). Saturates at the ends of `MediaTime`.
  package func mediaTime(_ ticks: some FixedWidthInteger) -> MediaTime {
    let magnitude = Int64(clamping: Self.mediaTime.rescale(magnitude: UInt64(clamping: ticks.magnitude), from: self))
    return MediaTime(ticks: ticks < 0 ? -magnitude : magnitude)
  }

  /// The nearest tick of this timescale to a time (half a tick away from zero), saturating.
  package func ticks(_ time: MediaTime) -> Int64 { rescale(time.ticks, from: .mediaTime) }

  /// Converts ticks of another timescale to the nearest tick of this one (half a tick away from zero), saturating.
  package func rescale(_ ticks: Int64, from other: Timescale) -> Int64 {
    let magnitude = Int64(clamping: rescale(magnitude: ticks.magnitude, from: other))
    return ticks < 0 ? -magnitude : magnitude
  }

  private func rescale(magnitude: UInt64, from other: Timescale) -> UInt64 {
    let (new, old) = (UInt64(ticksPerSecond), UInt64(other.ticksPerSecond))
    let (seconds, rest) = magnitude.quotientAndRemainder(dividingBy: old)
    // The rest and both timescales are below 2^32, so only the whole seconds can overflow.
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: new)
    let part = rest * new / old + (rest * new % old >= old - old / 2 ? 1 : 0)
    let (sum, sumOverflows) = whole.addingReportingOverflow(part)
    return overflows || sumOverflows ? .max : sum
  }
}

extension Timescale {
  @_lifetime(reader: copy reader)
  init(reading reader: inout ByteReader) throws(ParseError) {
    let start = reader.offset
    guard let timescale = Timescale(try reader.readUInt32()) else { throw ParseError(.invalid("timescale of 0"), at: start) }
    self = timescale
  }
}
