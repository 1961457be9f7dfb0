/// A player with what decides on the rank.
struct RankedPlayer: Sendable {
  /// What decides on the rank: players who are left come before players who are out, then points, then how many questions were over before the
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

/// The best of many players, found without sorting all: a heap whose first element is the last of them.
struct BestPlayers: Sendable {
  private let count: Int
  private var heap: [RankedPlayer] = []

  /// Holds the best `count`.
  init(count: Int) {
    self.count = count
    heap.reserveCapacity(count)
  }

  /// The last of the best, once there are `count`: players behind it need not be added.
  var last: RankedPlayer? { heap.count < count ? nil : heap.first }

  /// Adds a player, who takes the place of the last if that is behind.
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
