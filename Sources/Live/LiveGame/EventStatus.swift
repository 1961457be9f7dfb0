package import Basics
package import GameEvents

/// The status of a posted event.
package struct EventStatus: Equatable, Sendable {
  /// How far an event has come.
  package enum State: String, Equatable, Sendable {
    /// It goes into the stream with the next access unit, once the journal has it.
    case accepted
    /// It waits for its time or the operator, once the journal has it.
    case scheduled
    /// It waits for the end of an ad break, once the journal has it.
    case held
    /// Its first copy is in the stream.
    case placed
    /// A listed segment has a copy.
    case published
    /// The operator has cancelled it.
    case cancelled
    /// It will not be in the stream.
    case lost

    /// Whether it is decided if the event is in the stream.
    var isFinal: Bool { ![.accepted, .scheduled, .held].contains(self) }
  }

  /// The event's identifier.
  package var guid: GUID
  /// The event's type.
  package var type: String
  package var state: State
  /// The sequence number; `nil` until it is known.
  package var sequence: Int?
  /// The event's time on the programme's timeline, once it is placed.
  package var at: MediaTime?
  /// The presentation time of its first copy, 33 bits.
  package var pts: UInt64?
  /// The date of its first copy, in milliseconds since 1970.
  package var wallClock: Int64?
  /// How long players may answer a question.
  package var allottedTime: MediaTime?
  /// The number of copies of the burst so far.
  package var copies = 0
  /// The number of refreshes so far.
  package var refreshes = 0
  /// The dates of the first copies, including refreshes, in milliseconds since 1970.
  package var copyDates: [Int64] = []
  /// The media sequence numbers of the latest segments with copies of it.
  package var segments: [UInt64] = []
  /// The timecode of the stream by which it is scheduled; `nil` if it is not.
  package var timecode: String?
  /// Why it is lost or held, or why it goes on waiting.
  package var reason: String?

  /// The maximum number of listed segments.
  static let mostSegments = 32
  /// The maximum number of dates.
  package static let mostCopyDates = 10

  init(guid: GUID, type: String, state: State, sequence: Int? = nil) {
    (self.guid, self.type, self.state, self.sequence) = (guid, type, state, sequence)
  }

  /// The answer to a repeated request: that to the first one, unless the event will never be in the stream.
  var firstAnswer: EventStatus {
    guard [.placed, .published].contains(state) else { return self }
    var status = EventStatus(guid: guid, type: type, state: .accepted, sequence: sequence)
    (status.allottedTime, status.timecode) = (allottedTime, timecode)
    return status
  }

  /// The programme time from which on answers are late.
  package var closesAt: MediaTime? { at.flatMap { at in allottedTime.map { at + $0 } } }
}
