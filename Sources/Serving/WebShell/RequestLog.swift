package import Basics
import HLSPlaylist
import Hummingbird
import LibC
import LiveSession

/// Writes a line of JSON for each request: its properties and its outcome, without tokens, answers, nicknames and queries.
package struct RequestLog: Sendable {
  private let write: @Sendable (JSONObject) -> Void
  private let shownPath: @Sendable (String) -> String

  /// - Parameters:
  ///   - shownPath: Returns the path as it may be written: without parts that are as sensitive as a password.
  ///   - write: Receives each line.
  package init(shownPath: @escaping @Sendable (String) -> String = { $0 }, write: @escaping @Sendable (JSONObject) -> Void) {
    (self.shownPath, self.write) = (shownPath, write)
  }

  func write(_ request: Request, _ status: Int, _ address: String, since start: ContinuousClock.Instant) {
    let object = JSONObject(fields: [
      "at": PlaylistDate(milliseconds: WallClock.now)?.text, "method": request.method.rawValue, "path": shownPath(request.uri.path),
      "status": status, "milliseconds": Int(((ContinuousClock.now - start).inSeconds * 1_000).rounded()), "address": address,
    ])
    write(object)
  }
}
