public import Basics
public import GameEvents

extension Verifier {
  /// The outcome.
  public struct Report: Equatable, Sendable {
    /// What differs, in the order of the events' times; empty where nothing does.
    public var differences: [Difference] = []
    /// How many events of the cue sheet were found.
    public var events = 0
    /// How many copies of them.
    public var copies = 0
    /// How many events of other games the stream has.
    public var otherEvents = 0
    /// How many places of the stream were damaged.
    public var damages = 0
    /// How many copies carry no checksum, so that nothing proves them whole.
    public var unverified = 0
    /// The largest distance of a copy from its cue.
    public var largestOffset = MediaTime.zero
    /// What became of each event of the cue sheet, in its order.
    public var results: [EventResult] = []
  }

  /// What became of an event of the cue sheet.
  public struct EventResult: Equatable, Sendable {
    /// The event.
    public var event: GameEvent
    /// How many copies its burst has in the stream.
    public var burst = 0
    /// How many copies follow for those who come late.
    public var refreshes = 0
    /// How long after the event its first copy is presented; `nil` where there is none.
    public var delay: MediaTime?
    /// The largest distance of a copy from the cue.
    public var offset = MediaTime.zero
    /// What differs.
    public var differences: [Difference] = []

    /// A result.
    public init(
      event: GameEvent, burst: Int = 0, refreshes: Int = 0, delay: MediaTime? = nil, offset: MediaTime = .zero,
      differences: [Difference] = []
    ) {
      self.event = event
      self.burst = burst
      self.refreshes = refreshes
      self.delay = delay
      self.offset = offset
      self.differences = differences
    }
  }

  /// What is held against what.
  public enum Conditions: Equatable, Sendable {
    /// Nothing was lost: the pictures tell the time, and copies are counted.
    case whole(ExpectedCopies)
    /// Something was: the first picture may be missing, so copies tell the time, and only what becomes of the events counts.
    case lossy
  }
}
