package import Basics
import HLSPlaylist

/// What a webhook is told about.
package enum WebhookEvent: String, CaseIterable, Sendable {
  /// The input of a stream comes, or no longer comes.
  case input
  /// An accepted event will not be in the stream.
  case lost
  /// The disk refuses what has to be remembered, or takes it again.
  case disk
  /// A game has begun, has ended, or has gone wrong.
  case game

  /// The names of all kinds, in words.
  package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// A message for webhooks. All attempts to deliver it have the same identifier and the same bytes.
package struct WebhookMessage: Equatable, Sendable {
  /// Tells messages apart: a receiver that sees it again has the message already.
  package var id: String
  /// The stream that it is about. The messages of a stream are delivered in order.
  package var stream: String
  package var event: WebhookEvent
  /// When it happened, in milliseconds since 1970.
  package var date: Int64
  /// The JSON that is sent.
  package var body: String

  /// The maximum number of bytes of ``body``.
  package static let largestBody = 64 << 10

  package init(id: String, stream: String, event: WebhookEvent, date: Int64, body: String) {
    (self.id, self.stream, self.event, self.date, self.body) = (id, stream, event, date, body)
  }

  /// A new message about something that has just happened.
  ///
  /// - Parameters:
  ///   - data: What has happened.
  ///   - date: When, in milliseconds since 1970.
  ///   - numbers: Makes the identifier.
  package init(
    _ event: WebhookEvent, stream: String, _ data: JSONObject, date: Int64, using numbers: inout some RandomNumberGenerator
  ) {
    let id =
      "msg_" + (0..<2).map { _ in UInt64.random(in: .min ... .max, using: &numbers).digits(16, radix: 16, uppercase: false) }.joined()
    let object = JSONObject(fields: [
      "type": event.rawValue, "timestamp": PlaylistDate(milliseconds: date)?.text, "stream": stream, "data": data,
    ])
    self.init(id: id, stream: stream, event: event, date: date, body: object.text)
  }
}
