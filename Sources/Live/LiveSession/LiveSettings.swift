package import Basics
package import EventSchedule
package import GameEvents
package import LiveGame
package import LiveHLS
package import PacketStamping
package import Seals
package import Stamping

/// What a live session is to do.
package struct LiveSettings: Sendable {
  package var input: LiveInput
  package var outputs: [LiveOutputAddress]
  /// The stream's name in addresses.
  package var name = "live"
  package var game: String
  package var title: String?
  package var policy = CopyPolicy()
  /// What answers are sealed with; `nil` for a key that the journal keeps.
  package var sealKey: SealKey?
  /// Whether the right answers travel in the clear.
  package var hasOpenAnswers = false
  /// Signs each event; `nil` for no signatures.
  package var sign: EventSigner?
  /// The cues that are there from the start; `nil` for none.
  package var cues: LiveSheet?
  package var options = PacketStamper.Options()
  /// Which playlist of a presentation is read, by a name; `nil` for the variant with the highest bandwidth.
  package var rendition: String?
  /// How long segments should be.
  package var segmentType = SegmentType.transportStream
  package var segmentDuration = MediaTime(seconds: 4)
  package var playlist: LivePlaylist.Kind
  /// The journal's path; `nil` for none.
  package var journal: String?
  /// How many times as fast as it should be a file comes.
  package var pace = 1.0
  /// Whether a file starts again at its end.
  package var loops = false
  /// How long the session lasts; `nil` until the input ends.
  package var duration: MediaTime?
  /// Whether recordings that exist are replaced.
  package var overwrite = false

  package init(input: LiveInput, outputs: [LiveOutputAddress], game: String, playlist: LivePlaylist.Kind) {
    (self.input, self.outputs, self.game, self.playlist) = (input, outputs, game, playlist)
  }
}
