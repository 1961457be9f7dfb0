public import Basics
public import GameEvents

/// How often each event is repeated in a stream.
public struct CopyPolicy: Equatable, Sendable {
  /// How many copies the burst at an event's time has, on successive access units.
  public var copies: Int
  /// How far apart the refreshes of what is current lie; `nil` for none.
  public var refreshInterval: MediaTime?
  /// The largest accepted tag, in bytes.
  public var largestTagSize: Int

  /// The largest tag that fits into one PES packet with a presentation time (65,535 - 8 bytes).
  public static let largestPESPayload = 65_527
  /// How many bytes of tags are put before one access unit, as long as there is a choice.
  public static let bytesPerAccessUnit = 512

  /// A policy: 3 copies, refreshes every 2 seconds and tags of at most 1,024 bytes unless said otherwise.
  public init(copies: Int = 3, refreshInterval: MediaTime? = MediaTime(seconds: 2), largestTagSize: Int = 1_024) {
    self.copies = max(copies, 1)
    self.refreshInterval = refreshInterval.flatMap { $0 > .zero ? $0 : nil }
    self.largestTagSize = min(largestTagSize, Self.largestPESPayload)
  }

  /// The size in bytes of the largest tag that any copy of `event` can need.
  ///
  /// - Throws: what ``GameEvents/EventCopy/encodedTag()`` throws.
  public func largestTagSize(of event: GameEvent) throws(EventError) -> Int {
    // A refresh has a number above the burst's; so many refreshes fit into the largest age that six digits are enough.
    try EventCopy(of: event, copy: 999_999, copies: copies, age: EventCopy.largestAge).encodedTag().count
  }
}
