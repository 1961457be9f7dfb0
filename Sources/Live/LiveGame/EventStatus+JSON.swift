package import Basics
import GameEvents
import HLSPlaylist

extension EventStatus {
  /// The status as the HTTP interface gives it.
  ///
  /// - Parameter address: The path under which it can be asked for.
  package func object(at address: String) -> JSONObject {
    var object = JSONObject()
    object.append("guid", guid.text)
    object.append("event", type)
    object.append("sequence", orNull: sequence)
    object.append("state", state.rawValue)
    object.append("at", orNull: at)
    object.append("pts", orNull: pts.map { Int($0) })
    object.append("wallClock", orNull: wallClock.flatMap { PlaylistDate(milliseconds: $0)?.text })
    object.append("closesAt", orNull: closesAt)
    object.append("copies", copies)
    object.append("refreshes", refreshes)
    object.append("segments", segments.map { Int($0) })
    if let reason { object.append("reason", reason) }
    object.append("status", address)
    return object
  }
}
