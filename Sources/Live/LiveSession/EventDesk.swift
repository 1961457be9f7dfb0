package import Basics
import Dispatch
import EventSchedule
import Files
package import GameEvents
package import LiveGame
import LiveInterface
import LivePair
import PacketStamping
import Synchronization

/// Takes requests about events, and keeps the strict order: write, sync, queue, answer.
///
/// One thread writes the journal. What arrives meanwhile is written together, so that many requests share one wait for the disk. Another one waits for
/// times of the programme. Both sleep until there is something to do.
package final class EventDesk: Sendable {
  private struct Job: Sendable {
    var records: [JournalRecord]
    var arrivals: [LiveGame.Arrival] = []
    /// Which game it has changed: see ``State/generation``; `nil` where it tells what has happened in the stream.
    var generation: Int?
    /// What changes in the presentation with it.
    var update: SegmentStore.Update?
    /// Called when the records are on the disk (`true`), or cannot be written.
    var done: @Sendable (Bool) -> Void = { _ in }
  }

  /// Who waits for a time of the programme.
  private struct Waiting {
    var time: MediaTime
    var body: @Sendable () -> Void
  }

  private struct State {
    var game: LiveGame
    /// How often the game was made again from the journal. Changes of the one before are not in it.
    var generation = 0
    /// Whether the game may have what the journal does not, which cannot be read.
    var isAhead = false
    /// Why no event is taken, in words.
    var refusal: String?
    /// Whether the stream has ended.
    var isClosed = false
    var arrivals: [LiveGame.Arrival] = []
    /// The number of arrivals whose records are not on the disk yet.
    var underway = 0
    var time: MediaTime?
    /// When that time was reached.
    var instant = ContinuousClock.now
    /// When the events arrived that wait for an access unit.
    var instants: [GUID: ContinuousClock.Instant] = [:]
    var latencies = LatencyHistogram()

    /// The latest time that anybody was told: the programme does not go back.
    var told = MediaTime.zero
    var dates: DateAnchor?
    /// Those who wait for a time of the programme.
    var waiting: [Waiting] = []
    /// The earliest time at which something is due, and when the thread looks next that waits for it; `nil` for never.
    var nextTime: MediaTime?
    var nextLook: ContinuousClock.Instant?

    /// Where the programme is: at its latest access unit, and what has passed since, at most a second.
    mutating func now() -> LiveGame.Now {
      let wallClock = WallClock.now
      guard let time else { return LiveGame.Now(time: nil, wallClock: wallClock) }
      // Without an input the programme's time stops after a second.
      let elapsed = min(ContinuousClock.now - instant, .seconds(1))
      let (seconds, attoseconds) = elapsed.components
      told = max(told, time + MediaTime(ticks: seconds * 90_000 + attoseconds / 11_111_111_111_111))
      return LiveGame.Now(time: told, wallClock: wallClock, dates: dates)
    }

    /// When the programme comes to a time, as far as that is known: without further access units; `nil` where it needs some.
    func instant(of wanted: MediaTime) -> ContinuousClock.Instant? {
      guard let time else { return nil }
      guard wanted > max(told, time) else { return .now }
      let left = wanted - time
      return left.ticks <= 90_000 ? instant + .nanoseconds((left.ticks * 100_000 + 8) / 9) : nil
    }

    /// Notes what is due next.
    mutating func plan() {
      let release = refusal == nil && !isClosed ? game.nextRelease(dates: dates) : nil
      nextTime = [release, waiting.lazy.map(\.time).min()].compactMap(\.self).min()
      nextLook = nextTime.flatMap { instant(of: $0) }
    }
  }

  private let state: Mutex<State>
  private let jobs = JobQueue<Job>()
  private let journal: Mutex<JournalWriter>
  private let feed: LiveFeed
  /// The other node of a pair, and the presentation that it is to have, too; `nil` for a session alone.
  private let mirror: (node: SessionMirror, store: SegmentStore, term: Int)?
  private let workers: Mutex<[Worker]> = Mutex([])
  /// Wakes the thread that waits for times of the programme.
  private let clock = WakeUp()
  /// Told when the state of an event changes, and when a further copy of it is in the stream.
  package let changes = Changes()
  /// A status as the feed tells it.
  private let object: @Sendable (EventStatus) -> JSONObject

  /// The most events that wait for an access unit.
  package static let mostArrivals = 4_096
  /// The most events that go in front of one access unit: 800 a second at 25 frames a second. The others wait for the next ones, and not the video.
  private static let mostPerUnit = 32
  /// The most who wait for a time of the programme.
  package static let mostWaiting = 4_096

  /// A desk that writes nothing until ``start()``.
  ///
  /// - Parameters:
  ///   - arrivals: Events that an earlier session has accepted and that are not in the stream.
  ///   - journal: The file; `nil` if nothing is to outlive the process.
  ///   - chain: The end of its lines.
  ///   - mirror: The other node of a pair, with the presentation, and how often a node of it has led, with this time; `nil` for a session alone.
  init(
    _ game: LiveGame, arrivals: [LiveGame.Arrival], journal: consuming sending JournalFile?, after chain: JournalText.Chain, feed: LiveFeed,
    mirror: (node: SessionMirror, store: SegmentStore, term: Int)? = nil,
    object: @escaping @Sendable (EventStatus) -> JSONObject
  ) {
    state = Mutex(State(game: game, arrivals: arrivals))
    self.journal = Mutex(JournalWriter(journal, after: chain))
    self.object = object
    (self.feed, self.mirror) = (feed, mirror)
  }

  // MARK: Requests

  /// Changes the game, and answers when the change is on the disk and on its way into the stream.
  ///
  /// - Throws: `LiveProblem`; `busy` where nothing can be written.
  package func change<Value: Sendable>(
    _ body: @Sendable (inout LiveGame, LiveGame.Now) throws(LiveProblem) -> (Value, LiveGame.Change)
  ) async throws(LiveProblem) -> Value {
    let result: Result<Value, LiveProblem> = await withCheckedContinuation { continuation in
      change(body) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Changes the game as the other one does, for a thread that does not wait.
  ///
  /// - Parameter done: Receives the answer, when the change is on the disk and on its way into the stream.
  func change<Value: Sendable>(
    _ body: @Sendable (inout LiveGame, LiveGame.Now) throws(LiveProblem) -> (Value, LiveGame.Change),
    done: @escaping @Sendable (Result<Value, LiveProblem>) -> Void
  ) {
    let result: Result<Value, LiveProblem>? = state.withLock { state in
      guard !state.isClosed else { return .failure(.busy("the stream has ended")) }
      if let refusal = state.refusal { return .failure(.busy(refusal)) }
      guard state.arrivals.count + state.underway < Self.mostArrivals else {
        return .failure(.busy("\(Self.mostArrivals) events wait for the stream"))
      }
      do throws(LiveProblem) {
        let (value, change) = try body(&state.game, state.now())
        guard !change.records.isEmpty else { return .success(value) }
        state.underway += change.arrivals.count
        for arrival in change.arrivals { state.instants[arrival.planned.event.guid] = .now }
        jobs.add(
          Job(records: change.records, arrivals: change.arrivals, generation: state.generation) { isWritten in
            done(isWritten ? .success(value) : .failure(.busy("the journal cannot be written")))
          })
        return nil
      } catch {
        return .failure(error)
      }
    }
    if let result { done(result) }
  }

  /// Accepts an event, for a thread that may wait: it must not be one of those that run Swift's tasks.
  ///
  /// - Parameter guid: The identifier of an event whose request gives none.
  /// - Throws: `LiveProblem`; `busy` where nothing can be written in time.
  package func accept(_ request: LiveRequest, as guid: GUID) throws(LiveProblem) -> LiveGame.Answer {
    let result = Answered<LiveGame.Answer>()
    change(
      { (game, now) throws(LiveProblem) in
        let (answer, change) = try game.accept(request, newGUID: guid, now: now)
        return (answer, change)
      },
      done: { result.set($0) })
    return try result.wait(seconds: 10)
  }

  /// Looks at the game.
  package func look<Value: Sendable>(_ body: @Sendable (LiveGame, LiveGame.Now) -> Value) -> Value {
    state.withLock { body($0.game, $0.now()) }
  }

  /// Why no event is taken for the moment, in words.
  package var refusal: String? { state.withLock { $0.refusal } }

  /// How long events took from their acceptance to their first copy.
  package var latencies: LatencyHistogram { state.withLock { $0.latencies } }

  /// How long the latest event took; `nil` before the first one.
  package var latency: MediaTime? { latencies.latest }

  // MARK: Waiting

  /// Calls `body` whenever the state of an event has changed, and when a further copy of one is in the stream. What has changed, it looks up.
  ///
  /// - Parameter body: Called on a thread of the desk or on the one that stamps, which holds no lock then. It returns at once, and tolerates calls without
  ///   a change.
  package func onChange(_ body: @escaping @Sendable () -> Void) { changes.observe(body) }

  /// Calls `body` once, soon after the programme has come to a time. It is a signal and no promise: the call may come early, and whoever is called looks
  /// again.
  ///
  /// The caller holds no lock that `body` takes: it is called at once if the programme is there, if ``mostWaiting`` wait already, or if the stream has
  /// ended. At the end all are called who still wait.
  ///
  /// - Parameters:
  ///   - time: The time that ``look(_:)`` gives as `now`. Between two access units it goes on by the clock, for a second at most.
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

  /// Releases the events whose time is about to come, and calls those who wait for a time, until the end.
  private func followTime() {
    while true {
      let (due, next, isClosed) = state.withLock { state in
        release(&state)
        let time = state.now().time
        let due = state.waiting.filter { waiting in time.map { waiting.time <= $0 } ?? false }
        if !due.isEmpty { state.waiting.removeAll { waiting in time.map { waiting.time <= $0 } ?? false } }
        state.plan()
        return (due, state.nextLook, state.isClosed)
      }
      for waiting in due { waiting.body() }
      if isClosed { return }
      clock.wait(until: next)
    }
  }

  /// Sends the events whose time is about to come on their way.
  private func release(_ state: inout State) {
    guard state.refusal == nil, !state.isClosed else { return }
    let change = state.game.release(now: state.now())
    guard !change.records.isEmpty else { return }
    state.underway += change.arrivals.count
    jobs.add(Job(records: change.records, arrivals: change.arrivals, generation: state.generation))
  }

  // MARK: The stream

  /// The events that go before the next access unit, in their order.
  func takeArrivals() -> [LiveGame.Arrival] {
    let now = WallClock.now
    let (due, expired): ([LiveGame.Arrival], [LiveGame.Arrival]) = state.withLock { state in
      guard !state.arrivals.isEmpty else { return ([], []) }
      let arrivals = state.arrivals.prefix(Self.mostPerUnit)
      state.arrivals.removeFirst(arrivals.count)
      return (arrivals.filter { $0.deadline.map { $0 >= now } ?? true }, arrivals.filter { $0.deadline.map { $0 < now } ?? false })
    }
    for arrival in expired { lose(arrival.planned.event.guid, "it expired before the stream could take it") }
    return due
  }

  /// Records that the stream has come to a time. An earlier time than before, as where frames are reordered, changes only the dates.
  func advance(to time: MediaTime, dates: DateAnchor) {
    let isEarlier = state.withLock { state in
      let haveChanged = state.dates != dates
      state.dates = dates
      guard time > state.time ?? MediaTime(ticks: .min) else { return haveChanged }
      state.time = time
      state.instant = .now
      guard !haveChanged, let next = state.nextTime.flatMap({ state.instant(of: $0) }) else { return haveChanged }
      return state.nextLook.map { next < $0 } ?? true
    }
    if isEarlier { clock.signal() }
  }

  /// Records that copies of events are in the stream.
  func place(_ copies: [PlacedCopy], wallClock: (MediaTime) -> Int64) {
    for placed in copies {
      let copy = placed.copy
      let pts = TimestampUnwrapper.timestamp(of: placed.presentationTime)
      let wallClock = wallClock(copy.time)
      let status: EventStatus? = state.withLock { state in
        guard let record = state.game.place(copy.copy, pts: pts, wallClock: wallClock) else { return nil }
        jobs.add(Job(records: [record]))
        if let instant = state.instants.removeValue(forKey: copy.copy.event.guid) {
          state.latencies.add((ContinuousClock.now - instant).inSeconds)
        }
        return state.game.status(copy.copy.event.guid)
      }
      if let status { feed.send("placed", object(status)) }
    }
    if !copies.isEmpty { changes.tell() }
  }

  /// Writes that a segment is complete. The segment may be published when `done` is called.
  ///
  /// - Parameter update: What changes in the presentation with it.
  func record(
    _ segment: JournalRecord.SegmentRecord, with guids: [GUID], _ update: SegmentStore.Update?, _ done: @escaping @Sendable () -> Void
  ) {
    jobs.add(
      Job(records: [.segment(segment)], update: update) { [self] _ in
        // The video goes on if the journal cannot be written: only events are refused then.
        done()
        let statuses = state.withLock { state in
          state.game.publish(guids, in: segment.mediaSequence)
          return guids.compactMap { state.game.status($0) }
        }
        for status in statuses where status.segments.count == 1 { feed.send("published", object(status)) }
        if !statuses.isEmpty { changes.tell() }
      })
  }

  /// Calls `done` after everything that was recorded so far.
  ///
  /// - Parameter update: What changes in the presentation with it.
  func afterwards(_ update: SegmentStore.Update? = nil, _ done: @escaping @Sendable () -> Void) {
    jobs.add(Job(records: [], update: update) { _ in done() })
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

  /// Begins to write, unless it does already.
  func start() {
    mirror?.node.attention.reach { [jobs] in jobs.wake() }
    workers.withLock { workers in
      guard workers.isEmpty else { return }
      workers = [Worker("journal") { [self] in writeJobs() }, Worker("programme") { [self] in followTime() }]
    }
  }

  private func writeJobs() {
    // At first it looks at once: another node may wait, and the disk may be full.
    var next: ContinuousClock.Instant? = .now
    while let jobs = jobs.take(until: next) {
      if !jobs.isEmpty { write(jobs) }
      mirror?.node.admit({ journal.withLock { $0.bytes } }, mirror?.store)
      noteMirror()
      var refusal: String?
      (refusal, next) = journal.withLock { journal in
        journal.makeRoom()
        return (journal.failure, journal.nextTry)
      }
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
    let isNew = state.withLock { state in
      defer { state.refusal = refusal }
      return state.refusal != refusal
    }
    guard isNew else { return }
    clock.signal()
    changes.tell()
  }

  private func write(_ jobs: [Job]) {
    let generation = state.withLock { $0.generation }
    // What came while the game was made again is not in it, and is refused.
    let isValid = jobs.map { $0.generation.map { $0 == generation } ?? true }
    let records = zip(jobs, isValid).flatMap { job, isValid in isValid ? job.records : [] }
    let areWritten = records.isEmpty || append(records)
    if !areWritten { _ = forgetUnwritten() }
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
    // What happens in the stream was told when it happened, and nothing of it waits for a time.
    guard !areWritten || jobs.contains(where: { $0.generation != nil }) else { return }
    clock.signal()
    changes.tell()
  }

  /// Writes records, here and then on the other node, which so never knows more than this one.
  private func append(_ records: [JournalRecord]) -> Bool {
    let written = journal.withLock { journal in
      let offset = journal.position
      return journal.append(records).map { ($0, offset) }
    }
    guard let (lines, offset) = written else { return false }
    mirror?.node.send(journal: lines, at: offset)
    return true
  }

  /// Lets the other node have what changes in the presentation, and waits until it has all that was written. Whoever hears of a segment from one node
  /// can load it from both.
  private func replicate(_ updates: [SegmentStore.Update]) {
    guard let mirror else { return }
    for update in updates {
      mirror.store.prepare(update)
      mirror.node.send(update)
    }
    mirror.node.settle()
    noteMirror()
  }

  /// Writes down that the other node has gone, or is back, before anything more is promised.
  private func noteMirror() {
    guard let mirror, let isAlone = mirror.node.takeChange() else { return }
    // Where the disk is full, nothing is promised either.
    _ = append([.led(term: mirror.term, isAlone: isAlone)])
    var data = JSONObject()
    data.append("alone", isAlone)
    feed.send("pair", data)
  }

  /// Makes the game again from the journal, since what could not be written was not accepted. Nothing is accepted until the disk has room.
  ///
  /// - Returns: Whether the journal could be read. Otherwise nothing is accepted either, with that as the reason, until it can.
  private func forgetUnwritten() -> Bool {
    let (records, failure) = journal.withLock { journal in (journal.records(), journal.failure) }
    return state.withLock { state in
      // What waits to be written belongs to the game before.
      state.generation += 1
      guard let records, let (game, _) = try? LiveGame.restored(records, state.game.settings) else {
        (state.isAhead, state.refusal) = (true, Self.unreadable)
        return false
      }
      let known = state.game
      (state.isAhead, state.refusal, state.game) = (false, failure, game)
      state.game.adopt(known)
      return true
    }
  }

  private static let unreadable = "the journal cannot be read, to see which events it has"

  /// Writes what is left, and that the stream has ended.
  ///
  /// - Parameter isHandedOver: Whether another node goes on with it.
  func close(isHandedOver: Bool = false) {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting
    }
    clock.signal()
    for waiting in waiting { waiting.body() }
    if !isHandedOver { jobs.add(Job(records: [.ended])) }
    jobs.close()
    // The other node gets what was promised before it leads, and the journal is let go of.
    let seconds = isHandedOver ? 2 * PairRole.silence.inSeconds : LiveSession.endStepSeconds
    for worker in workers.withLock({ $0 }) { worker.join(seconds: seconds) }
  }
}

/// The answer to one change, for a thread that waits for it. A class, since both threads point at it.
private final class Answered<Value: Sendable>: Sendable {
  private let result: Mutex<Result<Value, LiveProblem>?> = Mutex(nil)
  private let done = DispatchSemaphore(value: 0)

  func set(_ answer: Result<Value, LiveProblem>) {
    result.withLock { $0 = answer }
    done.signal()
  }

  func wait(seconds: Double) throws(LiveProblem) -> Value {
    guard done.wait(timeout: .now() + seconds) == .success, let answer = result.withLock({ $0 }) else {
      throw .busy("the journal takes too long")
    }
    return try answer.get()
  }
}

/// Writes the journal, and notices a full disk before anything is promised.
private struct JournalWriter: ~Copyable {
  /// The file; `nil` where nothing is to outlive the process.
  private var file: JournalFile?
  private var backOff = BackOff(patience)
  /// The end of the lines that are on the disk.
  private var chain: JournalText.Chain

  /// After a failure, room on the disk is tried for only this often.
  static let patience = Duration.seconds(1)

  /// Why nothing can be written, in words; `nil` if it can.
  var failure: String? { backOff.reason }
  /// When the disk is tried again; `nil` without a failure.
  var nextTry: ContinuousClock.Instant? { backOff.nextTry }

  init(_ file: consuming JournalFile?, after chain: JournalText.Chain) {
    self.file = file
    self.chain = chain
  }

  /// Writes records; returns their lines once they are on the disk, and `nil` where they cannot be written.
  mutating func append(_ records: [JournalRecord]) -> [UInt8]? {
    var chain = chain
    let lines = chain.lines(records)
    do throws(FileSinkError) {
      try file?.append(lines.span)
    } catch {
      fail(error)
      return nil
    }
    self.chain = chain
    return lines
  }

  /// What is on the disk; `nil` where it cannot be read. The other node of a pair is let go then, and asks again.
  var bytes: [UInt8]? { try? file?.written() }

  /// How many bytes that are.
  var position: Int { file?.writtenCount() ?? 0 }

  /// The records that are on the disk; `nil` where they cannot be read. Events are refused then, with that as the reason.
  func records() -> [JournalRecord]? { bytes.flatMap { try? JournalText.contents($0).records } }

  /// Makes room for what may come.
  mutating func makeRoom() {
    if let nextTry, ContinuousClock.now < nextTry { return }
    do throws(FileSinkError) {
      try file?.makeRoom()
      backOff.succeed()
    } catch {
      fail(error)
    }
  }

  private mutating func fail(_ error: FileSinkError) { backOff.fail("no event can be written down: \(error)", at: .now) }

  mutating func close() { file = nil }
}
