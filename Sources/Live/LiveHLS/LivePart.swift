package import Basics
package import GameEvents
package import PacketStamping

/// A part of a segment of a live stream, which clients of low-latency HLS load before the segment is complete (RFC 8216bis, 4.4.4.9).
package struct LivePart: Equatable, Sendable {
  /// Complete transport packets, or the main track's fragments if each stream has a track.
  package var bytes: [UInt8]
  /// The bytes of audio in tracks of its own; `nil` for a track without any.
  package var audio: [[UInt8]?] = []
  /// Its number in its segment, from 0.
  package var number: Int
  /// The start of its segment, on the programme's timeline.
  package var segmentStart: MediaTime
  /// Why its segment starts where it does.
  package var boundary: SegmentClock.Boundary
  /// Its duration, at most ``target``.
  package var duration: MediaTime
  /// Whether decoding can start in the part.
  package var isIndependent: Bool
  /// The maximum duration of the session's parts.
  package var target: MediaTime
  /// The events whose first copies in its segment lie in it.
  package var guids: [GUID] = []

  /// How many parts players stay behind the newest one (RFC 8216bis, 4.4.3.8).
  package static let heldBack = 3
}

/// Decides where the parts of a segment end.
///
/// A part has as many frames as fit into the desired duration, always the same number except in the last part of a segment: so each lasts at least 85
/// % of the maximum, as the specification requires. The first part determines the maximum.
package struct PartClock: Equatable, Sendable {
  /// The desired duration of parts.
  private let duration: MediaTime
  /// Some containers round times to milliseconds.
  private static let rounding = MediaTime(ticks: 90)
  /// The maximum duration of parts; `nil` before the end of the first one.
  package private(set) var target: MediaTime?
  /// The decoding time of the segment's first access unit, on the stream's clock; `nil` before the first segment.
  private var start: MediaTime?
  /// The start of the open part, from the start of the segment.
  private var partStart = MediaTime.zero

  /// A clock before the first segment.
  package init(duration: MediaTime) { self.duration = duration }

  /// Begins a segment with an access unit.
  package mutating func beginSegment(_ unit: LiveAccessUnit) { (start, partStart) = (unit.decodingTime, .zero) }

  /// Receives the next access unit of the segment; returns the duration of the part that ends before it, or `nil`.
  package mutating func push(_ unit: LiveAccessUnit) -> MediaTime? {
    guard let start else { return nil }
    let elapsed = unit.decodingTime - start - partStart
    guard elapsed > .zero, elapsed + unit.frameDuration > longest(unit.frameDuration) else { return nil }
    partStart = partStart + elapsed
    // If frames are missing, the reported duration still does not exceed the maximum.
    let target = target ?? (elapsed <= duration + Self.rounding ? elapsed : max(duration, unit.frameDuration))
    self.target = target
    return min(elapsed, target)
  }

  /// The maximum duration of a part with one more frame. Timestamps are rounded.
  private func longest(_ frameDuration: MediaTime) -> MediaTime {
    target.map { $0 + MediaTime(ticks: frameDuration.ticks / 2) } ?? duration + Self.rounding
  }

  /// The duration of a segment's last part.
  package func lastPart(ofSegment duration: MediaTime) -> MediaTime? {
    target.map { min(max(duration - partStart, MediaTime(ticks: 1)), $0) }
  }
}
