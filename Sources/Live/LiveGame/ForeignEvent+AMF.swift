import Basics
package import RTMP
import Sheets

extension ForeignEvent {
  /// Why a publisher's data message is no event.
  package enum DataProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// No object follows the name.
    case noObject(name: String)
    /// The object names no conversion.
    case noConverter(name: String)
    /// The object names an unknown conversion.
    case unknownConverter(name: String, String)
    /// The object has no text to convert.
    case noPayload(name: String)

    /// The reason in words.
    package var description: String {
      switch self {
      case .noObject(let name): "\(name.quoted) has no object, and is left out"
      case .noConverter(let name): "\(name.quoted) has no wowzaConverter, and is left out; \"basic_json\" makes an event of it"
      case .unknownConverter(let name, let converter):
        "\(name.quoted) has the wowzaConverter \(converter.quoted), and is left out; there are \"basic_json\" and \"basic_string\""
      case .noPayload(let name): "\(name.quoted) has no payload, and is left out"
      }
    }
  }

  private static let converterKey = "wowzaConverter"
  private static let payloadKey = "payload"

  /// The event of a publisher's data message, by the rules of Wowza: the object after the name is an event if it has a `wowzaConverter`. With
  /// `basic_json` the event has all members of the object, with `basic_string` only its `payload`.
  package init(data name: String, _ values: [AMF0Value]) throws(DataProblem) {
    guard let object = values.first, let members = object.members else { throw .noObject(name: name) }
    guard let converter = object[Self.converterKey]?.string else { throw .noConverter(name: name) }
    switch converter.lowercased() {
    case "basic_json":
      let said = JSONObject(members.map { JSONObject.Member(key: $0.name, value: $0.value.json) })
      self.init(name: name, data: said.removing([Self.converterKey]))
    case "basic_string":
      guard let payload = object[Self.payloadKey]?.scalarText else { throw .noPayload(name: name) }
      self.init(name: name, data: JSONObject().with("guid", object["guid"]?.string).with(Self.payloadKey, payload))
    default: throw .unknownConverter(name: name, converter)
    }
  }
}

extension AMF0Value {
  /// The value in JSON; `null` if JSON has no such value.
  fileprivate var json: JSONValue {
    switch self {
    case .number(let number), .date(let number): Self.json(number)
    case .boolean(let isTrue): .bool(isTrue)
    case .string(let text): .string(text)
    case .object(let members), .array(let members):
      .object(JSONObject(members.map { JSONObject.Member(key: $0.name, value: $0.value.json) }))
    case .list(let elements): .array(elements.map(\.json))
    case .null, .undefined: .null
    }
  }

  private static func json(_ number: Double) -> JSONValue {
    // Whole numbers are written without a fraction, up to the largest one that AMF has exactly.
    if let whole = Int(exactly: number), whole.magnitude <= 1 << 53 { return .number(JSONNumber(whole)) }
    return JSONNumber("\(number)").map { .number($0) } ?? .null
  }

  /// The text of a value that is neither an object nor a list.
  fileprivate var scalarText: String? {
    switch self {
    case .string(let text): text
    case .number, .boolean, .date: json.text
    default: nil
    }
  }
}
