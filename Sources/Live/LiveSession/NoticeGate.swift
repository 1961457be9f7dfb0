/// Passes one message for the operator a second of each kind, and counts the others.
///
/// Messages that differ only in their numbers are of one kind.
struct NoticeGate: Sendable {
  private struct Kind: Sendable {
    /// When the latest message of the kind was passed.
    var passed: ContinuousClock.Instant
    /// The latest message that was not passed, and the number of such messages.
    var held: (message: String, count: Int)?
  }

  private var kinds: [String: Kind] = [:]

  /// The shortest time between two messages of one kind.
  static let interval = Duration.seconds(1)
  /// The maximum number of remembered kinds.
  private static let mostKinds = 256

  /// Receives a message; returns the message to pass now, if any.
  mutating func add(_ message: String, at now: ContinuousClock.Instant) -> String? {
    let kind = Self.kind(message)
    if kinds[kind] == nil, kinds.count >= Self.mostKinds { forget(at: now) }
    guard let known = kinds[kind], now - known.passed < Self.interval else {
      defer { kinds[kind] = Kind(passed: now) }
      return Self.text(message, heldBefore: kinds[kind]?.held?.count ?? 0)
    }
    kinds[kind]?.held = (message, (known.held?.count ?? 0) + 1)
    return nil
  }

  /// All held messages, for the end.
  mutating func takeAll(at now: ContinuousClock.Instant) -> [String] { takeDue(at: now + Self.interval) }

  /// When the next held message is due; `nil` if none is held.
  var nextDue: ContinuousClock.Instant? { kinds.values.lazy.filter { $0.held != nil }.map { $0.passed + Self.interval }.min() }

  /// The held messages that are due, with the number of further ones.
  mutating func takeDue(at now: ContinuousClock.Instant) -> [String] {
    var due: [String] = []
    for (kind, known) in kinds {
      guard let held = known.held, now - known.passed >= Self.interval else { continue }
      due.append(Self.text(held.message, heldBefore: held.count - 1))
      kinds[kind] = Kind(passed: now)
    }
    return due.sorted()
  }

  private static func text(_ message: String, heldBefore count: Int) -> String {
    count == 0 ? message : "\(message) (and \(count) more of this kind)"
  }

  /// The words of a message without numbers.
  private static func kind(_ message: String) -> String {
    message.split(separator: " ").filter { word in word.contains { $0.isLetter } || !word.contains { $0.isNumber } }.joined(separator: " ")
  }

  /// Forgets old kinds without held messages, or all kinds if that is not enough.
  private mutating func forget(at now: ContinuousClock.Instant) {
    kinds = kinds.filter { $0.value.held != nil || now - $0.value.passed < Self.interval }
    if kinds.count >= Self.mostKinds { kinds = [:] }
  }
}
