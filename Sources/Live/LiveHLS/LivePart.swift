package import Basics
package import PacketStamping

/// A part of a segment of a live stream, which clients of low-latency HLS load before the segment is complete (RFC 8216bis, 4.4.4.9).
package struct LivePart: Equatable, Sendable {
  /// Whole transport packets; or the main track's fragments, where each stream has a track.
  package var bytes: [UInt8]
  /// What audio in tracks of its own has in it; `nil` where a track has nothing.
  package var audio: [[UInt8]?] = []
  /// Its number in its segment, from 0.
  package var number: Int
  /// When its segment starts, on the programme's timeline.
  package var segmentStart: MediaTime
  /// Why its segment starts where it does.
  package var boundary: SegmentClock.Boundary
  /// How long it lasts, at most ``target``.
  package var duration: MediaTime
  /// Whether decoding can start in it.
  package var isIndependent: Bool
  /// The longest that a part of the session may last.
  package var target: MediaTime

  /// Players keep so many parts behind the newest one (RFC 8216bis, 4.4.3.8).
  package static let heldBack = 3

  package init(
    bytes: [UInt8], number: Int, segmentStart: MediaTime, boundary: SegmentClock.Boundary, duration: MediaTime, isIndependent: Bool,
    target: MediaTime
  ) {
    (self.bytes, self.number, self.segmentStart, self.boundary) = (bytes, number, segmentStart, boundary)
    (self.duration, self.isIndependent, self.target) = (duration, isIndependent, target)
  }
}

/// Decides where the parts of a segment end.
///
/// A part has as many frames as fit into its duration, always the same number but for the last part of a segment: each lasts at least 85 % of the
/// longest, as it must. How long that is, the first part decides.
package struct PartClock: Equatable, Sendable {
  /// How long parts should be.
  private let duration: MediaTime
  /// Some containers round times to milliseconds.
  private static let rounding = MediaTime(ticks: 90)
  /// The longest that a part may last; `nil` before the end of the first one.
  package private(set) var target: MediaTime?
  /// When the segment's first access unit is decoded, on the stream's clock; `nil` before the first segment.
  private var start: MediaTime?
  /// Where the open part starts, from the start of the segment.
  private var partStart = MediaTime.zero

  /// A clock before the first segment.
  package init(duration: MediaTime) { self.duration = duration }

  /// Begins a segment with an access unit.
  package mutating func beginSegment(_ unit: LiveAccessUnit) { (start, partStart) = (unit.decodingTime, .zero) }

  /// Receives the next access unit of the segment; returns how long the part lasts that it ends, or `nil`.
  package mutating func push(_ unit: LiveAccessUnit) -> MediaTime? {
    guard let start else { return nil }
    let elapsed = unit.decodingTime - start - partStart
    guard elapsed > .zero, elapsed + unit.frameDuration > longest(unit.frameDuration) else { return nil }
    partStart = partStart + elapsed
    // Where frames are missing, no part says that it lasts longer than any may.
    let target = target ?? (elapsed <= duration + Self.rounding ? elapsed : max(duration, unit.frameDuration))
    self.target = target
    return min(elapsed, target)
  }

  /// What a part with one frame more may last. Timestamps are rounded.
  private func longest(_ frameDuration: MediaTime) -> MediaTime {
    target.map { $0 + MediaTime(ticks: frameDuration.ticks / 2) } ?? duration + Self.rounding
  }

  /// How long the last part of a segment lasts.
  package func lastPart(ofSegment duration: MediaTime) -> MediaTime? {
    target.map { min(max(duration - partStart, MediaTime(ticks: 1)), $0) }
  }
}
