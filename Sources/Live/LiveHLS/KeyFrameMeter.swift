package import Basics
package import PacketStamping

/// Measures the distance between key frames: segments cannot be shorter.
package struct KeyFrameMeter: Equatable, Sendable {
  private var last: MediaTime?
  /// The latest intervals, the oldest first.
  private var intervals: [MediaTime] = []

  /// The number of intervals: encoders insert additional key frames when the picture changes, so that a single interval says little.
  private static let count = 4

  /// A meter before the first access unit.
  package init() {}

  /// Receives the next access unit.
  package mutating func push(_ unit: LiveAccessUnit) {
    guard unit.boundary != .discontinuity else { return last = unit.isRandomAccess ? unit.time : nil }
    guard unit.isRandomAccess else { return }
    defer { last = unit.time }
    guard let last, unit.time > last else { return }
    intervals.append(unit.time - last)
    if intervals.count > Self.count { intervals.removeFirst() }
  }

  /// The longest of the latest intervals; `nil` before the second key frame.
  package var interval: MediaTime? { intervals.max() }
}
