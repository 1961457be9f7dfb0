public import Basics
public import GameEvents

/// How often each event is repeated in a stream.
public struct CopyPolicy: Equatable, Sendable {
  /// The number of copies in the burst at an event's time, on successive access units.
  public var copies: Int
  /// The time from one refresh of the active events to the next; `nil` for none.
  public var refreshInterval: MediaTime?
  /// The largest accepted tag, in bytes.
  public var largestTagSize: Int

  /// The largest tag that fits into one PES packet with a presentation time (65,535 - 8 bytes).
  public static let largestPESPayload = 65_527
  /// The maximum number of bytes of tags before one access unit, unless there is no choice.
  public static let bytesPerAccessUnit = 512

  /// A policy: 3 copies, refreshes every 2 seconds and tags of at most ``TagLimit/standard`` bytes unless said otherwise.
  public init(copies: Int = 3, refreshInterval: MediaTime? = MediaTime(seconds: 2), largestTagSize: Int = TagLimit.standard) {
    self.copies = max(copies, 1)
    self.refreshInterval = refreshInterval.flatMap { $0 > .zero ? $0 : nil }
    self.largestTagSize = min(largestTagSize, Self.largestPESPayload)
  }

  /// The size in bytes of the largest tag that any copy of `event` can need, signed or not.
  ///
  /// - Throws: what ``GameEvents/EventCopy/encodedTag()`` throws.
  public func largestTagSize(of event: GameEvent, signature: EventSignature? = nil) throws(EventError) -> Int {
    // The numbers of refreshes follow those of the burst. Six digits are enough for the refreshes of the longest active span.
    try EventCopy(of: event, copy: 999_999, copies: copies, age: EventCopy.largestAge, signature: signature).encodedTag().count
  }
}
