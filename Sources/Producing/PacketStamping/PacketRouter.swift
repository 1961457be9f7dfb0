import TransportStream

/// Edits the packets of one PID. Those that are not decided yet are held in the window.
protocol PacketHandler: Sendable {
  /// The packets that are needed.
  var interest: PacketFilter.Interest { get }
  /// Whether packets are held.
  var isOpen: Bool { get }
  /// Receives the next packet; returns what was changed in tags that end here.
  mutating func push(_ packet: EditedPacket, of unit: Span<UInt8>, _ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags]
  /// Decides on what is held, as at the end of a stream; returns what was changed.
  mutating func close(_ terms: EditTerms, _ window: inout EditWindow) -> [EditedTags]
  /// Lets go of what is held as it is.
  mutating func release(_ terms: EditTerms, _ window: inout EditWindow)
}

/// A packet that is looked at.
struct EditedPacket {
  var header: TransportPacket
  /// Its 188 bytes.
  var bytes: [UInt8]
  /// Where it starts in the stream, with what is in front of it.
  var offset: Int
}

/// By which an edit goes on at a place of the stream.
struct EditTerms {
  /// What becomes of PMTs.
  var tables: EditedTables.Change
  /// The PIDs that readers do not know any more, so that nothing needs to stay of a packet that is taken out.
  var gone: Set<PID>
  /// What comes in the place of packets that are taken out, and of those of video.
  var filling: [[UInt8]]
  var videoFilling: [[UInt8]]
}

/// The handlers of a stream's PIDs. Packets of all other PIDs go through as they came.
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
