import Basics
import LiveInterface
import LiveServer
package import LiveSession
package import PublisherServer
import Synchronization

/// The streams of one process: begins and ends each by itself, and begins again what has failed. No stream waits for another one.
package final class StreamHost: Sendable {
  /// What becomes of a stream.
  package enum State: Equatable, Sendable {
    /// It runs.
    case running
    /// It is over: its input has ended.
    case ended
    /// It has failed, for this reason, and is begun again soon.
    case failed(String)
  }

  /// A stream under a name.
  private struct Slot {
    var settings: LiveSettings
    /// Counts what has run under the name, so that an old stream's end does not touch the new one.
    var number: Int
    /// `nil` as long as it cannot begin.
    var session: LiveSession?
    /// The session that the next one continues: it was paused, or has failed; `nil` for none.
    var before: LiveSession?
    /// When the session began.
    var began = ContinuousClock.now
    var backOff: BackOff
    /// Sessions under the name are made one after the other, since they have one journal.
    var turns = Turns()
  }

  private struct Slots {
    var all: [String: Slot] = [:]
    var count = 0
    var isClosed = false
  }

  /// Why a stream cannot begin.
  package enum Failure: Error, Sendable {
    case session(LiveSessionError)
    case publishers(PublisherServer.Failure)
  }

  private let slots: Mutex<Slots> = Mutex(Slots())
  /// Called with a stream that begins, before its input is read.
  private let began: @Sendable (LiveSession) -> Void
  /// Called with the name of a stream that is away: a session of it ends, and another one continues it soon.
  private let paused: @Sendable (String) -> Void
  /// Called with the name of a stream that is gone.
  private let gone: @Sendable (String) -> Void
  private let publishers: PublisherServer
  /// A failure in words for the operator.
  package let describe: @Sendable (Failure) -> String
  private let say: @Sendable (_ stream: String, _ message: String) -> Void
  /// Notified when a stream begins, ends or fails.
  package let changes = Changes()

  /// How long a failed stream waits before it begins again, at first and at most.
  private let pauses: (first: Duration, longest: Duration)

  /// A host without streams.
  ///
  /// - Parameters:
  ///   - publishers: Listens for encoders that publish.
  ///   - pauses: How long a failed stream waits before it begins again, at first and at most.
  ///   - began: Called with a stream that begins, before its input is read.
  ///   - paused: Called with the name of a stream that is away: a session of it ends, and another one continues it soon. The old one serves until then.
  ///   - gone: Called with the name of a stream that has ended for good.
  ///   - describe: A failure in words for the operator.
  ///   - say: Receives messages of a stream for the operator.
  package init(
    _ publishers: PublisherServer, pauses: (first: Duration, longest: Duration) = (.seconds(1), .seconds(30)),
    began: @escaping @Sendable (LiveSession) -> Void, paused: @escaping @Sendable (String) -> Void,
    gone: @escaping @Sendable (String) -> Void,
    describe: @escaping @Sendable (Failure) -> String, say: @escaping @Sendable (_ stream: String, _ message: String) -> Void
  ) {
    (self.publishers, self.pauses, self.began, self.paused, self.gone) = (publishers, pauses, began, paused, gone)
    (self.describe, self.say) = (describe, say)
  }

  // MARK: What there is

  /// The session of a stream; `nil` if there is none, or if it cannot begin.
  package func session(_ name: String) -> LiveSession? { slots.withLock { $0.all[name]?.session } }

  /// The settings of a stream; `nil` if there is no stream of the name.
  package func settings(of name: String) -> LiveSettings? { slots.withLock { $0.all[name]?.settings } }

  /// All streams by name, with what becomes of each.
  package var states: [(name: String, state: State)] {
    slots.withLock { $0.all }.sorted { $0.key < $1.key }.map { ($0.key, Self.state($0.value)) }
  }

  private static func state(_ slot: Slot) -> State {
    guard let session = slot.session else { return .failed(slot.backOff.reason ?? "it has not begun") }
    return session.situation.hasEnded ? .ended : .running
  }

  // MARK: Changes

  /// Begins a stream. If that fails, it is tried again until it is ended. A stream that has the name already goes on with these settings.
  ///
  /// - Returns: Why it cannot begin now; `nil` if it has begun.
  @discardableResult
  package func begin(_ settings: LiveSettings) async -> Failure? {
    await pause(settings.name)
    var settings = settings
    settings.beginsAgain = true
    let number: Int? = slots.withLock { slots in
      guard !slots.isClosed else { return nil }
      slots.count += 1
      var slot = Slot(settings: settings, number: slots.count, backOff: BackOff(pauses.first, longest: pauses.longest))
      if let known = slots.all[settings.name] { (slot.before, slot.turns) = (known.before, known.turns) }
      slots.all[settings.name] = slot
      return slots.count
    }
    guard let number else { return nil }
    return await start(settings.name, number)
  }

  /// Ends the session of a stream that goes on with another one: see ``begin(_:)``. Its place is free then, and its playlists stay.
  package func pause(_ name: String) async {
    let session = slots.withLock { slots in
      slots.count += 1
      slots.all[name]?.number = slots.count
      let session = slots.all[name]?.session.take()
      if let session { slots.all[name]?.before = session }
      return session
    }
    guard let session else { return }
    paused(name)
    await Worker.run { session.pause() }
    await publishers.close(session.inboxes)
  }

  /// Ends a stream, and returns when its last events are written.
  package func end(_ name: String) async {
    let slot = slots.withLock { $0.all.removeValue(forKey: name) }
    gone(name)
    if let session = slot?.session { await stop(session) }
    // A session that has just failed has left its playlists open.
    let last = [slot?.session, slot?.before].compactMap(\.self)
    await Worker.run { for session in last { session.conclude() } }
    changes.tell()
  }

  /// Ends all streams at once.
  package func close() async {
    let all = slots.withLock { slots in
      slots.isClosed = true
      return Array(slots.all.values)
    }
    await withTaskGroup(of: Void.self) { group in
      for slot in all {
        group.addTask {
          await Worker.run {
            slot.session?.abandon()
            for session in [slot.session, slot.before] { session?.conclude() }
          }
        }
      }
    }
    await publishers.stop()
  }

  /// Ends a session, whether it has begun or not.
  private func stop(_ session: LiveSession) async {
    await Worker.run { session.abandon() }
    await publishers.close(session.inboxes)
  }

  /// Starts the session of a slot; returns why that fails, and then tries again later.
  private func start(_ name: String, _ number: Int) async -> Failure? {
    guard let turns = slots.withLock({ $0.all[name]?.turns }) else { return nil }
    return await turns.take { await startNow(name, number) }
  }

  private func startNow(_ name: String, _ number: Int) async -> Failure? {
    guard let slot = slots.withLock({ slots in slots.all[name].flatMap { $0.number == number ? $0 : nil } }) else { return nil }
    do throws(Failure) {
      let session = try await session(slot.settings, after: slot.before)
      let isWanted = slots.withLock { slots in
        guard slots.all[name]?.number == number, !slots.isClosed else { return false }
        slots.all[name]?.session = session
        slots.all[name]?.before = nil
        slots.all[name]?.began = .now
        return true
      }
      guard isWanted else {
        await stop(session)
        return nil
      }
      began(session)
      session.start()
      changes.tell()
      Task { await follow(session, name, number) }
      return nil
    } catch {
      retry(name, number, describe(error))
      return error
    }
  }

  private func session(_ settings: LiveSettings, after before: LiveSession?) async throws(Failure) -> LiveSession {
    let session: LiveSession
    do throws(LiveSessionError) {
      // A journal may be long, and a disk slow.
      session = try await Worker.run { [say] () throws(LiveSessionError) in
        try LiveSession(settings, after: before) { say(settings.name, $0) }
      }
    } catch {
      throw .session(error)
    }
    do throws(PublisherServer.Failure) { try await publishers.open(session.inboxes) } catch {
      await Worker.run { session.abandon() }
      throw .publishers(error)
    }
    return session
  }

  /// Waits for the end of a session. One that has failed begins again.
  private func follow(_ session: LiveSession, _ name: String, _ number: Int) async {
    await session.feed.end()
    changes.tell()
    guard let failure = session.failure else { return }
    let isCurrent = slots.withLock { slots in
      guard slots.all[name]?.number == number, !slots.isClosed else { return false }
      slots.all[name]?.session = nil
      slots.all[name]?.before = session
      // A stream that fails right after each start must not keep the machine busy.
      if let slot = slots.all[name], .now - slot.began > pauses.longest { _ = slots.all[name]?.backOff.succeed() }
      return true
    }
    if isCurrent { paused(name) }
    await publishers.close(session.inboxes)
    if isCurrent { retry(name, number, describe(.session(failure))) }
  }

  /// Begins a stream again after a pause, which grows with each failure.
  private func retry(_ name: String, _ number: Int, _ reason: String) {
    let pause: (isNew: Bool, until: ContinuousClock.Instant)? = slots.withLock { slots in
      guard var slot = slots.all[name], slot.number == number, !slots.isClosed else { return nil }
      let isNew = slot.backOff.fail(reason, at: .now)
      slots.all[name]?.backOff = slot.backOff
      return (isNew, slot.backOff.nextTry ?? .now + pauses.longest)
    }
    guard let pause else { return }
    if pause.isNew { say(name, "\(reason); it is tried again") }
    changes.tell()
    Task {
      try? await Task.sleep(until: pause.until, clock: .continuous)
      _ = await start(name, number)
    }
  }
}
