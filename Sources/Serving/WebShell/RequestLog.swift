package import Basics
import HLSPlaylist
import Hummingbird
import LiveSession
import WebSupport

/// Writes a line of JSON for each request: what it was and what became of it, without tokens, answers, nicknames and queries.
package struct RequestLog: Sendable {
  private let write: @Sendable (JSONObject) -> Void
  private let shownPath: @Sendable (String) -> String

  /// - Parameters:
  ///   - shownPath: The path as it may be written: without parts that are as good as a password.
  ///   - write: Receives each line.
  package init(shownPath: @escaping @Sendable (String) -> String = { $0 }, write: @escaping @Sendable (JSONObject) -> Void) {
    (self.shownPath, self.write) = (shownPath, write)
  }

  func write(_ request: Request, _ status: Int, _ address: String, since start: ContinuousClock.Instant) {
    var object = JSONObject()
    object.append("at", orNull: PlaylistDate(milliseconds: WallClock.now)?.text)
    object.append("method", request.method.rawValue)
    object.append("path", shownPath(request.uri.path))
    object.append("status", status)
    object.append("milliseconds", Int(((ContinuousClock.now - start).inSeconds * 1_000).rounded()))
    object.append("address", address)
    write(object)
  }
}
