import Basics

/// Records the output positions of the access units of the stream that tells the time, and interpolates the time of the bytes between them.
struct AccessUnitPlaces: Sendable {
  /// An access unit: the byte of the output at which it starts, and its time.
  private struct AccessUnit: Sendable {
    var place: Int
    var time: MediaTime
  }

  private var units = Queue<AccessUnit>()
  /// The longest time from one access unit to the next; `nil` until there are two.
  private(set) var longestStep: MediaTime?
  /// The largest number of bytes from one access unit to the next.
  private var longestStretch = 0

  mutating func append(_ place: Int, at time: MediaTime) {
    if let last = units.last {
      longestStep = max(longestStep ?? .zero, time - last.time)
      longestStretch = max(longestStretch, place - last.place)
    }
    units.append(AccessUnit(place: place, time: time))
  }

  /// The time of a place, interpolated linearly between the access units before and after it. Callers ask for places in ascending order, because
  /// earlier access units are dropped.
  mutating func time(at place: Int) -> MediaTime {
    while let next = units.second, next.place <= place { _ = units.popFirst() }
    guard let before = units.first else { return .zero }
    guard before.place < place, let next = units.second else { return before.time }
    // Computed backwards from the next one, so that the number of held bytes bounds the product.
    let ticks = (next.time - before.time).ticks * Int64(next.place - place) / Int64(next.place - before.place)
    return next.time - MediaTime(ticks: ticks)
  }

  /// Drops all access units but the last one.
  mutating func keepLast() {
    while units.second != nil { _ = units.popFirst() }
  }

  /// Whether the stretch without an access unit up to a place is the longest one so far.
  func isOverdue(at place: Int) -> Bool {
    guard let last = units.last else { return false }
    return place - last.place > longestStretch
  }
}
