import Basics

/// Decides whose datagrams make up the stream: those of the first sender, until it is silent, or those of the one that is named.
struct DatagramSource<Sender: Hashable & Sendable>: Sendable {
  /// What becomes of a datagram.
  enum Verdict: Equatable, Sendable {
    /// It belongs to the stream.
    case taken
    /// It is the first one of a sender, and belongs to the stream from now on.
    case begins
    /// It is left out: another sender has the stream, or a certain one was named.
    case leftOut
  }

  private var current: Sender?
  private var lastArrival: ContinuousClock.Instant?
  /// The senders that were left out since that was told, as far as they are counted, and the number of their datagrams.
  private var strangers: Set<Sender> = []
  private var leftOut = 0
  private var told: ContinuousClock.Instant?

  /// A sender of which nothing has come for this long gives the stream to whoever sends next.
  static var patience: Duration { .seconds(2) }
  /// How often the operator is told of others.
  private static var interval: Duration { .seconds(10) }
  /// The most of them that are counted.
  private static var mostStrangers: Int { 64 }

  /// Judges a datagram.
  ///
  /// - Parameter isAllowed: Whether its sender is the one that was named, where one was.
  mutating func judge(_ sender: Sender, isAllowed: Bool, at now: ContinuousClock.Instant) -> Verdict {
    let isFree = lastArrival.map { now - $0 >= Self.patience } ?? true
    guard isAllowed, sender == current || isFree else {
      leftOut += 1
      if strangers.count < Self.mostStrangers { strangers.insert(sender) }
      return .leftOut
    }
    lastArrival = now
    defer { current = sender }
    return sender == current ? .taken : .begins
  }

  /// How many datagrams of which others were left out, if it is time to tell that.
  mutating func takeLeftOut(at now: ContinuousClock.Instant) -> (count: Int, senders: Set<Sender>)? {
    guard leftOut > 0, told.map({ now - $0 >= Self.interval }) ?? true else { return nil }
    defer { (leftOut, strangers, told) = (0, [], now) }
    return (leftOut, strangers)
  }
}
