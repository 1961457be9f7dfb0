/// How the points of a team come from the points of its players.
public enum TeamScoring: Hashable, Sendable {
  /// The mean of all players of the team.
  case mean
  /// The sum of all players of the team.
  case sum
  /// The sum of so many players of the team: those who have the most points.
  case best(Int)

  /// The numbers of players that ``best(_:)`` takes.
  package static let bestCounts = 1...100

  /// Reads `mean`, `sum`, or `best:3`; `nil` for any other text.
  public init?(_ text: String) {
    switch text {
    case "mean": self = .mean
    case "sum": self = .sum
    default:
      let prefix = "best:"
      guard text.hasPrefix(prefix), let count = Int(text.dropFirst(prefix.utf8.count)), Self.bestCounts.contains(count),
        text == "\(prefix)\(count)"
      else { return nil }
      self = .best(count)
    }
  }

  /// What ``init(_:)`` reads.
  public var text: String {
    switch self {
    case .mean: "mean"
    case .sum: "sum"
    case .best(let count): "best:\(count)"
    }
  }
}

/// A team's place on the scoreboard.
public struct TeamStanding: Equatable, Sendable {
  /// The team's number.
  public var team: Int
  /// One more than the number of teams that have more points.
  public var rank: Int
  /// The team's points in hundredths, rounded: a mean may be no whole number.
  public var hundredths: Int
  /// How many players the team has.
  public var players: Int
}
