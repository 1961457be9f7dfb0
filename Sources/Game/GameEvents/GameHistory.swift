import MediaTime

/// What the log has of one game.
struct GameHistory: Equatable, Sendable {
  /// In the order of the game.
  private(set) var entries: [EventLog.Entry] = []
  var gaps: SequenceGaps
  private(set) var lastSeen: MediaTime
  /// The sequence numbers of entries that have left.
  private var forgotten = SequenceSet()
  /// Where the GUIDs' entries are, so that a duplicate needs no search.
  private var times: [GUID: OrderKey] = [:]
  private var hasUnsequencedEvents = false

  init(joined: MediaTime) {
    gaps = SequenceGaps(joined: joined)
    lastSeen = joined
  }

  func entry(_ guid: GUID) -> EventLog.Entry? { index(of: guid).map { entries[$0] } }

  mutating func accept(_ copy: EventCopy, at time: MediaTime, limits: EventLog.Limits) -> EventLog.Outcome {
    lastSeen = max(lastSeen, time)
    if let index = index(of: copy.event.guid) { return acceptRepeat(copy, at: time, index: index, limits: limits) }
    if let sequence = copy.event.sequence, forgotten.contains(sequence) { return .duplicate }
    let eventTime = EventLog.time(of: copy, seenAt: time)
    insert(EventLog.Entry(event: copy.event, time: eventTime, isVerified: copy.isVerified, lastSeen: time))
    makeRoom(limits)
    guard let sequence = copy.event.sequence else { return .new }
    return gaps.see(sequence, eventTime: eventTime, now: time, delay: limits.lossDelay) ? .recovered : .new
  }

  private mutating func acceptRepeat(_ copy: EventCopy, at time: MediaTime, index: Int, limits: EventLog.Limits) -> EventLog.Outcome {
    let known = entries[index]
    if copy.event == known.event {
      entries[index].lastSeen = max(known.lastSeen, time)
      entries[index].isVerified = known.isVerified || copy.isVerified
      return .duplicate
    }
    guard copy.isVerified, !known.isVerified else { return .conflict }
    remove(at: index)
    let eventTime = EventLog.time(of: copy, seenAt: time)
    insert(EventLog.Entry(event: copy.event, time: eventTime, isVerified: true, lastSeen: max(known.lastSeen, time)))
    if let sequence = copy.event.sequence { _ = gaps.see(sequence, eventTime: eventTime, now: time, delay: limits.lossDelay) }
    return .corrected
  }

  // MARK: Order

  /// Where an entry stands: by sequence number if all events of the game have one, else by time.
  private struct OrderKey: Equatable, Sendable {
    var time: MediaTime
    var sequence: Int?
  }

  private func precedes(_ left: EventLog.Entry, _ right: EventLog.Entry) -> Bool {
    let (first, second) = (left.event.sequence ?? .max, right.event.sequence ?? .max)
    if hasUnsequencedEvents {
      if left.time != right.time { return left.time < right.time }
      if first != second { return first < second }
    } else {
      if first != second { return first < second }
      if left.time != right.time { return left.time < right.time }
    }
    // The last resort, so that the order does not depend on the order of arrival.
    return left.event.guid.text.utf8.lexicographicallyPrecedes(right.event.guid.text.utf8)
  }

  private mutating func insert(_ entry: EventLog.Entry) {
    if entry.event.sequence == nil, !hasUnsequencedEvents {
      hasUnsequencedEvents = true
      entries = entries.sorted { precedes($0, $1) }
    }
    times[entry.event.guid] = OrderKey(time: entry.time, sequence: entry.event.sequence)
    entries.insert(entry, at: firstIndex { !precedes($0, entry) })
  }

  private mutating func remove(at index: Int) {
    times[entries[index].event.guid] = nil
    let removed = entries.remove(at: index)
    guard removed.event.sequence == nil, !entries.contains(where: { $0.event.sequence == nil }) else { return }
    hasUnsequencedEvents = false
    entries = entries.sorted { precedes($0, $1) }
  }

  private func index(of guid: GUID) -> Int? {
    guard let key = times[guid] else { return nil }
    let first = firstIndex { entry in
      hasUnsequencedEvents ? entry.time >= key.time : (entry.event.sequence ?? .max) >= (key.sequence ?? .max)
    }
    return entries[first...].firstIndex { $0.event.guid == guid }
  }

  /// The index of the first entry for which `isReached` holds, given that it holds for all after it.
  private func firstIndex(where isReached: (EventLog.Entry) -> Bool) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if isReached(entries[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  // MARK: Bounds

  /// The GUIDs of the events that nothing has ended yet. Types without a schema do not say how long they last.
  private var current: Set<GUID> {
    var current: [GameEvent] = []
    for entry in entries {
      current.removeAll { entry.event.endsCurrency(of: $0) }
      if EventType.known.contains(entry.event.type) { current.append(entry.event) }
    }
    // No producer keeps more than a few events current; what claims more is hostile and has no right to memory.
    return Set(current.suffix(64).map(\.guid))
  }

  /// Lets entries go once there are a quarter too many, so that the cost of choosing them is spread.
  private mutating func makeRoom(_ limits: EventLog.Limits) {
    guard entries.count > limits.entries + limits.entries / 4 else { return }
    let current = current
    let leaving = entries.filter { !current.contains($0.event.guid) }.sorted { ($0.lastSeen, $0.time) < ($1.lastSeen, $1.time) }
      .prefix(entries.count - limits.entries)
    var guids: Set<GUID> = []
    for entry in leaving {
      guids.insert(entry.event.guid)
      times[entry.event.guid] = nil
      if let sequence = entry.event.sequence { forgotten.insert(sequence...sequence) }
    }
    forgotten.dropLowest(keeping: limits.entries)
    entries.removeAll { guids.contains($0.event.guid) }
  }
}
