/// Turns the 33-bit timestamps of an MPEG-2 program, which wrap every 26.5 hours, into a time that keeps growing.
///
/// Each timestamp is taken as the one nearest to the last reference, so one unwrapper serves all streams of a program.
public struct TimestampUnwrapper: Equatable, Sendable {
  /// The ticks after which a timestamp starts again from 0 (ISO/IEC 13818-1, 2.4.3.7).
  public static let period: Int64 = 1 << 33

  /// The timestamp of an unwrapped time, of 33 bits.
  package static func timestamp(of time: MediaTime) -> UInt64 { UInt64(bitPattern: time.ticks) & UInt64(period - 1) }

  /// The signed distance from one timestamp of 33 bits to another one, in 90 kHz ticks: at most half a period in either direction.
  package static func distance(from timestamp: UInt64, to other: UInt64) -> Int64 {
    let ahead = Int64((other &- timestamp) & UInt64(period - 1))
    return ahead < period / 2 ? ahead : ahead - period
  }

  /// The last unwrapped time that the stream's clock reached; `nil` before the first.
  public private(set) var reference: MediaTime?

  /// Starts without a reference: the first timestamp counts as it is.
  public init() {}

  /// The unwrapped time of `timestamp` (33 bits), which does not become the reference.
  public func peek(_ timestamp: UInt64) -> MediaTime {
    guard let reference else { return MediaTime(ticks: Int64(timestamp % UInt64(Self.period))) }
    return reference + MediaTime(ticks: Self.distance(from: Self.timestamp(of: reference), to: timestamp))
  }

  /// Advances the reference by `duration`, which is missing from the stream. The next timestamp is unwrapped to the time nearest to that.
  public mutating func skip(_ duration: MediaTime) { reference = reference.map { $0 + duration } }

  /// The unwrapped time of `timestamp` (33 bits), which becomes the reference for those that follow.
  public mutating func unwrap(_ timestamp: UInt64) -> MediaTime {
    let time = peek(timestamp)
    reference = time
    return time
  }
}
