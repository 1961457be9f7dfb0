package import Basics
import EventSchedule
import Files
package import GameEvents
import LibC
package import LiveGame
import LivePair
import PacketStamping
import SCTE35
import Synchronization

/// Accepts requests about events, always in this order: write, sync, queue, answer.
///
/// One thread writes the journal. Requests that arrive meanwhile are written together, so that many share one wait for the disk. Another thread waits for
/// programme times. Both sleep while there is nothing to do.
package final class EventDesk: Sendable {
  private struct Job: Sendable {
    var records: [JournalRecord]
    var arrivals: [TimedArrival] = []
    /// The ``State/generation`` that it has changed; `nil` for what has happened in the stream.
    var generation: Int?
    /// The change of the presentation that belongs to it.
    var update: SegmentStore.Update?
    /// Called with `true` when the records are on the disk, and with `false` if they cannot be written.
    var done: @Sendable (Bool) -> Void = { _ in }
  }

  /// A caller that waits for a programme time.
  private struct Waiting {
    var time: MediaTime
    var body: @Sendable () -> Void
  }

  private struct State {
    var game: LiveGame
    /// How often the game was restored from the journal. Unwritten changes of earlier generations are lost.
    var generation = 0
    /// Whether the game may be ahead of the journal, since that cannot be read.
    var isAhead = false
    /// Why no event is accepted, in words.
    var refusal: String?
    /// How the session has ended; `nil` if it has not.
    var ending: SessionEnding?
    var isClosed: Bool { ending != nil }
    var arrivals: [TimedArrival] = []
    /// The number of arrivals that wait for their records to be on the disk.
    var underway = 0
    var clock = DeskClock()
    /// When the events were accepted that wait for an access unit.
    var instants: [GUID: ContinuousClock.Instant] = [:]
    var latencies = LatencyHistogram()

    /// The callers that wait for a programme time.
    var waiting: [Waiting] = []
    /// The earliest time at which something is due, and when the thread that waits for it checks next; `nil` for never.
    var nextTime: MediaTime?
    var nextCheck: ContinuousClock.Instant?

    mutating func now() -> LiveGame.Now { now(ClockReading.now()) }

    mutating func now(_ reading: ClockReading) -> LiveGame.Now { clock.now(at: reading.instant, wallClock: reading.wallClock) }

    /// Computes what is due next.
    mutating func plan() {
      let release = refusal == nil && !isClosed ? game.nextRelease(now: now()) : nil
      nextTime = [release, waiting.lazy.map(\.time).min()].compactMap(\.self).min()
      nextCheck = nextTime.flatMap { clock.instant(of: $0, now: .now) }
    }
  }

  private let state: Mutex<State>
  private let jobs = JobQueue<Job>()
  private let journal: Mutex<JournalWriter>
  private let feed: LiveFeed
  /// The other node of a pair, and the presentation that it gets as well; `nil` for a session alone.
  private let mirror: (node: SessionMirror, store: SegmentStore, term: Int)?
  /// Hears when events are accepted, placed and published; `nil` if nobody reports whom they reach.
  private let reach: ReachDesk?
  private let workers: Mutex<[Worker]> = Mutex([])
  /// Wakes the thread that waits for programme times.
  private let clock = WakeUp()
  /// Notified when the state of an event changes, on a thread of the desk, and when a further copy of it is in the stream, on the one that stamps.
  package let changes = Changes()
  /// A status as the feed has it.
  private let object: @Sendable (EventStatus) -> JSONObject

  /// The maximum number of events that wait for an access unit.
  private static let mostArrivals = 4_096
  /// The maximum number of events before one access unit: 800 a second at 25 frames a second. Further events wait, so that the video need not.
  private static let mostPerUnit = 32
  /// The maximum number of callers that wait for a programme time.
  package static let mostWaiting = 4_096

  /// A desk that writes nothing until ``start()``.
  ///
  /// - Parameters:
  ///   - arrivals: Events that an earlier session has accepted and that are not in the stream.
  ///   - journal: The file; `nil` if nothing has to outlive the process.
  ///   - chain: The end of its lines.
  ///   - mirror: The other node of a pair, the presentation, and the term; `nil` for a session alone.
  init(
    _ game: LiveGame, arrivals: [LiveGame.Arrival], journal: consuming sending JournalFile?, after chain: JournalText.Chain, feed: LiveFeed,
    mirror: (node: SessionMirror, store: SegmentStore, term: Int)? = nil, reach: ReachDesk? = nil,
    object: @escaping @Sendable (EventStatus) -> JSONObject
  ) {
    let reading = ClockReading.now()
    state = Mutex(State(game: game, arrivals: arrivals.map { TimedArrival($0, at: reading) }))
    self.journal = Mutex(JournalWriter(journal, after: chain))
    self.object = object
    (self.feed, self.mirror, self.reach) = (feed, mirror, reach)
  }

  // MARK: Requests

  /// Changes the game, and answers when the change is on the disk and on its way into the stream.
  ///
  /// - Throws: `LiveProblem`; `busy` if nothing can be written.
  package func change<Value: Sendable>(
    _ body: @Sendable (inout LiveGame, LiveGame.Now) throws(LiveProblem) -> (Value, LiveGame.Change)
  ) async throws(LiveProblem) -> Value {
    let result: Result<Value, LiveProblem> = await withCheckedContinuation { continuation in
      change(body) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Changes the game in the same way, for a thread that does not wait.
  ///
  /// - Parameter done: Receives the answer, when the change is on the disk and on its way into the stream.
  func change<Value: Sendable>(
    _ body: @Sendable (inout LiveGame, LiveGame.Now) throws(LiveProblem) -> (Value, LiveGame.Change),
    done: @escaping @Sendable (Result<Value, LiveProblem>) -> Void
  ) {
    let result: Result<Value, LiveProblem>? = state.withLock { state in
      if let ending = state.ending { return .failure(.busy(ending == .over ? "the stream has ended" : "the stream begins again")) }
      if let refusal = state.refusal { return .failure(.busy(refusal)) }
      guard state.arrivals.count + state.underway < Self.mostArrivals else {
        return .failure(.busy("\(Self.mostArrivals) events wait for the stream"))
      }
      do throws(LiveProblem) {
        let reading = ClockReading.now()
        let (value, change) = try body(&state.game, state.now(reading))
        guard !change.records.isEmpty else { return .success(value) }
        state.underway += change.arrivals.count
        for arrival in change.arrivals {
          state.instants[arrival.planned.event.guid] = .now
          if arrival.planned.event.type != .periodicInfo { reach?.accept(arrival.planned.event.guid) }
        }
        let arrivals = change.arrivals.map { TimedArrival($0, at: reading) }
        jobs.add(
          Job(records: change.records, arrivals: arrivals, generation: state.generation) { isWritten in
            done(isWritten ? .success(value) : .failure(.busy("the journal cannot be written")))
          })
        return nil
      } catch {
        return .failure(error)
      }
    }
    if let result { done(result) }
  }

  /// Accepts an event, for a thread that may wait, which those of Swift's tasks may not.
  ///
  /// - Parameter guid: The identifier of an event whose request gives none.
  /// - Throws: `LiveProblem`; `busy` if nothing can be written in time.
  package func accept(_ request: LiveRequest, as guid: GUID) throws(LiveProblem) -> LiveGame.Answer {
    let results = JobQueue<Result<LiveGame.Answer, LiveProblem>>()
    change({ (game, now) throws(LiveProblem) in try game.accept(request, newGUID: guid, now: now) }, done: { results.add($0) })
    guard let result = results.takeFirst(until: .now + .seconds(10)) else { throw .busy("the journal takes too long") }
    return try result.get()
  }

  /// Reads the game.
  package func read<Value: Sendable>(_ body: @Sendable (LiveGame, LiveGame.Now) -> Value) -> Value {
    state.withLock { body($0.game, $0.now()) }
  }

  /// Why no event is accepted at the moment, in words; `nil` if events are.
  package var refusal: String? { state.withLock { $0.refusal } }

  /// The times from the acceptance of events to their first copies.
  package var latencies: LatencyHistogram { state.withLock { $0.latencies } }

  // MARK: Waiting

  /// Calls `body` once, soon after the programme has reached a time. The call may be too early, so that `body` has to check the time.
  ///
  /// The caller holds no lock that `body` takes. It is called at once if the programme is there, if ``mostWaiting`` callers wait already, or if the stream
  /// has ended. At the end of the stream all waiting bodies are called.
  ///
  /// - Parameters:
  ///   - time: A time as ``read(_:)`` gives it. Between two access units programme time goes on by the clock, for a second at most.
  ///   - body: Returns at once.
  package func wake(at time: MediaTime, _ body: @escaping @Sendable () -> Void) {
    let (isNow, isNext) = state.withLock { state in
      guard !state.isClosed, state.waiting.count < Self.mostWaiting, state.now().time.map({ $0 < time }) ?? true else {
        return (true, false)
      }
      state.waiting.append(Waiting(time: time, body: body))
      return (false, state.nextTime.map { time < $0 } ?? true)
    }
    if isNow { body() }
    if isNext { clock.signal() }
  }

  /// Releases the events whose time is near, and calls the bodies whose time has come, until the end.
  private func followTime() {
    while true {
      let (due, next, isClosed) = state.withLock { state in
        release(&state)
        let time = state.now().time
        let due = state.waiting.filter { waiting in time.map { waiting.time <= $0 } ?? false }
        if !due.isEmpty { state.waiting.removeAll { waiting in time.map { waiting.time <= $0 } ?? false } }
        state.plan()
        return (due, state.nextCheck, state.isClosed)
      }
      for waiting in due { waiting.body() }
      if isClosed { return }
      clock.wait(until: next)
    }
  }

  /// Releases the events whose time is near.
  private func release(_ state: inout State) {
    guard state.refusal == nil, !state.isClosed else { return }
    let reading = ClockReading.now()
    let change = state.game.release(now: state.now(reading))
    guard !change.records.isEmpty else { return }
    state.underway += change.arrivals.count
    let lost = change.records.compactMap { record in if case .lost(let guid, _) = record { state.game.status(guid) } else { nil } }
    let arrivals = change.arrivals.map { TimedArrival($0, at: reading) }
    jobs.add(
      Job(records: change.records, arrivals: arrivals, generation: state.generation) { [feed, object] isWritten in
        if isWritten { for status in lost { feed.send("lost", object(status)) } }
      })
  }

  // MARK: The stream

  /// Takes the events that go before the next access unit, in order. Those that have expired are lost.
  func takeArrivals(at instant: ContinuousClock.Instant = .now) -> [LiveGame.Arrival] {
    let (due, expired): ([LiveGame.Arrival], [LiveGame.Arrival]) = state.withLock { state in
      guard !state.arrivals.isEmpty else { return ([], []) }
      let arrivals = state.arrivals.prefix(Self.mostPerUnit)
      state.arrivals.removeFirst(arrivals.count)
      return (arrivals.filter { !$0.hasExpired(at: instant) }.map(\.arrival), arrivals.filter { $0.hasExpired(at: instant) }.map(\.arrival))
    }
    for arrival in expired { lose(arrival.planned.event.guid, "it expired before the stream could take it") }
    return due
  }

  /// Records the programme time of an access unit.
  ///
  /// - Parameters:
  ///   - dates: The dates that playlists list.
  ///   - measured: The dates at which events take place; `nil` for the same.
  ///   - timecode: The timecode of the stream.
  func advance(to time: MediaTime, dates: DateAnchor, measured: DateAnchor? = nil, timecode: StreamTimecode = .absent) {
    let isEarlier = state.withLock { state in
      let changed = state.clock.advance(to: time, dates, measured: measured, timecode: timecode, at: .now)
      guard changed.time, !changed.dates, let next = state.nextTime.flatMap({ state.clock.instant(of: $0, now: .now) })
      else { return changed.dates }
      return state.nextCheck.map { next < $0 } ?? true
    }
    if isEarlier { clock.signal() }
  }

  /// Records that copies of events are in the stream. Observers learn of an event's place when the journal has it, and of further copies at once.
  ///
  /// - Returns: The events that are in the stream for the first time, each with its date.
  @discardableResult
  func place(_ copies: [PlacedCopy], wallClock: (MediaTime) -> Int64) -> [(event: PlannedEvent, wallClock: Int64)] {
    var hasFurther = false
    var first: [(event: PlannedEvent, wallClock: Int64)] = []
    for placed in copies {
      let copy = placed.copy
      let guid = copy.copy.event.guid
      let pts = TimestampUnwrapper.timestamp(of: placed.presentationTime)
      let wallClock = wallClock(copy.time)
      let planned: PlannedEvent? = state.withLock { state in
        guard let record = state.game.place(copy.copy, pts: pts, wallClock: wallClock) else { return nil }
        jobs.add(Job(records: [record]) { [self] _ in confirm(guid) })
        if let instant = state.instants.removeValue(forKey: guid) { state.latencies.add((ContinuousClock.now - instant).inSeconds) }
        return PlannedEvent(copy.copy.event, currentFor: state.game.span(guid), signature: copy.copy.signature)
      }
      if planned != nil, copy.copy.event.type != .periodicInfo { reach?.place(guid) }
      if let planned, !copy.isForeign { first.append((planned, wallClock)) }
      hasFurther = hasFurther || planned == nil
    }
    if hasFurther { changes.tell() }
    return first
  }

  /// Tells the place of an event, which the journal has, or will have when the disk has room: the stream has the event already.
  private func confirm(_ guid: GUID) {
    if let status = state.withLock({ $0.game.confirm(guid) }) { feed.send("placed", object(status)) }
    changes.tell()
  }

  /// Records ad breaks, or what has become of them. Questions that are held for one of them may go.
  func note(_ changed: [AdBreak]) {
    guard !changed.isEmpty else { return }
    let held = state.withLock { state in
      let (change, statuses) = state.game.note(changed, now: state.now())
      jobs.add(Job(records: change.records))
      return statuses.filter { $0.state == .held }
    }
    for known in changed { feed.send("break", known.object) }
    for status in held { feed.send("held", object(status)) }
    clock.signal()
    changes.tell()
  }

  /// Writes that a segment is complete, and calls `done` when it may be published.
  ///
  /// - Parameter update: The change of the presentation that belongs to it.
  func record(
    _ segment: JournalRecord.SegmentRecord, with guids: [GUID], _ update: SegmentStore.Update?, _ done: @escaping @Sendable () -> Void
  ) {
    jobs.add(
      Job(records: [.segment(segment)], update: update) { [self] _ in
        // If the journal cannot be written, the video goes on, and only events are refused.
        done()
        let statuses = state.withLock { state in
          state.game.publish(guids, in: segment.mediaSequence)
          reach?.publish(guids)
          return guids.compactMap { state.game.status($0) }
        }
        for status in statuses where status.segments.count == 1 { feed.send("published", object(status)) }
        if !statuses.isEmpty { changes.tell() }
      })
  }

  /// Calls `done` after everything that was recorded before.
  ///
  /// - Parameters:
  ///   - update: The change of the presentation that belongs to it.
  ///   - guids: The events that clients can load then, in a part of a segment.
  func afterwards(_ update: SegmentStore.Update? = nil, with guids: [GUID] = [], _ done: @escaping @Sendable () -> Void) {
    jobs.add(
      Job(records: [], update: update) { [self] _ in
        done()
        reach?.publish(guids)
      })
  }

  /// Records that an event will not be in the stream.
  func lose(_ guid: GUID, _ reason: String) {
    let status = state.withLock { state in
      state.instants[guid] = nil
      jobs.add(Job(records: [state.game.lose(guid, reason)]))
      return state.game.status(guid)
    }
    if let status { feed.send("lost", object(status)) }
    changes.tell()
  }

  // MARK: The journal

  /// Starts the threads.
  func start() {
    mirror?.node.attention.reach { [jobs] in jobs.wake() }
    workers.withLock { workers in
      guard workers.isEmpty else { return }
      workers = [Worker("journal") { [self] in writeJobs() }, Worker("programme") { [self] in followTime() }]
    }
  }

  private func writeJobs() {
    // It begins with a check: another node may wait, and the disk may be full.
    var next: ContinuousClock.Instant? = .now
    while let jobs = jobs.take(until: next) {
      if !jobs.isEmpty { write(jobs) }
      mirror?.node.admit({ journal.withLock { $0.bytes } }, mirror?.store)
      noteMirror()
      var refusal: String?
      let owesRecords = journal.withLock { journal in
        journal.makeRoom()
        return journal.failure == nil && journal.owesRecords
      }
      if owesRecords { _ = append([]) }
      (refusal, next) = journal.withLock { ($0.failure, $0.nextTry) }
      if state.withLock({ $0.isAhead }) {
        if forgetUnwritten() {
          // Scheduled events go on.
          clock.signal()
          changes.tell()
        } else {
          (refusal, next) = (Self.unreadable, .now + JournalWriter.patience)
        }
      }
      note(refusal: refusal)
    }
    mirror?.node.settle()
    journal.withLock { $0.close() }
  }

  private func note(refusal: String?) {
    guard state.withLock({ exchange(&$0.refusal, with: refusal) != refusal }) else { return }
    clock.signal()
    changes.tell()
  }

  private func write(_ jobs: [Job]) {
    let generation = state.withLock { $0.generation }
    // Changes that were queued before the game was restored are not in it, and are refused.
    let isValid = jobs.map { $0.generation.map { $0 == generation } ?? true }
    let records = zip(jobs, isValid).flatMap { job, isValid in isValid ? job.records : [] }
    let areWritten = records.isEmpty || append(records)
    if !areWritten {
      // What has happened in the stream stays true.
      journal.withLock { $0.owe(jobs.filter { $0.generation == nil }.flatMap(\.records)) }
      _ = forgetUnwritten()
    }
    replicate(jobs.compactMap(\.update))
    for (job, isValid) in zip(jobs, isValid) {
      let isWritten = areWritten && isValid
      if !job.arrivals.isEmpty {
        state.withLock { state in
          state.underway -= job.arrivals.count
          if isWritten { state.arrivals += job.arrivals }
        }
      }
      job.done(isWritten)
    }
    // Observers know already what has happened in the stream, and no event there waits for a time.
    guard !areWritten || jobs.contains(where: { $0.generation != nil }) else { return }
    clock.signal()
    changes.tell()
  }

  /// Writes records, first here and then on the other node, which thus never has more than this one.
  private func append(_ records: [JournalRecord]) -> Bool {
    let written = journal.withLock { journal in
      let offset = journal.position
      return journal.append(records).map { ($0, offset) }
    }
    guard let (lines, offset) = written else { return false }
    mirror?.node.send(journal: lines, at: offset)
    return true
  }

  /// Sends changes of the presentation to the other node, and waits until it has everything. A client that learns of a segment from one node can load it
  /// from both.
  private func replicate(_ updates: [SegmentStore.Update]) {
    guard let mirror else { return }
    for update in updates {
      mirror.store.prepare(update)
      mirror.node.send(update)
    }
    mirror.node.settle()
    noteMirror()
  }

  /// Records that the other node is gone or back, before any further event is accepted.
  private func noteMirror() {
    guard let mirror, let isAlone = mirror.node.takeChange() else { return }
    // If the disk is full, no event is accepted either.
    _ = append([.led(term: mirror.term, isAlone: isAlone)])
    feed.send("pair", JSONObject(fields: ["alone": isAlone]))
  }

  /// Restores the game from the journal, since events that could not be written were not accepted. No event is accepted until the disk has room.
  ///
  /// - Returns: Whether the journal could be read. Until it can, no event is accepted either.
  private func forgetUnwritten() -> Bool {
    let (records, failure) = journal.withLock { journal in (journal.records(), journal.failure) }
    let settings = state.withLock { $0.game.settings }
    // The threads that judge answers wait for the lock of the state, so that the journal is read outside.
    let restored = records.flatMap { try? LiveGame.restored($0, settings).0 }
    return state.withLock { state in
      // Queued changes belong to the game before.
      state.generation += 1
      guard let game = restored else {
        (state.isAhead, state.refusal) = (true, Self.unreadable)
        return false
      }
      let known = state.game
      (state.isAhead, state.refusal, state.game) = (false, failure, game)
      state.game.adopt(known)
      return true
    }
  }

  private static let unreadable = "the journal cannot be read, so that its events are unknown"

  /// Writes the remaining records, and that the stream has ended.
  ///
  /// - Parameter ending: What becomes of the stream.
  func close(_ ending: SessionEnding) {
    let waiting = state.withLock { state in
      state.ending = ending
      return exchange(&state.waiting, with: [])
    }
    clock.signal()
    for waiting in waiting { waiting.body() }
    if ending != .handedOver { jobs.add(Job(records: [.ended])) }
    jobs.close()
    // The other node gets all accepted events before it leads, and the journal is closed.
    let seconds = ending == .handedOver ? 2 * PairRole.silence.inSeconds : LiveSession.endStepSeconds
    for worker in workers.withLock({ $0 }) { worker.join(seconds: seconds) }
  }

  /// Ends a desk that does not begin. Another session may continue the journal, which says nothing of an end.
  func abandon() {
    close(.handedOver)
    journal.withLock { $0.close() }
  }
}
