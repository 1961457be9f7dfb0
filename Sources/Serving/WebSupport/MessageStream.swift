package import Basics
import Hummingbird
import HTTPTypes
package import LiveSession

/// Messages as server-sent events.
package enum MessageStream {
  /// An answer that continues until the messages end, or the client disconnects.
  ///
  /// - Parameters:
  ///   - first: A message of its own that is sent before the others.
  ///   - ended: Called when nothing more is sent.
  package static func answer(
    _ messages: AsyncStream<LiveFeed.Message>, first: (event: String, data: JSONObject)? = nil,
    ended: @escaping @Sendable () -> Void = {}
  ) -> Answer {
    var answer = Answer(.ok, "text/event-stream", [], headers: [(.cacheControl, "no-store")])
    // nginx holds messages back until its buffer is full, unless it reads this field.
    if let name = HTTPField.Name("X-Accel-Buffering") { answer.headers.append((name, "no")) }
    answer.stream = ResponseBody { writer in
      defer { ended() }
      // Sends something at once, so that the client knows that it is connected.
      try await writer.write(ByteBuffer(string: ": cuelight\n\n"))
      if let first { try await writer.write(ByteBuffer(string: text(first.event, first.data.text))) }
      for await message in messages { try await writer.write(ByteBuffer(string: text(message))) }
      try await writer.finish(nil)
    }
    return answer
  }

  /// A message as the lines that carry it; one without a name only keeps the connection open.
  static func text(_ message: LiveFeed.Message) -> String {
    guard !message.event.isEmpty else { return ":\n\n" }
    // A number of 0 would make a client that reconnects receive everything again.
    return (message.id > 0 ? "id: \(message.id)\n" : "") + text(message.event, message.data)
  }

  private static func text(_ event: String, _ data: String) -> String { "event: \(event)\ndata: \(data)\n\n" }
}
