package import Basics

/// What the answer of a live session's server means.
package enum LiveReply: Equatable, Sendable {
  /// It is done; the object says what, where the call has such an answer.
  case done(JSONObject?)
  /// The server refuses, and says why.
  case refused(LiveRefusal)
  /// The answer is not one of this interface; it has this status.
  case foreign(status: Int)

  /// Reads an answer.
  ///
  /// - Parameter body: Its content.
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

  /// What kind of problem it is, such as `tooLate`.
  package let kind: String
  package let status: Int
  /// The server's words for it.
  package let detail: String
  /// All mistakes, where the request has some.
  package let mistakes: [Mistake]
  /// The problem as it came.
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

  /// Whether the event was taken back already, so that a request to take it back has nothing left to do.
  package var isCancelledAlready: Bool { kind == "notCancellable" && object["state"]?.string == "cancelled" }
}

/// How often, and when, a call is made again that may succeed later.
package struct LivePatience: Equatable, Sendable {
  /// The number of calls that were made.
  package private(set) var count = 1

  /// The most calls.
  package static let most = 5
  /// The longest time that a server may ask to wait, in milliseconds.
  private static let longest = 10_000
  /// The pause before the second call, in milliseconds; it doubles each time.
  private static let first = 200

  package init() {}

  /// The statuses of servers, and of proxies before them, that are busy or not there for a moment (RFC 9110, 15.5 and 15.6; RFC 6585, 4).
  package static func isWorthRetrying(status: Int) -> Bool { [429, 502, 503, 504].contains(status) }

  /// Counts another call, and gives the milliseconds to wait before it; `nil` where there were enough.
  ///
  /// - Parameter retryAfter: What the server says of that: the number of seconds (RFC 9110, 10.2.3). A date counts as nothing said.
  package mutating func next(retryAfter: String? = nil) -> Int? {
    guard count < Self.most else { return nil }
    defer { count += 1 }
    guard let seconds = retryAfter.flatMap({ Int($0, in: .counts) }) else { return Self.first << (count - 1) }
    return min(seconds, Self.longest / 1_000) * 1_000
  }
}
