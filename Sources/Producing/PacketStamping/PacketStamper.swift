public import EventSchedule
import GameEvents
public import MediaTime
import ByteCursor
import TransportStream

/// Inserts events into a transport stream of one program and enters them in its map. Nothing else is touched: every other packet goes through
/// as it came.
///
/// The beginning of the stream (a mebibyte) is looked at before anything comes out, to find a PID that nothing uses.
public struct PacketStamper: Sendable {
  /// What was put into the stream.
  public struct Report: Equatable, Sendable {
    /// How many events.
    public var events = 0
    /// How many copies of them, refreshes included.
    public var copies = 0
    /// How many bytes of the input belonged to no packet and were left out.
    public var skippedBytes = 0
    /// The programme time at which the picture (or the sound) ends.
    public var end = MediaTime.zero

    /// A report of so much.
    public init(events: Int = 0, copies: Int = 0, skippedBytes: Int = 0, end: MediaTime = .zero) {
      self.events = events
      self.copies = copies
      self.skippedBytes = skippedBytes
      self.end = end
    }
  }

  private var framer = PacketFramer()
  /// The beginning of the stream, until enough of it is known.
  private var beginning: Beginning?
  /// From then on, what inserts. Both are changed in place, for a copy of them would be one of all that they hold.
  private var inserter: TagInserter?
  private var failure: PacketStampingError?
  private var skippedBytes = 0

  /// A stamper that puts in what `schedule` holds.
  public init(_ schedule: EventSchedule) { beginning = Beginning(schedule) }

  /// The events that no access unit has come for yet.
  public var unplaced: ArraySlice<PlannedEvent> {
    guard failure == nil else { return [] }
    return inserter?.schedule.unplaced ?? beginning?.schedule.unplaced ?? []
  }

  /// Takes the next bytes of the stream, in chunks of any size.
  ///
  /// - Parameter emit: Called with the bytes of the stamped stream, in whole packets.
  /// - Throws: ``PacketStampingError``.
  public mutating func push(_ chunk: Span<UInt8>, emit: (Span<UInt8>) -> Void) throws(PacketStampingError) {
    var framer = framer
    framer.push(chunk) { packet, offset in
      take(packet, offset: offset, emit)
    } skip: {
      skippedBytes += $0.count
    }
    self.framer = framer
    try check()
  }

  /// Ends the stream: what is left comes out.
  ///
  /// - Throws: ``PacketStampingError``.
  public mutating func finish(emit: (Span<UInt8>) -> Void) throws(PacketStampingError) -> Report {
    var framer = framer
    framer.finish { packet, offset in
      take(packet, offset: offset, emit)
    } skip: {
      skippedBytes += $0.count
    }
    self.framer = framer
    try check()
    guard framer.framing != nil else { throw .notATransportStream }
    if inserter == nil { start(emit) }
    try check()
    guard var report = try inserter?.finish(emit) else { throw .noProgram }
    report.skippedBytes = skippedBytes
    return report
  }

  private func check() throws(PacketStampingError) {
    if let framing = framer.framing, framing != .plain { throw .unsupportedFraming(framing) }
    if framer.framing == nil, framer.byteCount > Beginning.size { throw .notATransportStream }
    if let failure { throw failure }
  }

  private mutating func take(_ packet: Span<UInt8>, offset: Int, _ emit: (Span<UInt8>) -> Void) {
    guard failure == nil else { return }
    guard inserter == nil else { return insert(packet, offset: offset, emit) }
    beginning?.append(packet, offset: offset)
    if beginning?.isComplete ?? false { start(emit) }
  }

  private mutating func insert(_ packets: Span<UInt8>, offset: Int, _ emit: (Span<UInt8>) -> Void) {
    do throws(PacketStampingError) { try inserter?.push(packets, offset: offset, emit) } catch { failure = error }
  }

  /// Goes over from looking at the beginning to inserting.
  private mutating func start(_ emit: (Span<UInt8>) -> Void) {
    guard let kept = beginning.take() else { return }
    do throws(PacketStampingError) { inserter = try TagInserter(kept) } catch { failure = error }
    for index in kept.offsets.indices where failure == nil {
      let start = index * TransportPacket.size
      insert(kept.packets.span.extracting(start..<start + TransportPacket.size), offset: kept.offsets[index], emit)
    }
  }
}

/// The beginning of a stream, kept to find out what it consists of.
struct Beginning: Sendable {
  /// How much is kept at least, and at most as long as no program map has come, in bytes.
  static let size = 1 << 20
  static let largestSize = 16 << 20

  let schedule: EventSchedule
  private(set) var packets: [UInt8] = []
  private(set) var offsets: [Int] = []
  private(set) var tables = ProgramTables()
  private(set) var usedPIDs: Set<PID> = []

  init(_ schedule: EventSchedule) { self.schedule = schedule }

  var isComplete: Bool { packets.count >= (tables.maps.isEmpty ? Self.largestSize : Self.size) }

  mutating func append(_ packet: Span<UInt8>, offset: Int) {
    for index in packet.indices { packets.append(packet[index]) }
    offsets.append(offset)
    let pid = TransportPacket.pid(of: packet)
    usedPIDs.insert(pid)
    guard tables.follows(pid), let header = try? TransportPacket(packet), !header.hasError else { return }
    _ = tables.push(header, payload: packet.extracting(header.payload))
  }
}
