package import Basics

extension ScoredGame {
  /// The places of all teams that have players, from the same points as those of the players; teams with equal points in the order of their names.
  ///
  /// It takes a step for each player.
  ///
  /// - Parameters:
  ///   - names: The names of the teams by their numbers.
  ///   - teams: The numbers of the players' teams, by the players' places in the roster; negative for players without a team. Players behind its end
  ///     have none.
  ///   - time: Only players who had joined by then count; with `nil` all.
  package mutating func teamStandings(
    _ names: [Nickname], of teams: [Int32], _ scoring: TeamScoring, at time: MediaTime? = nil
  ) -> [TeamStanding] {
    update()
    var totals = Array(repeating: TeamTotal(), count: names.count)
    let limit = roster.limit(at: time)
    for player in tallies.indices.prefix(teams.count) where roster.hasJoined(player, by: limit) {
      let team = Int(teams[player])
      guard totals.indices.contains(team) else { continue }
      totals[team].add(tallies[player].score, scoring)
    }
    var standings = totals.indices.filter { totals[$0].players > 0 }.map { team in
      TeamStanding(team: team, rank: 0, hundredths: totals[team].hundredths(scoring), players: totals[team].players)
    }
    standings.sort { left, right in
      left.hundredths == right.hundredths ? names[left.team] < names[right.team] : left.hundredths > right.hundredths
    }
    for place in standings.indices {
      let isTied = place > 0 && standings[place - 1].hundredths == standings[place].hundredths
      standings[place].rank = isTied ? standings[place - 1].rank : place + 1
    }
    return standings
  }
}

/// The points of a team's players.
private struct TeamTotal {
  var players = 0
  private var sum = 0
  /// The largest ones, the smallest first.
  private var best: [Int] = []

  /// More points of one player count as so many: then no sum of all players of the largest game overflows, and the order of the players does not
  /// matter.
  private static let most = 1 << 31

  mutating func add(_ score: Int, _ scoring: TeamScoring) {
    let score = min(max(score, -Self.most), Self.most)
    players += 1
    guard case .best(let count) = scoring else {
      sum += score
      return
    }
    guard best.count < count || score > (best.first ?? score) else { return }
    if best.count >= count { best.removeFirst() }
    var (low, high) = (0, best.count)
    while low < high {
      let middle = (low + high) / 2
      if best[middle] < score { low = middle + 1 } else { high = middle }
    }
    best.insert(score, at: low)
  }

  func hundredths(_ scoring: TeamScoring) -> Int {
    switch scoring {
    case .sum: return sum * 100
    case .best: return best.reduce(0, +) * 100
    case .mean:
      let (quotient, rest) = (sum * 100).quotientAndRemainder(dividingBy: max(players, 1))
      // Halves are rounded away from zero.
      return abs(rest) * 2 >= players ? quotient + rest.signum() : quotient
    }
  }
}
