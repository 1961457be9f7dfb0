import Basics

/// The times of a game's entries in the order of their sequence numbers, and how often the two contradict each other: how many entries are
/// dated before one with a smaller number.
struct NumberOrder: Equatable, Sendable {
  /// An entry's time (`nil` if the entry does not count), and the latest time up to it.
  private struct Place: Equatable, Sendable {
    var time: MediaTime?
    var latest: MediaTime
    var contradicts = false
  }

  private var places: [Place] = []
  private(set) var contradictions = 0

  /// The maximum number of contradictions at which the numbers still decide the order. A producer whose clock was set causes fewer.
  ///
  /// If the times contradict the numbers, an event may move all those that are dated before it, so the limit bounds the cost of an event.
  private static let most = 32

  /// An order without entries.
  init() {}

  /// The times of all entries, in the order of their numbers; `nil` for those that do not count.
  init(_ times: [MediaTime?]) {
    places = times.map { Place(time: $0, latest: MediaTime(ticks: .min)) }
    settle(from: 0, all: true)
  }

  /// Whether the contradictions are so many that the times decide the order.
  var isContradicted: Bool { contradictions > Self.most }

  /// Adds an entry.
  mutating func insert(_ time: MediaTime?, at index: Int) {
    places.insert(Place(time: time, latest: MediaTime(ticks: .min)), at: index)
    settle(from: index, all: false)
  }

  /// Removes an entry.
  mutating func remove(at index: Int) {
    if places.remove(at: index).contradicts { contradictions -= 1 }
    guard index < places.count else { return }
    settle(from: index, all: false)
  }

  /// Recomputes the values that depend on earlier entries, from an index on: for all places, or until nothing changes any more.
  private mutating func settle(from first: Int, all: Bool) {
    var latest = first > 0 ? places[first - 1].latest : MediaTime(ticks: .min)
    for index in first..<places.count {
      let old = places[index]
      let contradicts = old.time.map { $0 < latest } ?? false
      latest = max(latest, old.time ?? latest)
      if contradicts != old.contradicts { contradictions += contradicts ? 1 : -1 }
      (places[index].contradicts, places[index].latest) = (contradicts, latest)
      if !all, index > first, latest == old.latest { return }
    }
  }
}
