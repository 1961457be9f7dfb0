/// Lets a message for the operator through once a second, and counts the others of its kind meanwhile.
///
/// Messages that differ only in their numbers are of one kind.
struct NoticeGate: Sendable {
  private struct Kind: Sendable {
    /// When the latest message of the kind was told.
    var told: ContinuousClock.Instant
    /// The latest one that was not, and how many there were.
    var held: (message: String, count: Int)?
  }

  private var kinds: [String: Kind] = [:]

  /// The shortest time between two messages of one kind.
  static let interval = Duration.seconds(1)
  /// The maximum number of kinds that are remembered.
  private static let mostKinds = 256

  /// Takes a message; returns what is to be told now, if it is.
  mutating func add(_ message: String, at now: ContinuousClock.Instant) -> String? {
    let kind = Self.kind(message)
    if kinds[kind] == nil, kinds.count >= Self.mostKinds { forget(at: now) }
    guard let known = kinds[kind], now - known.told < Self.interval else {
      defer { kinds[kind] = Kind(told: now) }
      return Self.text(message, heldBefore: kinds[kind]?.held?.count ?? 0)
    }
    kinds[kind]?.held = (message, (known.held?.count ?? 0) + 1)
    return nil
  }

  /// All messages that were held back, for the end.
  mutating func takeAll(at now: ContinuousClock.Instant) -> [String] { takeDue(at: now + Self.interval) }

  /// When the next message is due that was held back; `nil` where none was.
  var nextDue: ContinuousClock.Instant? { kinds.values.lazy.filter { $0.held != nil }.map { $0.told + Self.interval }.min() }

  /// The messages that were held back for long enough, with how many more there were.
  mutating func takeDue(at now: ContinuousClock.Instant) -> [String] {
    var due: [String] = []
    for (kind, known) in kinds {
      guard let held = known.held, now - known.told >= Self.interval else { continue }
      due.append(Self.text(held.message, heldBefore: held.count - 1))
      kinds[kind] = Kind(told: now)
    }
    return due.sorted()
  }

  private static func text(_ message: String, heldBefore count: Int) -> String {
    count == 0 ? message : "\(message) (and \(count) more of this kind)"
  }

  /// The words of a message that are no numbers.
  private static func kind(_ message: String) -> String {
    message.split(separator: " ").filter { word in word.contains { $0.isLetter } || !word.contains { $0.isNumber } }.joined(separator: " ")
  }

  /// Forgets kinds of which nothing is held back; all of them, if that is not enough.
  private mutating func forget(at now: ContinuousClock.Instant) {
    kinds = kinds.filter { $0.value.held != nil || now - $0.value.told < Self.interval }
    if kinds.count >= Self.mostKinds { kinds = [:] }
  }
}
