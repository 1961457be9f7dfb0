import Basics

/// The game is over.
public struct EndGame: Equatable, Sendable {
  /// How many questions were asked.
  public var totalQuestions: Int
  /// The nicknames of those who won.
  public var winners: [String]?
  /// The best players.
  public var leaderboard: [LeaderboardEntry]?
  /// The SHA-256 of the last entry of the game's public record, in hexadecimal digits; `nil` if there is no record.
  public var record: String?

  /// The end of a game with a number of questions.
  public init(totalQuestions: Int, winners: [String]? = nil, leaderboard: [LeaderboardEntry]? = nil, record: String? = nil) {
    self.totalQuestions = totalQuestions
    self.winners = winners
    self.leaderboard = leaderboard
    self.record = record
  }

  /// Whether both are equal; texts are compared byte by byte.
  public static func == (left: EndGame, right: EndGame) -> Bool {
    left.totalQuestions == right.totalQuestions && left.leaderboard == right.leaderboard
      && left.record.hasSameBytes(as: right.record) && (left.winners == nil) == (right.winners == nil)
      && (left.winners ?? []).haveSameBytes(as: right.winners ?? [])
  }
}

extension EndGame {
  init(from fields: inout EventFields) throws(EventError) {
    totalQuestions = try EventFields.require(try fields.integer("totalQuestions", atLeast: 0), "totalQuestions")
    winners = try fields.texts("winners")
    leaderboard = try LeaderboardEntry.list(from: &fields)
    record = try fields.text("record")
  }

  func write(to object: inout JSONObject) {
    object.append("totalQuestions", totalQuestions)
    if let winners { object.append("winners", winners) }
    LeaderboardEntry.write(leaderboard, to: &object)
    if let record { object.append("record", record) }
  }
}
