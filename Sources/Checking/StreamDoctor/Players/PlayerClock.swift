import Basics
import EventReading

/// Where the clocks of players start in a stream, and what else is to be known of their cues.
struct PlayerClock: Sendable {
  /// When the first picture is presented and decoded, and the first sound presented; `nil` where there is none.
  var firstPicture: MediaTime?
  var firstDecoding: MediaTime?
  var firstSound: MediaTime?

  /// What is to be said of a player.
  func remarks(on player: String, _ container: Container?) -> [String] {
    switch (player, container) {
    case ("hls.js", .transportStream?):
      return origin(firstPicture, before: [firstPicture, firstSound].compactMap(\.self).min(), "the earlier of sound and picture") + [
        cueEnds
      ]
    case ("hls.js", .fragmentedMP4?): return origin(firstPicture, before: firstDecoding, "the decoding of the first fragment") + [cueEnds]
    case ("video.js", .transportStream?):
      return ["its cues count from the first picture", "it looks four times a second: `cuechange` passes over cues that are shorter"]
    case ("dash.js", .fragmentedMP4?): return ["in a DASH manifest that announces the event stream"]
    default: return []
    }
  }

  private var cueEnds: String { "a cue ends where the next one starts" }

  private func origin(_ picture: MediaTime?, before start: MediaTime?, _ what: String) -> [String] {
    guard let picture, let start else { return [] }
    return ["its clock starts with \(what), \((picture - start).shortestDecimalSeconds) s before the first picture"]
  }
}
