package import Basics

/// Joins the segments of several renditions that start together. A rendition without a segment in time has a gap there.
///
/// With low-latency HLS the parts of a segment are released as they arrive, after the segments before it.
package struct SegmentJoiner: Sendable {
  /// Why a segment of a rendition cannot be used.
  package enum Mismatch: Error, Equatable, Sendable, CustomStringConvertible {
    /// Decoding cannot start at the start of the first input's segment.
    case noRandomAccess(at: MediaTime)
    /// Its duration differs from that of the first input, from this time on.
    case otherDuration(MediaTime, than: MediaTime, at: MediaTime)

    package var description: String {
      switch self {
      case .noRandomAccess(let time): "it has no key frame at \(time.shortestDecimalSeconds) s, where a segment of the first input starts"
      case .otherDuration(let duration, let other, let time):
        "\(duration.shortestDecimalSeconds) s of it have come of the \(other.shortestDecimalSeconds) s from \(time.shortestDecimalSeconds) s on"
      }
    }
  }

  /// A segment of all renditions.
  package struct Joined: Equatable, Sendable {
    package var segment: LiveSegment
    /// The date of its start, in milliseconds since 1970.
    package var wallClock: Int64
    /// The problem of each rendition that has one, by its number.
    package var mismatches: [Int: Mismatch] = [:]
  }

  /// An element for the playlists, in their order.
  package enum Released: Equatable, Sendable {
    case segment(Joined)
    /// A part of the first input's segment after those segments, with the date of that segment's start.
    case part(LivePart, wallClock: Int64)
    /// Another rendition's part of the same segment.
    case variantPart(LivePart, of: Int)
  }

  private struct Waiting: Sendable {
    var joined: Joined
    var since: ContinuousClock.Instant
  }

  /// What has come of another rendition and is not joined yet.
  fileprivate struct Rendition: Sendable {
    var segments = Queue<LiveSegment>()
    /// The total bytes of those segments.
    var byteCount = 0
    /// The coding, if the segment that had it was not used.
    var program: LiveProgram?
    /// The start of the latest segment.
    var latest: MediaTime?
    /// Whether it had no segment in time, and no part in time since.
    var isAway = false
    /// The parts that are not released.
    var parts = Queue<LivePart>()
  }

  /// Whether segments have parts. Then segments do not wait for the same rendition again and again, since players are close to the live edge.
  private let hasParts: Bool
  private var waiting = Queue<Waiting>()
  private var renditions: [Rendition]
  /// The parts of the first input's segments that are not released.
  private var leadingParts = Queue<(part: LivePart, wallClock: Int64)>()
  /// The start of the segment whose parts are being released, and the number of the first input's latest part; `nil` before its first one.
  private var open: (start: MediaTime, number: Int)?

  /// Durations may differ by this much (half a second): frames may be missing at the end of a stretch.
  fileprivate static let largestDifference = MediaTime(ticks: 45_000)
  /// The maximum numbers of segments of a rendition, of parts, and of bytes of segments (64 MiB) that wait for the first input. Beyond them the
  /// oldest are dropped.
  fileprivate static let mostParts = 256
  fileprivate static let mostBytes = 64 << 20

  /// - Parameters:
  ///   - count: The number of renditions besides the first one.
  ///   - hasParts: Whether segments have parts.
  package init(count: Int, hasParts: Bool = false) {
    (renditions, self.hasParts) = (Array(repeating: Rendition(), count: count), hasParts)
  }

  /// Whether no segment waits.
  package var isEmpty: Bool { waiting.isEmpty }

  /// When the first waiting segment has waited long enough; `nil` if none waits.
  ///
  /// - Parameter limit: How long a segment waits for other renditions.
  package func deadline(limit: Duration) -> ContinuousClock.Instant? { waiting.first.map { $0.since + limit } }

  /// Receives a segment of the first input.
  package mutating func add(_ segment: LiveSegment, wallClock: Int64, at instant: ContinuousClock.Instant) {
    waiting.append(Waiting(joined: Joined(segment: segment, wallClock: wallClock), since: instant))
  }

  /// Receives a segment of another rendition.
  package mutating func add(_ segment: LiveSegment, of rendition: Int) { renditions[rendition].add(segment) }

  /// Receives a part of the first input's segment after those that were added.
  ///
  /// - Parameter wallClock: The date of the segment's start, in milliseconds since 1970.
  package mutating func add(_ part: LivePart, wallClock: Int64) { leadingParts.append((part, wallClock)) }

  /// Receives a part of another rendition's segment.
  package mutating func add(_ part: LivePart, of rendition: Int) {
    let isOfOpen = open.map { (part.segmentStart - $0.start).magnitude <= LeadingTimeline.tolerance } ?? false
    // Players of the first input have not reached this part yet.
    if let open, isOfOpen, part.number + LivePart.heldBack >= open.number { renditions[rendition].isAway = false }
    renditions[rendition].parts.append(part)
    if renditions[rendition].parts.count > Self.mostParts { _ = renditions[rendition].parts.popFirst() }
  }

  /// Returns the segments that are complete, or have waited long enough, and the parts of the segment after them.
  ///
  /// - Parameter limit: How long a segment waits for other renditions.
  package mutating func take(at instant: ContinuousClock.Instant, limit: Duration) -> [Released] {
    var taken = releaseParts()
    while var first = waiting.first {
      let start = first.joined.segment.start
      // Segments arrive in order: a later one shows that this one is missing.
      let missing = renditions.indices.filter { renditions[$0].latest.map { $0 < start - LeadingTimeline.tolerance } ?? true }
      let isLate = instant - first.since >= limit
      guard isLate || missing.allSatisfy({ renditions[$0].isAway }) else { break }
      if isLate, hasParts { for index in missing { renditions[index].isAway = true } }
      _ = waiting.popFirst()
      for index in renditions.indices {
        let (part, mismatch) = renditions[index].takeSegment(for: first.joined.segment)
        first.joined.segment.variants.append(part)
        first.joined.mismatches[index] = mismatch
      }
      taken.append(.segment(first.joined))
      open = nil
      taken += releaseParts()
    }
    return taken
  }

  /// Returns the parts of the segment after the released ones.
  private mutating func releaseParts() -> [Released] {
    var released: [Released] = []
    let next = waiting.first?.joined.segment.start
    while let first = leadingParts.first, next.map({ first.part.segmentStart <= $0 }) ?? true {
      _ = leadingParts.popFirst()
      open = (first.part.segmentStart, first.part.number)
      released.append(.part(first.part, wallClock: first.wallClock))
    }
    // The first input decides when a segment begins. Parts that are late, or have a coding that the playlist does not know yet, are released with the
    // segment.
    guard let open else { return released }
    for index in renditions.indices where !renditions[index].isAway && renditions[index].program == nil {
      released += renditions[index].takeParts(of: open.start).map { .variantPart($0, of: index) }
    }
    return released
  }
}

extension SegmentJoiner.Rendition {
  mutating func add(_ segment: LiveSegment) {
    latest = max(latest ?? segment.start, segment.start)
    segments.append(segment)
    byteCount += segment.bytes.count
    while segments.count > SegmentJoiner.mostParts || byteCount > SegmentJoiner.mostBytes { popSegment() }
  }

  /// Removes the next segment, and keeps its coding.
  private mutating func popSegment() {
    guard let segment = segments.popFirst() else { return }
    byteCount -= segment.bytes.count
    if let program = segment.program { self.program = program }
  }

  /// Removes the unreleased parts of a segment, since the first input's are released with its segment.
  mutating func takeParts(of start: MediaTime) -> [LivePart] {
    var taken: [LivePart] = []
    while let part = parts.first, part.segmentStart <= start + LeadingTimeline.tolerance {
      _ = parts.popFirst()
      if part.segmentStart >= start - LeadingTimeline.tolerance { taken.append(part) }
    }
    return taken
  }

  /// Removes the segment that is joined with one of the first input; `nil` if there is none, with the reason if that is known.
  mutating func takeSegment(for main: LiveSegment) -> (LiveSegment.Part?, SegmentJoiner.Mismatch?) {
    var mismatch: SegmentJoiner.Mismatch?
    while let segment = segments.first, segment.start <= main.start + LeadingTimeline.tolerance {
      popSegment()
      // A segment that matches none of the first input is left out.
      guard segment.start >= main.start - LeadingTimeline.tolerance else { continue }
      guard segment.isIndependent || !main.isIndependent else {
        mismatch = .noRandomAccess(at: main.start)
        continue
      }
      guard (segment.duration - main.duration).magnitude <= SegmentJoiner.largestDifference else {
        mismatch = .otherDuration(segment.duration, than: main.duration, at: main.start)
        continue
      }
      var joined = LiveSegment.Part(bytes: segment.bytes, program: program.take())
      joined.isGroupOpen = segment.isGroupOpen
      joined.parts = takeParts(of: main.start) + segment.parts
      return (joined, nil)
    }
    // Its latest segment started within the first input's segment.
    if mismatch == nil, let latest, latest > main.start + LeadingTimeline.tolerance, latest < main.start + main.duration {
      mismatch = .noRandomAccess(at: main.start)
    }
    return (nil, mismatch)
  }
}
