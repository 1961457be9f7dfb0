/// Decides whose datagrams are the stream: those of the first sender until it is silent, or those of a named one.
struct DatagramSource<Sender: Hashable & Sendable>: Sendable {
  /// Whether a datagram belongs to the stream.
  enum Verdict: Equatable, Sendable {
    /// It does.
    case taken
    /// It does, and is the first one of its sender.
    case begins
    /// It does not: another sender has the stream, or a certain one was named.
    case ignored
  }

  private var current: Sender?
  private var lastArrival: ContinuousClock.Instant?
  /// The ignored senders.
  private var ignored = Tally<Sender>(mostNames: 64)

  /// After this silence the stream belongs to the next sender.
  static var patience: Duration { .seconds(2) }

  /// Judges a datagram.
  ///
  /// - Parameter isAllowed: Whether its sender is the named one, or none was named.
  mutating func judge(_ sender: Sender, isAllowed: Bool, at now: ContinuousClock.Instant) -> Verdict {
    let isFree = lastArrival.map { now - $0 >= Self.patience } ?? true
    guard isAllowed, sender == current || isFree else {
      ignored.add(1, sender)
      return .ignored
    }
    lastArrival = now
    defer { current = sender }
    return sender == current ? .taken : .begins
  }

  /// The number of datagrams of other senders since the message before, if a message is due.
  mutating func takeIgnored(at now: ContinuousClock.Instant) -> (count: Int, names: Set<Sender>)? { ignored.take(at: now) }
}
