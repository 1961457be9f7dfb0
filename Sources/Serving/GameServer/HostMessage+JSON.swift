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
    switch self {
    case .started, .ended: JSONObject()
    case .asked(let guid, let number): JSONObject(fields: ["guid": guid.text, "number": number])
    case .placed(let type, let guid, let time): JSONObject(fields: ["guid": guid.text, "event": type.text, "at": time])
    case .closed(let guid), .voided(let guid), .decision(let guid): JSONObject(fields: ["guid": guid.text])
    case .delayed(let delay): JSONObject(fields: ["delay": delay])
    case .kicked(let player), .removed(let player): JSONObject(fields: ["player": player])
    }
  }
}
