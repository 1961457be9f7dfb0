import Basics
import LiveHLS

/// The changes of a presentation that wait to be pushed to one origin: at most three segments. If there are more, the oldest is given up.
struct PushBacklog: Sendable {
  /// How many segments wait at most.
  static let mostSegments = 3

  private var waiting = Queue<SegmentStore.Update>()
  /// The number of segments that wait.
  private(set) var segmentCount = 0
  /// The number of segments that were given up.
  private(set) var lostCount = 0
  /// The names of the files of segments that were given up and that playlists may still list.
  private(set) var lostNames: Set<String> = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Whether another segment would displace one that waits.
  var isFull: Bool { segmentCount >= Self.mostSegments }

  /// Adds a change. If too many segments wait, the oldest one is given up.
  mutating func add(_ update: SegmentStore.Update) {
    if update.hasSegment {
      while segmentCount >= Self.mostSegments { loseFirst() }
      segmentCount += 1
    }
    for name in update.removable { lostNames.remove(name) }
    waiting.append(update)
  }

  /// Takes the first change; `nil` if none waits.
  mutating func take() -> SegmentStore.Update? {
    guard let first = waiting.popFirst() else { return nil }
    if first.hasSegment { segmentCount -= 1 }
    return first
  }

  /// Records that a change that was taken is given up. What later segments need of it goes out with the next change.
  mutating func lose(_ update: SegmentStore.Update) {
    let media = update.segments.filter { StoredSegments.isMedia($0.name) }.map(\.name) + update.parts.map(\.name)
    if update.hasSegment { lostCount += 1 }
    lostNames.formUnion(media)
    let kept = update.segments.filter { !StoredSegments.isMedia($0.name) }
    guard !kept.isEmpty || !update.removable.isEmpty || !update.removableParts.isEmpty else { return }
    var next = waiting.popFirst() ?? SegmentStore.Update(playlists: [], targetDuration: update.targetDuration)
    next.segments = kept + next.segments
    next.removable = update.removable + next.removable
    next.removableParts = update.removableParts + next.removableParts
    // The queue has no operation to put something back in front.
    waiting = Queue([next] + waiting.elements)
  }

  /// Gives up the oldest segment that waits, and the parts before it.
  private mutating func loseFirst() {
    while let first = take() {
      lose(first)
      if first.hasSegment { return }
    }
  }
}

extension SegmentStore.Update {
  /// Whether it has the files of a segment.
  var hasSegment: Bool { segments.contains { StoredSegments.isMedia($0.name) } }
}
