package import Basics
package import GameEvents
import PublicRecord
package import Questions

/// What has happened in a hosted game, one fact after another. The same records make the same game again.
package enum HostingRecord: Equatable, Sendable {
  /// The host, or the plan, has begun the game; the show's start has this identifier.
  case started(GUID)
  /// A question of the quiz is asked.
  case asked(GUID, question: Int)
  /// An event is in the stream at this time.
  case placed(GUID, at: MediaTime)
  /// A question accepts no answers from this time on.
  case closed(question: Int, at: MediaTime)
  /// A question is to accept answers for this long, once the event of this identifier is in the stream.
  case adjusting(GUID, question: Int, allottedTime: MediaTime)
  /// The stream does not accept the event of this identifier, which was to change a question's time.
  case withdrawn(GUID)
  /// A question has no result.
  case voided(question: Int)
  /// The result of a question, which is final: the cue that goes into the stream.
  case decided(GUID, question: Int, cue: JSONObject)
  /// What is right in a prediction, which is final: the index of the answer, and the cue of the second result.
  case settled(GUID, question: Int, answer: Int, cue: JSONObject)
  /// The host wants the end once the decided result is in the stream.
  case ending
  /// The end, with the winners.
  case ended(GUID, cue: JSONObject)
  /// When the end was decided, in milliseconds since 1970.
  case finished(at: Int64)
  /// A player is removed from the game.
  case kicked(player: Int)
  /// A player has deleted the stored data.
  case removed(player: Int)
  /// Whether the plan is followed without a host.
  case automatic(Bool)
  /// When the game is to begin (`nil`: when the host says so), and from when on players may join, in milliseconds since 1970.
  case planned(startsAt: Int64?, entryOpensAt: Int64?)
  /// Answers count from viewers who are up to this far behind the live edge, from the next question on.
  case delayed(MediaTime)
  /// A question that was not asked has this content now. The number after the last one is that of a new question.
  case written(question: Int, Question)
  /// The questions of these numbers are to be asked, in this order.
  case arranged([Int])
  /// A line of the public record, which is final.
  case recorded(String)
  /// The hashes of answers to a closed question, by their places in its tree: their player has deleted the stored data.
  case erased(question: Int, leaves: [Int: [UInt8]])
  /// A command of the host was carried out, so that its repetition does nothing.
  case command(id: String)

  /// The record as JSON.
  package var object: JSONObject {
    switch self {
    case .started(let guid): JSONObject(fields: ["type": "started", "guid": guid.text])
    case .asked(let guid, let question): JSONObject(fields: ["type": "asked", "guid": guid.text, "question": question])
    case .placed(let guid, let time): JSONObject(fields: ["type": "placed", "guid": guid.text, "at": time])
    case .closed(let question, let time): JSONObject(fields: ["type": "closed", "question": question, "at": time])
    case .adjusting(let guid, let question, let time):
      JSONObject(fields: ["type": "adjusting", "guid": guid.text, "question": question, "allottedTime": time])
    case .withdrawn(let guid): JSONObject(fields: ["type": "withdrawn", "guid": guid.text])
    case .voided(let question): JSONObject(fields: ["type": "voided", "question": question])
    case .decided(let guid, let question, let cue):
      JSONObject(fields: ["type": "decided", "guid": guid.text, "question": question, "cue": cue])
    case .settled(let guid, let question, let answer, let cue):
      JSONObject(fields: ["type": "settled", "guid": guid.text, "question": question, "answer": answer, "cue": cue])
    case .ending: JSONObject(fields: ["type": "ending"])
    case .ended(let guid, let cue): JSONObject(fields: ["type": "ended", "guid": guid.text, "cue": cue])
    case .finished(let moment): JSONObject(fields: ["type": "finished", "at": Int(moment)])
    case .kicked(let player): JSONObject(fields: ["type": "kicked", "player": player])
    case .removed(let player): JSONObject(fields: ["type": "removed", "player": player])
    case .automatic(let isOn): JSONObject(fields: ["type": "automatic", "on": isOn])
    case .planned(let start, let entry):
      JSONObject(fields: ["type": "planned", "startsAt": start.map { Int($0) }, "entryOpensAt": entry.map { Int($0) }])
    case .delayed(let delay): JSONObject(fields: ["type": "delayed", "delay": delay])
    case .written(let number, let content): JSONObject(fields: ["type": "written", "question": number, "content": content.object])
    case .arranged(let numbers): JSONObject(fields: ["type": "arranged", "questions": numbers])
    case .recorded(let line): JSONObject(fields: ["type": "recorded", "line": line])
    case .erased(let question, let leaves):
      JSONObject(fields: [
        "type": "erased", "question": question,
        "leaves": leaves.sorted { $0.key < $1.key }.map { JSONObject(fields: ["place": $0.key, "hash": $0.value.hexadecimal]) },
      ])
    case .command(let id): JSONObject(fields: ["type": "command", "id": id])
    }
  }

  /// Milliseconds since 1970. A game of an older version may be planned for a date beyond the largest number here, which takes its place.
  private static func moment(_ value: JSONValue) -> Int64? {
    let exact = ClosedRange<Int64>.exact
    return value.number.flatMap { Int64($0.text, in: .min ... .max) }.map { min(max($0, exact.lowerBound), exact.upperBound) }
  }

  /// Hashes by their places; `nil` for anything else.
  private static func leaves(_ list: [JSONValue]) -> [Int: [UInt8]]? {
    let leaves = list.compactMap { value -> (Int, [UInt8])? in
      guard let place = value.object?["place"]?.int(in: .counts),
        let hash = value.object?["hash"]?.string.flatMap({ [UInt8](hexadecimal: $0.utf8) })
      else { return nil }
      return (place, hash)
    }
    return leaves.count == list.count ? Dictionary(leaves) { $1 } : nil
  }

  /// Reads a record.
  ///
  /// - Throws: `JSONFieldError` if the object is not a record.
  package init(_ object: JSONObject) throws(JSONFieldError) {
    func guid() throws(JSONFieldError) -> GUID { try object.require("guid") { $0.string.flatMap { GUID($0) } } }
    func question() throws(JSONFieldError) -> Int { try object.int("question", in: 0...Int(Int32.max) - 1) }
    func player() throws(JSONFieldError) -> Int { try object.int("player", in: .counts) }
    func moment(_ key: String) throws(JSONFieldError) -> Int64? { try object.optional(key) { Self.moment($0) } }
    switch try object.string("type") {
    case "started": self = .started(try guid())
    case "asked": self = .asked(try guid(), question: try question())
    case "placed": self = .placed(try guid(), at: try object.time("at"))
    case "closed": self = .closed(question: try question(), at: try object.time("at"))
    case "adjusting": self = .adjusting(try guid(), question: try question(), allottedTime: try object.time("allottedTime"))
    case "withdrawn": self = .withdrawn(try guid())
    case "voided": self = .voided(question: try question())
    case "decided": self = .decided(try guid(), question: try question(), cue: try object.object("cue"))
    case "settled":
      self = .settled(
        try guid(), question: try question(), answer: try object.int("answer", in: .counts), cue: try object.object("cue"))
    case "ending": self = .ending
    case "ended": self = .ended(try guid(), cue: try object.object("cue"))
    case "finished": self = .finished(at: Int64(try object.int("at")))
    case "kicked": self = .kicked(player: try player())
    case "removed": self = .removed(player: try player())
    case "automatic": self = .automatic(try object.bool("on"))
    case "planned": self = .planned(startsAt: try moment("startsAt"), entryOpensAt: try moment("entryOpensAt"))
    case "delayed":
      let delay = try object.time("delay")
      guard GameRules.delays.contains(delay) else { throw JSONFieldError("delay") }
      self = .delayed(delay)
    case "written":
      let content = try object.object("content")
      guard case .success(let content) = Question.read(content) else { throw JSONFieldError("content") }
      self = .written(question: try question(), content)
    case "arranged":
      self = .arranged(
        try object.require("questions") { value in
          value.array.flatMap { values in
            let numbers = values.compactMap { $0.int(in: 0...Int(Int32.max) - 1) }
            return numbers.count == values.count ? numbers : nil
          }
        })
    case "recorded": self = .recorded(try object.string("line"))
    case "erased":
      let leaves = try object.require("leaves") { value in value.array.flatMap { Self.leaves($0) } }
      self = .erased(question: try question(), leaves: leaves)
    case "command": self = .command(id: try object.string("id"))
    default: throw JSONFieldError("type")
    }
  }
}
