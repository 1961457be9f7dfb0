import Basics
import EventSchedule
import GameEvents

/// What is known about the latest events of a game.
struct EventMemory: Sendable {
  struct Entry: Sendable {
    var status: EventStatus
    /// What was posted, to recognize it when it is posted again.
    var object: JSONObject
    /// The clients' names for the requests about it.
    fileprivate var keys: [String] = []
    /// The event, while a late viewer or a restart may need it.
    var planned: PlannedEvent?
    /// When it happens if the game decides: its own time, or that of its acceptance.
    var happens: MediaTime?
    /// Whether the stream has it and the journal not yet. Nobody learns of its place until the journal has it: after a crash it would get another one.
    var isUnwritten = false

    /// Whether the stream has it.
    var isPlaced: Bool { [.placed, .published].contains(status.state) }

    /// The status that others may learn of.
    var told: EventStatus {
      guard isUnwritten else { return status }
      var told = status
      (told.state, told.at, told.pts, told.wallClock, told.copyDates) = (.accepted, nil, nil, nil, [])
      return told
    }
  }

  private var entries: [GUID: Entry] = [:]
  /// The identifiers in the order of acceptance.
  private var order = Queue<GUID>()
  private var keys: [String: GUID] = [:]

  /// The maximum number of remembered events.
  private static let mostRemembered = 20_000

  subscript(guid: GUID) -> Entry? {
    get { entries[guid] }
    set { entries[guid] = newValue }
  }

  /// The event of a request with this name.
  func guid(ofKey key: String) -> GUID? { keys[key] }

  /// All statuses in the order of acceptance, as others may learn of them.
  var statuses: [EventStatus] { order.elements.compactMap { entries[$0]?.told } }

  /// The events that the stream has and that are not forgotten yet, in the order of their sequence numbers.
  var placedEvents: [PlannedEvent] {
    entries.values.filter(\.isPlaced).compactMap(\.planned).sorted { ($0.event.sequence ?? 0) < ($1.event.sequence ?? 0) }
  }

  /// Adds an event, or replaces what is known about it. The oldest event whose fate is decided is forgotten instead.
  mutating func remember(_ status: EventStatus, _ object: JSONObject, _ planned: PlannedEvent? = nil) {
    let guid = status.guid
    let known = entries[guid]
    if known == nil { order.append(guid) }
    entries[guid] = Entry(status: status, object: object, keys: known?.keys ?? [], planned: planned, happens: known?.happens)
    while order.count > Self.mostRemembered, let oldest = order.first, entries[oldest]?.status.state.isFinal ?? true {
      _ = order.popFirst()
      for key in entries.removeValue(forKey: oldest)?.keys ?? [] { keys[key] = nil }
    }
  }

  /// Remembers a client's name for a request about an event.
  mutating func name(_ guid: GUID, _ key: String?) {
    guard let key else { return }
    keys[key] = guid
    entries[guid]?.keys.append(key)
  }

  mutating func forgetPlacedEvents() {
    for (guid, entry) in entries where entry.isPlaced { entries[guid]?.planned = nil }
  }

  /// Copies what another memory knows about placed and lost events and the journal does not.
  mutating func adopt(_ other: EventMemory) {
    for (guid, entry) in other.entries where (entry.isPlaced || entry.status.state == .lost) && entries[guid] != nil {
      entries[guid]?.status = entry.status
      entries[guid]?.planned = entry.planned
      entries[guid]?.isUnwritten = entry.isUnwritten
    }
  }

  mutating func place(_ guid: GUID, at: MediaTime, pts: UInt64, wallClock: Int64) {
    guard var status = entries[guid]?.status else { return }
    // If tags wait for null packets, a segment with the copy may be complete before the stream has it.
    status.state = status.segments.isEmpty ? .placed : .published
    (status.at, status.pts, status.wallClock, status.copyDates) = (at, pts, wallClock, [wallClock])
    entries[guid]?.status = status
    entries[guid]?.planned?.event.at = at
  }

  mutating func publish(_ guid: GUID, in mediaSequence: UInt64) {
    guard var status = entries[guid]?.status else { return }
    if status.state == .placed {
      status.state = .published
      // The schedule has it, and here it would only take memory.
      entries[guid]?.planned = nil
    }
    status.segments.append(mediaSequence)
    if status.segments.count > EventStatus.mostSegments { status.segments.removeFirst() }
    entries[guid]?.status = status
  }

  mutating func lose(_ guid: GUID, _ reason: String) {
    entries[guid]?.status.state = .lost
    entries[guid]?.status.reason = reason
    entries[guid]?.isUnwritten = false
  }
}
