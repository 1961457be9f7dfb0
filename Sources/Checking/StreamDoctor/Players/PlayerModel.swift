import EventReading

/// How a player handles timed ID3, as far as that is known.
struct PlayerModel: Sendable {
  /// How a player handles a frame.
  enum Verdict: Equatable, Sendable {
    /// This number of cues, from which the event in the frame can be read.
    case shown(cues: Int)
    /// A cue from which the event cannot be read, and why.
    case unreadable(String)
    /// A frame without a cue and without an event.
    case ignored
  }

  let player: Player
  let evidence: PlayerPrediction.Evidence
  /// The containers in which the script that checks the predictions plays streams.
  var playedContainers: [Container] = []
  /// Why the player drops a whole tag; `nil` if it does not.
  let reasonToDrop: @Sendable (TagObservation) -> String?
  /// How the player handles a frame of a tag that it does not drop. Most players show a cue for every frame.
  var verdict: @Sendable (TagObservation.Frame, TagObservation) -> Verdict = { frame, _ in frame.isTimestamp ? .ignored : .shown(cues: 1) }
  /// Why an event fires more than once.
  var reasonToRepeat = "every copy is shown; the application has to compare GUIDs"

  /// All models, in the order in which they are reported.
  static let all = [hlsjs, videojs, videojs8, shaka, media3, dashjs, avFoundation]
}
