import Basics

/// A line of the file in which messages wait for webhooks.
enum WebhookRecord: Equatable, Sendable {
  /// A message has arrived for these webhooks.
  case message(WebhookMessage, hooks: [String])
  /// It is no longer sent to these webhooks: they have it, or it was tried for a day, or there was no room.
  case settled(id: String, hooks: [String])

  /// The limits of a line.
  private static let limits = JSONLimits(bytes: 4 * WebhookMessage.largestBody)

  /// The line, with its end.
  var line: [UInt8] { Array("\(object.text)\n".utf8) }

  private var object: JSONObject {
    switch self {
    case .message(let message, let hooks):
      JSONObject(fields: [
        "message": message.id, "stream": message.stream, "event": message.event.rawValue, "date": Int(message.date), "for": hooks,
        "body": message.body,
      ])
    case .settled(let id, let hooks): JSONObject(fields: ["settled": id, "for": hooks])
    }
  }

  /// The record of a line; `nil` if it was not written completely, or was changed.
  init?(line: ArraySlice<UInt8>) {
    let bytes = Array(line)
    guard bytes.count <= Self.limits.bytes, let object = (try? JSONValue(parsing: bytes.span, limits: Self.limits))?.object else {
      return nil
    }
    do throws(JSONFieldError) {
      let hooks = try object.list("for") { $0.string }
      if let id = object["settled"]?.string {
        self = .settled(id: id, hooks: hooks)
        return
      }
      guard let event = WebhookEvent(rawValue: try object.string("event")) else { return nil }
      let message = WebhookMessage(
        id: try object.string("message"), stream: try object.string("stream"), event: event,
        date: Int64(try object.int("date", in: .counts)),
        body: try object.string("body"))
      self = .message(message, hooks: hooks)
    } catch {
      return nil
    }
  }

  /// The records of a file, and how many lines are none. What follows the last end of a line was not written completely.
  static func read(_ bytes: [UInt8]) -> (records: [WebhookRecord], damaged: Int) {
    var (records, damaged): ([WebhookRecord], Int) = ([], 0)
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return ([], 0) }
    for line in bytes[..<end].split(separator: UInt8(ascii: "\n")) {
      if let record = WebhookRecord(line: line) { records.append(record) } else { damaged += 1 }
    }
    return (records, damaged)
  }
}
