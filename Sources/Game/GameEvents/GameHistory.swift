import Basics

/// The log's history of one game.
struct GameHistory: Equatable, Sendable {
  /// In the order of the game.
  private(set) var entries: [EventLog.Entry] = []
  var gaps: SequenceGaps
  private(set) var lastSeen: MediaTime
  /// When the game began and ended, by the entries that count.
  private(set) var course = GameCourse()
  /// Whether a verified copy of one of the game's six events was seen: from then on unverified entries do not count.
  private(set) var isVerified = false
  /// The sequence numbers of removed verified entries.
  private var forgotten = SequenceSet()
  /// The sequence numbers of removed unverified entries, which are no evidence of verified copies.
  private var forgottenUnverified = SequenceSet()
  /// By GUID, the place of its entry in the order, and the index that the entry had when it was added. Mostly it still has that index.
  private var slots: [GUID: Slot] = [:]
  /// The event for each sequence number: a verified one before others, and of those the first.
  private var holders: [Int: GUID] = [:]
  /// How many of the entries that count have no sequence number.
  private var unsequenced = 0
  /// Whether the entries are ordered by time, because one that counts has no sequence number, or the times contradict the numbers too often.
  private(set) var isOrderedByTime = false
  /// How far the times contradict the order of the numbers. It is kept only while the order is that of the numbers.
  private var numbers = NumberOrder()
  /// The approximate size of the entries in bytes.
  private(set) var footprint = 0
  /// How often the events or their order changed in another way than by an addition at the end.
  private(set) var rewrites = ArrivalCount()

  init(joined: MediaTime) {
    gaps = SequenceGaps(joined: joined)
    lastSeen = joined
  }

  func entry(_ guid: GUID) -> EventLog.Entry? { index(of: guid).map { entries[$0] } }

  /// Whether an entry counts: once a game is verified, unverified entries do not.
  func counts(_ entry: EventLog.Entry) -> Bool { entry.isVerified || !isVerified }

  /// The entries that count.
  var countingEntries: [EventLog.Entry] { isVerified ? entries.filter { $0.isVerified } : entries }

  mutating func accept(
    _ copy: EventCopy, at time: MediaTime, now: MediaTime, limits: EventLog.Limits, _ changes: inout EventLog.Changes
  ) -> EventLog.Outcome {
    lastSeen = max(lastSeen, time)
    let index = index(of: copy.event.guid)
    if let index, copy.event == entries[index].event {
      entries[index].lastSeen = max(entries[index].lastSeen, time)
      if copy.isVerified, !entries[index].isVerified {
        verify(at: index, now: time, limits, &changes)
      } else if copy.event.sequence != nil, counts(entries[index]) {
        gaps.seeAgain()
      }
      return .duplicate
    }
    if let index, !copy.isVerified || entries[index].isVerified { return .conflict }
    if let sequence = copy.event.sequence {
      if index == nil, forgotten.contains(sequence) || (!copy.isVerified && forgottenUnverified.contains(sequence)) {
        gaps.seeAgain()
        return .duplicate
      }
      if let holder = holders[sequence], holder != copy.event.guid {
        guard copy.isVerified, let held = self.index(of: holder), !entries[held].isVerified else { return .sequenceConflict(with: holder) }
        remove(at: held, &changes)
        changes.displaced = holder
      }
    }
    // The index may have changed because an entry was displaced.
    let known = self.index(of: copy.event.guid).map { remove(at: $0, &changes) }
    let eventTime = EventLog.time(of: copy, seenAt: time)
    let lastSeen = max(known?.lastSeen ?? time, time)
    if makesVerified(copy) { countOnlyVerified(&changes) }
    insert(EventLog.Entry(event: copy.event, time: eventTime, isVerified: copy.isVerified, lastSeen: lastSeen), &changes)
    changes.hasAdded = true
    let wasLost = see(copy.event, eventTime: eventTime, isVerified: copy.isVerified, now: time, limits)
    makeRoom(at: now, limits, &changes)
    if known != nil { return .corrected }
    return wasLost ? .recovered : .new
  }

  /// Records the sequence number of an entry that is new, if it counts; returns whether it had been declared lost.
  private mutating func see(_ event: GameEvent, eventTime: MediaTime, isVerified: Bool, now: MediaTime, _ limits: EventLog.Limits) -> Bool {
    guard let sequence = event.sequence, isVerified || !self.isVerified else { return false }
    return gaps.see(sequence, eventTime: eventTime, now: now, delay: limits.lossDelay)
  }

  // MARK: Verified copies

  /// Whether a copy is the first verified one of the game.
  private func makesVerified(_ copy: EventCopy) -> Bool { !isVerified && copy.isVerified && !copy.event.isCustom }

  /// From here on, unverified entries no longer count, nor do gaps between their numbers.
  private mutating func countOnlyVerified(_ changes: inout EventLog.Changes) {
    isVerified = true
    rewrites.value &+= 1
    gaps.restart()
    if entries.contains(where: { !$0.isVerified }) { changes.isRearranged = true }
    course = GameCourse(of: countingEntries)
    unsequenced = entries.count { $0.isVerified && $0.event.sequence == nil }
    chooseOrder(&changes)
  }

  /// Makes a known entry a verified one.
  private mutating func verify(at index: Int, now: MediaTime, _ limits: EventLog.Limits, _ changes: inout EventLog.Changes) {
    let entry = entries[index]
    entries[index].isVerified = true
    rewrites.value &+= 1
    if !isVerified {
      // An event that does not affect the state changes nothing yet.
      guard !entry.event.isCustom else { return }
      countOnlyVerified(&changes)
      changes.isRearranged = true
    } else {
      count(entries[index])
      chooseOrder(&changes)
    }
    if let sequence = entry.event.sequence { holders[sequence] = entry.event.guid }
    changes.hasAdded = !entry.event.isCustom
    _ = see(entry.event, eventTime: entry.time, isVerified: true, now: now, limits)
  }

  // MARK: Order

  /// The place of an entry, and a guess of its index.
  private struct Slot: Equatable, Sendable {
    var place: EntryPlace
    var index: Int

    /// The guess of the index is not compared: it depends on the order of arrival, and the entries do not.
    static func == (left: Slot, right: Slot) -> Bool { left.place == right.place }
  }

  private mutating func insert(_ entry: EventLog.Entry, _ changes: inout EventLog.Changes) {
    let place = EntryPlace(entry)
    if counts(entry) { count(entry) }
    // The first entry without a number changes the order before it has its place.
    if unsequenced > 0, !isOrderedByTime { chooseOrder(&changes) }
    if let sequence = entry.event.sequence { holders[sequence] = entry.event.guid }
    footprint += entry.event.footprint
    let index = firstIndex(notBefore: place)
    slots[entry.event.guid] = Slot(place: place, index: index)
    if index < entries.count { rewrites.value &+= 1 }
    entries.insert(entry, at: index)
    guard !isOrderedByTime else { return }
    numbers.insert(counts(entry) ? entry.time : nil, at: index)
    if numbers.isContradicted { chooseOrder(&changes) }
  }

  /// Adds an entry that counts to the course, and to the data that decides the order.
  private mutating func count(_ entry: EventLog.Entry) {
    course.extend(with: entry)
    if entry.event.sequence == nil { unsequenced += 1 }
  }

  @discardableResult
  private mutating func remove(at index: Int, _ changes: inout EventLog.Changes) -> EventLog.Entry {
    rewrites.value &+= 1
    let removed = entries.remove(at: index)
    slots[removed.event.guid] = nil
    if let sequence = removed.event.sequence { holders[sequence] = nil }
    footprint -= removed.event.footprint
    if !isOrderedByTime { numbers.remove(at: index) }
    if counts(removed) {
      if removed.event.sequence == nil { unsequenced -= 1 }
      if isOrderedByTime, unsequenced == 0 { chooseOrder(&changes) }
      if removed.event.type == .startGame || removed.event.type == .endGame { course = GameCourse(of: countingEntries) }
    }
    if counts(removed) || removed.event.isCustom { changes.replaced.append(removed) }
    return removed
  }

  /// Chooses the order again. It depends only on the current entries that count, not on removed ones.
  private mutating func chooseOrder(_ changes: inout EventLog.Changes) {
    var byTime = unsequenced > 0
    if !byTime {
      numbers = NumberOrder(byNumber.map { counts($0) ? $0.time : nil })
      byTime = numbers.isContradicted
    }
    if byTime { numbers = NumberOrder() }
    guard byTime != isOrderedByTime else { return }
    changes.isRearranged = true
    rewrites.value &+= 1
    isOrderedByTime = byTime
    entries.order { EntryPlace($0).precedes(EntryPlace($1), byTime: byTime) }
  }

  /// The entries in the order of their numbers.
  private var byNumber: [EventLog.Entry] {
    isOrderedByTime ? entries.ordered { EntryPlace($0).precedes(EntryPlace($1), byTime: false) } : entries
  }

  private func index(of guid: GUID) -> Int? {
    // A copy mostly repeats one of the latest events, and comparing identifiers is faster than hashing them.
    for index in entries.indices.suffix(3).reversed() where entries[index].event.guid == guid { return index }
    guard let known = slots[guid] else { return nil }
    if known.index < entries.count, entries[known.index].event.guid == guid { return known.index }
    return firstIndex(notBefore: known.place)
  }

  /// The index of the first entry that does not come before `place`.
  private func firstIndex(notBefore place: EntryPlace) -> Int {
    let byTime = isOrderedByTime
    return entries.partitionIndex { !EntryPlace($0).precedes(place, byTime: byTime) }
  }

  // MARK: Bounds

  /// How many of the latest starts of a game are held.
  private static let mostStarts = 16

  /// The GUIDs of the events that make up the state at `time`: the starts of the game, the latest question, its time,
  /// result and counters, the end.
  private func held(at time: MediaTime) -> Set<GUID> {
    var starts: [GUID] = []
    var (question, adjustment, result, info, end): (GUID?, GUID?, GUID?, GUID?, GUID?)
    for entry in entries where entry.time <= time && counts(entry) {
      let guid = entry.event.guid
      switch entry.event.content {
      case .startGame: starts.append(guid)
      case .askQuestion: (question, adjustment, result) = (guid, nil, nil)
      case .adjustTime: adjustment = guid
      case .showResults: result = guid
      case .periodicInfo: info = guid
      case .endGame: (question, adjustment, result, end) = (nil, nil, nil, guid)
      case .custom: break
      }
      // No event after the end affects the game.
      if end != nil { break }
    }
    // A start may be announced again. Only the latest starts are held, so that endless ones cannot fill the memory.
    return Set(starts.suffix(Self.mostStarts) + [question, adjustment, result, info, end].compactMap { $0 })
  }

  /// Removes entries once there are a quarter too many, or they are too large by a quarter, so that the cost of choosing them is spread:
  /// first those that do not count, then what was seen longest ago.
  private mutating func makeRoom(at time: MediaTime, _ limits: EventLog.Limits, _ changes: inout EventLog.Changes) {
    guard entries.count > limits.largestEntryCount || footprint > limits.largestFootprint else { return }
    let held = held(at: time)
    let candidates = entries.filter { !held.contains($0.event.guid) }.ordered { left, right in
      let (leftCounts, rightCounts) = (counts(left), counts(right))
      return leftCounts == rightCounts ? (left.lastSeen, left.time) < (right.lastSeen, right.time) : rightCounts
    }
    var leaving: Set<GUID> = []
    for entry in candidates {
      guard entries.count - leaving.count > limits.entries || footprint > limits.bytes else { break }
      leaving.insert(entry.event.guid)
      slots[entry.event.guid] = nil
      footprint -= entry.event.footprint
      if let sequence = entry.event.sequence {
        holders[sequence] = nil
        if entry.isVerified { forgotten.insert(sequence...sequence) } else { forgottenUnverified.insert(sequence...sequence) }
      }
      if entry.event.sequence == nil, counts(entry) { unsequenced -= 1 }
    }
    guard !leaving.isEmpty else { return }
    forgotten.dropLowest(keeping: limits.entries)
    forgottenUnverified.dropLowest(keeping: limits.entries)
    rewrites.value &+= 1
    entries.removeAll { leaving.contains($0.event.guid) }
    chooseOrder(&changes)
    changes.hasRemovedEntries = true
  }
}

/// A count that depends on the order in which copies arrived. The content of the log does not depend on it, so two counts always compare as
/// equal and do not make two logs different.
struct ArrivalCount: Equatable, Sendable {
  var value = 0

  static func == (left: ArrivalCount, right: ArrivalCount) -> Bool { true }
}
