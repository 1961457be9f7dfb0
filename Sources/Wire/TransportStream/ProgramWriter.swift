package import Basics

/// Writes the access units of one program as a transport stream.
///
/// The tables precede each random-access point, and are repeated at least every 0.4 s. The access units of the reference stream carry clock
/// references; more are inserted if these would be more than 0.09 s apart.
package struct ProgramWriter: Sendable {
  /// An access unit.
  package struct AccessUnit: Equatable, Sendable {
    /// The PID of its stream.
    package var pid: PID
    /// Its bytes.
    package var bytes: [UInt8]
    /// When it is presented and decoded, from the time 0 on.
    package var presentationTime: MediaTime
    package var decodingTime: MediaTime
    /// Whether decoding can start with it.
    package var isRandomAccess: Bool

    /// An access unit.
    package init(pid: PID, bytes: [UInt8], presentationTime: MediaTime, decodingTime: MediaTime, isRandomAccess: Bool) {
      (self.pid, self.bytes, self.isRandomAccess) = (pid, bytes, isRandomAccess)
      (self.presentationTime, self.decodingTime) = (presentationTime, decodingTime)
    }
  }

  /// The streams of the program. Whoever changes them must change the version of the table.
  package private(set) var table: ProgramMapTable

  private var counters: [PID: UInt8] = [:]
  private var lastTables: MediaTime?
  private var lastReference: MediaTime?

  private static let number: UInt16 = 1
  private static let pmtPID: PID = 0x1000
  /// The times of access units are this much later than the clock (0.7 s), so that decoders have time to receive them.
  private static let delay = MediaTime(ticks: 63_000)
  private static let tableInterval = MediaTime(ticks: 36_000)
  private static let referenceInterval = MediaTime(ticks: 8_100)

  /// A program of these streams.
  ///
  /// - Parameter version: The version of its table.
  package init(_ streams: [ProgramMapTable.ElementaryStream], version: UInt8) {
    table = ProgramMapTable(programNumber: Self.number, version: version & 0x1F, pcrPID: TransportPacket.nullPID, streams: [])
    setStreams(streams)
  }

  /// Changes the streams of the program. The next access unit is preceded by the new table.
  package mutating func change(_ streams: [ProgramMapTable.ElementaryStream]) {
    guard streams != table.streams else { return }
    table.version = (table.version + 1) & 0x1F
    setStreams(streams)
    lastTables = nil
  }

  private mutating func setStreams(_ streams: [ProgramMapTable.ElementaryStream]) {
    table.streams = streams
    table.pcrPID = table.referenceStream?.pid ?? TransportPacket.nullPID
  }

  /// Writes an access unit, after the tables if they are due.
  ///
  /// - Throws: `ParseError` if the program has more streams than a table.
  package mutating func write(_ unit: AccessUnit, to bytes: inout [UInt8]) throws(ParseError) {
    let time = unit.decodingTime
    let isReference = unit.pid == table.pcrPID
    let isDue = lastTables.map { time - $0 >= Self.tableInterval || time < $0 } ?? true
    if isDue || (isReference && unit.isRandomAccess && table.referenceStream?.type.isVideo == true) {
      try writeTables(to: &bytes)
      lastTables = time
    }
    var field = TransportPacket.AdaptationField(isRandomAccess: unit.isRandomAccess)
    if isReference {
      field.pcr = reference(time)
    } else if lastReference.map({ time - $0 >= Self.referenceInterval }) ?? true, let pcr = reference(time) {
      let counter = ((counters[table.pcrPID] ?? 0) &- 1) & 0x0F
      bytes += TransportPacket.packet(TransportPacket.AdaptationField(pcr: pcr), pid: table.pcrPID, counter: counter)
    }
    let isVideo = table.streams.first { $0.pid == unit.pid }?.type.isVideo ?? false
    let packet = PESHeader.packet(
      streamID: isVideo ? PESHeader.video : PESHeader.audio, unit.bytes,
      presentationTime: TimestampUnwrapper.timestamp(of: unit.presentationTime + Self.delay),
      decodingTime: TimestampUnwrapper.timestamp(of: time + Self.delay))
    bytes += TransportPacket.packets(
      carrying: packet, pid: unit.pid, counter: &counters[unit.pid, default: 0],
      first: field.isRandomAccess || field.pcr != nil ? field : nil)
  }

  /// The clock reference for a time; `nil` if the clock is ahead of it already, as when streams overlap.
  private mutating func reference(_ time: MediaTime) -> UInt64? {
    // If the clock goes back further, it restarts.
    if let last = lastReference, time <= last, last - time < MediaTime(seconds: 1) { return nil }
    lastReference = time
    return TimestampUnwrapper.timestamp(of: time)
  }

  private mutating func writeTables(to bytes: inout [UInt8]) throws(ParseError) {
    let programs = [ProgramAssociationTable.Program(number: Self.number, pmtPID: Self.pmtPID)]
    let association = ProgramAssociationTable(transportStreamID: 1, version: 0, entries: programs)
    for (section, pid) in [(association.section, ProgramAssociationTable.pid), (try table.section(), Self.pmtPID)] {
      let packets = TransportPacket.packets(sections: [try section.encode()], pid: pid, heads: [], counter: counters[pid] ?? 0)
      counters[pid] = ((counters[pid] ?? 0) + UInt8(truncatingIfNeeded: packets.count)) & 0x0F
      for packet in packets { bytes += packet }
    }
  }
}
