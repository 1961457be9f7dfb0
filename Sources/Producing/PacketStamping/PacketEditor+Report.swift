public import GameEvents

extension PacketEditor {
  /// Options of editing.
  public struct Options: Equatable, Sendable {
    /// What is changed.
    public var edit: TagEdit
    /// Whether null packets take the place of all packets that are taken out. Otherwise they do in streams that have null packets.
    public var keepsSize = false
    /// Whether PMTs stay as they are, because new events follow on the same PID.
    public var keepsTables = false

    /// An edit of a stream of any rate.
    public init(_ edit: TagEdit) { self.edit = edit }
  }

  /// What a stream has, by which a second reading edits it in one way from its start on.
  public struct Knowledge: Equatable, Sendable {
    /// The PIDs with events that are taken out, or tags that are made whole.
    var ownPIDs: Set<UInt16> = []
    /// The PIDs with other timed ID3.
    var otherPIDs: Set<UInt16> = []
    /// Whether there are null packets.
    var hasNullPackets = false

    /// Nothing is known.
    public init() {}
  }

  /// The result of editing.
  public struct Report: Equatable, Sendable {
    /// The number of copies of events that were taken out.
    public var copies = 0
    /// The events that they are copies of, or the first of very many.
    public var events: Set<GUID> = []
    /// The number of events that were taken out and that no reader could have used.
    public var unusable = 0
    /// The number of tags that were made whole.
    public var repaired = 0
    /// The number of packets that were taken out, by which the stream has become shorter.
    public var removedPackets = 0
    /// The number of packets that were added.
    public var addedPackets = 0
    /// The number of packets that null packets have taken the place of.
    public var nulledPackets = 0
    /// The number of bytes of the input that belonged to no packet and were skipped.
    public var skippedBytes = 0
    /// The number of event messages of fragmented MP4 that were taken out.
    public var removedBoxes = 0
    /// The number of event messages that keep what others wrote.
    public var rewrittenBoxes = 0
    /// The number of date ranges of playlists that were taken out.
    public var dateRanges = 0
    /// The number of copies that were taken out of SEI messages of the video.
    public var messages = 0

    /// An empty report.
    public init() {}

    /// The number of events that are told apart.
    private static let mostEvents = 65_536

    /// Adds what was changed in tags.
    package mutating func add(_ tags: EditedTags) {
      if tags.isInMessages { messages += tags.copies.count } else { copies += tags.copies.count }
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
