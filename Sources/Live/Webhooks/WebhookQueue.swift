import Basics
import LiveInterface

/// The messages that wait for webhooks: for each webhook and stream in order, one at a time, and again after a failure. It has neither clock nor file.
struct WebhookQueue: Sendable {
  /// A webhook, as files name it: see ``WebhookSettings/key``.
  typealias Hook = String

  /// A message that is no longer sent to these webhooks.
  struct Settled: Equatable, Sendable {
    var id: String
    var hooks: [Hook]
  }

  /// What the thread of a webhook does next.
  enum Step: Equatable, Sendable {
    case send(WebhookMessage)
    /// Waits until an instant, or until there is another message; `nil` for the latter alone.
    case wait(until: ContinuousClock.Instant?)
  }

  private struct Entry {
    var message: WebhookMessage
    /// The webhooks that do not have it yet.
    var hooks: [Hook]
  }

  /// The messages of a stream for a webhook.
  private struct Lane {
    var ids = Queue<String>()
    var backOff = WebhookQueue.patience
  }

  private var entries: [String: Entry] = [:]
  /// The identifiers in the order of arrival; those of settled messages may be among them.
  private var order = Queue<String>()
  private var lanes: [Hook: [String: Lane]]
  /// The message that each webhook is being sent.
  private var underway: [Hook: String] = [:]
  /// The bytes of all bodies.
  private(set) var byteCount = 0
  private let limits: (messages: Int, bytes: Int)

  /// A message is tried again after a second, then after twice as long each time, up to five minutes.
  private static let patience = BackOff(.seconds(1), longest: .seconds(300))
  /// How long a message is tried, in milliseconds: a day.
  static let life: Int64 = 86_400_000
  /// The maximum number of messages that wait, and of the bytes of their bodies.
  static let most = (messages: 10_000, bytes: 16 << 20)

  init(_ hooks: [Hook], limits: (messages: Int, bytes: Int) = most) {
    lanes = Dictionary(hooks.map { ($0, [:]) }) { first, _ in first }
    self.limits = limits
  }

  /// The number of messages that wait.
  var count: Int { entries.count }

  /// The messages that wait, in the order of arrival, with the webhooks that do not have them yet.
  var waiting: [(message: WebhookMessage, hooks: [Hook])] {
    order.elements.compactMap { id in entries[id].map { ($0.message, $0.hooks) } }
  }

  /// Adds a message for some webhooks. One that is named repeatedly gets it once.
  ///
  /// - Returns: The oldest messages, which are left out if there are too many.
  mutating func add(_ message: WebhookMessage, to hooks: [Hook]) -> [Settled] {
    var named: Set<Hook> = []
    let hooks = hooks.filter { lanes[$0] != nil && named.insert($0).inserted }
    guard !hooks.isEmpty, entries[message.id] == nil else { return [] }
    entries[message.id] = Entry(message: message, hooks: hooks)
    order.append(message.id)
    byteCount += message.body.utf8.count
    for hook in hooks { lanes[hook]?[message.stream, default: Lane()].ids.append(message.id) }
    return limit()
  }

  /// Leaves out the oldest messages while there are too many. One that is being sent stays.
  private mutating func limit() -> [Settled] {
    var settled: [Settled] = []
    while entries.count > limits.messages || byteCount > limits.bytes {
      guard let oldest = order.elements.first(where: { id in entries[id] != nil && !underway.values.contains(id) }) else { break }
      if let dropped = remove(oldest) { settled.append(dropped) }
    }
    return settled
  }

  /// The next step of a webhook. A message that is returned is under way until ``succeed(_:)`` or ``fail(_:_:wanted:at:)``.
  mutating func next(for hook: Hook, at now: ContinuousClock.Instant) -> Step {
    guard underway[hook] == nil, let streams = lanes[hook] else { return .wait(until: nil) }
    var earliest: ContinuousClock.Instant?
    var ready: WebhookMessage?
    for lane in streams.values {
      guard let id = lane.ids.first, let message = entries[id]?.message else { continue }
      if let moment = lane.backOff.nextTry, moment > now {
        earliest = min(earliest ?? moment, moment)
      } else if ready.map({ (message.date, message.id) < ($0.date, $0.id) }) ?? true {
        ready = message
      }
    }
    guard let ready else { return .wait(until: earliest) }
    underway[hook] = ready.id
    return .send(ready)
  }

  /// Records that a webhook has the message that it was sent.
  ///
  /// - Returns: The message, and whether the attempt before had failed.
  mutating func succeed(_ hook: Hook) -> (settled: Settled, hadFailed: Bool)? {
    guard let id = underway.removeValue(forKey: hook), let stream = entries[id]?.message.stream else { return nil }
    let hadFailed = lanes[hook]?[stream]?.backOff.succeed() ?? false
    settle(id, for: hook)
    return (Settled(id: id, hooks: [hook]), hadFailed)
  }

  /// Records that a webhook does not have the message that it was sent.
  ///
  /// - Parameters:
  ///   - reason: Why, in words.
  ///   - wanted: The delay that the receiver asks for; `nil` if it asks for none.
  /// - Returns: Whether the reason is another one than that of the failure before.
  mutating func fail(_ hook: Hook, _ reason: String, wanted: Duration?, at now: ContinuousClock.Instant) -> Bool {
    guard let id = underway.removeValue(forKey: hook), let stream = entries[id]?.message.stream else { return false }
    return lanes[hook]?[stream]?.backOff.fail(reason, wanted: wanted, at: now) ?? false
  }

  /// Gives back a message whose sending was interrupted. It is sent again next.
  mutating func putBack(_ hook: Hook) { underway[hook] = nil }

  /// Removes the messages that were tried for a day.
  ///
  /// - Parameter date: Milliseconds since 1970.
  mutating func takeExpired(at date: Int64) -> [Settled] {
    // The clock may have been set, so that the order of arrival is not that of the dates.
    let expired = order.elements.filter { id in
      guard let entry = entries[id], !underway.values.contains(id) else { return false }
      return date.subtractingReportingOverflow(entry.message.date).partialValue >= Self.life
    }
    return expired.compactMap { remove($0) }
  }

  // MARK: Removing

  private mutating func remove(_ id: String) -> Settled? {
    guard let hooks = entries[id]?.hooks else { return nil }
    for hook in hooks { settle(id, for: hook) }
    return Settled(id: id, hooks: hooks)
  }

  private mutating func settle(_ id: String, for hook: Hook) {
    guard var entry = entries[id] else { return }
    let stream = entry.message.stream
    if var lane = lanes[hook]?[stream] {
      if lane.ids.first == id {
        _ = lane.ids.popFirst()
      } else {
        lane.ids = Queue(lane.ids.elements.filter { $0 != id })
      }
      lanes[hook]?[stream] = lane.ids.isEmpty ? nil : lane
    }
    entry.hooks.removeAll { $0 == hook }
    entries[id] = entry.hooks.isEmpty ? nil : entry
    guard entry.hooks.isEmpty else { return }
    byteCount -= entry.message.body.utf8.count
    while let first = order.first, entries[first] == nil { _ = order.popFirst() }
    // Settled messages behind one that waits must not gather.
    if order.count > 2 * entries.count + 1_024 { order = Queue(order.elements.filter { entries[$0] != nil }) }
  }
}
