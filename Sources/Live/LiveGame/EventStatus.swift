package import Basics
package import GameEvents

/// What became of an event that was posted.
package struct EventStatus: Equatable, Sendable {
  /// How far an event has come.
  package enum State: String, Equatable, Sendable {
    /// It is in the journal, and goes into the stream with the next access unit.
    case accepted
    /// It is in the journal, and waits for its time or for the operator.
    case scheduled
    /// Its first copy is in the stream.
    case placed
    /// A segment with it is in the playlist.
    case published
    /// The operator has taken it back.
    case cancelled
    /// It will not be in the stream.
    case lost

    /// Whether it is decided that the event is in the stream, or that it never will be.
    var isFinal: Bool { ![.accepted, .scheduled].contains(self) }
  }

  /// The event's identifier.
  package var guid: GUID
  /// The event's type.
  package var type: String
  /// How far the event has come.
  package var state: State
  /// The place in the game; `nil` until it is known.
  package var sequence: Int?
  /// The event's time on the programme's timeline, once it is placed.
  package var at: MediaTime?
  /// The presentation time of its first copy, 33 bits.
  package var pts: UInt64?
  /// When it is seen, in milliseconds since 1970.
  package var wallClock: Int64?
  /// How long players may answer, where the event is a question.
  package var allottedTime: MediaTime?
  /// The number of copies of the burst so far.
  package var copies = 0
  /// The number of refreshes so far.
  package var refreshes = 0
  /// When the first copies are seen, refreshes among them, in milliseconds since 1970.
  package var copyDates: [Int64] = []
  /// The media sequence numbers of the segments with copies of it, the latest ones.
  package var segments: [UInt64] = []
  /// Why it is lost.
  package var reason: String?

  /// The most segments that are listed.
  static let mostSegments = 32
  /// The most copies whose dates are kept.
  package static let mostCopyDates = 10

  init(guid: GUID, type: String, state: State, sequence: Int? = nil) {
    (self.guid, self.type, self.state, self.sequence) = (guid, type, state, sequence)
  }

  /// What a request was answered with that is repeated: the same again, whatever has become of the event meanwhile, unless it will never be in the stream.
  var firstAnswer: EventStatus {
    guard [.placed, .published].contains(state) else { return self }
    var status = EventStatus(guid: guid, type: type, state: .accepted, sequence: sequence)
    status.allottedTime = allottedTime
    return status
  }

  /// When answers are too late, on the programme's timeline.
  package var closesAt: MediaTime? { at.flatMap { at in allottedTime.map { at + $0 } } }
}
