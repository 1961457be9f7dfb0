package import Basics
package import GameEvents
package import HLSPlaylist
package import LiveGame
package import PacketStamping

/// A complete segment of a live stream.
package struct LiveSegment: Equatable, Sendable {
  /// Complete transport packets, beginning with a PAT and a PMT; or the main track's part if each stream has a track.
  package var bytes: [UInt8]
  /// The bytes of audio in tracks of its own; `nil` for a track without any.
  package var audio: [[UInt8]?] = []
  /// The coding, if it is new and each stream has a track.
  package var program: LiveProgram?
  /// The parts of other renditions; `nil` for a rendition without one.
  package var variants: [Part?] = []
  /// The presentation time of its first access unit, on the programme's timeline.
  package var start: MediaTime
  /// The time to the start of the next segment, or, before a discontinuity or the end, to the end of the last access unit.
  package var duration: MediaTime
  /// The reason why the segment starts there.
  package var boundary: SegmentClock.Boundary
  /// Whether decoding can start with it.
  package var isIndependent: Bool
  /// Whether it starts with an open group of pictures: some of its pictures need the segment before.
  package var isGroupOpen = false
  /// How many access units of the stream that tells the time there are per second; `nil` for a single one.
  package var frameRate: PlaylistDecimal?
  /// The events of which it has copies.
  package var guids: [GUID]
  /// The target duration of its playlist in seconds.
  package var targetDuration: UInt64
  /// Its last parts, which were not released before; none without low-latency HLS.
  package var parts: [LivePart] = []
  /// The presentation time of the next segment's first access unit, on the stream's clock in 33 bits; `nil` if no segment continues this one.
  package var nextTimestamp: UInt64?
  /// The events whose bursts continue after it, in the order of their first copies.
  package var bursts: [JournalRecord.SegmentRecord.Burst] = []

  /// Another rendition's part of a segment.
  package struct Part: Equatable, Sendable {
    package var bytes: [UInt8]
    /// The coding, if it is new and each stream has a track.
    package var program: LiveProgram?
    /// Whether it starts with an open group of pictures.
    package var isGroupOpen = false
    /// Its last parts, which were not released before; none without low-latency HLS.
    package var parts: [LivePart] = []
  }
}
