package import Basics
package import HLSPlaylist

/// A value that an `HLSLoader` yields, in the order of the presentation. An `HLSEventReader` finds the events in it; a filter may inspect or
/// change it before.
///
/// A stream that is not a presentation is one segment without a beginning: `bytes`, and finally `end`.
package enum HLSPortion: Equatable, Sendable {
  /// An initialization segment or a segment.
  package struct Part: Equatable, Sendable {
    /// Whether it is a segment or an initialization segment.
    package var kind: HLSReader.Resource.Kind
    /// Its URI and number.
    package var source: HLSSource
    /// The offset in its file at which it starts, in bytes.
    package var start: UInt64
    /// Whether its rendition is one of subtitles, whose segments may be text.
    package var isSubtitles = false

    /// A part that starts at a byte of its file.
    package init(kind: HLSReader.Resource.Kind, source: HLSSource, start: UInt64 = 0) {
      (self.kind, self.source, self.start) = (kind, source, start)
    }
  }

  /// A playlist of either kind as it was loaded. It may be damaged.
  case playlist([UInt8], uri: String)
  /// A media playlist, loaded for the first time or again: the segments from the index `firstNew` on follow. If segments before these
  /// were added and removed unseen, `missed` is their estimated duration.
  indirect case segments(MediaPlaylist, firstNew: Int, missed: MediaTime?)
  /// The next segment. It begins after this, or is lost.
  case next(mediaSequence: UInt64, isGap: Bool)
  /// The stream before this ends: another stretch follows.
  case discontinuity
  /// The start of an initialization segment or a segment. An incomplete previous one is given up.
  case begin(Part)
  /// The next bytes of the current segment, decrypted.
  case bytes(ArraySlice<UInt8>)
  /// The end of the current, complete segment; with its duration in the playlist.
  case end(MediaTime)
  /// A segment, or the rest of one, is missing; with its duration in the playlist.
  case lost(MediaTime)
  /// A problem.
  case notice(HLSNotice)
  /// The end of the presentation.
  case finished
}
