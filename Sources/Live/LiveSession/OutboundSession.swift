import Basics
package import EventSchedule
import GameEvents
import HTTPClient
import LibC
import LiveGame
import LiveInterface
package import OtherInjectors
import PacketStamping
import Synchronization

/// A game whose events go to an injector of another maker, for a stream that is encoded elsewhere.
///
/// Programme time begins with the journal, and goes on by the clock. One thread sets the desk's time, one sends events, and one writes the journal.
package final class OutboundSession: Sendable {
  /// What the session is to do.
  package struct Settings: Sendable {
    package var request: InjectorRequest
    /// The names of the game and of the show.
    package var game: String
    package var title: String?
    package var policy = CopyPolicy()
    /// The journal's path; `nil` for none.
    package var journal: String?

    /// Settings with the usual values for the rest.
    package init(_ request: InjectorRequest, game: String) {
      (self.request, self.game) = (request, game)
      policy.largestTagSize = request.target.largestTagSize
    }
  }

  private struct State {
    var stream: OutboundStream
    /// Whether a copy was sent whose answer is not recorded yet.
    var isUnderway = false
    /// The latest answer, unless it was a success.
    var failure: InjectorAnswer?
    /// The latest copies, which the injector did not accept. The stream decides when it is asked again.
    var attempts = BackOff(.seconds(1))
  }

  package let desk: EventDesk
  /// The largest accepted tag in bytes.
  package var largestTagSize: Int { settings.policy.largestTagSize }
  private let settings: Settings
  private let state: Mutex<State>
  /// The dates of programme times, and the instant when this session began.
  private let dates: DateAnchor
  private let instant = ContinuousClock.now
  private let feed = LiveFeed()
  private let stop = StopFlag()
  /// Wakes the thread that sends events.
  private let wakeUp = WakeUp()
  /// Notified when an answer was recorded.
  private let changes = Changes()
  private let workers: Mutex<[Worker]> = Mutex([])
  private let say: @Sendable (String) -> Void

  private static let limits = NetworkLimits(
    bytes: 1 << 20, time: .seconds(10), silence: .seconds(5), connecting: .seconds(5), redirects: 0)

  /// Opens the journal, and continues an earlier session.
  ///
  /// - Parameter say: Receives messages for the operator.
  /// - Throws: `LiveSessionError`.
  package init(_ settings: Settings, say: @escaping @Sendable (String) -> Void) throws(LiveSessionError) {
    (self.settings, self.say) = (settings, say)
    let now = WallClock.now
    var journal = try SessionJournal(path: settings.journal)
    var restored = try journal.restore { (records) throws(JournalText.Damage) in
      try RestoredGame(records, RestoredGame.Settings(game: settings.game, title: settings.title, policy: settings.policy))
    }
    dates = DateAnchor(time: Self.start(journal.contents.records, now: now), wallClock: now)
    try journal.begin(restored.beginning)
    var stream = OutboundStream(settings.policy, requestsPerSecond: settings.request.target.requestsPerSecond)
    stream.resume(restored.game.placedEvents)
    restored.game.forgetPlacedEvents()
    state = Mutex(State(stream: stream))
    desk = EventDesk(restored.game, arrivals: restored.arrivals, journal: journal.file.take(), after: journal.contents.chain, feed: feed) {
      status in
      status.object(at: status.guid.text)
    }
  }

  /// The programme time now. It went on while no session ran.
  private static func start(_ records: [JournalRecord], now: Int64) -> MediaTime {
    records.reduce(RestoredSession.start(records, now: now)) { latest, record in
      guard case .accepted(_, _, _, let acceptance) = record, let time = acceptance.time else { return latest }
      return max(latest, time + MediaTime(milliseconds: max(now - acceptance.wallClock, 0)))
    }
  }

  /// Begins to send events.
  package func start() {
    desk.start()
    desk.advance(to: time, dates: dates)
    let clock = Worker("time of the programme") { [self] in
      while !stop.isSet {
        desk.advance(to: time, dates: dates)
        stop.wait(until: .now + .milliseconds(100))
      }
    }
    desk.changes.observe { [wakeUp] in wakeUp.signal() }
    stop.whenSet { [wakeUp] in wakeUp.signal() }
    let sender = Worker("injector") { [self] in
      while !stop.isSet { work() }
    }
    workers.withLock { $0 = [clock, sender] }
  }

  /// Waits until another process may send as many copies as this one has lately, since the injector's limit is for both.
  package func waitForOthers() {
    guard let moment = state.withLock({ $0.stream.queue.restMoment }) else { return }
    stop.wait(until: instant + .milliseconds(moment))
  }

  /// Ends, and writes the remaining records into the journal.
  package func end() {
    stop.set()
    for worker in workers.withLock({ $0 }) { worker.join(seconds: 2) }
    desk.close(.over)
  }

  /// Ends as ``end()`` does, for a task, which must not block.
  package func stopWaiting() async {
    await Worker.run { [self] in end() }
  }

  /// Calls `body` when the state of an event changes, as ``EventDesk/changes`` says, and when the injector has answered.
  ///
  /// - Parameter body: Called on a thread of the session that holds no lock then. It returns at once, and tolerates calls without a change.
  package func onChange(_ body: @escaping @Sendable () -> Void) {
    desk.changes.observe(body)
    changes.observe(body)
  }

  /// The programme time.
  private var time: MediaTime { dates.time + MediaTime(seconds: (ContinuousClock.now - instant).inSeconds) }

  /// The time since the session's start in milliseconds.
  private var now: Int64 { (time - dates.time).milliseconds }

  /// Whether all copies were sent and answered, and no more will be due.
  package var isIdle: Bool { state.withLock { $0.stream.isIdle && !$0.isUnderway } }

  /// The latest answer, unless it was a success.
  package var failure: InjectorAnswer? { state.withLock { $0.failure } }

  /// The numbers of copies that were dropped to keep the injector's limits.
  package var dropped: (refreshes: Int, repeats: Int) {
    state.withLock { ($0.stream.queue.droppedRefreshes, $0.stream.queue.droppedRepeats) }
  }

  // MARK: Sending

  /// Sends the next copy, or waits until one is due.
  private func work() {
    let arrivals = state.withLock { $0.stream.queue.hasRoom } ? desk.takeArrivals() : []
    for arrival in arrivals {
      let happens = desk.read { game, _ in game.happens(arrival.planned.event.guid) }
      do throws(EventError) {
        try state.withLock { (state) throws(EventError) in try state.stream.add(arrival.planned, at: happens ?? self.time) }
      } catch {
        desk.lose(arrival.planned.event.guid, "it cannot be written: \(error)")
      }
    }
    let (time, now) = (time, now)
    let next: EventCopy?
    do throws(EventError) {
      next = try state.withLock { (state) throws(EventError) in
        try state.stream.advance(to: time)
        let next = state.stream.next(at: now, time)
        state.isUnderway = next != nil
        return next
      }
    } catch {
      report("an event cannot be written: \(error)")
      return
    }
    guard let next else {
      // There may be further arrivals.
      if arrivals.isEmpty { wakeUp.wait(until: nextInstant) }
      return
    }
    receive(send(next), to: next)
    state.withLock { $0.isUnderway = false }
    changes.tell()
  }

  /// When the next copy may be sent, or the next decision about copies is due; `nil` until another event arrives.
  private var nextInstant: ContinuousClock.Instant? {
    let (moment, time) = state.withLock { ($0.stream.queue.nextMoment, $0.stream.nextTime) }
    let moments = [moment, time.map { ($0 - dates.time).milliseconds }].compactMap(\.self)
    return moments.min().map { instant + .milliseconds(max($0, 0)) }
  }

  private func send(_ copy: EventCopy) -> InjectorAnswer {
    do throws(InjectorRequest.Problem) {
      let request = try settings.request.request(for: copy, at: WallClock.now)
      do throws(NetworkInputError) {
        let answer = try WebAnswer(to: request, limits: Self.limits) { [stop] in stop.isSet }
        return InjectorAnswer(settings.request, status: answer.status, body: answer.body, kind: answer["x-amzn-errortype"])
      } catch {
        return .later("\(error)")
      }
    } catch {
      return .refused(status: 422, "\(error)")
    }
  }

  private func receive(_ answer: InjectorAnswer, to copy: EventCopy) {
    // The next session sends an interrupted copy again.
    if case .later = answer, stop.isSet { return }
    let outcome = state.withLock { state in
      if case .taken = answer { state.failure = nil } else { state.failure = answer }
      return state.stream.receive(answer, to: copy, at: now)
    }
    switch outcome {
    case .placed(let copy, let time):
      desk.place([PlacedCopy(copy: EventSchedule.TimedCopy(time: time + copy.age, copy: copy, tag: []), presentationTime: time)]) { _ in
        WallClock.now
      }
      if state.withLock({ $0.attempts.succeed() }) { say("\(settings.request.target.system.rawValue) accepts events again") }
    case .lost(let guid, let reason):
      desk.lose(guid, "\(settings.request.target.system.rawValue) refuses it: \(reason)")
    case .waiting(let reason): report("\(settings.request.target.system.rawValue) does not accept events: \(reason)")
    }
  }

  /// Tells the operator why copies are not accepted, unless the latest reason was the same.
  private func report(_ reason: String) { if state.withLock({ $0.attempts.fail(reason, at: .now) }) { say(reason) } }
}
