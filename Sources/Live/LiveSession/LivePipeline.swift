import Basics
import EventSchedule
import LiveHLS
import PacketStamping
import TransportStream

/// Stamps the packets of an input, and makes pieces for the sinks and segments of them.
///
/// It is a value that one thread at a time uses, and returns its output to the session.
struct LivePipeline: Sendable {
  /// Bytes for the sinks.
  struct Piece: Sendable {
    var bytes: [UInt8] = []
    /// The access unit that starts with them; `nil` if none does.
    var unit: LiveAccessUnit?
  }

  /// The output since the last time.
  struct Output: Sendable {
    var pieces: [Piece] = []
    var segments: [LiveSegment] = []
    /// Parts of the segment after these, of low-latency HLS.
    var parts: [LivePart] = []
    var placed: [PlacedCopy] = []
    var notices: [LivePacketStamper.Notice] = []
    /// Messages for the operator about the segments.
    var messages: [String] = []
    /// The numbers of packets that were added to the stream until now, and of null packets that were replaced.
    var packetCounts = (added: 0, replaced: 0)
    /// The sections of SCTE-35 in the input.
    var splices: [FoundSplice] = []
    /// The timecodes of pictures, in decoding order.
    var timecodes: [FoundTimecode] = []
    /// The latest access unit.
    var unit: LiveAccessUnit?
    /// The start of a new stretch, which has dates of its own; `nil` without one.
    var stretch: MediaTime?
    /// The start of the latest segment that has begun; `nil` without one.
    var segmentStart: MediaTime?
    /// By how much the stream's clock has jumped there; `nil` after an interruption.
    var jump: MediaTime?
    /// The longest recent time between two key frames; `nil` before the second one.
    var keyFrameInterval: MediaTime?
    /// All access units and the copies before them, if other renditions follow.
    var steps: [(unit: LiveAccessUnit, copies: [EventSchedule.TimedCopy])] = []

    /// The output without the latest access unit.
    var withoutUnit: Output {
      var output = self
      output.unit = nil
      return output
    }
  }

  private var stamper: LivePacketStamper
  private var splices = SpliceFinder()
  private var timecodes = TimecodeFinder()
  private var gathering: Gathering

  /// Gathers the stamper's output.
  private struct Gathering: LiveOutput, Sendable {
    var segmenter: LiveSegmenter
    var output = Output()
    /// Whether other renditions follow.
    let isLeading: Bool
    /// Whether the bytes go to outputs as they are.
    let hasSinks: Bool
    var piece = Piece()
    /// Whether the current stretch has begun.
    var hasBegun: Bool
    var keyFrames = KeyFrameMeter()
    /// The latest access unit; `nil` before the first one.
    var latestUnit: LiveAccessUnit?
    /// The next access unit's decoding time if the clock goes on; `nil` after an interruption.
    var nextDecoding: MediaTime?

    init(_ segmenter: LiveSegmenter, isLeading: Bool, hasSinks: Bool, goesOn: Bool) {
      (self.segmenter, self.isLeading, self.hasSinks, hasBegun) = (segmenter, isLeading, hasSinks, goesOn)
    }

    mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy]) {
      flush()
      piece.unit = unit
      keyFrames.push(unit)
      segmenter.begin(unit, copies)
      (output.unit, latestUnit) = (unit, unit)
      if isLeading { output.steps.append((unit, copies)) }
      if unit.boundary == .discontinuity || !hasBegun { output.stretch = unit.time }
      if unit.boundary != nil { output.segmentStart = unit.time }
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
  ///   - segmenter: Cuts the stream into segments.
  ///   - isLeading: Whether other renditions follow.
  ///   - hasSinks: Whether the bytes go to outputs as they are.
  ///   - goesOn: Whether the stream continues that of another node of a pair.
  init(
    _ stamper: LivePacketStamper, _ segmenter: LiveSegmenter = LiveSegmenter(), isLeading: Bool = false, hasSinks: Bool = false,
    goesOn: Bool = false
  ) {
    self.stamper = stamper
    gathering = Gathering(segmenter, isLeading: isLeading, hasSinks: hasSinks, goesOn: goesOn)
  }

  /// The DTS of the access unit that starts in a packet, 33 bits.
  func decodingTime(_ packet: Span<UInt8>) -> UInt64? { stamper.decodingTime(packet) }

  /// The PTS of the access unit that starts in a packet, 33 bits.
  func presentationTime(_ packet: Span<UInt8>) -> UInt64? { stamper.timestamps(packet)?.presentation }

  /// Receives the first input's decision about the access unit that the next packet starts.
  mutating func tell(_ unit: ToldUnit?) {
    if let unit { gathering.segmenter.add(unit.earlierCopies) }
    stamper.tell(unit, into: &gathering)
  }

  mutating func add(_ event: PlannedEvent) { stamper.add(event) }

  /// Receives a packet of the input.
  mutating func push(_ packet: Span<UInt8>) {
    splices.push(packet)
    stamper.push(packet, into: &gathering)
    if let found = timecodes.push(packet, of: stamper.video, at: gathering.latestUnit) { gathering.output.timecodes.append(found) }
    guard splices.hasSections, let unit = gathering.output.unit else { return }
    let found = splices.take(at: unit)
    gathering.output.splices += found
    for splice in found { gathering.segmenter.add(section: splice.bytes, at: splice.place, clock: splice.clock) }
  }

  /// Ends the open segment. A discontinuity follows.
  mutating func interrupt() {
    stamper.finish(into: &gathering)
    gathering.flush()
    gathering.segmenter.finish()
    gathering.nextDecoding = nil
    splices.interrupt()
    timecodes.interrupt()
    stamper.interrupt()
  }

  /// Takes the output.
  mutating func take() -> Output {
    gathering.flush()
    var output = exchange(&gathering.output, with: Output())
    output.segments = gathering.segmenter.takeSegments()
    output.parts = gathering.segmenter.takeParts()
    output.notices = stamper.takeNotices()
    output.messages = gathering.segmenter.takeNotices()
    output.packetCounts = stamper.counts
    output.keyFrameInterval = gathering.keyFrames.interval
    return output
  }
}
