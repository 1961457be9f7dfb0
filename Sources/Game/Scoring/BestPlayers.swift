/// A player with the key of the rank.
struct RankedPlayer: Sendable {
  /// The key of the rank: players who are left precede those who are out, then points decide, then how many questions were over before the
  /// player joined.
  struct Key: Hashable, Sendable {
    var isOut: Bool
    var score: Int
    var late: Int16

    func isAhead(of other: Key) -> Bool {
      if isOut != other.isOut { return !isOut }
      return score == other.score ? late < other.late : score > other.score
    }
  }

  var key: Key
  var player: Int

  /// Whether this one comes before the other; players of one rank are ordered by `hasSmallerName`.
  func isBefore(_ other: RankedPlayer, _ hasSmallerName: (Int, Int) -> Bool) -> Bool {
    key == other.key ? hasSmallerName(player, other.player) : key.isAhead(of: other.key)
  }
}

/// The best of many players, found without sorting all: once there are twice as many as are wanted, the lower half is dropped.
struct BestPlayers: Sendable {
  private let count: Int
  private var best: [RankedPlayer] = []
  /// The lowest of the best at the latest sorting: players with a lower rank need not be added.
  private(set) var last: RankedPlayer?

  /// Keeps the best `count`.
  init(count: Int) {
    self.count = count
    best.reserveCapacity(2 * count)
  }

  /// Adds a player.
  mutating func add(_ player: RankedPlayer, _ hasSmallerName: (Int, Int) -> Bool) {
    guard count > 0 else { return }
    if let last, !player.isBefore(last, hasSmallerName) { return }
    best.append(player)
    if best.count == 2 * count { sort(hasSmallerName) }
  }

  /// The best, the first first.
  mutating func inOrder(_ hasSmallerName: (Int, Int) -> Bool) -> [RankedPlayer] {
    sort(hasSmallerName)
    return best
  }

  private mutating func sort(_ hasSmallerName: (Int, Int) -> Bool) {
    best.sort { $0.isBefore($1, hasSmallerName) }
    best.removeLast(max(best.count - count, 0))
    if best.count == count { last = best.last }
  }
}
