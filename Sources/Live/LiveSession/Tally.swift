/// Counts what one message tells together, with the names that it concerns. The message is due every ten seconds at most.
struct Tally<Name: Hashable & Sendable>: Sendable {
  private var count = 0
  private var names: Set<Name> = []
  private var latestMessage: ContinuousClock.Instant?
  /// The maximum number of names.
  private let mostNames: Int

  init(mostNames: Int) { self.mostNames = mostNames }

  mutating func add(_ count: Int = 1, _ name: Name? = nil) {
    self.count += count
    if let name, names.count < mostNames { names.insert(name) }
  }

  /// The number and the names since the message before, if a message is due.
  mutating func take(at now: ContinuousClock.Instant) -> (count: Int, names: Set<Name>)? {
    guard count > 0, latestMessage.map({ now - $0 >= messageInterval }) ?? true else { return nil }
    defer { (count, names, latestMessage) = (0, [], now) }
    return (count, names)
  }
}

/// The shortest time between two messages of one kind about an input.
let messageInterval = Duration.seconds(10)
