import TransportStream

/// Edits the packets of one PID: those of a carriage, or of the tables that announce it. Undecided packets are held in the window.
protocol CarriageEditor: Sendable {
  /// The packets that are needed.
  var interest: PacketFilter.Interest { get }
  /// Whether packets are held.
  var isOpen: Bool { get }
  /// The offset of the first access unit of video with an event; `nil` if there was none.
  var eventInVideo: Int? { get }
  /// The offset of the first access unit of video whose events cannot be removed.
  var failure: Int? { get }
  /// Receives the next packet. Returns the changes to tags that end in it.
  mutating func push(_ packet: EditedPacket, of unit: Span<UInt8>, _ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags]
  /// Decides on the held packets, as at the end of a stream. Returns the changes to tags.
  mutating func close(_ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags]
  /// Writes the held packets unchanged.
  mutating func release(_ terms: EditTerms, _ window: inout EditWindow)
}

extension CarriageEditor {
  var eventInVideo: Int? { nil }
  var failure: Int? { nil }
}

/// A packet that is examined.
struct EditedPacket {
  var header: TransportPacket
  /// Its 188 bytes.
  var bytes: [UInt8]
  /// Where it starts in the stream, including a timestamp before it.
  var offset: Int
}

/// The terms of edits at a point of the stream.
struct EditTerms {
  /// The change to PMTs.
  var tables: EditedTables.Change
  /// The PIDs that readers no longer know, so that removed packets can be dropped completely.
  var gone: Set<PID>
  /// The packets that replace removed packets, and removed packets of video.
  var filling: [[UInt8]]
  var videoFilling: [[UInt8]]
  /// Whether removed packets are replaced even if they are marked as added.
  var keepsSize = false

  /// The packets that replace a removed packet.
  func filling(for packet: [UInt8]) -> [[UInt8]] { !keepsSize && TransportPacket.isMarkedAdded(packet) ? [] : filling }
}
