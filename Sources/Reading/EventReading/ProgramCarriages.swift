import TransportStream

/// The carriages of a program.
struct ProgramCarriages: Sendable {
  /// The readers of timed ID3, by their PIDs.
  private var id3: [PID: ID3Reader] = [:]
  /// Reads tags in the video; `nil` if it has none.
  private var sei: SEIReader?

  /// The maximum number of timed ID3 streams that are read in a program, because each may hold an incomplete tag. Players read one.
  static let mostStreams = 4

  /// Follows a PMT. Streams that it still lists continue.
  mutating func update(_ map: ProgramMapTable) {
    let pids = map.timedID3Streams.prefix(Self.mostStreams).map { $0.pid }
    id3 = id3.filter { pids.contains($0.key) }
    for pid in pids where id3[pid] == nil { id3[pid] = ID3Reader(pid: pid) }
  }

  /// Follows a new stream that tells the time.
  mutating func follow(_ reference: ProgramMapTable.ElementaryStream) {
    sei = reference.type.nalUnitCodec.map { SEIReader(pid: reference.pid, $0) }
  }

  /// The packets that are needed of each PID: first without the stream that tells the time, then of that stream.
  var interests: [PID: PacketFilter.Interest] { id3.mapValues { $0.interest } }
  var referenceInterest: PacketFilter.Interest { sei?.interest ?? .unitStarts }

  /// Receives a packet of the stream that tells the time. Returns the items that end in it.
  mutating func pushReference(_ header: TransportPacket, payload: Span<UInt8>, offset: Int) -> [CarriedItem] {
    sei?.push(header, payload: payload, offset: offset) ?? []
  }

  /// Receives a packet of any other stream. Returns the items that end in it.
  mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int) -> [CarriedItem] {
    id3[header.pid]?.push(header, payload: payload, offset: offset) ?? []
  }

  /// Gives up incomplete items, because packets are missing here. Returns them as damage.
  mutating func interrupt() -> [CarriedItem] {
    id3.keys.sorted().flatMap { id3[$0]?.interrupt() ?? [] } + (sei?.interrupt() ?? [])
  }

  /// Ends the stream. Returns the remaining items.
  mutating func finish() -> [CarriedItem] {
    id3.keys.sorted().flatMap { id3[$0]?.finish() ?? [] } + (sei?.finish() ?? [])
  }
}
