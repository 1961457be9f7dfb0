import Basics
import EventSchedule
import GameEvents
import TransportStream

/// Puts the tags of a schedule between the packets of a stream whose program is known.
struct TagInserter: Sendable {
  /// What became of a packet.
  enum Outcome: Sendable {
    /// Nothing: it goes through with those before it.
    case unchanged
    /// Those before it were handed on, and something behind them; it goes through.
    case apart
    /// Those before it were handed on, and it was taken care of.
    case taken
  }

  /// What is put in.
  var schedule: EventSchedule
  // The rest is for the type's own files.
  var program: ProgramAssociationTable.Program
  let stampedMap: StampedPMT
  var tables = ProgramTables()
  /// What tells the time: nothing, until a map announces it.
  var tracker: AccessUnitTracker?
  /// The latest map of the program, as long as not all of it is in the output. Only then do readers know it, and so it is gone by only then.
  var arrivingMap: ProgramMapTable?
  /// Whether readers know the program's map.
  var isAnnounced = false
  var rewriter: PMTRewriter
  var window: OutputWindow
  /// Whether the association has the program and has had it since it had it first, and whether it ever had it.
  var isListed = true
  var wasListed = false
  let unreadablePIDs: Set<PID>
  let replacesNullPackets: Bool
  let framing: PacketFramer.Framing
  var existing = ExistingTags()
  /// The PES packets of the ID3 stream that the program had, to see whether they carry a game of the schedule.
  var existingPackets = PESAssembler()
  let games: Set<GameID>
  /// Which packets of it came twice, and the counter of the latest one, as it came but for where it stood still.
  var existingRepeats = PacketRepeats()
  var existingCounter: UInt8?
  /// PES packets of tags, with their times, that wait until a tag of the input on the same PID is complete.
  var waiting: [(copy: EventSchedule.TimedCopy, unit: [UInt8])] = []
  /// Where a tag has found no null packets: from then on nothing is put in, and all that is left to do is to say where there are some.
  var roomSearch: RoomSearch?
  var counter: UInt8 = 0
  var report = PacketStamper.Report()
  var frameDuration = MediaTime.zero
  var isSegmentStarting = false
  /// The decoding time of the latest access unit, since the start.
  var clock = MediaTime.zero
  /// The most that an access unit is presented after it is decoded.
  var longestDelay = MediaTime.zero
  /// Whether a tag may come so soon that null packets are kept for it.
  var expectsTag = true
  /// Where the stream that tells the time began to be scrambled.
  var scrambledSince: Int?

  init(_ beginning: StreamProbe, replacesNullPackets: Bool = true) throws(PacketStampingError) {
    let (program, map) = try beginning.program()
    self.program = program
    unreadablePIDs = beginning.unreadablePIDs
    // What cannot be is refused at once.
    _ = try Self.reference(map, besides: unreadablePIDs)
    schedule = beginning.schedule
    games = beginning.schedule.games
    stampedMap = try StampedPMT(for: map, usedPIDs: beginning.knownPIDs)
    rewriter = PMTRewriter(stampedMap, program: program)
    framing = beginning.framing
    self.replacesNullPackets = replacesNullPackets
    window = OutputWindow(try PacketEncapsulation(beginning.units.span, framing: framing), keepsRate: beginning.options.keepsRate)
  }

  /// The stream that tells the program's time, among those that can be read; `nil` where the map has none.
  static func reference(
    _ map: ProgramMapTable, besides unreadable: Set<PID>
  ) throws(PacketStampingError) -> ProgramMapTable.ElementaryStream? {
    var readable = map
    readable.streams = map.streams.filter { !unreadable.contains($0.pid) }
    if let reference = readable.referenceStream { return reference }
    guard let hidden = map.referenceStream else { return nil }
    throw .scrambled(hidden.pid, offset: nil)
  }

  /// The PID of the stream that tells the time once the arriving map is known.
  private var arrivingPID: PID? {
    guard let map = arrivingMap else { return nil }
    return (try? Self.reference(map, besides: unreadablePIDs))?.pid
  }

  /// The packets that can mean anything here. Of the stream that tells the time only the starts of access units do, and jumps of its clock.
  func filter() -> PacketFilter {
    // Where nothing tells the time, any packet has to say that what is held has become too much.
    guard let tracker else { return PacketFilter(.all) }
    var filter = PacketFilter(.none)
    if let arrivingPID { filter[arrivingPID] = .unitStarts }
    filter[tracker.pid] = .unitStarts
    for pid in tables.pids { filter[pid] = .all }
    filter[program.pmtPID] = .all
    filter[stampedMap.pid] = .all
    if replacesNullPackets, expectsTag || window.owesMap { filter[TransportPacket.nullPID] = .all }
    return filter
  }

  /// Decides whether null packets are kept for a tag.
  mutating func expectTag(_ isExpected: Bool, _ filter: inout PacketFilter) {
    guard isExpected != expectsTag else { return }
    expectsTag = isExpected
    filter = self.filter()
  }

  // MARK: Packets

  /// Takes whole packets of the input that lie one after another, of which each starts at its offset.
  mutating func push(
    _ units: Span<UInt8>, stride: Int, offset: (Int) -> Int, _ filter: inout PacketFilter, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    var runStart = 0
    var (start, number) = (0, 0)
    while start < units.count {
      let unit = units.extracting(start..<min(start + stride, units.count))
      if filter.wants(unit.extracting(framing.packetRange)) {
        switch try take(unit, offset: offset(number), after: units.extracting(runStart..<start), &filter, &sink) {
        case .unchanged: break
        case .apart: runStart = start
        case .taken: runStart = start + unit.count
        }
      }
      start += unit.count
      number += 1
    }
    try pass(units.extracting(runStart..<start), &sink)
  }

  /// Takes packets that go through as they came.
  mutating func pass(_ units: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    let wholeCount = units.count / framing.stride * framing.stride
    window.pass(units.extracting(..<wholeCount), &sink)
    try giveUpBlockingMap(&sink)
    guard wholeCount < units.count else { return }
    let last = window.completed(units.extracting(wholeCount...))
    window.pass(last.span, &sink)
  }

  /// Lets the packets of a map go that does not end, where more is held for it than may be.
  private mutating func giveUpBlockingMap(_ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    if window.isBlocked { window.completeMap(try rewriter.flush(), at: clock, &sink) }
  }

  /// Takes a packet, with what is around it, that lies behind others that were not handed on yet.
  mutating func take(
    _ unit: Span<UInt8>, offset: Int, after run: Span<UInt8>, _ filter: inout PacketFilter, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) -> Outcome {
    guard unit.count == framing.stride else {
      let whole = window.completed(unit)
      return try take(whole.span, offset: offset, after: run, &filter, &sink)
    }
    try giveUpBlockingMap(&sink)
    // Without access units nobody knows how soon the next tag comes.
    if !expectsTag, schedule.nextTime != nil, window.isOverdue(behind: run.count) { expectTag(true, &filter) }
    let outcome = try takeWhole(unit, offset: offset, after: run, &filter, &sink)
    try goByArrivedMap(&filter, &sink)
    return outcome
  }

  private mutating func takeWhole(
    _ unit: Span<UInt8>, offset: Int, after run: Span<UInt8>, _ filter: inout PacketFilter, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) -> Outcome {
    let packet = unit.extracting(framing.packetRange)
    let pid = TransportPacket.pid(of: packet)
    if pid == TransportPacket.nullPID { return try takeNull(unit, after: run, &filter, &sink) }
    let tellsTime = pid == tracker?.pid || pid == arrivingPID
    guard !tellsTime || AccessUnitTracker.concerns(packet) else { return .unchanged }
    guard let header = try? TransportPacket(packet), !header.hasError else { return .unchanged }
    if tables.follows(pid), try followTables(header, packet, offset: offset, &sink) { filter = self.filter() }
    switch pid {
    case program.pmtPID:
      try pass(run, &sink)
      try takeMap(header, unit, offset: offset, &sink)
      if window.owesMap { filter = self.filter() }
      return .taken
    case stampedMap.pid:
      try pass(run, &sink)
      try passExisting(header, unit, offset: offset, &sink)
      return .taken
    default: return tellsTime ? try takeReference(header, unit, offset: offset, after: run, &filter, &sink) : .unchanged
    }
  }

  private mutating func takeNull(
    _ unit: Span<UInt8>, after run: Span<UInt8>, _ filter: inout PacketFilter, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) -> Outcome {
    let start = framing.packetStart
    // Damaged ones stay as they are, and so does what has an adaptation field, which null packets have not.
    guard unit[start + 1] & 0x80 == 0, unit[start + 3] & 0x30 == 0x10 else { return .unchanged }
    let owedMap = window.owesMap
    try pass(run, &sink)
    window.passNull(unit, &sink)
    if owedMap, !window.owesMap { filter = self.filter() }
    return .taken
  }

  private mutating func takeMap(
    _ header: TransportPacket, _ unit: Span<UInt8>, offset: Int, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    guard window.settleMap(at: clock, before: unit, mayWait: false, &sink) else { throw .noNullPacketForMap(offset: offset) }
    if rewriter.isInterrupted(by: header) { window.completeMap(try rewriter.flush(), at: clock, &sink) }
    switch try rewriter.push(header, unit.extracting(framing.packetRange)) {
    case .repeated: window.passNull(insteadOf: unit, &sink)
    case .waiting: window.passMap(unit)
    case .complete(let packets):
      window.passMap(unit)
      window.completeMap(packets, at: clock, &sink)
      if !replacesNullPackets { _ = window.settleMap(at: clock, before: nil, &sink) }
    }
  }
}
