import Basics

/// What the log has of one game.
struct GameHistory: Equatable, Sendable {
  /// In the order of the game.
  private(set) var entries: [EventLog.Entry] = []
  var gaps: SequenceGaps
  private(set) var lastSeen: MediaTime
  private(set) var course = GameCourse()
  /// The sequence numbers of entries that have left.
  private var forgotten = SequenceSet()
  /// Where the GUIDs' entries are in the order, and where they were when they came, which mostly is where they still are.
  private var slots: [GUID: Slot] = [:]
  /// How many of the entries have no sequence number.
  private var unsequenced = 0
  /// About how many bytes the entries take.
  private(set) var footprint = 0

  init(joined: MediaTime) {
    gaps = SequenceGaps(joined: joined)
    lastSeen = joined
  }

  func entry(_ guid: GUID) -> EventLog.Entry? { index(of: guid).map { entries[$0] } }

  mutating func accept(_ copy: EventCopy, at time: MediaTime, limits: EventLog.Limits, haveLeft: inout Bool) -> EventLog.Outcome {
    lastSeen = max(lastSeen, time)
    if let index = index(of: copy.event.guid) {
      return acceptRepeat(copy, at: time, index: index, limits: limits, haveLeft: &haveLeft)
    }
    if let sequence = copy.event.sequence, forgotten.contains(sequence) {
      gaps.seeAgain()
      return .duplicate
    }
    let eventTime = EventLog.time(of: copy, seenAt: time)
    insert(EventLog.Entry(event: copy.event, time: eventTime, isVerified: copy.isVerified, lastSeen: time))
    if makeRoom(at: time, limits) { haveLeft = true }
    guard let sequence = copy.event.sequence else { return .new }
    return gaps.see(sequence, eventTime: eventTime, now: time, delay: limits.lossDelay) ? .recovered : .new
  }

  private mutating func acceptRepeat(
    _ copy: EventCopy, at time: MediaTime, index: Int, limits: EventLog.Limits, haveLeft: inout Bool
  ) -> EventLog.Outcome {
    let lastSeen = max(entries[index].lastSeen, time)
    if copy.event == entries[index].event {
      entries[index].lastSeen = lastSeen
      if copy.isVerified { entries[index].isVerified = true }
      if copy.event.sequence != nil { gaps.seeAgain() }
      return .duplicate
    }
    guard copy.isVerified, !entries[index].isVerified else { return .conflict }
    remove(at: index)
    let eventTime = EventLog.time(of: copy, seenAt: time)
    insert(EventLog.Entry(event: copy.event, time: eventTime, isVerified: true, lastSeen: lastSeen))
    if makeRoom(at: time, limits) { haveLeft = true }
    if let sequence = copy.event.sequence { _ = gaps.see(sequence, eventTime: eventTime, now: time, delay: limits.lossDelay) }
    return .corrected
  }

  // MARK: Order

  /// The place of an entry: by sequence number if all events of the game have one, else by time.
  private struct Place: Equatable, Sendable {
    var time: MediaTime
    var sequence: Int
    var guid: GUID

    init(_ entry: EventLog.Entry) {
      time = entry.time
      sequence = entry.event.sequence ?? .max
      guid = entry.event.guid
    }

    func precedes(_ other: Place, byTime: Bool) -> Bool {
      if byTime, time != other.time { return time < other.time }
      if sequence != other.sequence { return sequence < other.sequence }
      if time != other.time { return time < other.time }
      // The last resort, so that the order does not depend on the order of arrival. Mostly it is the very event that is looked for.
      return guid != other.guid && guid.precedes(other.guid)
    }
  }

  /// The place of an entry, and a guess of its index.
  private struct Slot: Equatable, Sendable {
    var place: Place
    var index: Int

    /// The guess depends on the order in which the entries came, what is known does not.
    static func == (left: Slot, right: Slot) -> Bool { left.place == right.place }
  }

  private mutating func insert(_ entry: EventLog.Entry) {
    course.extend(with: entry)
    let place = Place(entry)
    changeUnsequenced(by: entry.event.sequence == nil ? 1 : 0)
    footprint += entry.event.footprint
    let index = firstIndex(notBefore: place)
    slots[place.guid] = Slot(place: place, index: index)
    entries.insert(entry, at: index)
  }

  private mutating func remove(at index: Int) {
    let removed = entries.remove(at: index)
    slots[removed.event.guid] = nil
    footprint -= removed.event.footprint
    changeUnsequenced(by: removed.event.sequence == nil ? -1 : 0)
    if removed.event.type == .startGame || removed.event.type == .endGame { course = GameCourse(of: entries) }
  }

  /// Counts entries without a sequence number that come or go; the first and the last of them change the order.
  private mutating func changeUnsequenced(by count: Int) {
    let wasByTime = unsequenced > 0
    unsequenced += count
    let byTime = unsequenced > 0
    guard byTime != wasByTime else { return }
    entries.sort { Place($0).precedes(Place($1), byTime: byTime) }
  }

  private func index(of guid: GUID) -> Int? {
    // Mostly a copy repeats one of the latest events, and identifiers are compared faster than hashed.
    for index in entries.indices.suffix(3).reversed() where entries[index].event.guid == guid { return index }
    guard let known = slots[guid] else { return nil }
    if known.index < entries.count, entries[known.index].event.guid == guid { return known.index }
    return firstIndex(notBefore: known.place)
  }

  /// The index of the first entry that does not come before `place`.
  private func firstIndex(notBefore place: Place) -> Int {
    let byTime = unsequenced > 0
    return entries.partitionIndex { !Place($0).precedes(place, byTime: byTime) }
  }

  // MARK: Bounds

  /// The number of starts of a game that are held, the latest ones.
  private static let mostStarts = 16

  /// The GUIDs of the events that the state at `time` is made of: the starts of the game, the latest question, result and counters, the end.
  private func held(at time: MediaTime) -> Set<GUID> {
    var starts: [GUID] = []
    var (question, result, info, end): (GUID?, GUID?, GUID?, GUID?)
    for entry in entries where entry.time <= time {
      let guid = entry.event.guid
      switch entry.event.content {
      case .startGame: starts.append(guid)
      case .askQuestion: (question, result) = (guid, nil)
      case .showResults: result = guid
      case .periodicInfo: info = guid
      case .endGame: (question, result, end) = (nil, nil, guid)
      case .custom: break
      }
      // Nothing that comes after the end moves the game.
      if end != nil { break }
    }
    // A start may be announced anew; no producer does so without end, and who does has no right to memory.
    return Set(starts.suffix(Self.mostStarts) + [question, result, info, end].compactMap { $0 })
  }

  /// Lets entries go once there are a quarter too many, or they are too large by a quarter, so that the cost of choosing them is spread.
  /// Returns whether there were any.
  private mutating func makeRoom(at time: MediaTime, _ limits: EventLog.Limits) -> Bool {
    guard entries.count > limits.largestEntryCount || footprint > limits.largestFootprint else { return false }
    let held = held(at: time)
    let longestUnseen = entries.filter { !held.contains($0.event.guid) }.sorted { ($0.lastSeen, $0.time) < ($1.lastSeen, $1.time) }
    var leaving: Set<GUID> = []
    var unsequencedLeaving = 0
    for entry in longestUnseen {
      guard entries.count - leaving.count > limits.entries || footprint > limits.bytes else { break }
      leaving.insert(entry.event.guid)
      slots[entry.event.guid] = nil
      footprint -= entry.event.footprint
      if let sequence = entry.event.sequence { forgotten.insert(sequence...sequence) }
      unsequencedLeaving += entry.event.sequence == nil ? 1 : 0
    }
    forgotten.dropLowest(keeping: limits.entries)
    entries.removeAll { leaving.contains($0.event.guid) }
    changeUnsequenced(by: -unsequencedLeaving)
    return !leaving.isEmpty
  }
}
