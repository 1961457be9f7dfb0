public import Basics

/// Where a segment starts.
public struct SegmentStart: Equatable, Sendable {
  /// The segment's number, from 0.
  public var number: Int
  /// When the segment's first picture, or first sound where there is no video, is presented: the end of the segment before.
  public var presentation: MediaTime
  /// When the packet that starts the segment is decoded.
  public var decoding: MediaTime
  /// Whether libavformat says that decoding can start there. For H.264 that includes recovery points, for HEVC clean random access
  /// pictures (CRA).
  public var startsWithKeyFrame: Bool
  /// Whether no picture that follows the key frame in decoding order is presented before it. Such leading pictures (open GOP) may need
  /// pictures of the segment before, so that the segment cannot be decoded alone.
  public var isClosed: Bool
}

/// The packets of a file in decoding order across its streams, and where segments start among them.
///
/// Pictures before the first key frame are left out. As no picture is presented before it is decoded, all packets of other streams that are
/// presented before a segment's start, and lie in decoding order after it, come while the start is known.
struct SegmentedProgram: ~Copyable {
  private var reader: ProgramReader
  private var order: DecodingOrder
  private var plan: CutPlan
  private var isRead = false
  private var skipsPictures: Bool
  private var skipped = 0
  /// How many segments have started.
  private(set) var segmentCount = 0
  /// When the last picture, or the last sound where there is no video, ends so far.
  private(set) var end: MediaTime

  /// Takes over a file from which nothing but the start of its streams was read.
  init(_ reader: consuming ProgramReader, cuts: SegmentCuts) {
    let zero = reader.timeline.zero
    plan = CutPlan(cuts, zero: zero, needsKey: reader.program.kind == .video)
    order = DecodingOrder(streams: reader.copied.map(\.index), first: reader.program.index)
    skipsPictures = reader.program.kind == .video && reader.startsWithKey
    end = zero
    self.reader = reader
  }

  /// The stream that segments are cut by.
  var program: MediaStream { reader.program }
  /// When the program's zero is presented.
  var zero: MediaTime { reader.timeline.zero }

  /// Moves the next packet into `packet` and gives its place, with the segment that it starts, if it does; `nil` at the end of the file.
  mutating func next(into packet: inout MediaPacket) throws(RemuxError) -> (placed: PlacedPacket, start: SegmentStart?)? {
    while !isRead, !order.isReady {
      guard let placed = try reader.next(into: &packet) else {
        isRead = true
        break
      }
      if placed.stream == program.index, skipsPictures, !placed.isKey {
        skipped += 1
        continue
      }
      if placed.stream == program.index { skipsPictures = false }
      try remuxing { () throws(AVError) in try order.append(&packet, placed) }
    }
    guard let placed = order.popFirst(into: &packet) else {
      if let cut = plan.missed(end: end) { throw .noKeyFrame(at: cut) }
      return nil
    }
    guard placed.stream == program.index else { return (placed, nil) }
    end = max(end, placed.presentation + placed.duration)
    guard try plan.startsSegment(placed) else { return (placed, nil) }
    defer { segmentCount += 1 }
    return (
      placed,
      SegmentStart(
        number: segmentCount, presentation: placed.earliestPresentation, decoding: placed.decoding,
        startsWithKeyFrame: placed.isKey, isClosed: placed.isClosed)
    )
  }

  /// What was done so far.
  func summary(_ tally: PacketTally) -> RemuxSummary {
    var summary = reader.summary(tally)
    summary.picturesBeforeKey = skipped
    return summary
  }

  /// The initialisation segment of one of the streams as a fragmented track; `nil` once its first packets were taken.
  func initialisation(of stream: Int) throws(RemuxError) -> MuxedBytes? { try reader.initialisation(of: stream) }

  /// What the file says about how one of its streams is coded.
  func codecParameters(of stream: Int) -> CodecParameters? { reader.codecParameters(of: stream) }
}
