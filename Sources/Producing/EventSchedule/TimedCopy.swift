public import Basics
public import GameEvents

extension EventSchedule {
  /// What the schedule needs to know about an access unit.
  public struct AccessUnit: Equatable, Sendable {
    /// When it is presented, on the programme's timeline.
    public var time: MediaTime
    /// The frame duration at this access unit.
    public var duration: MediaTime

    /// An access unit.
    public init(time: MediaTime, duration: MediaTime) {
      self.time = time
      self.duration = duration
    }
  }

  /// A copy with its place.
  public struct TimedCopy: Equatable, Sendable {
    /// The copy's presentation time, on the programme's timeline.
    public var time: MediaTime
    /// The copy.
    public var copy: EventCopy
    /// The bytes of its ID3 tag.
    public var tag: [UInt8]
    /// Whether the tag is no event of a game: see ``PlannedEvent/tag``.
    public var isForeign = false
    /// The id of its event message; `nil` for the CRC-32/MPEG-2 of its GUID.
    package var messageID: UInt32?

    package init(time: MediaTime, copy: EventCopy, tag: [UInt8]) { (self.time, self.copy, self.tag) = (time, copy, tag) }
  }

  /// Writes a copy as the bytes that carry it.
  package typealias CopyEncoder = @Sendable (EventCopy) throws(EventError) -> [UInt8]
}

/// Writes the copies of events.
struct CopyWriter: Sendable {
  /// The number of copies in a burst.
  private let copies: Int
  /// How a copy is written; `nil` for its ID3 tag.
  private let encode: EventSchedule.CopyEncoder?
  /// The parts that all copies of an event share, by the event's id.
  private var templates: [Int: CopyTemplate] = [:]

  /// At this number all templates are dropped: remaking some of them costs less than tracking which events are finished.
  private static let mostTemplates = 64

  init(copies: Int, encode: EventSchedule.CopyEncoder?) {
    (self.copies, self.encode) = (copies, encode)
  }

  /// The number of events that are held.
  var heldCount: Int { templates.count }

  /// A copy of an event at a time.
  mutating func copy(_ number: Int, of event: StartedEvent, at time: MediaTime) throws(EventError) -> EventSchedule.TimedCopy {
    let age = min(time - event.time, EventCopy.largestAge)
    if let tag = event.planned.tag {
      let count = event.planned.copies ?? copies
      var timed = EventSchedule.TimedCopy(
        time: time, copy: EventCopy(of: event.planned.event, copy: number, copies: count, age: age, signature: nil), tag: tag)
      timed.isForeign = true
      return timed
    }
    let copy = EventCopy(of: event.planned.event, copy: number, copies: copies, age: age, signature: event.planned.signature)
    let tag = if let encode { try encode(copy) } else { try template(of: event).encodedTag(copy: number, copies: copies, age: age) }
    var timed = EventSchedule.TimedCopy(time: time, copy: copy, tag: tag)
    timed.messageID = event.planned.messageID
    return timed
  }

  /// The size of an event's first copy in bytes.
  func sizeOfFirstCopy(_ event: PlannedEvent) throws(EventError) -> Int {
    if let tag = event.tag { return tag.count }
    let copy = EventCopy(of: event.event, copies: copies, signature: event.signature)
    return if let encode { try encode(copy).count } else { try copy.encodedTag().count }
  }

  private mutating func template(of event: StartedEvent) -> CopyTemplate {
    if let known = templates[event.id] { return known }
    let template = CopyTemplate(event.planned.event, signature: event.planned.signature)
    if templates.count >= Self.mostTemplates { templates.removeAll(keepingCapacity: true) }
    templates[event.id] = template
    return template
  }
}
