package import Basics

/// The meaning of a live server's answer.
package enum LiveReply: Equatable, Sendable {
  /// It is done. The object is the answer, if the call has one.
  case done(JSONObject?)
  /// The server refuses, and says why.
  case refused(LiveRefusal)
  /// The answer is not one of this interface; it has this status.
  case foreign(status: Int)

  /// Reads an answer.
  ///
  /// - Parameter body: The answer's content.
  package init(status: Int, body: [UInt8]) {
    let object = (try? JSONValue(parsing: body.span, limits: JSONLimits(bytes: body.count, members: body.count)))?.object
    switch status {
    case 204: self = .done(nil)
    case 200..<300: self = object.map { .done($0) } ?? .foreign(status: status)
    default: self = object.flatMap { LiveRefusal($0, status: status) }.map { .refused($0) } ?? .foreign(status: status)
    }
  }
}

/// A problem as RFC 9457 describes it.
package struct LiveRefusal: Equatable, Sendable {
  /// A mistake in the request, and the JSON pointer to its place; empty for the whole request.
  package struct Mistake: Equatable, Sendable {
    package var pointer: String
    package var detail: String
  }

  /// The kind of the problem, such as `tooLate`.
  package let kind: String
  package let status: Int
  /// The reason in the server's words.
  package let detail: String
  /// All mistakes of the request; otherwise the reason alone.
  package let mistakes: [Mistake]
  /// The problem as the server sent it.
  package let object: JSONObject

  /// - Parameter status: The status of the answer.
  init?(_ object: JSONObject, status: Int) {
    guard let kind = object["title"]?.string, let detail = object["detail"]?.string else { return nil }
    (self.kind, self.detail, self.status, self.object) = (kind, detail, status, object)
    let listed = (object["errors"]?.array ?? []).compactMap(\.object).compactMap { mistake in
      mistake["detail"]?.string.map { Mistake(pointer: mistake["pointer"]?.string ?? "", detail: $0) }
    }
    mistakes = listed.isEmpty ? [Mistake(pointer: object["pointer"]?.string ?? "", detail: detail)] : listed
  }

  /// The refusal in words, a line for each mistake.
  package var lines: [String] { mistakes.map { $0.pointer.isEmpty ? $0.detail : "\($0.pointer): \($0.detail)" } }

  /// Whether the event is cancelled already, so that a request to cancel it has nothing left to do.
  package var isCancelledAlready: Bool { kind == "notCancellable" && object["state"]?.string == "cancelled" }
}

// Calls that may succeed later.
extension BackOff {
  /// Five calls, the second one after 200 ms. A server may ask for at most ten seconds.
  package static let call = BackOff(.milliseconds(200), longest: .seconds(10), attempts: 5)

  /// The statuses of servers and proxies that are busy, or away for a moment (RFC 9110, 15.5 and 15.6; RFC 6585, 4).
  package static func isWorthRetrying(status: Int) -> Bool { [429, 502, 503, 504].contains(status) }

  /// Counts a failed call; returns the delay before the next one, and `nil` after the last one.
  ///
  /// - Parameter retryAfter: The answer's Retry-After: a number of seconds (RFC 9110, 10.2.3). A date is ignored.
  package mutating func fail(retryAfter: String?) -> Duration? {
    fail(wanted: retryAfter.flatMap { Int($0, in: .counts) }.map { .seconds($0) })
  }
}
