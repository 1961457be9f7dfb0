package import GameEvents

/// The expected behaviour of a player with a stream.
package struct PlayerPrediction: Equatable, Sendable {
  /// How the expectation is known.
  package enum Evidence: Equatable, Sendable {
    /// A script compares it with this version of the player.
    case checked(version: String, script: String)
    /// Stamped streams were played with this version of the player by hand. No script compares the prediction with it.
    case tried(version: String)
    /// It follows from the player's code, and is not checked.
    case notChecked(version: String)

    /// How the same expectation is known for streams that the script does not play, and nobody has tried if they have faults.
    func unchecked(hasFaults: Bool) -> Evidence {
      switch self {
      case .tried where !hasFaults: self
      case .checked(let version, _), .tried(let version), .notChecked(let version): .notChecked(version: version)
      }
    }
  }

  /// Tags that a player drops, or repeats, for one reason.
  package struct Group: Equatable, Sendable {
    /// Why.
    package var reason: String
    /// The number of tags.
    package var tags: Int
    /// The events of which no copy is shown (dropped), or that are shown more than once (repeated), at most the first few.
    package var events: [GUID]
    /// The number of those events.
    package var eventCount: Int
  }

  /// The player.
  package var player: Player
  /// How the expectation is known.
  package var evidence: Evidence
  /// The number of cues (or events of the player's own) that an application sees.
  package var cues: Int
  /// The number of the stream's events that it sees at least once.
  package var events: Int
  /// The dropped tags, by reason.
  package var dropped: [Group]
  /// The events that fire more than once; `nil` if there are none.
  package var repeated: Group?
  /// How often the most repeated event fires.
  package var mostRepeats: Int
  /// Remarks about its clock and its cues.
  package var remarks: [String]
}
