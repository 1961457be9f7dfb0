import Basics
import EventReading

/// Where the clocks of players start in a stream, and remarks about their cues.
struct PlayerClock: Sendable {
  /// When the first video frame is presented; `nil` if there is none.
  var firstVideo: MediaTime?
  /// When the first video frame is decoded.
  var firstDecoding: MediaTime?
  /// When the first audio frame is presented; `nil` if there is none.
  var firstAudio: MediaTime?

  /// Remarks about a player's cues.
  func remarks(on player: Player, _ container: Container?) -> [String] {
    switch (player, container) {
    case (.hlsjs, .transportStream?):
      [start(with: [firstVideo, firstAudio].compactMap(\.self).min(), "the earlier of sound and picture"), Self.cueEnds].compactMap(\.self)
    case (.hlsjs, .fragmentedMP4?):
      [start(with: firstDecoding, "the decoding of the first fragment"), Self.cueEnds].compactMap(\.self)
    case (.videojs, .transportStream?):
      ["its cues count from the first picture", "it looks four times a second: `cuechange` skips shorter cues"]
    case (.videojs8, .transportStream?): ["its cues count from the first picture"]
    case (.shaka, .transportStream?): ["it shows events up to 0.4 s late", "it does not show an event at the last frame of the stream"]
    case (.dashjs, .fragmentedMP4?): ["in a DASH manifest that announces the event stream"]
    default: []
    }
  }

  private static let cueEnds = "a cue ends where the next one starts"

  private func start(with start: MediaTime?, _ what: String) -> String? {
    guard let firstVideo, let start else { return nil }
    return "its clock starts with \(what), \((firstVideo - start).shortestDecimalSeconds) s before the first picture"
  }
}
