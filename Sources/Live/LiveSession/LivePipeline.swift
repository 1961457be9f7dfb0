import Basics
import EventSchedule
import GameEvents
import HLSPlaylist
import LiveGame
import LiveHLS
import PacketStamping
import TransportStream

/// The way of packets from the input to the outputs: stamped, handed to the sinks as they are, and cut into segments.
///
/// A value that one thread at a time works with. What it cannot do itself it leaves for the session: pieces for the sinks, segments, placed copies.
struct LivePipeline: Sendable {
  /// Bytes for the sinks.
  struct Piece: Sendable {
    var bytes: [UInt8]
    /// Whether an access unit starts with them, and whether decoding can start there.
    var startsUnit: Bool
    var isRandomAccess: Bool
  }

  /// What has come out since the last time.
  struct Output: Sendable {
    var pieces: [Piece] = []
    var segments: [LiveSegment] = []
    var placed: [EventSchedule.TimedCopy] = []
    var notices: [LivePacketStamper.Notice] = []
    /// The latest access unit.
    var unit: LiveAccessUnit?
    /// Where a stretch of the stream begins, if one does: what comes then has dates of its own.
    var stretch: MediaTime?
  }

  private var stamper: LivePacketStamper
  private var gathering = Gathering()

  /// Gathers what the stamper writes.
  private struct Gathering: LiveOutput, Sendable {
    var segmenter = LiveSegmenter()
    var output = Output()
    var bytes: [UInt8] = []
    var startsUnit = false
    var isRandomAccess = false
    var hasBegun = false

    mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy]) {
      flush()
      (startsUnit, isRandomAccess) = (true, unit.isRandomAccess)
      segmenter.begin(unit, copies)
      output.unit = unit
      if unit.boundary == .discontinuity || !hasBegun { output.stretch = unit.time }
      hasBegun = true
      output.placed += copies
    }

    mutating func follow(pmtPID: PID) { segmenter.follow(pmtPID: pmtPID) }

    mutating func write(_ packets: Span<UInt8>) {
      bytes.append(copying: packets)
      segmenter.write(packets)
    }

    mutating func flush() {
      guard !bytes.isEmpty else { return }
      output.pieces.append(Piece(bytes: bytes, startsUnit: startsUnit, isRandomAccess: isRandomAccess))
      bytes = []
      startsUnit = false
      isRandomAccess = false
    }
  }

  init(_ stamper: LivePacketStamper) { self.stamper = stamper }

  /// The presentation time of the timeline origin on the stream's clock; `nil` before the first access unit.
  var origin: MediaTime? { stamper.origin }

  /// When an access unit is decoded that starts in a packet, 33 bits.
  func decodingTime(_ packet: Span<UInt8>) -> UInt64? { stamper.decodingTime(packet) }

  mutating func add(_ event: PlannedEvent) { stamper.add(event) }

  /// Receives a packet of the input.
  mutating func push(_ packet: Span<UInt8>) {
    stamper.push(packet, into: &gathering)
  }

  /// Ends the segment that is open, since nothing comes from the input; what comes then is discontinuous.
  mutating func interrupt() {
    gathering.segmenter.finish()
    stamper.interrupt()
  }

  /// Gives back what has come out, once.
  mutating func take() -> Output {
    gathering.flush()
    defer { gathering.output = Output() }
    var output = gathering.output
    output.segments = gathering.segmenter.takeSegments()
    output.notices = stamper.takeNotices()
    return output
  }
}
