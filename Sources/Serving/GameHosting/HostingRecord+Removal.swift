import Basics

extension HostingRecord {
  /// The record without a nickname among its leaders and winners.
  package func without(nickname: String) -> HostingRecord {
    switch self {
    case .decided(let guid, let question, let cue): .decided(guid, question: question, cue: Self.cue(cue, without: nickname))
    case .ended(let guid, let cue): .ended(guid, cue: Self.cue(cue, without: nickname))
    default: self
    }
  }

  private static func cue(_ cue: JSONObject, without nickname: String) -> JSONObject {
    var cue = cue
    for key in ["leaderboard", "winners"] {
      guard let list = cue[key]?.array else { continue }
      let left = list.filter { entry in !((entry.object?["nickname"] ?? entry).string?.hasSameBytes(as: nickname) ?? false) }
      cue.append(key, JSONValue.array(left))
    }
    return cue
  }
}
