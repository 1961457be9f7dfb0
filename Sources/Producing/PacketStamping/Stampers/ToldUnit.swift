package import Basics
package import EventSchedule

/// What the leading rendition decided for this access unit of a rendition that follows it.
package struct ToldUnit: Equatable, Sendable {
  /// When it is presented, on the programme's timeline.
  package var time: MediaTime
  /// Why a segment starts with it; `nil` if none does.
  package var boundary: SegmentClock.Boundary?
  /// The copies that go before it, and those that go before the segment that it starts.
  package var copies: [EventSchedule.TimedCopy] = []
  package var earlierCopies: [EventSchedule.TimedCopy] = []

  /// An access unit in the middle of a segment, without copies.
  package init(time: MediaTime) { self.time = time }
}
