import Basics
import TransportStream

/// Finds the segments of a transport stream: each starts at the tables in front of a key frame.
struct TransportStreamSegments: Sendable {
  private(set) var segments: FileSegments
  private var framer = PacketFramer()
  private var tables = ProgramTables()
  private var filter = PacketFilter(.none)
  /// The program to play: the first one with video or audio.
  private var program: UInt16?
  private var tracker: AccessUnitTracker?
  /// Where the latest PAT starts, if no video has followed it yet: a segment that starts there can be decoded on its own.
  private var tableStart: Int?
  /// Whether the stream marks its key frames; otherwise they are recognised by their contents.
  private var hasMarks = false

  init(uri: String) {
    segments = FileSegments(uri: uri)
    filter[ProgramAssociationTable.pid] = .all
  }

  /// The framing of the packets in the file; `nil` until the first ones were found.
  var framing: PacketFramer.Framing? { framer.framing }

  mutating func push(_ chunk: Span<UInt8>) {
    var (framer, filter) = (framer, filter)
    framer.push(chunk, filter: &filter) { unit, offset, framing, filter in
      read(unit.extracting(framing.packetRange), offset: offset, &filter)
    } passed: { _, _ in
    } skip: { _ in
    }
    (self.framer, self.filter) = (framer, filter)
  }

  /// Ends the file.
  mutating func finish() {
    var (framer, filter) = (framer, filter)
    framer.finish(filter: &filter) { unit, offset, framing, filter in
      read(unit.extracting(framing.packetRange), offset: offset, &filter)
    } passed: { _, _ in
    } skip: { _ in
    }
    (self.framer, self.filter) = (framer, filter)
    segments.finish(at: framer.byteCount)
  }

  private mutating func read(_ packet: Span<UInt8>, offset: Int, _ filter: inout PacketFilter) {
    let pid = TransportPacket.pid(of: packet)
    guard let reference = tracker, pid == reference.pid else { return readTables(packet, pid, offset: offset, &filter) }
    defer { tableStart = nil }
    guard AccessUnitTracker.concerns(packet), let header = try? TransportPacket(packet), !header.hasError else { return }
    let payload = packet.extracting(header.payload)
    guard let unit = tracker?.push(header, payload: payload) else { return }
    if header.adaptation?.isRandomAccess == true { hasMarks = true }
    let isKey = unit.isRandomAccess || (!hasMarks && RandomAccess.isLikely(payload, type: reference.type))
    receive(unit, isKey: isKey, isJump: tracker?.lastJump != nil, at: tableStart ?? offset)
  }

  private mutating func receive(_ unit: AccessUnitTracker.AccessUnit, isKey: Bool, isJump: Bool, at offset: Int) {
    let time = unit.presentationTime
    if segments.isEmpty {
      // Everything before the first access unit belongs to its segment.
      segments.begin(at: 0, time: time)
    } else if isJump || (isKey && segments.isLongEnough(at: time)) {
      segments.begin(at: offset, time: time, isDiscontinuous: isJump)
    }
    segments.extend(to: time + unit.frameDuration)
  }

  private mutating func readTables(_ packet: Span<UInt8>, _ pid: PID, offset: Int, _ filter: inout PacketFilter) {
    guard tables.follows(pid), let header = try? TransportPacket(packet), !header.hasError else { return }
    if pid == ProgramAssociationTable.pid, header.startsUnit { tableStart = offset }
    let changes = tables.push(header, payload: packet.extracting(header.payload))
    guard !changes.isEmpty else { return }
    for case .map(let map) in changes {
      guard program ?? map.programNumber == map.programNumber, let reference = map.referenceStream else { continue }
      program = map.programNumber
      guard tracker?.pid != reference.pid || tracker?.type != reference.type else { continue }
      tracker = AccessUnitTracker(reference, following: tracker)
    }
    filter = PacketFilter(.none)
    for pid in tables.pids { filter[pid] = .all }
    if let tracker { filter[tracker.pid] = .all }
  }
}
