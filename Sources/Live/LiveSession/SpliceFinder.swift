import Basics
import PacketStamping
import SCTE35
import TransportStream

/// A section of SCTE-35 in a live transport stream.
struct FoundSplice: Equatable, Sendable {
  /// The bytes of the section.
  var bytes: [UInt8]
  /// Where it lies: the time of the latest access unit, on the programme's timeline.
  var place: MediaTime
  /// The presentation time of that access unit, on the stream's clock in 33 bits.
  var clock: UInt64
}

/// Finds the sections of SCTE-35 in the packets of a live transport stream.
struct SpliceFinder: Sendable {
  private var tables = ProgramTables()
  private var assemblers: [PID: SectionAssembler] = [:]
  private var waiting: [[UInt8]] = []

  /// The maximum number of streams of sections, and of sections that wait for the first access unit.
  private static let (mostStreams, mostWaiting) = (16, 64)

  /// Receives a packet.
  mutating func push(_ packet: Span<UInt8>) {
    // Most packets are of other streams.
    let pid = TransportPacket.pid(of: packet)
    let isTable = tables.follows(pid)
    guard isTable || assemblers[pid] != nil, let header = try? TransportPacket(packet), header.hasPayload, !header.hasError else { return }
    if isTable {
      let changes = tables.push(header, payload: packet.extracting(header.payload))
      if !changes.isEmpty { follow() }
    } else if let sections = assemblers[header.pid]?.push(header, payload: packet.extracting(header.payload)) {
      waiting += sections.prefix(max(0, Self.mostWaiting - waiting.count))
    }
  }

  /// Follows the streams of sections that the tables list.
  private mutating func follow() {
    var next: [PID: SectionAssembler] = [:]
    for number in tables.maps.keys.sorted() {
      guard let map = tables.maps[number] else { continue }
      for stream in map.streams where stream.isSplices(in: map) && next.count < Self.mostStreams {
        next[stream.pid] = assemblers[stream.pid] ?? SectionAssembler()
      }
    }
    assemblers = next
  }

  /// Whether sections wait for ``take(at:)``.
  var hasSections: Bool { !waiting.isEmpty }

  /// Takes the sections since the last time, which lie at an access unit.
  mutating func take(at unit: LiveAccessUnit) -> [FoundSplice] {
    let clock = TimestampUnwrapper.timestamp(of: unit.presentationTime)
    return exchange(&waiting, with: []).map { FoundSplice(bytes: $0, place: unit.time, clock: clock) }
  }

  /// Records that packets are missing here.
  mutating func interrupt() {
    tables.interrupt()
    for pid in assemblers.keys.sorted() { assemblers[pid]?.reset() }
  }
}
