package import Basics

/// The ranks of all players at a time, found once, so that telling one of them takes no look at all others.
///
/// It holds as long as the points do. Players who join meanwhile are counted in when somebody asks.
package struct RankTable: Sendable {
  /// The time of the scoreboard. A player who joined later is seen from the time of joining.
  package let time: MediaTime
  /// What those have achieved who had joined by then, the best first, each once.
  private let keys: [RankedPlayer.Key]
  /// How many are ahead of each of them.
  private let ahead: [Int]
  /// When all others joined, in order, by what they have achieved: nearly always that is nothing.
  private var later: [RankedPlayer.Key: [MediaTime]] = [:]
  /// How many players are counted in.
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
    // Who is behind all of them is behind this many.
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

  /// How many are ahead of somebody, of those who had joined by a time that is not before that of the table.
  fileprivate func count(aheadOf key: RankedPlayer.Key, by limit: MediaTime) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle].isAhead(of: key) { low = middle + 1 } else { high = middle }
    }
    return later.reduce(ahead[low]) { sum, group in group.key.isAhead(of: key) ? sum + Self.place(of: limit, in: group.value) : sum }
  }

  /// How many of the times, which are in order, are not behind a time.
  private static func place(of time: MediaTime, in times: [MediaTime]) -> Int {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension ScoredGame {
  /// A player's place on the scoreboard of a time, or of the time of joining if that is later, as ``standing(of:at:)`` tells it.
  ///
  /// - Parameter table: The ranks that were found before; whoever changes points, or takes players out, throws it away.
  package mutating func standing(of player: PlayerID, at time: MediaTime, _ table: inout RankTable?) -> Standing {
    update()
    var ranks = table ?? RankTable(of: self, at: time)
    // The only one who holds it, so that it is not copied.
    table = nil
    if ranks.time != time { ranks = RankTable(of: self, at: time) }
    ranks.countIn(self)
    let ahead = ranks.count(aheadOf: key(player.index), by: max(roster.firstTime(of: player.index), time))
    table = ranks
    return standing(player.index, rank: ahead + 1)
  }
}
