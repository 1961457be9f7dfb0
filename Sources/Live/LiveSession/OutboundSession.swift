import Basics
package import EventSchedule
import Files
import GameEvents
import HTTPClient
import LiveGame
package import OtherInjectors
import PacketStamping
import Synchronization

/// A game whose events go to an injector of somebody else, which puts them into a stream that is encoded elsewhere.
///
/// The programme's time begins with the journal and goes on by the clock. One thread tells the desk the time, one hands events over, and one writes the
/// journal.
package final class OutboundSession: Sendable {
  /// What the session is to do.
  package struct Settings: Sendable {
    package var request: InjectorRequest
    /// The name of the game, and what the show is called.
    package var game: String
    package var title: String?
    package var policy = CopyPolicy()
    /// The journal's path; `nil` for none.
    package var journal: String?

    /// Settings with the usual values for the rest.
    package init(_ request: InjectorRequest, game: String) { (self.request, self.game) = (request, game) }
  }

  private struct State {
    var stream: OutboundStream
    /// Whether a copy is handed over whose answer is not noted yet.
    var isUnderway = false
    /// The latest answer that was none of success, and what the operator was told last.
    var failure: InjectorAnswer?
    var said: String?
  }

  package let desk: EventDesk
  private let settings: Settings
  private let state: Mutex<State>
  /// Which date the programme has when, and the moment that it began anew.
  private let dates: DateAnchor
  private let instant = ContinuousClock.now
  private let feed = LiveFeed()
  private let stop = StopFlag()
  /// Wakes the thread that hands events over.
  private let wakeUp = WakeUp()
  /// Told when an answer has been noted.
  private let changes = Changes()
  private let workers: Mutex<[Worker]> = Mutex([])
  private let say: @Sendable (String) -> Void

  private static let limits = NetworkLimits(
    bytes: 1 << 20, time: .seconds(10), silence: .seconds(5), connecting: .seconds(5), redirects: 0)

  /// Opens the journal, and goes on where an earlier session ended.
  ///
  /// - Parameter say: Receives messages for the operator.
  /// - Throws: `LiveSessionError`.
  package init(_ settings: Settings, say: @escaping @Sendable (String) -> Void) throws(LiveSessionError) {
    (self.settings, self.say) = (settings, say)
    var journal: JournalFile?
    do throws(FileSinkError) { journal = try settings.journal.map { (path) throws(FileSinkError) in try JournalFile(path: path) } } catch {
      throw .output(error)
    }
    let now = WallClock.now
    var contents: JournalText.Contents
    var restored: RestoredGame
    do throws(JournalText.Damage) {
      contents = try JournalText.whole(journal?.contents ?? [])
      restored = try RestoredGame(
        contents.records, RestoredGame.Settings(game: settings.game, title: settings.title, policy: settings.policy))
      dates = DateAnchor(time: Self.start(contents.records, now: now), wallClock: now)
    } catch {
      throw .journal(path: settings.journal ?? "", reason: "\(error)")
    }
    do throws(FileSinkError) {
      try journal?.start(at: contents.byteCount)
      let lines = contents.chain.lines(restored.beginning)
      if !lines.isEmpty { try journal?.append(lines.span) }
    } catch {
      throw .output(error)
    }
    var stream = OutboundStream(settings.policy, requestsPerSecond: settings.request.target.requestsPerSecond)
    stream.resume(restored.game.placedEvents)
    restored.game.forgetPlacedEvents()
    state = Mutex(State(stream: stream))
    desk = EventDesk(restored.game, arrivals: restored.arrivals, journal: journal.take(), after: contents.chain, feed: feed) { status in
      status.object(at: status.guid.text)
    }
  }

  /// The programme's time now: it went on while no session ran.
  private static func start(_ records: [JournalRecord], now: Int64) -> MediaTime {
    records.reduce(RestoredSession.start(records, now: now)) { latest, record in
      guard case .accepted(_, _, _, let acceptance) = record, let time = acceptance.time else { return latest }
      return max(latest, time + MediaTime(milliseconds: max(now - acceptance.wallClock, 0)))
    }
  }

  /// Begins to hand events over.
  package func start() {
    desk.start()
    desk.advance(to: time, dates: dates)
    let clock = Worker("time of the programme") { [self] in
      while !stop.isSet {
        desk.advance(to: time, dates: dates)
        stop.wait(until: .now + .milliseconds(100))
      }
    }
    desk.onChange { [wakeUp] in wakeUp.signal() }
    stop.whenSet { [wakeUp] in wakeUp.signal() }
    let sender = Worker("injector") { [self] in
      while !stop.isSet { work() }
    }
    workers.withLock { $0 = [clock, sender] }
  }

  /// Waits until another process may hand over as many copies as this one has lately: the injector's limit is for both.
  package func waitForOthers() {
    guard let moment = state.withLock({ $0.stream.restMoment }) else { return }
    stop.wait(until: instant + .milliseconds(moment))
  }

  /// Ends, and writes what is left into the journal.
  package func end() {
    stop.set()
    for worker in workers.withLock({ $0 }) { worker.join(seconds: 2) }
    desk.close()
  }

  /// Ends as ``end()`` does, for who must not block meanwhile.
  package func stopWaiting() async {
    await Worker.run { [self] in end() }
  }

  /// Calls `body` when the state of an event changes, as ``EventDesk/onChange(_:)`` does, and when the injector has answered. What has changed, it looks up.
  ///
  /// - Parameter body: Called on a thread of the session that holds no lock then. It returns at once, and tolerates calls without a change.
  package func onChange(_ body: @escaping @Sendable () -> Void) {
    desk.onChange(body)
    changes.observe(body)
  }

  /// The programme's time.
  private var time: MediaTime { dates.time + MediaTime(seconds: (ContinuousClock.now - instant).inSeconds) }

  /// The moment in milliseconds, on a clock that does not jump.
  private var now: Int64 { (time - dates.time).milliseconds }

  /// Whether everything was handed over and answered, and nothing is to come.
  package var isIdle: Bool { state.withLock { $0.stream.isIdle && !$0.isUnderway } }

  /// The latest answer, where it was none of success.
  package var failure: InjectorAnswer? { state.withLock { $0.failure } }

  /// The numbers of copies that were dropped to keep the injector's limits.
  package var dropped: (refreshes: Int, repeats: Int) { state.withLock { $0.stream.dropped } }

  // MARK: Handing over

  /// Hands over what is due, and waits for what follows.
  private func work() {
    let arrivals = state.withLock { $0.stream.hasRoom } ? desk.takeArrivals() : []
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
      // More events may have arrived than are taken at a time.
      if arrivals.isEmpty { wakeUp.wait(until: nextLook) }
      return
    }
    receive(hand(over: next), to: next)
    state.withLock { $0.isUnderway = false }
    changes.tell()
  }

  /// When the next copy may be handed over, or copies are to be decided on; `nil` where only another event brings something to do.
  private var nextLook: ContinuousClock.Instant? {
    let (moment, time) = state.withLock { ($0.stream.nextMoment, $0.stream.nextTime) }
    let moments = [moment, time.map { ($0 - dates.time).milliseconds }].compactMap(\.self)
    return moments.min().map { instant + .milliseconds(max($0, 0)) }
  }

  private func hand(over copy: EventCopy) -> InjectorAnswer {
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
    // What was interrupted is handed over by the next session.
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
      report(nil)
    case .lost(let guid, let reason):
      desk.lose(guid, "\(settings.request.target.system.rawValue) refuses it: \(reason)")
    case .waiting(let reason): report("\(settings.request.target.system.rawValue) does not take events: \(reason)")
    }
  }

  /// Tells the operator something that was not said last.
  private func report(_ message: String?) {
    let (isNew, isBack) = state.withLock { state in
      defer { state.said = message }
      return (message != state.said, message == nil && state.said != nil)
    }
    if isNew, let message { say(message) }
    if isBack { say("\(settings.request.target.system.rawValue) takes events again") }
  }
}
