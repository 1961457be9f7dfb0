/// A time or a duration in ticks of the 90 kHz clock that MPEG-2 systems count presentation times in.
///
/// Arithmetic saturates at the ends of `Int64`, so that no timestamp from a stream can trap.
public struct MediaTime: Hashable, Sendable {
  /// 90 kHz ticks.
  public var ticks: Int64

  /// A time in 90 kHz ticks.
  public init(ticks: Int64) { self.ticks = ticks }

  /// A time of whole seconds, saturating.
  public init(seconds: Int) {
    let (ticks, overflow) = Int64(seconds).multipliedReportingOverflow(by: Self.ticksPerSecond)
    self.ticks = overflow ? (seconds < 0 ? .min : .max) : ticks
  }

  /// A time in seconds, as players report it, to the nearest tick; NaN is zero, and a value that is too large saturates.
  public init(seconds: Double) {
    let ticks = seconds * Double(Self.ticksPerSecond)
    // Rounding functions would need the C library's mathematics.
    guard ticks.magnitude < 9e18 else {
      self.ticks = ticks < 0 ? .min : ticks > 0 ? .max : 0
      return
    }
    self.ticks = Int64(ticks + (ticks < 0 ? -0.5 : 0.5))
  }

  /// The time in seconds, as players expect it.
  public var seconds: Double { Double(ticks) / Double(Self.ticksPerSecond) }

  /// How many ticks a second has.
  public static let ticksPerSecond: Int64 = 90_000
  /// No time.
  public static let zero = MediaTime(ticks: 0)
}

extension MediaTime: Comparable {
  /// Whether `left` is earlier or shorter.
  public static func < (left: MediaTime, right: MediaTime) -> Bool { left.ticks < right.ticks }
}

extension MediaTime {
  /// The sum, saturating.
  public static func + (left: MediaTime, right: MediaTime) -> MediaTime { MediaTime(ticks: left.ticks.addingSaturated(right.ticks)) }

  /// The difference, saturating.
  public static func - (left: MediaTime, right: MediaTime) -> MediaTime { MediaTime(ticks: left.ticks.subtractingSaturated(right.ticks)) }

  /// Adds in place, saturating.
  public static func += (left: inout MediaTime, right: MediaTime) { left = left + right }

  /// How far it is from zero, saturating.
  public var magnitude: MediaTime { ticks < 0 ? MediaTime.zero - self : self }
}

// Embedded Swift has no `Codable`.
#if !hasFeature(Embedded)
  extension MediaTime: Codable {
    /// Decodes seconds, to the nearest tick.
    public init(from decoder: any Decoder) throws {
      self.init(seconds: try decoder.singleValueContainer().decode(Double.self))
    }

    /// Encodes the seconds. A time of less than a thousand years decodes to the same tick.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(seconds)
    }
  }
#endif

extension MediaTime {
  /// A time of milliseconds, saturating.
  package init(milliseconds: Int64) {
    let (ticks, overflow) = milliseconds.multipliedReportingOverflow(by: Self.ticksPerSecond / 1_000)
    self.init(ticks: overflow ? (milliseconds < 0 ? .min : .max) : ticks)
  }

  /// The whole milliseconds.
  package var milliseconds: Int64 { ticks / (Self.ticksPerSecond / 1_000) }
}

extension Range<MediaTime> {
  /// Whether it has a part of another range.
  ///
  /// - Parameters:
  ///   - from: The start of the other range.
  ///   - to: The end, which does not belong to it. A range without a duration is its start.
  package func meets(from: MediaTime, to: MediaTime) -> Bool { from < upperBound && (lowerBound < to || lowerBound <= from) }
}
