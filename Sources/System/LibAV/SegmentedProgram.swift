package import Basics

/// Where a segment starts.
package struct SegmentStart: Equatable, Sendable {
  /// The segment's number, from 0.
  package var number: Int
  /// When the segment's first video frame, or first audio frame if there is no video, is presented: the end of the segment before.
  package var presentation: MediaTime
  /// Whether libavformat says that decoding can start there. For H.264 that includes recovery points, for HEVC clean random access
  /// pictures (CRA).
  package var startsWithKeyFrame: Bool
  /// Whether no video frame that follows the key frame in decoding order is presented before it. Such leading pictures (open GOP) may need
  /// video frames of the segment before, so that the segment cannot be decoded alone.
  package var isClosed: Bool
}

/// The packets of a file in decoding order across its streams, and where segments start among them.
///
/// Video frames before the first key frame are left out, and so are those that follow it, are presented before it, and need frames before it (the
/// leading pictures of an open group). A packet of another stream may follow a segment's start in decoding order and still be
/// presented before it. The start is known by then, because no video frame is presented before it is decoded.
struct SegmentedProgram: ~Copyable {
  private(set) var reader: PacketSource
  private var order: DecodingOrder
  private var plan: BoundaryPlan
  private var isRead = false
  private var skipsFrames: Bool
  private var skipped = 0
  /// When the first key frame is presented, while leading pictures that cannot be decoded may follow it.
  private var leadingUntil: MediaTime?
  private var skippedLeading = 0
  /// How many segments have started.
  private(set) var segmentCount = 0
  /// When the last video frame, or the last audio frame if there is no video, ends so far.
  private(set) var end: MediaTime

  /// Continues with a file from which only the start of its streams was read.
  init(_ reader: consuming PacketSource, boundaries: SegmentBoundaries) {
    let origin = reader.timeline.origin
    plan = BoundaryPlan(boundaries, origin: origin, needsKey: reader.program.kind == .video)
    order = DecodingOrder(streams: reader.copied.map(\.index), first: reader.program.index)
    skipsFrames = reader.program.kind == .video && reader.startsWithKey
    end = origin
    self.reader = reader
  }

  /// The stream that segments are cut by.
  var program: MediaStream { reader.program }

  /// Moves the next packet into `packet` and returns its place, and the segment that it starts, if any; `nil` at the end of the file.
  mutating func next(into packet: inout MediaPacket) throws(RemuxError) -> (placed: PlacedPacket, start: SegmentStart?)? {
    while !isRead, !order.isReady {
      guard let placed = try reader.next(into: &packet) else {
        isRead = true
        break
      }
      if placed.stream == program.index, let kept = decodable(placed, packet) {
        try order.append(&packet, kept)
      } else if placed.stream != program.index {
        try order.append(&packet, placed)
      }
    }
    guard let placed = order.popFirst(into: &packet) else {
      if let boundary = plan.missed(end: end) { throw .noKeyFrame(at: boundary) }
      return nil
    }
    guard placed.stream == program.index else { return (placed, nil) }
    end = max(end, placed.presentation + placed.duration)
    let startedCount = try plan.segmentsStarted(by: placed)
    guard startedCount > 0 else { return (placed, nil) }
    segmentCount += startedCount
    return (
      placed,
      SegmentStart(
        number: segmentCount - 1, presentation: placed.earliestPresentation, startsWithKeyFrame: placed.isKey, isClosed: placed.isClosed)
    )
  }

  /// A packet of the program's stream; `nil` if it cannot be decoded, because it needs frames from before the start of the recording.
  private mutating func decodable(_ placed: PlacedPacket, _ packet: borrowing MediaPacket) -> PlacedPacket? {
    if placed.isKey {
      defer { skipsFrames = false }
      leadingUntil = nil
      guard skipsFrames, !placed.isClosed, reader.hasOpenGroup(packet) else { return placed }
      leadingUntil = placed.presentation
      var alone = placed
      alone.leading = nil
      return alone
    }
    if skipsFrames {
      skipped += 1
      return nil
    }
    if let leadingUntil, placed.presentation < leadingUntil {
      skippedLeading += 1
      return nil
    }
    return placed
  }

  /// Totals so far.
  func summary(_ tally: PacketTally) -> RemuxSummary {
    var summary = reader.summary(tally)
    summary.framesBeforeKey = skipped
    summary.leadingFrames = skippedLeading
    return summary
  }
}
