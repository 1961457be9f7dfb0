package import Basics
package import Hummingbird
import HTTPTypes
package import LiveSession
import NIOCore

/// Messages as server-sent events.
package enum MessageStream {
  /// An answer that does not end before the feed does, or the client goes.
  ///
  /// - Parameters:
  ///   - after: The number of the last message that the client has; `nil` for only those that come.
  ///   - first: A message of its own that goes before the others.
  ///   - ended: Called when nothing more is sent.
  package static func response(
    _ feed: LiveFeed, after id: Int?, first: (event: String, data: JSONObject)? = nil, ended: @escaping @Sendable () -> Void = {}
  ) -> Response {
    let messages = feed.listen(after: id)
    var headers = HTTPFields()
    headers[.contentType] = "text/event-stream"
    headers[.cacheControl] = "no-store"
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        defer { ended() }
        // Something at once, so that the client knows that it is connected.
        try await writer.write(ByteBuffer(string: ": cuelight\n\n"))
        if let first { try await writer.write(ByteBuffer(string: "event: \(first.event)\ndata: \(JSONValue.object(first.data).text)\n\n")) }
        for await message in messages { try await writer.write(ByteBuffer(string: text(message))) }
        try await writer.finish(nil)
      })
  }

  /// A message as the lines that carry it; one without a name only keeps the connection open.
  static func text(_ message: LiveFeed.Message) -> String {
    message.event.isEmpty ? ":\n\n" : "id: \(message.id)\nevent: \(message.event)\ndata: \(message.data)\n\n"
  }
}
