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
    var bytes: [UInt8] = []
    /// The access unit that starts with them; `nil` where none does.
    var unit: LiveAccessUnit?
  }

  /// What has come out since the last time.
  struct Output: Sendable {
    var pieces: [Piece] = []
    var segments: [LiveSegment] = []
    /// Parts of the segment behind these, of low-latency HLS.
    var parts: [LivePart] = []
    var placed: [PlacedCopy] = []
    var notices: [LivePacketStamper.Notice] = []
    /// What an operator should know of the segments.
    var messages: [String] = []
    /// The numbers of packets that were added to the stream until now, and of null packets that were replaced.
    var packetCounts = (added: 0, replaced: 0)
    /// The latest access unit.
    var unit: LiveAccessUnit?
    /// Where a stretch of the stream begins, if one does: what comes then has dates of its own.
    var stretch: MediaTime?
    /// By how much the stream's clock has jumped at the start of that stretch; `nil` where an interruption explains it.
    var jump: MediaTime?
    /// The longest time between two key frames lately; `nil` before the second one.
    var keyFrameInterval: MediaTime?
    /// All access units, and the copies in front of them, where others follow.
    var steps: [(unit: LiveAccessUnit, copies: [EventSchedule.TimedCopy])] = []

    /// The same, but for the time that it says the stream has come to.
    var withoutUnit: Output {
      var output = self
      output.unit = nil
      return output
    }
  }

  private var stamper: LivePacketStamper
  private var gathering: Gathering

  /// Gathers what the stamper writes.
  private struct Gathering: LiveOutput, Sendable {
    var segmenter: LiveSegmenter
    var output = Output()
    /// Whether other renditions follow.
    let isLeading: Bool
    /// Whether the bytes go to outputs as they are.
    let hasSinks: Bool
    var piece = Piece()
    /// Whether the stretch that is there has begun.
    var hasBegun: Bool
    var keyFrames = KeyFrameMeter()
    /// When the next access unit is decoded if the clock goes on; `nil` where nobody expects that.
    var nextDecoding: MediaTime?

    init(_ segmenter: LiveSegmenter, isLeading: Bool, hasSinks: Bool, goesOn: Bool) {
      (self.segmenter, self.isLeading, self.hasSinks, hasBegun) = (segmenter, isLeading, hasSinks, goesOn)
    }

    mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy]) {
      flush()
      piece.unit = unit
      keyFrames.push(unit)
      segmenter.begin(unit, copies)
      output.unit = unit
      if isLeading { output.steps.append((unit, copies)) }
      if unit.boundary == .discontinuity || !hasBegun { output.stretch = unit.time }
      if unit.boundary == .discontinuity { output.jump = nextDecoding.map { unit.decodingTime - $0 } }
      (hasBegun, nextDecoding) = (true, unit.decodingTime + unit.frameDuration)
    }

    mutating func expect(_ packets: Span<UInt8>) { segmenter.expect(packets) }

    mutating func place(_ copies: [PlacedCopy]) { output.placed += copies }

    mutating func follow(pmtPID: PID, leadingPID: PID?) { segmenter.follow(pmtPID: pmtPID, leadingPID: leadingPID) }

    mutating func write(_ packets: Span<UInt8>) {
      if hasSinks { piece.bytes.append(copying: packets) }
      segmenter.write(packets)
    }

    mutating func flush() {
      guard !piece.bytes.isEmpty else { return }
      output.pieces.append(piece)
      piece = Piece()
    }
  }

  /// - Parameters:
  ///   - segmenter: What cuts the stream into segments.
  ///   - isLeading: Whether other renditions follow.
  ///   - hasSinks: Whether the bytes go to outputs as they are.
  ///   - goesOn: Whether the stream goes on where another node of a pair has stopped.
  init(
    _ stamper: LivePacketStamper, _ segmenter: LiveSegmenter = LiveSegmenter(), isLeading: Bool = false, hasSinks: Bool = false,
    goesOn: Bool = false
  ) {
    self.stamper = stamper
    gathering = Gathering(segmenter, isLeading: isLeading, hasSinks: hasSinks, goesOn: goesOn)
  }

  /// When an access unit is decoded that starts in a packet, 33 bits.
  func decodingTime(_ packet: Span<UInt8>) -> UInt64? { stamper.decodingTime(packet) }

  /// When an access unit is presented that starts in a packet, 33 bits.
  func presentationTime(_ packet: Span<UInt8>) -> UInt64? { stamper.timestamps(packet)?.presentation }

  /// Receives what another stream says of the access unit that the next packet starts.
  mutating func tell(_ unit: ToldUnit?) {
    if let unit { gathering.segmenter.add(unit.earlierCopies) }
    stamper.tell(unit, into: &gathering)
  }

  mutating func add(_ event: PlannedEvent) { stamper.add(event) }

  /// Receives a packet of the input.
  mutating func push(_ packet: Span<UInt8>) {
    stamper.push(packet, into: &gathering)
  }

  /// Ends the segment that is open, since nothing comes from the input; what comes then is discontinuous.
  mutating func interrupt() {
    stamper.finish(into: &gathering)
    gathering.flush()
    gathering.segmenter.finish()
    gathering.nextDecoding = nil
    stamper.interrupt()
  }

  /// Gives back what has come out, once.
  mutating func take() -> Output {
    gathering.flush()
    defer { gathering.output = Output() }
    var output = gathering.output
    output.segments = gathering.segmenter.takeSegments()
    output.parts = gathering.segmenter.takeParts()
    output.notices = stamper.takeNotices()
    output.messages = gathering.segmenter.takeNotices()
    output.packetCounts = stamper.counts
    output.keyFrameInterval = gathering.keyFrames.interval
    return output
  }
}
