import LiveHLS

/// Decides from its segments whether another rendition fits the first one, and which messages the operator gets about it.
struct VariantHealth: Equatable, Sendable {
  /// The number of its segments that fitted.
  private var fittingCount = 0
  /// The number of its latest segments that did not fit.
  private var mismatchCount = 0
  /// Whether it had nothing of the latest segment.
  private(set) var isAway = false

  /// Whether it is known to fit. Once or twice its key frames may have the right times by chance.
  var isProven: Bool { fittingCount >= 3 }

  /// Records a segment. The problem of segments that do not fit comes once: for the first one, or for the second one of a rendition that is not proven.
  ///
  /// - Parameter index: The rendition's number, from 0.
  mutating func record(_ joined: SegmentJoiner.Joined, of index: Int) -> (problem: Presentation.Problem?, message: String?) {
    let hasSegment = joined.segment.variants[index] != nil
    let mismatch = joined.mismatches[index]
    var problem: Presentation.Problem?
    if hasSegment {
      fittingCount += 1
      mismatchCount = 0
    }
    if let mismatch {
      mismatchCount += 1
      if mismatchCount == (isProven ? 1 : 2) { problem = .init(variant: index, reason: "\(mismatch)", isProven: isProven) }
    }
    guard hasSegment == isAway else { return (problem, nil) }
    isAway = !hasSegment
    let name = LivePlaylist.mediaName(ofRendition: index)
    guard isAway else { return (problem, "\(name): its input is in time again") }
    return (problem, mismatch == nil ? "\(name): its input is late; it has gaps until it is in time" : nil)
  }
}
