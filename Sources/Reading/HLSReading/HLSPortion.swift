package import Basics
package import HLSPlaylist

/// What an `HLSLoader` yields, in the order of the presentation. An `HLSEventReader` finds the events in it; others may look at it or
/// change it on the way.
///
/// A stream that is no presentation is one segment without a beginning: `bytes`, and at last `end`.
package enum HLSPortion: Equatable, Sendable {
  /// An initialization segment or a segment.
  package struct Part: Equatable, Sendable {
    /// Whether it is a segment or an initialization segment.
    package var kind: HLSReader.Resource.Kind
    /// What it is called.
    package var source: HLSSource
    /// Where in its file it starts, in bytes.
    package var start: UInt64

    /// A part that starts at a byte of its file.
    package init(kind: HLSReader.Resource.Kind, source: HLSSource, start: UInt64 = 0) {
      self.kind = kind
      self.source = source
      self.start = start
    }
  }

  /// A playlist of either kind as it was loaded. It may be damaged.
  case playlist([UInt8], uri: String)
  /// A media playlist, loaded for the first time or again: the segments from the index `firstNew` on follow. Where segments came and went
  /// unseen before these, `missed` is how long those were, as far as that can be guessed.
  indirect case segments(MediaPlaylist, firstNew: Int, missed: MediaTime?)
  /// The segment that is next. It begins after this, or is lost.
  case next(mediaSequence: UInt64, isGap: Bool)
  /// The stream before this does not go on: another stretch follows.
  case discontinuity
  /// The start of an initialization segment or a segment. One that was begun before and has not ended is given up.
  case begin(Part)
  /// The next bytes of what was begun, decrypted.
  case bytes(ArraySlice<UInt8>)
  /// The end of what was begun, which is whole; with the duration of a segment in the playlist.
  case end(MediaTime)
  /// A segment, or what is left of one, is missing; with its duration in the playlist.
  case lost(MediaTime)
  /// Something that went wrong.
  case notice(HLSNotice)
  /// The end of the presentation.
  case finished
}
