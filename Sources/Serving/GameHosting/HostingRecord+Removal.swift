import Basics

extension HostingRecord {
  /// The record without a nickname among its leaders and winners.
  package func without(nickname: String) -> HostingRecord {
    switch self {
    case .decided(let guid, let question, let cue): .decided(guid, question: question, cue: Self.cue(cue, without: nickname))
    case .settled(let guid, let question, let answer, let cue):
      .settled(guid, question: question, answer: answer, cue: Self.cue(cue, without: nickname))
    case .ended(let guid, let cue): .ended(guid, cue: Self.cue(cue, without: nickname))
    default: self
    }
  }

  private static func cue(_ cue: JSONObject, without nickname: String) -> JSONObject {
    self.cue(cue) { $0.hasSameBytes(as: nickname) }
  }

  /// The cue without any nicknames but these.
  static func cue(_ cue: JSONObject, keeping nicknames: Set<String>) -> JSONObject { self.cue(cue) { !nicknames.contains($0) } }

  private static func cue(_ cue: JSONObject, leavingOut isLeftOut: (String) -> Bool) -> JSONObject {
    var cue = cue
    for key in ["leaderboard", "winners"] {
      guard let list = cue[key]?.array else { continue }
      let left = list.filter { entry in !((entry.object?["nickname"] ?? entry).string.map(isLeftOut) ?? false) }
      if left.count < list.count { cue.append(key, JSONValue.array(left)) }
    }
    return cue
  }
}
