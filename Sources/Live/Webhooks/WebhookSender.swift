package import Basics
package import Files
import HTTPClient
import LibC
import LiveInterface
import LiveSession
import Synchronization

/// Tells webhooks what happens, and remembers in a folder what they have not been told yet.
///
/// Each message is on the disk before it is sent, so that it is sent even if the process is killed meanwhile. A webhook that does not answer with a status
/// of 200 to 299 is tried again for a day. The messages of a stream come in order, each at least once, always with the same identifier.
package final class WebhookSender: Sendable {
  private struct State {
    var queue: WebhookQueue
    /// When sending has to end; `nil` as long as the sender runs.
    var end: ContinuousClock.Instant?
  }

  private enum Job: Sendable {
    case message(WebhookMessage)
    case settled(WebhookQueue.Settled)
    /// Everything before it is written: the threads end when they have sent it.
    case end
  }

  private let hooks: [WebhookSettings]
  private let folder: String?
  private let say: @Sendable (String) -> Void
  private let state: Mutex<State>
  /// The file; `nil` if messages are only in memory.
  private let store: Mutex<WebhookStore?>
  private let jobs = JobQueue<Job>()
  /// Wakes the thread of each webhook.
  private let wakeUps: [WakeUp]
  private let workers: Mutex<[Worker]> = Mutex([])

  /// The maximum number of messages that wait for the disk.
  private static let mostWaiting = 10_000
  /// How often messages are looked for that were tried for a day.
  private static let interval = Duration.seconds(60)
  /// How long the end may take: messages that were not sent are sent after the next start.
  private static let farewell = Duration.seconds(2)
  private static let limits: NetworkLimits = {
    var limits = NetworkLimits(bytes: 64 << 10, time: .seconds(20), silence: .seconds(10), connecting: .seconds(5), redirects: 0)
    limits.headTime = .seconds(10)
    return limits
  }()

  /// Opens the folder, with what an earlier process has not sent.
  ///
  /// - Parameters:
  ///   - folder: Where messages wait; it is made if it is missing. `nil` to keep them in memory only.
  ///   - say: Receives messages for the operator.
  /// - Throws: `FileSinkError` if the folder cannot be used.
  package init(_ hooks: [WebhookSettings], folder: String?, say: @escaping @Sendable (String) -> Void) throws(FileSinkError) {
    (self.hooks, self.folder, self.say) = (hooks, folder, say)
    wakeUps = hooks.map { _ in WakeUp() }
    var queue = WebhookQueue(hooks.map(\.key))
    var gone = 0
    guard let folder else {
      store = Mutex(nil)
      state = Mutex(State(queue: queue))
      return
    }
    let known = Set(hooks.map(\.key))
    var store = try WebhookStore(folder: folder) { records in
      for (message, waiting) in Self.waiting(records) {
        if known.isDisjoint(with: waiting) { gone += 1 }
        _ = queue.add(message, to: waiting)
      }
    }
    if store.damaged > 0 { say("\(folder): lines that cannot be read, and are left out: \(store.damaged)") }
    if gone > 0 { say("\(folder): messages for webhooks that are not named any more, and are left out: \(gone)") }
    try store.replace(by: queue.waiting.map { .message($0, hooks: $1) })
    self.store = Mutex(store)
    state = Mutex(State(queue: queue))
  }

  /// The messages of records that wait for a webhook, in order.
  private static func waiting(_ records: [WebhookRecord]) -> [(WebhookMessage, [String])] {
    var settled: [String: Set<String>] = [:]
    for case .settled(let id, let hooks) in records { settled[id, default: []].formUnion(hooks) }
    return records.compactMap { record in
      guard case .message(let message, let hooks) = record else { return nil }
      let waiting = hooks.filter { !(settled[message.id]?.contains($0) ?? false) }
      return waiting.isEmpty ? nil : (message, waiting)
    }
  }

  /// The number of messages that wait.
  package var waitingCount: Int { state.withLock { $0.queue.count } }

  /// Tells the webhooks of something that has just happened. It returns at once.
  ///
  /// - Parameters:
  ///   - stream: The name of the stream that it is about.
  ///   - data: What has happened.
  package func note(_ event: WebhookEvent, stream: String, _ data: JSONObject) {
    guard hooks.contains(where: { $0.events.contains(event) }), jobs.count < Self.mostWaiting else { return }
    var numbers = SystemRandomNumberGenerator()
    let message = WebhookMessage(event, stream: stream, data, date: WallClock.now, using: &numbers)
    guard message.body.utf8.count <= WebhookMessage.largestBody else { return }
    jobs.add(.message(message))
  }

  /// Begins to send.
  package func start() {
    workers.withLock { workers in
      guard workers.isEmpty else { return }
      workers = hooks.indices.map { index in Worker("webhook") { [self] in send(to: index) } } + [Worker("webhooks") { [self] in write() }]
    }
  }

  /// Ends: what has happened before is on the disk then, and was sent if that was possible within two seconds.
  package func stop() {
    jobs.add(.end)
    for worker in workers.withLock({ $0.dropLast() }) { worker.join(seconds: 2 * Self.farewell.inSeconds) }
    jobs.close()
    workers.withLock { $0.last }?.join(seconds: Self.farewell.inSeconds)
    store.withLock { $0 = nil }
  }

  /// Ends as ``stop()`` does, for a task, which must not block.
  package func stopWaiting() async {
    await Worker.run { [self] in stop() }
  }

  // MARK: The disk

  private func write() {
    while let jobs = jobs.take(until: .now + Self.interval) {
      var records: [WebhookRecord] = []
      var messages: [(WebhookMessage, [String])] = []
      for job in jobs {
        switch job {
        case .message(let message):
          let wanting = hooks.filter { $0.events.contains(message.event) }.map(\.key)
          records.append(.message(message, hooks: wanting))
          messages.append((message, wanting))
        case .settled(let settled): records.append(.settled(id: settled.id, hooks: settled.hooks))
        case .end: break
        }
      }
      append(records)
      let isEnding = jobs.contains { if case .end = $0 { true } else { false } }
      let (full, old) = state.withLock { state in
        let full = messages.flatMap { state.queue.add($0, to: $1) }
        if isEnding { state.end = state.end ?? .now + Self.farewell }
        return (full, state.queue.takeExpired(at: WallClock.now))
      }
      for wakeUp in wakeUps where !messages.isEmpty || isEnding { wakeUp.signal() }
      if !full.isEmpty { say("too many messages wait for webhooks: the oldest are left out: \(full.count)") }
      if !old.isEmpty { say("messages that no webhook has taken for a day, and are left out: \(old.count)") }
      append((full + old).map { .settled(id: $0.id, hooks: $0.hooks) })
      compact()
    }
  }

  /// Writes records. Without the disk messages are sent from memory all the same.
  private func append(_ records: [WebhookRecord]) {
    let failure: FileSinkError? = store.withLock { store in
      do throws(FileSinkError) {
        try store?.append(records)
        return nil
      } catch {
        return error
      }
    }
    if let failure { say("messages for webhooks cannot be remembered: \(failure)") }
  }

  /// Writes the file anew if most of it is of settled messages.
  private func compact() {
    let (waiting, byteCount) = state.withLock { ($0.queue.waiting, 2 * ($0.queue.byteCount + 512 * $0.queue.count)) }
    let failure: FileSinkError? = store.withLock { store in
      guard store?.isWasteful(waiting: byteCount) ?? false else { return nil }
      do throws(FileSinkError) {
        try store?.replace(by: waiting.map { .message($0, hooks: $1) })
        return nil
      } catch {
        return error
      }
    }
    if let failure { say("\(failure)") }
  }

  // MARK: The network

  private func send(to index: Int) {
    let (hook, key, wakeUp) = (hooks[index], hooks[index].key, wakeUps[index])
    while true {
      let (step, end) = state.withLock { ($0.queue.next(for: key, at: .now), $0.end) }
      switch step {
      case .wait(let instant):
        if end != nil { return }
        wakeUp.wait(until: instant)
      case .send(let message):
        if let end, end < .now { return state.withLock { $0.queue.putBack(key) } }
        receive(attempt(message, hook), of: hook, key)
      }
    }
  }

  /// What has become of an attempt.
  private enum Outcome {
    case delivered
    case failed(String, wanted: Duration?)
    case interrupted
  }

  private func attempt(_ message: WebhookMessage, _ hook: WebhookSettings) -> Outcome {
    let (body, seconds) = (Array(message.body.utf8), WallClock.now / 1_000)
    let request = WebRequest(
      .post, url: hook.url,
      fields: [
        .init("Content-Type", "application/json"), .init("webhook-id", message.id), .init("webhook-timestamp", "\(seconds)"),
        .init("webhook-signature", hook.secret.signature(id: message.id, timestamp: seconds, body: body)),
      ], body: body)
    do throws(NetworkInputError) {
      let answer = try WebAnswer(to: request, limits: Self.limits) { [self] in state.withLock { $0.end.map { $0 < .now } ?? false } }
      guard !(200..<300).contains(answer.status) else { return .delivered }
      let wanted = answer["retry-after"].flatMap { Int($0, in: .counts) }.map { Duration.seconds($0) }
      return .failed("HTTP \(answer.status)", wanted: wanted)
    } catch {
      return error.reason == .interrupted ? .interrupted : .failed("\(error.reason)", wanted: nil)
    }
  }

  private func receive(_ outcome: Outcome, of hook: WebhookSettings, _ key: String) {
    switch outcome {
    case .delivered:
      guard let (settled, hadFailed) = state.withLock({ $0.queue.succeed(key) }) else { return }
      jobs.add(.settled(settled))
      if hadFailed { say("the webhook \(hook.name) takes messages again") }
    case .failed(let reason, let wanted):
      let isNew = state.withLock { $0.queue.fail(key, reason, wanted: wanted, at: .now) }
      if isNew { say("the webhook \(hook.name) does not take messages: \(reason); they are tried again for a day") }
    case .interrupted: state.withLock { $0.queue.putBack(key) }
    }
  }
}
