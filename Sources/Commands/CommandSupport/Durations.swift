package import Basics

extension MediaTime {
  /// A duration, rounded down to whole ticks.
  package init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(ticks: seconds * Self.ticksPerSecond + attoseconds / (1_000_000_000_000_000_000 / Self.ticksPerSecond))
  }
}
