package import Basics
package import GameEvents
package import SCTE35

/// A line of the journal: one fact that has to survive the process.
package enum JournalRecord: Equatable, Sendable {
  /// The first record: the game, and the secret that seals its answers, in hexadecimal digits.
  case started(game: String, sealKey: String?)
  /// An event was accepted. The key is the client's name for the request, if it has one.
  case accepted(guid: GUID, key: String?, request: JSONObject, from: Acceptance)
  /// The event has its sequence number. After the deadline, in milliseconds since 1970, it no longer goes into the stream.
  case numbered(guid: GUID, sequence: Int, deadline: Int64? = nil)
  /// The operator has released an event, with a request of this key.
  case released(guid: GUID, key: String? = nil)
  /// An event that waited with others for the end of an ad break goes into the stream at another time.
  case moved(guid: GUID, at: MediaTime)
  /// Sequence numbers of the session's game up to this one may be in the stream, although the journal has lost their events.
  case reserved(sequence: Int)
  /// The event was cancelled.
  case cancelled(guid: GUID)
  /// The event will not be in the stream.
  case lost(guid: GUID, reason: String)
  /// The event's first copy is in the stream.
  case placed(guid: GUID, at: MediaTime, pts: UInt64, wallClock: Int64)
  /// A segment is in the playlist.
  case segment(SegmentRecord)
  /// A node of a pair begins to lead in this term, from 1 on; or it leads alone from now on, or no longer.
  case led(term: Int, isAlone: Bool)
  /// An ad break is announced, or something about it has changed.
  case adBreak(AdBreak)
  /// The stream has ended properly.
  case ended

  /// When a request arrived.
  package struct Acceptance: Equatable, Sendable {
    /// In milliseconds since 1970.
    package var wallClock: Int64
    /// On the programme's timeline; `nil` if it had not begun.
    package var time: MediaTime?

    /// A request that arrived at this date and programme time.
    package init(wallClock: Int64, time: MediaTime?) { (self.wallClock, self.time) = (wallClock, time) }
  }

  /// What the next session has to know about a segment.
  package struct SegmentRecord: Equatable, Sendable {
    /// The name of its file.
    package var name: String
    /// The media sequence number of the segment.
    package var mediaSequence: UInt64
    /// The discontinuity sequence number of the segment.
    package var discontinuitySequence: UInt64
    /// Whether EXT-X-DISCONTINUITY applies to it.
    package var isDiscontinuous: Bool
    /// The target duration of the playlist, in seconds.
    package var targetDuration: UInt64
    /// When it starts, on the programme's timeline.
    package var start: MediaTime
    /// How long it lasts, as EXTINF says.
    package var duration: MediaTime
    /// The date of its start, in milliseconds since 1970.
    package var wallClock: Int64
    /// Whether it is a gap, because the input was silent.
    package var isGap = false
    /// Whether players may have loaded parts of the segment after it.
    package var precedesParts = false
    /// The PTS of the access unit that the next segment starts with, 33 bits; `nil` if nothing continues it.
    package var nextTimestamp: UInt64?
    /// The events whose bursts continue after it.
    package var bursts: [Burst] = []
    /// The name of its initialization segment; `nil` in a transport stream.
    package var initialization: String?
    /// Audio in tracks of its own.
    package var audio: [TrackFile] = []
    /// Other renditions of the same programme.
    package var variants: [TrackFile] = []

    /// An event whose burst continues, with the number of its copies so far.
    package struct Burst: Equatable, Sendable {
      package var guid: GUID
      package var copies: Int

      package init(guid: GUID, copies: Int) { (self.guid, self.copies) = (guid, copies) }
    }

    /// What a track other than the main one has of the segment.
    package struct TrackFile: Equatable, Sendable {
      /// The file's name; `nil` if the track has nothing in this segment.
      package var name: String?
      /// The name of its initialization segment.
      package var initialization: String?

      package init(name: String?, initialization: String?) { (self.name, self.initialization) = (name, initialization) }
    }

    /// The names of its own files.
    package var segmentFiles: [String] { isGap ? [] : [name] + (audio + variants).compactMap(\.name) }

    /// The names of all files that a player needs for it, initialization segments first.
    package var files: [String] { isGap ? [] : initializations + segmentFiles }

    /// The names of the initialization segments of all tracks.
    package var initializations: [String] { [initialization].compactMap(\.self) + (audio + variants).compactMap(\.initialization) }

    /// Gives a gap the initialization segments of a segment before it.
    package mutating func takeInitializations(of other: SegmentRecord) {
      initialization = other.initialization
      audio = other.audio.map { TrackFile(name: nil, initialization: $0.initialization) }
      variants = other.variants.map { TrackFile(name: nil, initialization: $0.initialization) }
    }

    /// What is recorded of a segment.
    package init(
      name: String, mediaSequence: UInt64, discontinuitySequence: UInt64, isDiscontinuous: Bool, targetDuration: UInt64, start: MediaTime,
      duration: MediaTime, wallClock: Int64
    ) {
      (self.name, self.mediaSequence, self.discontinuitySequence) = (name, mediaSequence, discontinuitySequence)
      (self.isDiscontinuous, self.targetDuration) = (isDiscontinuous, targetDuration)
      (self.start, self.duration, self.wallClock) = (start, duration, wallClock)
    }
  }
}

extension [JournalRecord] {
  /// The latest term of a pair; 0 if no node of one has led.
  package var term: Int {
    lazy.compactMap { if case .led(let term, _) = $0 { term } else { nil } }.max() ?? 0
  }
}
