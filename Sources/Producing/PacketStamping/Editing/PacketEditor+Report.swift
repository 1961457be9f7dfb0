public import GameEvents

extension PacketEditor {
  /// Options of editing.
  public struct Options: Equatable, Sendable {
    /// The change to make.
    public var edit: TagEdit
    /// Whether null packets replace all removed packets. Otherwise they do so only in streams that have null packets.
    public var keepsSize = false
    /// Whether PMTs are unchanged, because new events will use the same PID.
    public var keepsTables = false

    /// An edit of a stream of any rate.
    public init(_ edit: TagEdit) { self.edit = edit }
  }

  /// What the first reading found in a stream, so that the second edits it consistently from its start.
  public struct Knowledge: Equatable, Sendable {
    /// The PIDs with events to remove, or tags to restore.
    var ownPIDs: Set<UInt16> = []
    /// The PIDs with other timed ID3.
    var otherPIDs: Set<UInt16> = []
    /// Whether there are null packets.
    var hasNullPackets = false

    /// Nothing is known.
    public init() {}

    /// Whether there is a tag that was removed, restored or, in a repair, whole.
    package var hasTags: Bool { !ownPIDs.isEmpty }
  }

  /// The result of editing.
  public struct Report: Equatable, Sendable {
    /// The number of copies of events that were removed.
    public var copies = 0
    /// The events of these copies, up to a limit.
    public var events: Set<GUID> = []
    /// The number of removed events that no reader could have used.
    public var unusable = 0
    /// The number of restored tags.
    public var repaired = 0
    /// The number of packets of PMTs that were changed.
    public var changedMaps = 0
    /// The number of removed packets, by which the stream is shorter.
    public var removedPackets = 0
    /// The number of packets that were added.
    public var addedPackets = 0
    /// The number of packets that were replaced by null packets.
    public var nulledPackets = 0
    /// The number of bytes of the input that belonged to no packet. They stay, unless there are very many in a row.
    public var skippedBytes = 0
    /// The number of event messages that were removed from fragmented MP4.
    public var removedBoxes = 0
    /// The number of event messages that were rewritten, and keep the frames of others.
    public var rewrittenBoxes = 0
    /// The number of date ranges that were removed from playlists.
    public var dateRanges = 0
    /// The number of copies that were removed from SEI messages of the video.
    public var messages = 0

    /// An empty report.
    public init() {}

    /// The maximum number of events that are counted separately.
    private static let mostEvents = 65_536

    /// Adds what was changed in tags.
    package mutating func add(_ tags: EditedTags) {
      if tags.isInVideo { messages += tags.copies.count } else { copies += tags.copies.count }
      unusable += tags.unusable
      repaired += tags.repaired
      for copy in tags.copies where events.count < Self.mostEvents { events.insert(copy.event.guid) }
    }

    /// Adds what was changed in another stream.
    package mutating func add(_ other: Report) {
      copies += other.copies
      for guid in other.events where events.count < Self.mostEvents { events.insert(guid) }
      unusable += other.unusable
      repaired += other.repaired
      changedMaps += other.changedMaps
      removedPackets += other.removedPackets
      addedPackets += other.addedPackets
      nulledPackets += other.nulledPackets
      skippedBytes += other.skippedBytes
      removedBoxes += other.removedBoxes
      rewrittenBoxes += other.rewrittenBoxes
      dateRanges += other.dateRanges
      messages += other.messages
    }
  }
}
