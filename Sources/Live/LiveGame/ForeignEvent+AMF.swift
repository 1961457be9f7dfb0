import Basics
package import RTMP
import Sheets

extension ForeignEvent {
  /// Why data of a publisher are no event.
  package enum DataProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no object behind the name.
    case noObject(name: String)
    /// The object does not say how it is to be converted.
    case noConverter(name: String)
    /// The object names a conversion that there is not.
    case unknownConverter(name: String, String)
    /// The object has no text to be converted.
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

  /// The event that data of a publisher stand for, by the rules of Wowza: an object behind a name is one where its `wowzaConverter` says so. With
  /// `basic_json` the event says all that the object does, with `basic_string` its `payload` alone.
  package init(data name: String, _ values: [AMF0Value]) throws(DataProblem) {
    guard let object = values.first, let members = object.members else { throw .noObject(name: name) }
    guard let converter = object[Self.converterKey]?.string else { throw .noConverter(name: name) }
    switch converter.lowercased() {
    case "basic_json":
      let said = JSONObject(members.map { JSONObject.Member(key: $0.name, value: $0.value.json) })
      self.init(name: name, data: said.removing([Self.converterKey]))
    case "basic_string":
      guard let payload = object[Self.payloadKey]?.scalarText else { throw .noPayload(name: name) }
      var said = JSONObject()
      if let guid = object["guid"]?.string { said.append("guid", guid) }
      said.append(Self.payloadKey, payload)
      self.init(name: name, data: said)
    default: throw .unknownConverter(name: name, converter)
    }
  }
}

extension AMF0Value {
  /// The value in JSON. What JSON cannot say is `null`.
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
    // Whole numbers are written as such, as far as all of them are numbers of AMF.
    if let whole = Int(exactly: number), whole.magnitude <= 1 << 53 { return .number(JSONNumber(whole)) }
    return JSONNumber("\(number)").map { .number($0) } ?? .null
  }

  /// The text of a value that is no object and no list.
  fileprivate var scalarText: String? {
    switch self {
    case .string(let text): text
    case .number, .boolean, .date: json.text
    default: nil
    }
  }
}
