import TransportStream

/// Edits the packets of one PID. Undecided packets are held in the window.
protocol PacketHandler: Sendable {
  /// The packets that are needed.
  var interest: PacketFilter.Interest { get }
  /// Whether packets are held.
  var isOpen: Bool { get }
  /// Receives the next packet. Returns the changes to tags that end in it.
  mutating func push(_ packet: EditedPacket, of unit: Span<UInt8>, _ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags]
  /// Decides on the held packets, as at the end of a stream. Returns the changes to tags.
  mutating func close(_ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags]
  /// Writes the held packets unchanged.
  mutating func release(_ terms: EditTerms, _ window: inout EditWindow)
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
}

/// The handlers of a stream's PIDs. Packets of all other PIDs are unchanged.
struct PacketRouter: Sendable {
  private var handlers: [PID: any PacketHandler] = [:]

  /// The PIDs that have handlers.
  var pids: [PID] { handlers.keys.sorted() }
  /// Whether packets are held.
  var isHolding: Bool { handlers.values.contains { $0.isOpen } }

  /// The handlers of one kind.
  func all<Handler: PacketHandler>(_ kind: Handler.Type) -> [Handler] { handlers.values.compactMap { $0 as? Handler } }

  subscript(pid: PID) -> (any PacketHandler)? {
    get { handlers[pid] }
    _modify { yield &handlers[pid] }
  }
}
