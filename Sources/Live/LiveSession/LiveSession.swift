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
    feed = LiveFeed()
    var journal: JournalFile?
    let restored: RestoredSession
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
    var schedule = EventSchedule([], policy: settings.policy)
    for event in restored.game.placedEvents { schedule.resume(event) }
    let segments = SegmentClock(duration: settings.segmentDuration, targetDuration: restored.continuation?.targetDuration)
    let stamper = LivePacketStamper(schedule, settings.options, from: restored.start, segments, sign: settings.sign)
    let prefix = String(UInt32.random(in: .min ... .max), radix: 36)
    state = Mutex(
      State(
        pipeline: LivePipeline(stamper), playlist: LivePlaylist(settings.playlist, prefix: prefix, following: restored.continuation)))
    var folder: String?
    var sinks: [StreamSink] = []
    let outputStop = outputStop
    do throws(FileSinkError) {
      for address in settings.outputs {
        if case .presentation(let path) = address {
          folder = PathParts(path).folder
          try FileSink.requirePlace(for: path, overwrite: true)
        } else {
          sinks.append(try StreamSink(address, overwrite: settings.overwrite, isStopped: { outputStop.isSet }, say: say))
        }
      }
    } catch {
      throw .output(error)
    }
    self.sinks = sinks
    store = SegmentStore(folder: folder, say: say)
    desk = EventDesk(restored.game, arrivals: restored.arrivals, journal: journal.take(), feed: feed) { Self.object($0, of: settings.name) }
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
      while !inputStop.isSet {
        watch()
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
    outputStop.set()
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
    guard isNew else { return }
    var data = JSONObject()
    data.append("input", isUp ? "up" : "down")
    feed.send("input", data)
  }

  // MARK: The output

  /// Hands on what has come out of the pipeline.
  private func hand(on output: LivePipeline.Output) {
    for piece in output.pieces {
      for sink in sinks { sink.add(piece.bytes, startsUnit: piece.startsUnit, isRandomAccess: piece.isRandomAccess) }
    }
    if let unit = output.unit {
      let time = unit.time
      desk.advance(to: time)
      state.withLock { state in
        state.situation.time = time
        state.situation.isInputUp = true
        state.lastUnit = .now
        state.coveredUntil = nil
      }
    }
    if !output.placed.isEmpty { place(output.placed, at: output.unit?.time ?? .zero) }
    for segment in output.segments { publish(segment, seenAt: output.unit?.time) }
    for notice in output.notices {
      switch notice {
      case .interrupted(let error): report("\(error)")
      case .resumed: break
      }
    }
  }

  private func place(_ copies: [EventSchedule.TimedCopy], at time: MediaTime) {
    let (origin, now) = (state.withLock { $0.pipeline.origin } ?? .zero, WallClock.now)
    desk.place(
      copies, pts: { UInt64(bitPattern: (origin + $0).ticks) & 0x1_FFFF_FFFF }, wallClock: { now + ($0 - time).ticks / 90 })
    state.withLock { state in
      state.situation.copies += copies.count
      if let first = copies.last(where: { $0.copy.copy == 1 }) {
        state.situation.lastEvent = "\(first.copy.event.type) \(first.copy.event.sequence.map { "\($0)" } ?? "")"
      }
    }
  }

  /// Appends a segment to the playlist, which clients see once the journal knows it.
  ///
  /// - Parameter time: The programme time that is now; `nil` where the segment has just ended.
  private func publish(_ segment: LiveSegment, seenAt time: MediaTime?) {
    let elapsed = (time ?? (segment.start + segment.duration)) - segment.start
    let wallClock = WallClock.now - elapsed.ticks / 90
    let (listed, update) = state.withLock { state in
      let listed = state.playlist.append(segment, wallClock: wallClock)
      state.situation.segments += 1
      if listed.isDiscontinuous { state.situation.discontinuities += 1 }
      return (listed, self.update(state.playlist, (listed.name, segment.bytes), listed.removable))
    }
    record(listed, segment.guids, update)
  }

  private func record(_ listed: LivePlaylist.Listed, _ guids: [GUID], _ update: SegmentStore.Update?) {
    desk.record(JournalRecord.SegmentRecord(listed), with: guids) { [store] in if let update { store.publish(update) } }
  }

  private func update(
    _ playlist: LivePlaylist, _ segment: (name: String, bytes: [UInt8])?, _ removable: [String]
  ) -> SegmentStore.Update? {
    do throws(PlaylistError) {
      let media = (LivePlaylist.mediaName, try playlist.mediaText())
      let multivariant = (LivePlaylist.multivariantName, try playlist.multivariantText())
      return SegmentStore.Update(
        segment: segment, playlists: [media, multivariant], removable: removable, targetDuration: playlist.targetDuration ?? 1)
    } catch {
      report("\(error)")
      return nil
    }
  }

  // MARK: Silence

  /// Lists gaps while nothing comes from the input, so that players go on waiting.
  private func watch() {
    let now = ContinuousClock.now
    var output: LivePipeline.Output?
    var hasFallenSilent = false
    let gap: (LivePlaylist.Listed, SegmentStore.Update?)? = state.withLock { state in
      guard let target = state.playlist.targetDuration, !state.playlist.isEmpty, let time = state.situation.time else { return nil }
      let length = Duration.seconds(Int(clamping: target))
      let deadline = (state.coveredUntil ?? state.lastUnit) + (state.coveredUntil == nil ? length * 3 / 2 : length)
      guard now >= deadline else { return nil }
      if state.coveredUntil == nil {
        hasFallenSilent = state.situation.isInputUp
        state.situation.isInputUp = false
        state.pipeline.interrupt()
        output = state.pipeline.take()
      }
      state.coveredUntil = deadline
      state.situation.gaps += 1
      let duration = MediaTime(seconds: Int(clamping: target))
      return state.playlist.appendGap(at: time, duration).map { ($0, update(state.playlist, nil, $0.removable)) }
    }
    if let output { for segment in output.segments { publish(segment, seenAt: nil) } }
    if let (listed, update) = gap { record(listed, [], update) }
    if hasFallenSilent {
      report("nothing comes from \(settings.input.name)")
      var data = JSONObject()
      data.append("input", "down")
      feed.send("input", data)
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
