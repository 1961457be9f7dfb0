import Basics
import SCTE35

// Ad breaks in the journal, with the sections that announce and end each, for the playlists of the next session.
extension AdBreak {
  /// What the next session has to know about it.
  var record: JSONObject {
    JSONObject(fields: ["number": number, "eventID": Int(id.eventID), "state": state.rawValue, "start": Int(start.ticks)])
      .with("type", id.type.map { Int($0.rawValue) }).with("duration", duration.map { Int($0.ticks) })
      .with("end", end.map { Int($0.ticks) }).with("returns", returnsByItself ? true : nil)
      .with("section", out.isEmpty ? nil : out.hexadecimal).with("back", back.map { $0.hexadecimal })
  }

  init(record object: JSONObject) throws(JSONFieldError) {
    func time(_ key: String) -> MediaTime? { object[key]?.int(in: .exact).map { MediaTime(ticks: Int64($0)) } }
    let type = object["type"]?.int(in: 0...255).map { SegmentationType(rawValue: UInt8($0)) }
    guard let eventID = UInt32(exactly: try object.int("eventID", in: .counts)) else { throw JSONFieldError("eventID") }
    guard let state = State(rawValue: try object.string("state")) else { throw JSONFieldError("state") }
    self.init(
      Identifier(type: type, eventID: eventID), number: try object.int("number", in: .counts),
      start: MediaTime(ticks: Int64(try object.int("start"))), duration: time("duration"),
      returnsByItself: object["returns"]?.bool ?? false, out: object["section"]?.string.flatMap { [UInt8](hexadecimal: $0.utf8) } ?? [])
    (self.state, end, back) = (state, time("end"), object["back"]?.string.flatMap { [UInt8](hexadecimal: $0.utf8) })
  }
}
