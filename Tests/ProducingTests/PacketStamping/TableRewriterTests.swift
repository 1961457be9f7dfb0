import TestSupport
import Testing
import TransportStream

@testable import PacketStamping

/// Tables that become longer or shorter in their place in the stream.
@Suite struct TableRewriterTests {
  /// Exchanges sections, and keeps all packets.
  struct Longer: TableEdit {
    typealias Failure = Never
    static let keepsPackets = true
    var sections: [[UInt8]: [UInt8]]

    mutating func edited(_ section: [UInt8]) -> [UInt8]? { sections[section] }
  }

  /// Exchanges sections, and takes packets out that are not needed any more.
  struct Shorter: TableEdit {
    typealias Failure = Never
    static let keepsPackets = false
    var sections: [[UInt8]: [UInt8]]

    mutating func edited(_ section: [UInt8]) -> [UInt8]? { sections[section] }
  }

  struct IncompleteTable: Error {}

  static let pid: PID = 0x1000

  /// A section that fills so many packets.
  static func section(_ version: UInt8, packets: Int) throws -> [UInt8] {
    try Section(tableID: 2, tableIDExtension: 1, version: version, body: [UInt8](repeating: version, count: packets * 184 - 100)).encode()
  }

  /// The packets of sections, with counters from 0 on; no section shares a packet.
  static func packets(_ sections: [[UInt8]]) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    for section in sections {
      packets += TransportPacket.packets(sections: [section], pid: pid, heads: [], counter: UInt8(packets.count & 0x0F))
    }
    return packets
  }

  /// What comes out for each packet.
  static func outcomes<Edit: TableEdit>(
    _ packets: [[UInt8]], _ rewriter: inout TableRewriter<Edit>
  ) throws -> [TableRewriter<Edit>.Outcome] {
    try packets.map { try rewriter.push(TransportPacket($0.span), $0.span) }
  }

  static func stream<Edit: TableEdit>(_ outcomes: [TableRewriter<Edit>.Outcome]) -> [UInt8] {
    outcomes.flatMap { outcome -> [UInt8] in
      switch outcome {
      case .waiting: []
      case .repeated(let packets): packets.last ?? []
      case .complete(let packets): packets.joined().flatMap { $0 }
      }
    }
  }

  /// A table that takes more packets has them behind its own, and later counters go on from there.
  @Test func longerTables() throws {
    let (short, long, other) = (try Self.section(1, packets: 1), try Self.section(2, packets: 3), try Self.section(3, packets: 2))
    var rewriter = TableRewriter(pid: Self.pid, Longer(sections: [short: long]))
    let stream = Self.stream(try Self.outcomes(Self.packets([short, other, short, short]), &rewriter))
    #expect(SamplePacket.sections(on: Self.pid, in: stream) == [long, other, long, long])
    #expect(SamplePacket.continuityErrors(in: stream) == [])
    #expect(stream.count == 11 * TransportPacket.size)
  }

  /// Where packets are kept, a table that needs fewer has filling behind it.
  @Test func shorterTablesThatKeepTheirPackets() throws {
    let (short, long) = (try Self.section(1, packets: 1), try Self.section(2, packets: 3))
    var rewriter = TableRewriter(pid: Self.pid, Longer(sections: [long: short]))
    let stream = Self.stream(try Self.outcomes(Self.packets([long, long]), &rewriter))
    #expect(SamplePacket.sections(on: Self.pid, in: stream) == [short, short])
    #expect(SamplePacket.continuityErrors(in: stream) == [])
    #expect(stream.count == 6 * TransportPacket.size)
  }

  /// Packets that a table does not need any more go, and later counters do not count them.
  @Test func shorterTables() throws {
    let (short, long, other) = (try Self.section(1, packets: 1), try Self.section(2, packets: 3), try Self.section(3, packets: 2))
    var rewriter = TableRewriter(pid: Self.pid, Shorter(sections: [long: short]))
    let outcomes = try Self.outcomes(Self.packets([other, long, other, long]), &rewriter)
    let stream = Self.stream(outcomes)
    #expect(SamplePacket.sections(on: Self.pid, in: stream) == [other, short, other, short])
    #expect(SamplePacket.continuityErrors(in: stream) == [])
    #expect(stream.count == 6 * TransportPacket.size)
    guard case .complete(let packets) = outcomes[4] else { throw IncompleteTable() }
    #expect(packets.map(\.count) == [1, 0, 0])
  }

  /// What carries a clock stays of a packet that goes.
  @Test func clocksStay() throws {
    let (short, long) = (try Self.section(1, packets: 1), try Self.section(2, packets: 2))
    let clock: [UInt8] = [7, 0x10, 0, 0, 1, 0xC2, 0, 0]
    let sent = TransportPacket.packets(
      sections: [long], pid: Self.pid, heads: [[0x47, 0x10, 0x00, 0x10], [0x47, 0x10, 0x00, 0x31] + clock], counter: 2)
    #expect(sent.count == 2)
    var rewriter = TableRewriter(pid: Self.pid, Shorter(sections: [long: short]))
    let stream = Self.stream(try Self.outcomes(sent, &rewriter))
    #expect(SamplePacket.all(in: stream).map(\.header.hasPayload) == [true, false])
    #expect(SamplePacket.all(in: stream).map(\.header.continuityCounter) == [0, 0])
    #expect(SamplePacket.all(in: stream)[1].header.adaptation?.pcr == 900)
  }

  /// A packet that is missing ends the table, whose packets go on as they came.
  @Test func missingPackets() throws {
    let long = try Self.section(2, packets: 3)
    let packets = Self.packets([long, long])
    let headers = try packets.map { try TransportPacket($0.span) }
    var rewriter = TableRewriter(pid: Self.pid, Shorter(sections: [long: []]))
    func isInterrupted(by number: Int) -> Bool {
      let packet = packets[number]
      let payload = packet.span.extracting(headers[number].payload)
      return rewriter.isInterrupted(by: headers[number], payload: payload)
    }
    let waiting = try Self.outcomes(Array(packets.prefix(2)), &rewriter)
    #expect(waiting == [.waiting, .waiting])
    #expect(!isInterrupted(by: 2))
    #expect(isInterrupted(by: 3))
    #expect(rewriter.isOpen)
    let left = rewriter.flush()
    #expect(left == packets.prefix(2).map { [$0] })
    #expect(!rewriter.isOpen)
    #expect(!isInterrupted(by: 5))
  }

  /// The repeat of a packet repeats what that one has become.
  @Test func repeats() throws {
    let (short, other) = (try Self.section(1, packets: 1), try Self.section(3, packets: 1))
    let packets = Self.packets([short, other])
    var rewriter = TableRewriter(pid: Self.pid, Shorter(sections: [short: other]))
    let outcomes = try Self.outcomes([packets[0], packets[0], packets[1], packets[1]], &rewriter)
    let changed = Self.packets([other])
    #expect(outcomes == [.complete([changed]), .repeated([changed[0]]), .complete([[packets[1]]]), .repeated([packets[1]])])
  }

  /// Counters move by as many packets as were added or taken out, modulo 16.
  @Test func shiftsOfCounters() {
    var shift = CounterShift()
    #expect(shift.isZero && 15 + shift == 15)
    shift += 3
    #expect(15 + shift == 2)
    shift += -4
    #expect(0 + shift == 15 && !shift.isZero)
    shift += 33
    #expect(shift.isZero)
    #expect(TransportPacket.counter(before: 0) == 15 && TransportPacket.counter(after: 15) == 0)
  }
}
