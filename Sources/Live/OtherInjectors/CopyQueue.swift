package import GameEvents

/// The copies that wait for an injector with a limit of requests per second. Above the limit refreshes are dropped first, then repeats, but never
/// first copies.
package struct CopyQueue: Sendable {
  private let limit: Int
  /// The first copies, the repeats and the refreshes, each in their order.
  private var waiting: [[EventCopy]] = [[], [], []]
  /// When the latest requests were sent or, if that is known, answered: at most the requests of a second.
  private var sent: [Int64] = []
  /// Nothing is sent before this moment, since the injector has asked for a pause.
  private var pausedUntil = Int64.min
  /// The numbers of copies that were dropped, by their kinds.
  private var dropped = [0, 0, 0]

  /// A second in milliseconds, and some more, since the injector has a clock of its own.
  private static let second: Int64 = 1_100
  /// The number of waiting first copies at which there is no room for further events.
  private static let mostFirst = 64

  /// - Parameter requestsPerSecond: The maximum number of requests in any second.
  package init(requestsPerSecond: Int) { limit = max(requestsPerSecond, 1) }

  /// The numbers of refreshes and of repeats that were dropped.
  package var droppedRefreshes: Int { dropped[2] }
  package var droppedRepeats: Int { dropped[1] }

  package var isEmpty: Bool { waiting.allSatisfy(\.isEmpty) }

  /// Whether there is room for further events.
  package var hasRoom: Bool { waiting[0].count < Self.mostFirst }

  /// Adds copies. Refreshes and repeats that cannot be sent within a second are dropped.
  package mutating func add(_ copies: [EventCopy]) {
    for copy in copies {
      let kind = Self.kind(copy)
      if kind == 2, let known = waiting[2].firstIndex(where: { $0.event.guid == copy.event.guid }) {
        // A later refresh of the same event replaces the earlier one.
        waiting[2][known] = copy
        dropped[2] += 1
      } else {
        waiting[kind].append(copy)
      }
    }
    var excess = waiting.reduce(0) { $0 + $1.count } - limit
    for kind in [2, 1] {
      let count = min(max(excess, 0), waiting[kind].count)
      waiting[kind].removeFirst(count)
      (dropped[kind], excess) = (dropped[kind] + count, excess - count)
    }
  }

  /// The copy to send at a moment, in milliseconds; `nil` if nothing waits or may be sent.
  package mutating func next(at now: Int64) -> EventCopy? {
    guard let moment = nextMoment, moment <= now, let kind = waiting.firstIndex(where: { !$0.isEmpty }) else { return nil }
    sent.append(now)
    if sent.count > limit { sent.removeFirst() }
    return waiting[kind].removeFirst()
  }

  /// Records the answer to the copy that was sent last.
  ///
  /// The limit counts from the answer, since requests that are sent a second apart may arrive closer together.
  package mutating func noteAnswer(at now: Int64) {
    if !sent.isEmpty { sent[sent.count - 1] = now }
  }

  /// When the next copy may be sent; `nil` if none waits.
  package var nextMoment: Int64? {
    guard !isEmpty else { return nil }
    let free = sent.count < limit ? Int64.min : (sent.first ?? 0) + Self.second
    return max(free, pausedUntil)
  }

  /// When another process may begin to send as many copies as were sent lately, within the limit for both; `nil` if none was sent.
  package var restMoment: Int64? { sent.first.map { $0 + Self.second * Int64(sent.count) / Int64(limit) } }

  /// Puts back a copy that the injector did not accept, and sends nothing before a moment. Repeats and refreshes are dropped.
  package mutating func putBack(_ copy: EventCopy, until moment: Int64) {
    let kind = Self.kind(copy)
    if kind == 0 { waiting[0].insert(copy, at: 0) } else { dropped[kind] += 1 }
    pausedUntil = max(pausedUntil, moment)
  }

  /// Sends nothing for a second from a moment on, in milliseconds.
  package mutating func pauseForASecond(at now: Int64) { pausedUntil = max(pausedUntil, now + Self.second) }

  private static func kind(_ copy: EventCopy) -> Int { copy.copy == 1 ? 0 : copy.isRefresh ? 2 : 1 }
}
