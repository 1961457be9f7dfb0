import Basics

/// What an answer of another maker's injector means.
package enum InjectorAnswer: Equatable, Sendable {
  /// It has the copy.
  case taken
  /// It is busy: the same request may succeed soon.
  case later(String)
  /// It does not know the stream or the caller. Trying again helps once somebody has mended that.
  case unreachable(status: Int, String)
  /// It does not accept this event. Trying again does not help.
  case refused(status: Int, String)

  /// Reads an answer.
  ///
  /// - Parameter kind: The service's name for the error, from a header field of its own.
  package init(_ request: InjectorRequest, status: Int, body: [UInt8], kind: String? = nil) {
    let limits = JSONLimits(bytes: 1 << 20, members: 10_000)
    let object = body.count <= limits.bytes ? (try? JSONValue(parsing: body.span, limits: limits))?.object : nil
    let system = request.target.system
    let reason = Self.reason(object, kind, status, request.credentials)
    switch status {
    // Ant Media reports failures with status 200.
    case 200..<300 where system == .antMedia && object?["success"]?.bool == false: self = .unreachable(status: 404, reason)
    case 200..<300: self = .taken
    case 408, 425, 429, 500...599: self = .later(reason)
    case 400, 413, 415, 422: self = .refused(status: status, reason)
    default: self = .unreachable(status: status, reason)
    }
  }

  /// The maximum number of characters of a service's text.
  private static let longest = 200

  /// The reason in a line, in the service's words if it has some, without secrets.
  private static func reason(_ object: JSONObject?, _ kind: String?, _ status: Int, _ credentials: InjectorCredentials) -> String {
    let keys = ["message", "Message", "exceptionMessage", "reason"]
    let said = keys.lazy.compactMap { object?[$0]?.string }.first { !$0.isEmpty }
    // The address of a page follows a colon.
    let words = [kind.map { String($0.prefix { $0 != ":" }) }, said].compactMap(\.self).joined(separator: ": ")
    let line = credentials.hiding(in: String(words.prefix { !$0.isNewline }))
    let text = line.count > longest ? "\(line.prefix(longest))…" : line
    return text.isEmpty ? "HTTP \(status)" : "\(text.visible(.text)) (HTTP \(status))"
  }
}
