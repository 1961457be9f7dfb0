package import Basics
package import GameEvents
package import HLSPlaylist
package import LiveGame
package import PacketStamping

/// A complete segment of a live stream.
package struct LiveSegment: Equatable, Sendable {
  /// Whole transport packets, from a PAT and a PMT on; or the main track's part, where each stream has a track.
  package var bytes: [UInt8]
  /// What audio in tracks of its own has in it; `nil` where a track has nothing.
  package var audio: [[UInt8]?] = []
  /// How it is coded, where that is new and each stream has a track.
  package var program: LiveProgram?
  /// What other renditions have of it; `nil` where one has nothing.
  package var variants: [Part?] = []
  /// When its first access unit is presented, on the programme's timeline.
  package var start: MediaTime
  /// The time to the start of the next segment; to the end of the last access unit, where a discontinuity or the end follows.
  package var duration: MediaTime
  /// Why it starts where it does.
  package var boundary: SegmentClock.Boundary
  /// Whether decoding can start with it.
  package var isIndependent: Bool
  /// Whether it starts with an open group of pictures: some of its pictures need the segment before.
  package var isGroupOpen = false
  /// How many access units it has of the stream that tells the time.
  package var unitCount = 0
  /// How many of them a second has; `nil` for a single one.
  package var frameRate: PlaylistDecimal?
  /// The events that it has copies of.
  package var guids: [GUID]
  /// The target duration of its playlist in seconds.
  package var targetDuration: UInt64
  /// Its last parts, which were not handed out before; none without low-latency HLS.
  package var parts: [LivePart] = []
  /// When the access unit is presented that the next segment starts with, on the stream's clock in 33 bits; `nil` where nothing continues it.
  package var nextTimestamp: UInt64?
  /// The events whose bursts go on behind it, in the order of their first copies.
  package var bursts: [JournalRecord.SegmentRecord.Burst] = []

  /// What another rendition has of a segment.
  package struct Part: Equatable, Sendable {
    package var bytes: [UInt8]
    /// How it is coded, where that is new and each stream has a track.
    package var program: LiveProgram?
    /// Whether it starts with an open group of pictures.
    package var isGroupOpen = false
    /// Its last parts, which were not handed out before; none without low-latency HLS.
    package var parts: [LivePart] = []

    package init(bytes: [UInt8], program: LiveProgram?) { (self.bytes, self.program) = (bytes, program) }
  }
}
