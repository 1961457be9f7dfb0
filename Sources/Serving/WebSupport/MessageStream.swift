package import Basics
import Hummingbird
import HTTPTypes
package import LiveSession

/// Messages as server-sent events.
package enum MessageStream {
  /// An answer that does not end before the messages do, or the client goes.
  ///
  /// - Parameters:
  ///   - first: A message of its own that goes before the others.
  ///   - ended: Called when nothing more is sent.
  package static func answer(
    _ messages: AsyncStream<LiveFeed.Message>, first: (event: String, data: JSONObject)? = nil,
    ended: @escaping @Sendable () -> Void = {}
  ) -> Answer {
    var answer = Answer(.ok, "text/event-stream", [], headers: [(.cacheControl, "no-store")])
    // nginx keeps messages back until its buffer is full, unless it reads this.
    if let name = HTTPField.Name("X-Accel-Buffering") { answer.headers.append((name, "no")) }
    answer.stream = ResponseBody { writer in
      defer { ended() }
      // Something at once, so that the client knows that it is connected.
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
    // A number of 0 would make a client that comes back hear everything again.
    return (message.id > 0 ? "id: \(message.id)\n" : "") + text(message.event, message.data)
  }

  private static func text(_ event: String, _ data: String) -> String { "event: \(event)\ndata: \(data)\n\n" }
}
