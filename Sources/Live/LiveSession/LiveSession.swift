package import Basics
import CueSheet
import EventSchedule
package import Files
package import GameEvents
import HLSPlaylist
package import LibAV
package import LiveGame
import LiveHLS
import PacketStamping
import Seals
import Synchronization
import TransportStream

/// Why a live session cannot begin, or has ended.
package enum LiveSessionError: Error, Sendable {
  case input(FileInputError)
  case media(RemuxError)
  case output(FileSinkError)
  /// The input of this name has no transport packets.
  case notATransportStream(String)
  /// The journal is damaged, or that of another game.
  case journal(path: String, reason: String)
}

/// A live stream that events go into: its input, its outputs, its game.
///
/// Threads live here and nowhere below: one that reads the input and stamps, one that writes the journal, one for each output.
package final class LiveSession: Sendable {
  /// What the operator sees.
  package struct Situation: Equatable, Sendable {
    package var isInputUp = false
    package var time: MediaTime?
    package var receivedBytes = 0
    package var copies = 0
    package var segments = 0
    package var discontinuities = 0
    package var gaps = 0
    package var skippedBytes = 0
    package var lastEvent: String?
    package var notice: String?
    package var notices = 0
    /// The session is over.
    package var hasEnded = false
  }

  private struct State {
    var pipeline: LivePipeline
    var playlist: LivePlaylist
    var situation = Situation()
    /// Which date the programme has when.
    var dates: DateAnchor?
    /// When the latest access unit came.
    var lastUnit = ContinuousClock.now
    /// Until when the silence of the input is in the playlist.
    var coveredUntil: ContinuousClock.Instant?
    var failure: LiveSessionError?
  }

  package let settings: LiveSettings
  package let desk: EventDesk
  package let feed: LiveFeed
  package let store: SegmentStore
  private let state: Mutex<State>
  private let sinks: [StreamSink]
  /// Why the playlist could not be written, until the operator was told.
  private let playlistFailure: Mutex<String?> = Mutex(nil)
  /// Asks the input to end, and then the outputs.
  let inputStop = StopFlag()
  private let outputStop = StopFlag()
  private let workers: Mutex<[Worker]> = Mutex([])
  private let say: @Sendable (String) -> Void

  /// Opens the journal and the outputs, and goes on where an earlier session ended.
  ///
  /// - Parameter say: Receives messages for the operator.
  /// - Throws: `LiveSessionError`.
  package init(_ settings: LiveSettings, say: @escaping @Sendable (String) -> Void) throws(LiveSessionError) {
    self.settings = settings
    self.say = say
    let relay = Relay()
    feed = LiveFeed()
    if case .file(let path) = settings.input {
      do throws(FileInputError) { _ = try FileInput(path: path).size } catch { throw .input(error) }
    }
    // Nothing is made before it is clear that everything can be.
    do throws(FileSinkError) {
      for address in settings.outputs { try address.requirePlace(overwrite: settings.overwrite) }
    } catch {
      throw .output(error)
    }
    var journal: JournalFile?
    var restored: RestoredSession
    do throws(FileSinkError) { journal = try settings.journal.map { (path) throws(FileSinkError) in try JournalFile(path: path) } } catch {
      throw .output(error)
    }
    let byteCount: Int
    do throws(JournalText.Damage) {
      let records: [JournalRecord]
      (records, byteCount) = try JournalText.records(journal?.contents ?? [])
      restored = try RestoredSession(records, settings, now: WallClock.now)
    } catch {
      throw .journal(path: settings.journal ?? "", reason: "\(error)")
    }
    do throws(FileSinkError) {
      try journal?.start(at: byteCount)
      if let beginning = restored.beginning { try journal?.append(JournalText.line(beginning).span) }
    } catch {
      throw .output(error)
    }
    var sinks: [StreamSink] = []
    let outputStop = outputStop
    do throws(FileSinkError) {
      for address in settings.outputs where address.folder == nil {
        sinks.append(try StreamSink(address, overwrite: settings.overwrite, isStopped: { outputStop.isSet }, say: relay.say))
      }
    } catch {
      throw .output(error)
    }
    self.sinks = sinks
    let folder = settings.outputs.compactMap(\.folder).first
    let store = SegmentStore(folder: folder, say: relay.say)
    self.store = store
    // Segments that were in memory alone are gone.
    let kept = folder.map { store.resume(restored.continuation?.segments.map(\.name) ?? [], in: $0) } ?? 0
    if let segments = restored.continuation?.segments { restored.continuation?.segments = segments.suffix(kept) }
    var schedule = EventSchedule([], policy: settings.policy)
    for event in restored.game.placedEvents { schedule.resume(event) }
    let clock = SegmentClock(duration: settings.segmentDuration, targetDuration: restored.continuation?.targetDuration)
    let stamper = LivePacketStamper(schedule, settings.options, from: restored.start, clock, sign: settings.sign)
    let prefix = String(UInt32.random(in: .min ... .max), radix: 36)
    state = Mutex(
      State(
        pipeline: LivePipeline(stamper), playlist: LivePlaylist(settings.playlist, prefix: prefix, following: restored.continuation)))
    desk = EventDesk(restored.game, arrivals: restored.arrivals, journal: journal.take(), feed: feed) { Self.object($0, of: settings.name) }
    relay.reach { [weak self] in self?.report($0) }
  }

  /// A status with the path under which it can be asked for.
  package func object(_ status: EventStatus) -> JSONObject { Self.object(status, of: settings.name) }

  private static func object(_ status: EventStatus, of stream: String) -> JSONObject {
    status.object(at: "/v1/streams/\(stream.percentEncodedPart)/events/\(status.guid.text.percentEncodedPart)")
  }

  /// Tells those who listen that an event was accepted.
  package func noteAccepted(_ status: EventStatus) { feed.send("accepted", object(status)) }

  /// Tells those who listen that an event was taken back.
  package func noteCancelled(_ guid: GUID) {
    if let status = desk.look({ game, _ in game.status(guid) }) { feed.send("cancelled", object(status)) }
  }

  package var situation: Situation { state.withLock { $0.situation } }

  /// The number of access units that slow outputs have missed.
  package var droppedUnits: Int { sinks.reduce(0) { $0 + $1.droppedUnits } }

  /// Why the session has ended before it should; `nil` where it has not.
  package var failure: LiveSessionError? { state.withLock { $0.failure } }

  // MARK: Beginning and end

  /// Begins to read.
  package func start() {
    desk.start()
    let reading = Worker("input") { [self] in
      readInput()
      finish()
    }
    let watching = Worker("watch") { [self] in
      var nextSign = ContinuousClock.now
      while !inputStop.isSet {
        watch()
        keepAlive(&nextSign)
        inputStop.wait(until: .now + .milliseconds(50))
      }
    }
    workers.withLock { $0 = [reading, watching] }
  }

  /// Ends everything within two seconds: the playlist with ENDLIST, the journal, clients.
  package func stop() {
    inputStop.set()
    for worker in workers.withLock({ $0 }) { worker.join(seconds: 1) }
  }

  /// Ends everything, as ``stop()`` does, and lets others work meanwhile.
  package func stopWaiting() async {
    await withCheckedContinuation { continuation in
      _ = Worker("stop") { [self] in
        stop()
        continuation.resume()
      }
    }
  }

  private func finish() {
    inputStop.set()
    let output = state.withLock { state in
      state.pipeline.interrupt()
      return state.pipeline.take()
    }
    hand(on: output)
    let last: SegmentStore.Update? = state.withLock { state in
      state.playlist.end()
      return state.playlist.isEmpty ? nil : update(state.playlist, nil, [])
    }
    // In order behind the segments that wait for the journal.
    desk.afterwards { [store] in if let last { store.publish(last) } }
    desk.close()
    for sink in sinks { sink.close() }
    // Who does not take the rest in this time, or waits for the other side still, is interrupted.
    let patience = ContinuousClock.now + .milliseconds(300)
    let open = sinks.filter { !$0.join(until: patience) }
    outputStop.set()
    for sink in open { _ = sink.join(until: patience + .milliseconds(700)) }
    store.close()
    state.withLock { $0.situation.hasEnded = true }
    feed.close()
  }

  // MARK: The input

  private func readInput() {
    do throws(LiveSessionError) {
      var reader = InputReader(self)
      try reader.read()
    } catch {
      state.withLock { $0.failure = error }
    }
  }

  /// When an access unit is decoded that starts in a packet, 33 bits.
  func decodingTime(_ packet: Span<UInt8>) -> UInt64? { state.withLock { $0.pipeline.decodingTime(packet) } }

  /// Receives a packet that an access unit starts with: events that have arrived go in front of it.
  func startUnit() {
    let arrivals = desk.takeArrivals()
    guard !arrivals.isEmpty else { return }
    state.withLock { state in
      for arrival in arrivals { state.pipeline.add(arrival.planned) }
    }
  }

  /// Receives a packet of the input.
  func push(_ packet: Span<UInt8>) { state.withLock { $0.pipeline.push(packet) } }

  /// Hands on what has come out, at the end of what was received at once.
  func endPortion(byteCount: Int) {
    let output = state.withLock { state in
      state.situation.receivedBytes += byteCount
      return state.pipeline.take()
    }
    hand(on: output)
  }

  /// Records that bytes of the input belong to no packet.
  func skip(byteCount: Int) { state.withLock { $0.situation.skippedBytes += byteCount } }

  /// Records that the input has come, or has gone.
  func setInput(isUp: Bool) {
    let isNew = state.withLock { state in
      guard state.situation.isInputUp != isUp else { return false }
      state.situation.isInputUp = isUp
      if !isUp { state.pipeline.interrupt() }
      return true
    }
    if isNew { tellInput(isUp: isUp) }
  }

  private func tellInput(isUp: Bool) {
    var data = JSONObject()
    data.append("input", isUp ? "up" : "down")
    feed.send("input", data)
  }

  // MARK: The output

  /// Hands on what has come out of the pipeline.
  ///
  /// - Parameter isSilent: Whether the input has fallen silent, and this is what was left of it.
  private func hand(on output: LivePipeline.Output, isSilent: Bool = false) {
    for piece in output.pieces {
      for sink in sinks { sink.add(piece.bytes, startsUnit: piece.startsUnit, isRandomAccess: piece.isRandomAccess) }
    }
    // The segment before a discontinuity has the dates before it.
    for segment in output.segments where output.stretch.map({ segment.start < $0 }) ?? true { publish(segment) }
    if let unit = output.unit {
      let time = max(unit.time, situation.time ?? unit.time)
      let dates = state.withLock { state in
        state.situation.time = time
        if !isSilent { (state.lastUnit, state.coveredUntil, state.situation.isInputUp) = (.now, nil, true) }
        let dates = output.stretch.map { DateAnchor(time: $0, wallClock: WallClock.now - (time - $0).milliseconds) } ?? state.dates
        state.dates = dates ?? DateAnchor(time: time, wallClock: WallClock.now)
        return state.dates
      }
      if let dates { desk.advance(to: time, dates: dates) }
    }
    if !output.placed.isEmpty { place(output.placed) }
    for segment in output.segments where output.stretch.map({ segment.start >= $0 }) ?? false { publish(segment) }
    for notice in output.notices {
      switch notice {
      case .interrupted(let error): report("\(error)")
      case .resumed: break
      }
    }
  }

  private func place(_ copies: [EventSchedule.TimedCopy]) {
    let (origin, dates) = state.withLock { ($0.pipeline.origin ?? .zero, $0.dates) }
    desk.place(
      copies, pts: { UInt64(bitPattern: (origin + $0).ticks) & 0x1_FFFF_FFFF }, wallClock: { dates?.wallClock(of: $0) ?? WallClock.now })
    state.withLock { state in
      state.situation.copies += copies.count
      if let first = copies.last(where: { $0.copy.copy == 1 }) {
        state.situation.lastEvent = "\(first.copy.event.type) \(first.copy.event.sequence.map { "\($0)" } ?? "")"
      }
    }
  }

  /// Appends a segment to the playlist, which clients see once the journal knows it.
  private func publish(_ segment: LiveSegment) {
    let (listed, update) = state.withLock { state in
      let wallClock = state.dates?.wallClock(of: segment.start) ?? WallClock.now
      let listed = state.playlist.append(segment, wallClock: wallClock)
      state.situation.segments += 1
      if listed.isDiscontinuous { state.situation.discontinuities += 1 }
      return (listed, self.update(state.playlist, (listed.name, segment.bytes), listed.removable))
    }
    record(listed, segment.guids, update)
  }

  private func record(_ listed: LivePlaylist.Listed, _ guids: [GUID], _ update: SegmentStore.Update?) {
    reportFailures()
    desk.record(JournalRecord.SegmentRecord(listed), with: guids) { [store] in if let update { store.publish(update) } }
  }

  /// What clients see from now on. Called with the state locked: a failure is kept for ``reportFailures()``.
  private func update(
    _ playlist: LivePlaylist, _ segment: (name: String, bytes: [UInt8])?, _ removable: [String]
  ) -> SegmentStore.Update? {
    do throws(PlaylistError) {
      let media = (LivePlaylist.mediaName, try playlist.mediaText())
      let multivariant = (LivePlaylist.multivariantName, try playlist.multivariantText())
      return SegmentStore.Update(
        segment: segment, playlists: [media, multivariant], removable: removable, targetDuration: playlist.targetDuration ?? 1)
    } catch {
      playlistFailure.withLock { $0 = "the playlist cannot be written: \(error)" }
      return nil
    }
  }

  private func reportFailures() {
    if let failure = playlistFailure.withLock({ $0.take() }) { report(failure) }
  }

  // MARK: Silence

  /// Lets listeners' connections not fall silent.
  private func keepAlive(_ next: inout ContinuousClock.Instant) {
    guard ContinuousClock.now >= next else { return }
    next = .now + .seconds(10)
    feed.keepAlive()
  }

  /// Lists gaps while nothing comes from the input, so that players go on waiting.
  private func watch() {
    let now = ContinuousClock.now
    /// The output that the silence ends; `nil` where it goes on, or where nothing is silent.
    let (isSilent, hasFallenSilent, output): (Bool, Bool, LivePipeline.Output?) = state.withLock { state in
      guard let target = state.playlist.targetDuration, !state.playlist.isEmpty else { return (false, false, nil) }
      let length = Duration.seconds(Int(clamping: target))
      let deadline = (state.coveredUntil ?? state.lastUnit) + (state.coveredUntil == nil ? length * 3 / 2 : length)
      guard now >= deadline else { return (false, false, nil) }
      defer { state.coveredUntil = deadline }
      guard state.coveredUntil == nil else { return (true, false, nil) }
      defer { state.situation.isInputUp = false }
      state.pipeline.interrupt()
      return (true, state.situation.isInputUp, state.pipeline.take())
    }
    if let output { hand(on: output, isSilent: true) }
    let gap: (LivePlaylist.Listed, SegmentStore.Update?)? =
      !isSilent
      ? nil
      : state.withLock { state in
        guard let target = state.playlist.targetDuration else { return nil }
        state.situation.gaps += 1
        // The programme stands still, its dates go on.
        let wallClock = state.dates?.wallClock(of: state.playlist.listedEnd) ?? WallClock.now
        let listed = state.playlist.appendGap(MediaTime(seconds: Int(clamping: target)), wallClock: wallClock)
        return listed.map { ($0, update(state.playlist, nil, $0.removable)) }
      }
    if let (listed, update) = gap { record(listed, [], update) }
    if hasFallenSilent {
      report("nothing comes from \(settings.input.name)")
      tellInput(isUp: false)
    }
    if let limit = settings.duration, let time = situation.time, time >= limit { inputStop.set() }
  }

  func report(_ message: String) {
    state.withLock { state in
      state.situation.notice = message
      state.situation.notices += 1
    }
    var data = JSONObject()
    data.append("notice", message)
    feed.send("notice", data)
    say(message)
  }
}

extension JournalRecord.SegmentRecord {
  fileprivate init(_ listed: LivePlaylist.Listed) {
    self.init(
      name: listed.name, mediaSequence: listed.mediaSequence, discontinuitySequence: listed.discontinuitySequence,
      isDiscontinuous: listed.isDiscontinuous, targetDuration: listed.targetDuration, start: listed.start, duration: listed.duration,
      wallClock: listed.wallClock)
  }
}
