import Basics
import HTTPTypes
import LiveSession
import WebSupport

/// The inputs of a session with a backup.
extension LiveAPI {
  /// Lets an input feed the stream. It answers at once; the change comes with the input's next key frame.
  func postInput(_ call: LiveCall) async throws(Problem) -> Answer {
    let text = try call.body.requestText()
    let value: JSONValue
    do throws(ParseError) { value = try JSONValue(parsing: text) } catch { throw .notJSON(error) }
    guard let source = value.object?["source"]?.string.flatMap({ InputChoice.Source(rawValue: $0) }) else {
      throw .invalid("/source", "write {\"source\":\"main\"} or {\"source\":\"backup\"}")
    }
    guard let inputs = session.inputSwitch else { throw Problem("noInput", .conflict, "the stream has one input, and no backup") }
    guard inputs.isUp(source) else { throw Problem("noInput", .conflict, "nothing comes from \(inputs.name(source))") }
    inputs.ask(for: source)
    return Answer(.ok, Self.object(inputs))
  }

  /// The inputs, and which of them feeds the stream.
  static func object(_ inputs: InputSwitch) -> JSONObject {
    func input(_ source: InputChoice.Source) -> JSONObject {
      JSONObject(fields: ["name": inputs.name(source), "state": inputs.isUp(source) ? "up" : "down"])
    }
    return JSONObject(fields: ["source": inputs.feeding.rawValue, "main": input(.main), "backup": input(.backup)])
  }
}
