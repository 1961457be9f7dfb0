import EventReading

/// What is known of a player's ways with timed ID3.
struct PlayerModel: Sendable {
  /// What a player makes of a frame.
  enum Verdict: Equatable, Sendable {
    /// So many cues, from which the event in the frame can be read.
    case shown(cues: Int)
    /// A cue from which it cannot be read, and why.
    case unreadable(String)
    /// A frame that gives no cue and holds no event.
    case ignored
  }

  let name: String
  let evidence: PlayerPrediction.Evidence
  /// What the script that checks the predictions plays in it.
  var playedContainers: [Container] = []
  /// Why the player drops a whole tag; `nil` where it does not.
  let reasonToDrop: @Sendable (TagObservation) -> String?
  /// What it makes of a frame of a tag that it does not drop.
  let verdict: @Sendable (TagObservation.Frame, TagObservation) -> Verdict
  /// Why an event fires more than once.
  let reasonToRepeat: String

  /// All of them, in the order in which they are reported.
  static let all: [PlayerModel] = [hlsjs, videojs, shaka, media3, dashjs, avFoundation]

  /// What players make of a frame that read every frame of every tag.
  static func everyFrame(_ frame: TagObservation.Frame, _ sighting: TagObservation) -> Verdict {
    frame.isTimestamp ? .ignored : .shown(cues: 1)
  }

  static let noDeduplication = "every copy is shown; the application has to compare GUIDs"
}
