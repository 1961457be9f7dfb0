import Basics
import GameEvents
import GameHosting

extension HostMessage {
  /// The message's name, as hosts listen for it.
  var name: String {
    switch self {
    case .started: "started"
    case .asked: "asked"
    case .placed: "injected"
    case .closed: "closed"
    case .voided: "voided"
    case .decision: "decision"
    case .ended: "ended"
    case .kicked: "kicked"
    case .removed: "removed"
    case .delayed: "delay"
    }
  }

  var object: JSONObject {
    var object = JSONObject()
    switch self {
    case .started, .ended: break
    case .asked(let guid, let number):
      object.append("guid", guid.text)
      object.append("number", number)
    case .placed(let type, let guid, let time):
      object.append("guid", guid.text)
      object.append("event", type.text)
      object.append("at", time)
    case .closed(let guid), .voided(let guid), .decision(let guid): object.append("guid", guid.text)
    case .delayed(let delay): object.append("delay", delay)
    case .kicked(let player), .removed(let player): object.append("player", player)
    }
    return object
  }
}
