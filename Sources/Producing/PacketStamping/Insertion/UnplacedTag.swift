public import Basics
public import GameEvents

/// A tag for which there are too few null packets.
public struct UnplacedTag: Equatable, Sendable {
  /// The copy that it carries.
  public var copy: EventCopy
  /// The time of the copy on the timeline.
  public var time: MediaTime
  /// The offset of the packet that it would precede.
  public var offset: Int
  /// The next time on the timeline that has room for it, and for the rest of its burst; `nil` if there is none within ten seconds.
  public var roomFrom: MediaTime?

  /// A tag at a position.
  public init(copy: EventCopy, time: MediaTime, offset: Int, roomFrom: MediaTime?) {
    self.copy = copy
    self.time = time
    self.offset = offset
    self.roomFrom = roomFrom
  }

  /// How much later there is room for the event's cue; `nil` if there is none, and for refreshes, whose times do not come from a cue.
  public var delay: MediaTime? {
    guard let roomFrom, let at = copy.event.at, !copy.isRefresh else { return nil }
    return roomFrom - at
  }
}

/// Looks for the next place in a stream that has room for a tag.
struct RoomSearch: Sendable {
  private var tag: UnplacedTag
  /// The number of null packets that are needed.
  private let packetCount: Int
  /// The latest access unit in the order of presentation: only later access units can take the tag.
  private var latest: MediaTime

  /// How far ahead room is searched for (ten seconds). A cue would hardly be moved farther.
  private static let farthest = MediaTime(ticks: 900_000)

  init(_ tag: UnplacedTag, packetCount: Int, after latest: MediaTime) {
    self.tag = tag
    self.packetCount = packetCount
    self.latest = latest
  }

  /// The error, until room is found.
  var failure: PacketStampingError { .noNullPacket(tag) }

  /// Examines the next access unit: its time, and the number of free null packets before it.
  ///
  /// - Throws: `noNullPacket`, once the next place with room is known.
  mutating func push(_ time: MediaTime, freeCount: Int) throws(PacketStampingError) {
    guard time > latest else { return }
    latest = time
    if freeCount >= packetCount {
      tag.roomFrom = time
      throw failure
    }
    guard time - tag.time <= Self.farthest else { throw failure }
  }
}
