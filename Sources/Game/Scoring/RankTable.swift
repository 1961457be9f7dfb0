package import Basics

/// The ranks of all players at a time, computed once, so that looking one up need not compare it with all others.
///
/// It is valid until the points change. Players who join meanwhile are added at the next lookup.
package struct RankTable: Sendable {
  /// The time of the scoreboard. For a player who joined later, the time of joining counts.
  package let time: MediaTime
  /// The keys of the players who had joined by then, each once, the best first.
  private let keys: [RankedPlayer.Key]
  /// How many players are ahead of each of these keys.
  private let ahead: [Int]
  /// When all others joined, in order, by key: nearly always they have no points.
  private var later: [RankedPlayer.Key: [MediaTime]] = [:]
  /// How many players the table includes.
  private var count: Int

  fileprivate init(of game: ScoredGame, at time: MediaTime) {
    self.time = time
    count = game.tallies.count
    var counts: [RankedPlayer.Key: Int] = [:]
    for player in game.tallies.indices {
      let joined = game.roster.firstTime(of: player)
      if joined <= time { counts[game.key(player), default: 0] += 1 } else { later[game.key(player), default: []].append(joined) }
    }
    for key in later.keys { later[key]?.sort() }
    keys = counts.keys.sorted { $0.isAhead(of: $1) }
    var (ahead, sum) = ([Int](), 0)
    ahead.reserveCapacity(keys.count)
    for key in keys {
      ahead.append(sum)
      sum += counts[key] ?? 0
    }
    // The number of players ahead of anybody with a lower key.
    ahead.append(sum)
    self.ahead = ahead
  }

  fileprivate mutating func countIn(_ game: ScoredGame) {
    while count < game.tallies.count {
      let (key, joined) = (game.key(count), game.roster.firstTime(of: count))
      let place = Self.place(of: joined, in: later[key] ?? [])
      later[key, default: []].insert(joined, at: place)
      count += 1
    }
  }

  /// How many players are ahead of a key, of those who had joined by a time that is not before that of the table.
  fileprivate func count(aheadOf key: RankedPlayer.Key, by limit: MediaTime) -> Int {
    let better = ahead[keys.partitionIndex { !$0.isAhead(of: key) }]
    return later.reduce(better) { sum, group in group.key.isAhead(of: key) ? sum + Self.place(of: limit, in: group.value) : sum }
  }

  /// How many of the sorted times are not after a time.
  private static func place(of time: MediaTime, in times: [MediaTime]) -> Int { times.partitionIndex { $0 > time } }
}

extension ScoredGame {
  /// A player's place on the scoreboard of a time, or of the time of joining if that is later, as ``standing(of:at:)`` returns it.
  ///
  /// - Parameter table: The ranks that were computed before; whoever changes points, or removes players, discards it.
  package mutating func standing(of player: PlayerID, at time: MediaTime, _ table: inout RankTable?) -> Standing {
    update()
    var ranks = table ?? RankTable(of: self, at: time)
    // Leaves one reference to it, so that it is not copied.
    table = nil
    if ranks.time != time { ranks = RankTable(of: self, at: time) }
    ranks.countIn(self)
    let ahead = ranks.count(aheadOf: key(player.index), by: max(roster.firstTime(of: player.index), time))
    table = ranks
    return standing(player.index, rank: ahead + 1)
  }
}
