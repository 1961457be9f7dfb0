public import Basics
public import GameEvents

/// An event that is to be put into a stream.
public struct PlannedEvent: Equatable, Sendable {
  /// The event. Its `at` is its time on the programme's timeline.
  public var event: GameEvent
  /// How long an event of a type without a schema is refreshed; `nil` for not at all. The game's own types follow the rules of the wire format.
  public var currentFor: MediaTime?
  /// The signature of ``event`` that all its copies carry; `nil` for none.
  public var signature: EventSignature?
  /// The bytes of an ID3 tag that is no event of a game, and goes into the stream as it is; `nil` for an event. ``event`` then only says when, and
  /// identifies it.
  public var tag: [UInt8]?
  /// The number of copies in its burst; `nil` for that of the ``CopyPolicy``.
  public var copies: Int?
  /// The id of its event messages; `nil` for the CRC-32/MPEG-2 of its GUID.
  package var messageID: UInt32?
  /// Whether the tag comes from the input, so that it is no mistake if it is after the end.
  package var isOfInput = false

  /// A tag that is no event of a game, with its place.
  ///
  /// - Parameters:
  ///   - tag: The bytes of a whole ID3 tag.
  ///   - guid: Identifies the tag among those of its game.
  ///   - copies: The number of copies in its burst. Players do not recognize them as copies, so there is one unless said otherwise.
  ///   - currentFor: How long it is refreshed; `nil` for not at all.
  public init(tag: [UInt8], at time: MediaTime, guid: GUID, game: String, copies: Int = 1, currentFor: MediaTime? = nil) {
    self.init(GameEvent(guid: guid, game: game, sequence: nil, at: time, content: .custom(.id3, JSONObject())), currentFor: currentFor)
    (self.tag, self.copies) = (tag, max(copies, 1))
  }

  /// An event with its place.
  public init(_ event: GameEvent, currentFor: MediaTime? = nil, signature: EventSignature? = nil) {
    self.event = event
    self.currentFor = currentFor
    self.signature = signature
  }

  /// The event at a later time.
  ///
  /// - Parameter sign: Signs it again, because signatures cover the time; `nil` for no signature.
  /// - Returns: `nil` if it cannot be signed.
  public func later(by delay: MediaTime, sign: EventSigner? = nil) -> PlannedEvent? {
    var moved = self
    moved.event.at = time + delay
    guard tag == nil else { return moved }
    moved.signature = sign?(moved.event.signedBytes)
    return sign == nil || moved.signature != nil ? moved : nil
  }

  /// The event's time on the programme's timeline.
  public var time: MediaTime { event.at ?? .zero }
}

extension EventType {
  /// What cue sheets call an ID3 tag that is no event of a game.
  public static let id3 = EventType("id3")
}

/// An event whose first copy has its place.
struct StartedEvent: Sendable {
  /// The number of events that started before this one. It stays the same, whatever is inserted or dropped.
  let id: Int
  let planned: PlannedEvent

  var time: MediaTime { planned.time }
  /// The number of copies in its burst.
  func copyCount(_ policy: CopyPolicy) -> Int { planned.copies ?? policy.copies }
  /// The sequence number; the largest integer if the event has none.
  var sequence: Int { planned.event.sequence ?? .max }

  /// When the event is over, unless another event has ended it before; `nil` if only another event ends it.
  var end: MediaTime? { planned.currentFor.map { time + $0 } }

  /// Whether a copy at a time can state the event's age.
  func isRepeatable(at time: MediaTime) -> Bool { time - self.time <= EventCopy.largestAge }
}
