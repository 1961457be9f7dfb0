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

/// The best of many players, found without sorting all: a heap whose first element is the lowest of them.
struct BestPlayers: Sendable {
  private let count: Int
  private var heap: [RankedPlayer] = []

  /// Keeps the best `count`.
  init(count: Int) {
    self.count = count
    heap.reserveCapacity(count)
  }

  /// The lowest of the best, once there are `count`: players with a lower rank need not be added.
  var last: RankedPlayer? { heap.count < count ? nil : heap.first }

  /// Adds a player, who replaces the last one if that has a lower rank.
  mutating func add(_ entry: RankedPlayer, _ hasSmallerName: (Int, Int) -> Bool) {
    guard count > 0 else { return }
    if heap.count < count {
      heap.append(entry)
      rise(hasSmallerName)
    } else if entry.isBefore(heap[0], hasSmallerName) {
      heap[0] = entry
      sink(hasSmallerName)
    }
  }

  /// The best, the first first.
  func inOrder(_ hasSmallerName: (Int, Int) -> Bool) -> [RankedPlayer] { heap.sorted { $0.isBefore($1, hasSmallerName) } }

  private mutating func rise(_ hasSmallerName: (Int, Int) -> Bool) {
    var index = heap.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[parent].isBefore(heap[index], hasSmallerName) else { return }
      heap.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func sink(_ hasSmallerName: (Int, Int) -> Bool) {
    var index = 0
    while true {
      var last = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[last].isBefore(heap[child], hasSmallerName) {
        last = child
      }
      guard last != index else { return }
      heap.swapAt(index, last)
      index = last
    }
  }
}
