import Basics

/// The events with unfinished bursts, in the order of their ids.
struct Bursts: Sendable {
  /// A burst of which some copies are still due.
  struct Burst: Sendable {
    let event: StartedEvent
    /// The number of the next copy.
    var nextCopy = 2
    /// The time of the latest copy.
    var lastTime: MediaTime
  }

  /// Bursts at the front end first, and a slice drops them at no cost.
  private var bursts: ArraySlice<Burst> = []

  var count: Int { bursts.count }
  var isEmpty: Bool { bursts.isEmpty }
  var indices: Range<Int> { bursts.indices }

  subscript(index: Int) -> Burst {
    get { bursts[index] }
    set { bursts[index] = newValue }
  }

  /// Continues the burst of an event after a copy at a time, which is the first copy by default.
  mutating func append(_ event: StartedEvent, at time: MediaTime, nextCopy: Int = 2) {
    bursts.append(Burst(event: event, nextCopy: nextCopy, lastTime: time))
  }

  /// Removes the bursts that are over, all of which are before an index. The others are not moved, because there may be many.
  mutating func removeFinished(before end: Int, _ policy: CopyPolicy) {
    var start = end
    for index in bursts[..<end].indices.reversed() where bursts[index].nextCopy <= bursts[index].event.copyCount(policy) {
      start -= 1
      bursts[start] = bursts[index]
    }
    bursts = bursts[start...]
  }

  func contains(_ id: Int) -> Bool {
    let index = bursts.partitionIndex { $0.event.id >= id }
    return index < bursts.endIndex && bursts[index].event.id == id
  }
}
