package import Basics
import GameEvents
import HLSPlaylist

extension EventStatus {
  /// The status as the HTTP interface returns it.
  ///
  /// - Parameter address: The path of the status.
  package func object(at address: String) -> JSONObject {
    let date = wallClock.flatMap { PlaylistDate(milliseconds: $0)?.text }
    return JSONObject(fields: [
      "guid": guid.text, "event": type, "sequence": sequence, "state": state.rawValue, "at": at, "pts": pts.map { Int($0) },
      "wallClock": date, "closesAt": closesAt, "copies": copies, "refreshes": refreshes, "segments": segments.map { Int($0) },
    ]).with("timecode", timecode).with("reason", reason).with("status", address)
  }
}
