package import Basics
package import GameEvents

/// What has happened in a hosted game, one fact after the other. The same records make the same game again.
package enum HostingRecord: Equatable, Sendable {
  /// The host, or the plan, has begun the game; the show's start has this identifier.
  case started(GUID)
  /// A question of the quiz is asked.
  case asked(GUID, question: Int)
  /// An event is in the stream at this time.
  case placed(GUID, at: MediaTime)
  /// A question takes no answers from this time on.
  case closed(question: Int, at: MediaTime)
  /// A question is to take answers for this long, once the event of this identifier is in the stream.
  case adjusting(GUID, question: Int, allottedTime: MediaTime)
  /// The stream does not take the event of this identifier, which was to change a question's time.
  case withdrawn(GUID)
  /// A question has no result.
  case voided(question: Int)
  /// The result of a question, which nothing changes any more: the cue that goes into the stream.
  case decided(GUID, question: Int, cue: JSONObject)
  /// The host wants the end once the result that is decided is in the stream.
  case ending
  /// The end, with the winners.
  case ended(GUID, cue: JSONObject)
  /// When the end was decided, in milliseconds since 1970.
  case finished(at: Int64)
  /// A player is taken out.
  case kicked(player: Int)
  /// A player has deleted what was kept.
  case removed(player: Int)
  /// Whether the plan is followed without a host.
  case automatic(Bool)
  /// When the game is to begin, `nil` for when the host says so, and from when on players may join, in milliseconds since 1970.
  case planned(startsAt: Int64?, entryOpensAt: Int64?)
  /// Answers count from viewers who are so far behind the live edge, from the next question on.
  case delayed(MediaTime)
  /// A command of the host was carried out, so that it is not again.
  case command(id: String)

  /// The record as JSON.
  package var object: JSONObject {
    var object = JSONObject()
    object.append("type", kind)
    switch self {
    case .started(let guid): object.append("guid", guid.text)
    case .asked(let guid, let question):
      object.append("guid", guid.text)
      object.append("question", question)
    case .placed(let guid, let time):
      object.append("guid", guid.text)
      object.append("at", time)
    case .closed(let question, let time):
      object.append("question", question)
      object.append("at", time)
    case .adjusting(let guid, let question, let time):
      object.append("guid", guid.text)
      object.append("question", question)
      object.append("allottedTime", time)
    case .withdrawn(let guid): object.append("guid", guid.text)
    case .voided(let question): object.append("question", question)
    case .decided(let guid, let question, let cue):
      object.append("guid", guid.text)
      object.append("question", question)
      object.append("cue", cue)
    case .ending: break
    case .ended(let guid, let cue):
      object.append("guid", guid.text)
      object.append("cue", cue)
    case .finished(let moment): object.append("at", Int(moment))
    case .kicked(let player), .removed(let player): object.append("player", player)
    case .automatic(let isOn): object.append("on", isOn)
    case .planned(let start, let entry):
      object.append("startsAt", orNull: start.map { Int($0) })
      object.append("entryOpensAt", orNull: entry.map { Int($0) })
    case .delayed(let delay): object.append("delay", delay)
    case .command(let id): object.append("id", id)
    }
    return object
  }

  private var kind: String {
    switch self {
    case .started: "started"
    case .asked: "asked"
    case .placed: "placed"
    case .closed: "closed"
    case .adjusting: "adjusting"
    case .withdrawn: "withdrawn"
    case .voided: "voided"
    case .decided: "decided"
    case .ending: "ending"
    case .ended: "ended"
    case .finished: "finished"
    case .kicked: "kicked"
    case .removed: "removed"
    case .automatic: "automatic"
    case .planned: "planned"
    case .delayed: "delayed"
    case .command: "command"
    }
  }

  /// Reads a record; `nil` for what is none.
  package init?(_ object: JSONObject) {
    let guid = object["guid"]?.string.flatMap { GUID($0) }
    let question = object["question"]?.int.flatMap { (0..<Int(Int32.max)).contains($0) ? $0 : nil }
    let at = object["at"]?.number.flatMap { MediaTime(decimalSeconds: $0.text) }
    let cue = object["cue"]?.object
    switch object["type"]?.string {
    case "started":
      guard let guid else { return nil }
      self = .started(guid)
    case "asked":
      guard let guid, let question else { return nil }
      self = .asked(guid, question: question)
    case "placed":
      guard let guid, let at else { return nil }
      self = .placed(guid, at: at)
    case "closed":
      guard let question, let at else { return nil }
      self = .closed(question: question, at: at)
    case "adjusting":
      guard let guid, let question, let time = object["allottedTime"]?.number.flatMap({ MediaTime(decimalSeconds: $0.text) }) else {
        return nil
      }
      self = .adjusting(guid, question: question, allottedTime: time)
    case "withdrawn":
      guard let guid else { return nil }
      self = .withdrawn(guid)
    case "voided":
      guard let question else { return nil }
      self = .voided(question: question)
    case "decided":
      guard let guid, let question, let cue else { return nil }
      self = .decided(guid, question: question, cue: cue)
    case "ending": self = .ending
    case "ended":
      guard let guid, let cue else { return nil }
      self = .ended(guid, cue: cue)
    case "finished":
      guard let moment = object["at"]?.int else { return nil }
      self = .finished(at: Int64(moment))
    case "kicked":
      guard let player = object["player"]?.int, player >= 0 else { return nil }
      self = .kicked(player: player)
    case "removed":
      guard let player = object["player"]?.int, player >= 0 else { return nil }
      self = .removed(player: player)
    case "automatic":
      guard let isOn = object["on"]?.bool else { return nil }
      self = .automatic(isOn)
    case "planned":
      self = .planned(startsAt: object["startsAt"]?.int.map { Int64($0) }, entryOpensAt: object["entryOpensAt"]?.int.map { Int64($0) })
    case "delayed":
      guard let delay = object["delay"]?.number.flatMap({ MediaTime(decimalSeconds: $0.text) }), GameRules.delays.contains(delay) else {
        return nil
      }
      self = .delayed(delay)
    case "command":
      guard let id = object["id"]?.string else { return nil }
      self = .command(id: id)
    default: return nil
    }
  }
}
