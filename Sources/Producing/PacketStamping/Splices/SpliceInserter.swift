package import Basics
package import TransportStream

/// Puts sections of SCTE 35 into a transport stream that libavformat has made: a stream of their own in the PMT, and the sections between the packets
/// of the access units (SCTE 35, 8).
package struct SpliceInserter: Sendable {
  /// A section.
  package struct Splice: Equatable, Sendable {
    /// Where it lies, on the programme's timeline.
    package var place: MediaTime
    package var bytes: [UInt8]

    package init(place: MediaTime, bytes: [UInt8]) { (self.place, self.bytes) = (place, bytes) }
  }

  private var waiting: ArraySlice<Splice>
  private let origin: MediaTime
  private var tables = ProgramTables()
  private var rewriter: TableRewriter<SpliceTable>?
  private let wanted: PID?
  private var reference: PID?
  private var pid: PID?
  private var unwrapper = TimestampUnwrapper()
  private var counter: UInt8 = 0

  /// The PIDs from which one is chosen if that of the input is taken.
  private static let free: ClosedRange<PID> = 0x1F0...0x1FE

  /// An inserter for a stream of one program.
  ///
  /// - Parameters:
  ///   - splices: The sections in their order.
  ///   - pid: The PID that they should have; `nil` for any.
  ///   - origin: When the timeline origin is presented, on the stream's clock.
  package init(_ splices: [Splice], pid: PID?, origin: MediaTime) {
    (waiting, wanted, self.origin) = (splices[...], pid, origin)
    _ = unwrapper.unwrap(TimestampUnwrapper.timestamp(of: origin))
    clockShift = origin - unwrapper.peek(TimestampUnwrapper.timestamp(of: origin))
  }

  /// The distance from the unwrapper's timeline to that of the origin.
  private let clockShift: MediaTime

  /// Returns packets with the sections that lie before the access units in them.
  ///
  /// - Parameter packets: The next packets of the stream, in whole packets.
  package mutating func push(_ packets: Span<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(packets.count + 2 * TransportPacket.size)
    for start in stride(from: 0, through: packets.count - TransportPacket.size, by: TransportPacket.size) {
      push(packet: packets.extracting(start..<start + TransportPacket.size), &output)
    }
    return output
  }

  /// Returns the sections that lie after the last access unit.
  package mutating func finish() -> [UInt8] {
    var output: [UInt8] = []
    write(until: nil, &output)
    return output
  }

  private mutating func push(packet: Span<UInt8>, _ output: inout [UInt8]) {
    let pid = TransportPacket.pid(of: packet)
    let isTable = tables.follows(pid)
    guard isTable || pid == reference, let header = try? TransportPacket(packet) else { return output.append(copying: packet) }
    let payload = packet.extracting(header.payload)
    guard isTable else {
      if header.startsUnit, let time = (try? PESHeader(payload))?.presentationTime {
        write(until: unwrapper.unwrap(time) + clockShift - origin, &output)
      }
      return output.append(copying: packet)
    }
    if !tables.push(header, payload: payload).isEmpty { follow() }
    guard pid != ProgramAssociationTable.pid, self.pid != nil else { return output.append(copying: packet) }
    rewrite(header, packet, &output)
  }

  /// Follows the program of the tables.
  private mutating func follow() {
    guard let map = tables.maps.sorted(by: { $0.key < $1.key }).first?.value else { return }
    reference = map.referenceStream?.pid
    guard pid == nil, let table = tables.pids.first(where: { $0 != ProgramAssociationTable.pid }) else { return }
    let taken = Set(map.streams.map(\.pid) + tables.pids + [map.pcrPID])
    pid = ([wanted].compactMap { $0 } + Self.free).first { !taken.contains($0) && (0x20..<TransportPacket.nullPID).contains($0) }
    if let pid { rewriter = TableRewriter(pid: table, SpliceTable(pid: pid)) }
  }

  private mutating func rewrite(_ header: TransportPacket, _ packet: Span<UInt8>, _ output: inout [UInt8]) {
    guard rewriter != nil else { return output.append(copying: packet) }
    switch rewriter?.push(header, packet) {
    case .waiting?, nil: break
    case .repeated(let packets)?: output += packets.joined()
    case .complete(let packets)?: output += packets.joined().joined()
    }
  }

  /// Writes the sections that lie up to a time; all of them for `nil`.
  private mutating func write(until time: MediaTime?, _ output: inout [UInt8]) {
    guard let pid else { return }
    while let next = waiting.first, time.map({ next.place <= $0 }) ?? true {
      waiting.removeFirst()
      let packets = TransportPacket.packets(sections: [next.bytes], pid: pid, heads: [], counter: counter)
      counter = (counter &+ UInt8(truncatingIfNeeded: packets.count)) & 0x0F
      output += packets.joined()
    }
  }
}

/// Adds the stream of sections to PMTs.
private struct SpliceTable: TableEdit {
  static let keepsPackets = true
  let pid: PID

  mutating func edited(_ bytes: [UInt8]) throws(Never) -> [UInt8]? {
    guard bytes.first == ProgramMapTable.tableID, let section = try? Section(bytes.span), var map = try? ProgramMapTable(section) else {
      return nil
    }
    let registration = Descriptor(tag: Descriptor.Tag.registration, data: Array("CUEI".utf8))
    if !map.descriptors.contains(registration) { map.descriptors.append(registration) }
    map.streams.append(ProgramMapTable.ElementaryStream(type: .splices, pid: pid))
    return try? map.section(replacing: bytes)
  }
}
