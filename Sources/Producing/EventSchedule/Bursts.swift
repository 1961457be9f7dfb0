import Basics

/// The events whose bursts go on, in the order of their ids.
struct Bursts: Sendable {
  /// A burst of which some copies are still to come.
  struct Burst: Sendable {
    let event: StartedEvent
    /// The number of the next copy.
    var nextCopy = 2
    /// The time of the latest copy.
    var lastTime: MediaTime
  }

  /// Bursts at the front end first, and leave a slice at no cost.
  private var bursts: ArraySlice<Burst> = []

  var count: Int { bursts.count }
  var isEmpty: Bool { bursts.isEmpty }
  var indices: Range<Int> { bursts.indices }

  subscript(index: Int) -> Burst {
    get { bursts[index] }
    set { bursts[index] = newValue }
  }

  /// Goes on with the burst of an event whose latest copy has a time: the first one, unless said otherwise.
  mutating func append(_ event: StartedEvent, at time: MediaTime, nextCopy: Int = 2) {
    bursts.append(Burst(event: event, nextCopy: nextCopy, lastTime: time))
  }

  /// Removes the bursts that are over, all of which lie before a place. The others stay where they are, because there may be many.
  mutating func removeFinished(before end: Int, copies: Int) {
    var start = end
    for index in bursts[..<end].indices.reversed() where bursts[index].nextCopy <= copies {
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
