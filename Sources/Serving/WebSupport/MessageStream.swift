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
  ///   - number: Its number; 0 for none.
  ///   - ended: Called when nothing more is sent.
  package static func answer(
    _ messages: AsyncStream<LiveFeed.Message>, first: (event: String, data: JSONObject)? = nil, number: Int = 0,
    ended: @escaping @Sendable () -> Void = {}
  ) -> Answer {
    var answer = Answer(.ok, "text/event-stream", [], headers: [(.cacheControl, "no-store")])
    // nginx holds messages back until its buffer is full, unless it reads this field.
    if let name = HTTPField.Name("X-Accel-Buffering") { answer.headers.append((name, "no")) }
    answer.stream = ResponseBody { writer in
      defer { ended() }
      // Sends something at once, so that the client knows that it is connected.
      try await writer.write(ByteBuffer(string: ": cuelight\n\n"))
      if let first { try await writer.write(ByteBuffer(string: id(number) + text(first.event, first.data.text))) }
      for await message in messages { try await writer.write(ByteBuffer(string: text(message))) }
      try await writer.finish(nil)
    }
    return answer
  }

  /// A message as the lines that carry it; one without a name only keeps the connection open.
  static func text(_ message: LiveFeed.Message) -> String {
    guard !message.event.isEmpty else { return ":\n\n" }
    return id(message.id) + text(message.event, message.data)
  }

  // A number of 0 would make a client that reconnects receive everything again.
  private static func id(_ number: Int) -> String { number > 0 ? "id: \(number)\n" : "" }

  private static func text(_ event: String, _ data: String) -> String { "event: \(event)\ndata: \(data)\n\n" }
}
