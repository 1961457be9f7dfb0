import Basics
import HTTPTypes
import LiveGame

/// A request body of Wowza's plugin for metadata injection.
struct WowzaRequest: Equatable {
  /// The event, and how it is put into the stream.
  var event: ForeignEvent
  /// Whether the call is answered at once, and not when the event is in the stream.
  var isAsynchronous = false
  /// Milliseconds until the first copy.
  var delay = 0
  /// How many times the event is put into the stream, and the interval in milliseconds.
  var repeats = 1
  var repeatInterval = 0
  /// Whether the event says when it was put into the stream.
  var tellsTime = false

  /// The maximum of each value; a larger one is reduced to it.
  static let (longestDelay, mostRepeats, longestInterval) = (30_000, 10, 5_000)

  /// Reads a body.
  ///
  /// - Throws: ``PeerRefusal`` in the plugin's words if the body is not a request.
  init(_ body: [UInt8]) throws(PeerRefusal) {
    guard !body.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { throw PeerRefusal(.badRequest, "no data") }
    let value: JSONValue
    do throws(ParseError) { value = try JSONValue(parsing: body.span, limits: JSONLimits(bytes: body.count)) } catch {
      throw PeerRefusal(.badRequest, "invalid json \(error)")
    }
    guard let object = value.object, let name = object["event"]?.string, !name.isEmpty else {
      throw PeerRefusal(.badRequest, Self.notInjected)
    }
    event = ForeignEvent(name: name, data: object["data"]?.object ?? JSONObject())
    isAsynchronous = object["async"]?.bool ?? false
    delay = min(Self.integer(object["delay"], otherwise: 0), Self.longestDelay)
    repeats = min(Self.integer(object["repeat"], otherwise: 1), Self.mostRepeats)
    repeatInterval = min(Self.integer(object["repeatInterval"], otherwise: 0), Self.longestInterval)
    tellsTime = object["injectTime"]?.bool ?? false
    guard delay >= 0, repeatInterval >= 0 else { throw PeerRefusal(.badRequest, Self.notInjected) }
    // The choice of a tag's format is not part of the event: there is only one format here.
    event.data.removeValue(for: "wowzaConverter")
  }

  static let notInjected = "could not inject metadata"

  /// A whole number; 0 if the value is not one, as in the plugin.
  private static func integer(_ value: JSONValue?, otherwise: Int) -> Int {
    guard let value else { return otherwise }
    guard let number = value.number else { return 0 }
    if let whole = value.int(in: .exact) { return whole }
    guard let parts = MediaTime(decimalSeconds: number.text) else { return number.text.first == "-" ? -1 : .max }
    return Int(parts.ticks / MediaTime.ticksPerSecond)
  }

  /// The last copy's distance from the first one, in milliseconds.
  var span: Int { max(repeats - 1, 0) * repeatInterval }
}

/// An answer of the plugin, byte for byte.
enum WowzaReply: Equatable {
  /// The event is on its way.
  case accepted(guid: String)
  /// The event is in the stream; when its copies are seen, in milliseconds since 1970.
  case inserted(guid: String, dates: [Int64])
  /// The event waits for its time.
  case waiting(guid: String)
  case failed(guid: String, reason: String)
  /// The answer to any other GET.
  case version(String)

  var text: String {
    switch self {
    case .accepted(let guid): "{\"status\":\"success\", \"guid\":\(Self.quoted(guid))}"
    case .inserted(let guid, let dates): counted("success", guid, dates)
    case .waiting(let guid): counted("waiting", guid, [])
    // The plugin starts it with a blank.
    case .failed(let guid, let reason): " {\"status\":\"failed\", \"guid\":\(Self.quoted(guid)), \"reason\":\(Self.quoted(reason))}"
    case .version(let version): "{\"name\":\"MetadataInjection:\",\"version\":\(Self.quoted(version))}"
    }
  }

  private func counted(_ status: String, _ guid: String, _ dates: [Int64]) -> String {
    let list = dates.map { Self.quoted(Self.date($0)) }.joined(separator: ",")
    return "{\"status\":\"\(status)\", \"guid\":\(Self.quoted(guid)), \"count\":\(dates.count), \"inserted_at\":[\(list)]}"
  }

  private static func quoted(_ text: String) -> String { JSONValue.string(text).text }
}
