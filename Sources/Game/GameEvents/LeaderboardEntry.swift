public import Basics

/// One line of a leaderboard.
public struct LeaderboardEntry: Equatable, Sendable {
  /// The player's name.
  public var nickname: String
  /// The player's points.
  public var score: Int
  /// Other keys of the entry, in order.
  public var unknownKeys: JSONObject

  /// A player's points.
  public init(nickname: String, score: Int, unknownKeys: JSONObject = JSONObject()) {
    self.nickname = nickname
    self.score = score
    self.unknownKeys = unknownKeys
  }

  /// Whether both are equal; texts are compared byte by byte.
  public static func == (left: LeaderboardEntry, right: LeaderboardEntry) -> Bool {
    left.score == right.score && left.nickname.hasSameBytes(as: right.nickname) && left.unknownKeys == right.unknownKeys
  }
}

extension LeaderboardEntry {
  static func list(from fields: inout EventFields) throws(EventError) -> [LeaderboardEntry]? {
    try fields.list("leaderboard", "a list of objects with \"nickname\" and \"score\"") { value in
      guard var object = value.object, let nickname = object.removeValue(for: "nickname")?.string,
        let score = object.removeValue(for: "score")?.int
      else { return nil }
      return LeaderboardEntry(nickname: nickname, score: score, unknownKeys: object)
    }
  }

  static func write(_ list: [LeaderboardEntry]?, to object: inout JSONObject) {
    guard let list else { return }
    let values = list.map { entry in
      var value = JSONObject()
      value.append("nickname", entry.nickname)
      value.append("score", entry.score)
      value.appendAbsent(entry.unknownKeys)
      return JSONValue.object(value)
    }
    object.append("leaderboard", .array(values))
  }
}
