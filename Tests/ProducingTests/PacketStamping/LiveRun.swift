import Basics
import EventSchedule
import GameEvents
import PacketStamping
import TransportStream

/// What a live stamper has written.
struct LiveRecording: LiveOutput {
  struct Unit: Equatable {
    var unit: LiveAccessUnit
    var copies: [EventSchedule.TimedCopy]
    /// Where its tags start in the output.
    var offset: Int
  }

  var bytes: [UInt8] = []
  var units: [Unit] = []
  /// The copies that are in the stream, with the size that it had then.
  var placed: [(copy: PlacedCopy, size: Int)] = []
  /// The packets that were to wait for null packets, and where the stream was then.
  var expected: [(packets: [UInt8], offset: Int)] = []

  mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy]) {
    units.append(Unit(unit: unit, copies: copies, offset: bytes.count))
  }

  mutating func write(_ packets: Span<UInt8>) { bytes.append(copying: packets) }

  mutating func expect(_ packets: Span<UInt8>) { expected.append(([UInt8](copying: packets), bytes.count)) }

  mutating func place(_ copies: [PlacedCopy]) { placed += copies.map { ($0, bytes.count) } }

  /// The copies with the number of the access unit in front of which each lies.
  var copies: [(unit: Int, copy: EventSchedule.TimedCopy)] {
    units.enumerated().flatMap { number, unit in unit.copies.map { (number, $0) } }
  }

  /// The first copies of events.
  var firsts: [EventSchedule.TimedCopy] { copies.map(\.copy).filter { $0.copy.copy == 1 } }
  var times: [Int64] { units.map { $0.unit.time.ticks } }
  /// The numbers of the access units that start a segment, with the reasons.
  var boundaries: [Int: SegmentClock.Boundary] {
    Dictionary(uniqueKeysWithValues: units.enumerated().compactMap { number, unit in unit.unit.boundary.map { (number, $0) } })
  }
}

/// A live stamper at work.
struct LiveRun {
  var stamper: LivePacketStamper
  var output = LiveRecording()
  var notices: [LivePacketStamper.Notice] = []

  init(
    _ events: [PlannedEvent] = [], from start: MediaTime = .zero, program: UInt16? = nil, policy: CopyPolicy = CopyPolicy(),
    segment: MediaTime = MediaTime(seconds: 1), sign: EventSigner? = nil, keepsRate: Bool = false, isContinuation: Bool = false
  ) {
    var options = PacketStamper.Options()
    options.program = program
    options.keepsRate = keepsRate
    let schedule = EventSchedule([], policy: policy)
    stamper = LivePacketStamper(schedule, options, from: start, SegmentClock(duration: segment), sign: sign, isContinuation: isContinuation)
    for event in events { stamper.add(event) }
  }

  /// Pushes a stream packet by packet.
  ///
  /// - Parameter before: Called before each packet, with its number.
  mutating func push(_ stream: [UInt8], before: (Int, inout LivePacketStamper) -> Void = { _, _ in }) {
    for (number, start) in stride(from: 0, to: stream.count, by: TransportPacket.size).enumerated() {
      before(number, &stamper)
      stamper.push(stream.span.extracting(start..<start + TransportPacket.size), into: &output)
      notices += stamper.takeNotices()
    }
  }
}
