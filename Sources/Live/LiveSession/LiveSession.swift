package import Basics
import CueSheet
import EventSchedule
package import Files
package import GameEvents
import HLSPlaylist
package import LibAV
package import LiveGame
import LiveFragments
import LiveHLS
import LivePair
import PacketStamping
import Seals
package import Sheets
import Stamping
package import StreamInput
import Synchronization
import TransportStream

/// Why a live session cannot begin, or has ended.
package enum LiveSessionError: Error, Sendable {
  case input(FileInputError)
  case media(RemuxError)
  case output(FileSinkError)
  /// The input of this name has no transport packets.
  case notATransportStream(String)
  /// A playlist cannot be read.
  case presentation(StreamInputError)
  /// The input of this name is no rendition of the same programme.
  case variant(String, reason: String)
  /// The journal is damaged, or that of another game.
  case journal(path: String, reason: String)
  /// The cues for the start contradict the journal.
  case cues([SheetProblem])
}

/// A live stream that events go into: its input, its outputs, its game.
///
/// Its threads: one reads the input and stamps, one writes the journal, one notices when the input falls silent, each output has one, and each further
/// rendition two.
package final class LiveSession: InputReceiver {
  /// What the operator sees.
  package struct Situation: Equatable, Sendable {
    /// Whether the input comes.
    package var isInputUp = false
    /// The programme time of the latest access unit; `nil` before the first one.
    package var time: MediaTime?
    /// The number of bytes of the input.
    package var receivedBytes = 0
    /// The number of copies of events in the stream, refreshes included.
    package var copies = 0
    /// The number of segments that this session has listed.
    package var segments = 0
    /// How many of them were discontinuous.
    package var discontinuities = 0
    /// The number of gaps that were listed while nothing came from the input.
    package var gaps = 0
    /// Packets that were added to the stream, and null packets of it that were replaced.
    package var addedPackets = 0
    package var replacedPackets = 0
    package var skippedBytes = 0
    /// The type and the place in the game of the event that was placed last.
    package var lastEvent: String?
    /// The latest message for the operator.
    package var notice: String?
    /// The number of messages for the operator.
    package var notices = 0
    /// The session is over.
    package var hasEnded = false
  }

  /// What a node of a pair begins to lead with.
  package struct Lead: Sendable {
    /// What is read already.
    package var input: StandbyInput
    /// The presentation as the other node has left it.
    package var store: SegmentStore
    /// Whoever listens hears this session, too.
    package var feed: LiveFeed
    /// The other node, when it comes back.
    package var mirror: SessionMirror
    /// When the last segment came that the other node has listed; `nil` for none.
    package var lastListing: ContinuousClock.Instant?

    package init(
      input: StandbyInput, store: SegmentStore, feed: LiveFeed, mirror: SessionMirror, lastListing: ContinuousClock.Instant?
    ) {
      (self.input, self.store, self.feed, self.mirror, self.lastListing) = (input, store, feed, mirror, lastListing)
    }
  }

  private struct State {
    var pipeline: LivePipeline
    var situation = Situation()
    /// Which date the programme has when.
    var dates: DateAnchor?
    var silence = Silence(from: .now)
    var failure: LiveSessionError?
  }

  /// What the session is to do.
  package let settings: LiveSettings
  /// Takes requests about events.
  package let desk: EventDesk
  /// Tells listeners what happens.
  package let feed: LiveFeed
  /// Has the files of the presentation.
  package let store: SegmentStore
  /// Where publishers' streams come in, one for each input that is published to a listener.
  package let inboxes: [PublisherInbox]
  private let state: Mutex<State>
  private let sinks: [StreamSink]
  private let presentation: Presentation
  /// What the first input has decided, for other renditions.
  let lead = Mutex(LeadingTimeline())
  private let variants: Mutex<[VariantStream]> = Mutex([])
  /// Whether there was a session before.
  private let isContinuation: Bool
  /// How many portions of the stream wait for the journal.
  private let waitingPortions = Atomic<Int>(0)
  /// Asks the input to end, and then the outputs.
  let inputStop = StopFlag()
  /// The pair that the session leads; `nil` for a session alone.
  private let pair: Lead?
  /// How often a node of the pair has led, with this time.
  package let term: Int
  /// Whether the other node of a pair goes on when this one ends.
  private let handsOver = StopFlag()
  private let outputStop = StopFlag()
  private let workers: Mutex<[Worker]> = Mutex([])
  private let say: @Sendable (String) -> Void

  /// Opens the journal and the outputs, and goes on where an earlier session ended.
  ///
  /// - Parameters:
  ///   - pair: What a node of a pair begins to lead with; `nil` for a session alone.
  ///   - say: Receives messages for the operator.
  /// - Throws: `LiveSessionError`.
  package init(_ settings: LiveSettings, leading pair: Lead? = nil, say: @escaping @Sendable (String) -> Void) throws(LiveSessionError) {
    self.settings = settings
    self.say = say
    self.pair = pair
    let relay = Relay<String>()
    feed = pair?.feed ?? LiveFeed()
    for path in ([settings.input] + settings.variants).compactMap(\.path) {
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
    if let pair {
      // Only who has followed until now has the beginning of the segment that comes next.
      let next = pair.lastListing.flatMap { _ in restored.nextTimestamp }
      restored.begin(pair.input.attach(at: next, since: pair.lastListing))
      restored.beginning.append(.led(term: restored.term + 1, isAlone: true))
    }
    let term = restored.term + 1
    self.term = term
    do throws(SheetError) {
      if let cues = settings.cues { try restored.start(with: cues, now: WallClock.now) }
    } catch {
      throw .cues(error.problems)
    }
    do throws(FileSinkError) {
      try journal?.start(at: byteCount)
      let lines = restored.beginning.flatMap { JournalText.line($0) }
      if !lines.isEmpty { try journal?.append(lines.span) }
    } catch {
      throw .output(error)
    }
    var sinks: [StreamSink] = []
    let outputStop = outputStop
    do throws(FileSinkError) {
      for address in settings.outputs where address.folder == nil {
        sinks.append(try StreamSink(address, overwrite: settings.overwrite, isStopped: { outputStop.isSet }, say: relay.send))
      }
    } catch {
      throw .output(error)
    }
    self.sinks = sinks
    inboxes = ([settings.input] + settings.variants).compactMap { input in
      if case .publisher(let address) = input { PublisherInbox(address) } else { nil }
    }
    let folder = settings.outputs.compactMap(\.folder).first
    let store = pair?.store ?? SegmentStore(folder: folder, say: relay.send)
    self.store = store
    // Segments that were in memory alone are gone.
    let unwritten = restored.keepSegments(store.resume(restored.continuation?.segments.map(\.files) ?? [], in: folder))
    let placed = restored.placedEvents(signedBy: settings.sign)
    var schedule = EventSchedule(placed.lost, policy: settings.policy)
    // What the stamper places goes into fragments, too.
    var fragments = FragmentSchedule(EventSchedule([], policy: settings.policy))
    for event in placed.seen {
      schedule.resume(event, copies: restored.bursts[event.event.guid])
      fragments.resume(event)
    }
    if restored.isContinuation { schedule.begin(at: restored.start) }
    restored.game.forgetPlacedEvents()
    isContinuation = restored.isContinuation
    let clock = SegmentClock(duration: settings.segmentDuration, targetDuration: restored.continuation?.targetDuration)
    let stamper = LivePacketStamper(
      schedule, settings.options, from: restored.start, clock, sign: settings.sign, isContinuation: restored.isContinuation)
    let prefix = String(UInt32.random(in: .min ... .max), radix: 36)
    desk = EventDesk(
      restored.game, arrivals: restored.arrivals, journal: journal.take(), feed: feed, mirror: pair.map { ($0.mirror, store, term) }
    ) { Self.object($0, of: settings.name) }
    let variantCount = settings.variants.count
    let playlist = LivePlaylist(
      settings.playlist, settings.segmentType, prefix: prefix, renditionCount: variantCount, hasParts: settings.partDuration != nil,
      fragmentOrigin: StretchFragmenter.origin, following: restored.continuation)
    store.remove(playlist.leftovers + unwritten, from: folder)
    let problems = Relay<Presentation.Problem>()
    presentation = Presentation(
      playlist, variantCount: variantCount, patience: settings.variantPatience, in: store, desk, say: relay.send, tell: problems.send)
    if settings.segmentType == .fragmentedMP4 {
      presentation.makeFragments(EventMessages(fragments, origin: StretchFragmenter.origin), partDuration: settings.partDuration) {
        outputStop.isSet
      }
    }
    let pipeline = LivePipeline(
      stamper, partDuration: settings.segmentType == .transportStream ? settings.partDuration : nil,
      makesPortions: presentation.wantsPieces, isLeading: variantCount > 0, goesOn: restored.dates != nil)
    state = Mutex(State(pipeline: pipeline, dates: restored.dates))
    if let pair { feed.copies.reach { [mirror = pair.mirror] in mirror.tell($0) } }
    relay.reach { [weak self] in self?.report($0) }
    problems.reach { [weak self] in self?.handle($0) }
  }

  /// Which input it reads.
  package var input: LiveInput { settings.input }

  var inbox: PublisherInbox? { inbox(of: input) }

  /// Where the publishers of an input come in.
  func inbox(of input: LiveInput) -> PublisherInbox? { inboxes.first { .publisher($0.address) == input } }

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

  package var situation: Situation {
    var situation = state.withLock { $0.situation }
    let counts = presentation.counts
    (situation.segments, situation.discontinuities, situation.gaps) = (counts.segments, counts.discontinuities, counts.gaps)
    return situation
  }

  /// The number of access units that slow outputs have missed.
  package var droppedUnits: Int { sinks.reduce(0) { $0 + $1.droppedUnits } }

  /// Why the session has ended before it should; `nil` where it has not.
  package var failure: LiveSessionError? { state.withLock { $0.failure } }

  // MARK: Beginning and end

  /// Begins to read.
  package func start() {
    desk.start()
    presentation.closeBegunSegment()
    // They are there before the first input can end.
    let others = settings.variants.enumerated().map { VariantStream($1, $0, of: self) }
    variants.withLock { $0 = others }
    for variant in others { variant.start() }
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

  /// Ends and lets the other node of a pair go on: what it has not got is not promised to anybody. The presentation and those who listen stay.
  package func handOver() {
    handsOver.set()
    stop()
  }

  private func finish() {
    if handsOver.isSet { return leave() }
    // An input that has ended by itself leaves time to make what is left of it.
    let seconds = inputStop.isSet ? 0.7 : 60
    inputStop.set()
    let output = state.withLock { state in
      state.pipeline.interrupt()
      return state.pipeline.take()
    }
    hand(on: output)
    finishVariants(seconds: seconds / 3)
    presentation.end(seconds: seconds)
    desk.close()
    for sink in sinks { sink.close() }
    // An output that does not take the rest in this time, or still waits for the other side, is interrupted.
    let patience = ContinuousClock.now + .milliseconds(300)
    let open = sinks.filter { !$0.join(until: patience) }
    outputStop.set()
    for sink in open { _ = sink.join(until: patience + .milliseconds(700)) }
    store.close()
    pair?.mirror.leave(isEnd: true)
    state.withLock { $0.situation.hasEnded = true }
    feed.close()
  }

  /// Ends without an end of the stream. The segment that is open is made by the other node, from its beginning on.
  private func leave() {
    inputStop.set()
    desk.close(isHandedOver: true)
    pair?.mirror.leave(isEnd: false)
    outputStop.set()
    for sink in sinks { sink.close() }
    state.withLock { $0.situation.hasEnded = true }
  }

  /// Ends the other renditions behind the first input.
  ///
  /// - Parameter seconds: How long they may take for what has come.
  private func finishVariants(seconds: Double) {
    lead.withLock { $0.finish() }
    let variants = variants.withLock { variants in
      defer { variants = [] }
      return variants
    }
    let patience = ContinuousClock.now + .seconds(seconds)
    let late = variants.filter { !$0.join(until: patience) }
    for variant in variants { variant.stop() }
    for variant in late { _ = variant.join(until: patience + .milliseconds(200)) }
  }

  // MARK: The input

  private func readInput() {
    do throws(LiveSessionError) {
      if let pair {
        try pair.input.feed(self)
        // An input that ends here alone ends nothing: the other node goes on with its own.
        if !pair.mirror.isAlone { inputStop.wait(until: .now + PairRole.inputLead * 2) }
        return
      }
      var reader = InputReader(self)
      try reader.read()
    } catch {
      state.withLock { $0.failure = error }
    }
  }

  // MARK: Other renditions

  /// Whether segments are made piece by piece.
  var makesPortions: Bool { presentation.wantsPieces }

  /// Takes what has come of another rendition.
  func add(_ output: LivePipeline.Output, ofVariant index: Int) {
    presentation.add(output, ofVariant: index)
    for case .interrupted(let error) in output.notices { report("\(settings.variants[index].name): \(error)") }
  }

  /// Ends what is being made of another rendition.
  func endVariant(_ index: Int) { presentation.endVariant(index) }

  /// Receives why a rendition cannot be used. One that was not right before ends a new session.
  func refuseVariant(_ index: Int, _ reason: String) {
    handle(Presentation.Problem(variant: index, reason: reason, isProven: presentation.isProven(variant: index)))
  }

  /// Receives why the input of a rendition cannot be read.
  func refuseVariant(_ index: Int, _ error: LiveSessionError) {
    guard endsWithVariant(isProven: presentation.isProven(variant: index)) else {
      return report("\(settings.variants[index].name) cannot be read; it is left out")
    }
    fail(error)
  }

  /// Whether a rendition that does not fit ends the session: an operator who has just begun can mend it. Later the show goes on.
  private func endsWithVariant(isProven: Bool) -> Bool {
    !isProven && !isContinuation && presentation.counts.segments <= Self.firstSegments
  }

  private static let firstSegments = 6

  private func fail(_ error: LiveSessionError) {
    state.withLock { $0.failure = $0.failure ?? error }
    inputStop.set()
  }

  private func handle(_ problem: Presentation.Problem) {
    let name = settings.variants[problem.variant].name
    guard endsWithVariant(isProven: problem.isProven) else { return report("\(name): \(problem.reason); it is left out") }
    fail(.variant(name, reason: problem.reason))
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
    guard !settings.variants.isEmpty else { return }
    lead.withLock { lead in
      for arrival in arrivals { lead.add(arrival.planned) }
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

  /// Lets the next access unit begin a stretch of its own: what comes does not continue what came before.
  func interruptInput() { state.withLock { $0.pipeline.interrupt() } }

  /// Receives an event of the input. It goes before the frames that come behind it; what cannot be an event is told, and left out.
  func receive(_ event: ForeignEvent) {
    let request: LiveRequest
    do throws(LiveProblem) { request = try event.request(event.data["guid"]?.string.flatMap { GUID($0) } ?? .random()) } catch {
      return report("\(settings.input.name): \(event.name.quoted) is left out: \(error)")
    }
    desk.change { (game, now) throws(LiveProblem) in
      try game.accept(request, newGUID: .random(), now: now)
    } done: { [self] result in
      switch result {
      case .success(let answer): if answer.isNew { noteAccepted(answer.status) }
      // The same event again, which says when it was sent: there, repeats are sent one by one.
      case .failure(.conflict): break
      case .failure(let problem): report("\(settings.input.name): \(event.name.quoted) is left out: \(problem)")
      }
    }
  }

  private func tellInput(isUp: Bool) {
    var data = JSONObject()
    data.append("input", isUp ? "up" : "down")
    feed.send("input", data)
  }

  // MARK: The output

  /// Hands on what has come out of the pipeline.
  private func hand(on output: LivePipeline.Output) {
    state.withLock { ($0.situation.addedPackets, $0.situation.replacedPackets) = output.packetCounts }
    if !output.steps.isEmpty {
      lead.withLock { lead in
        for step in output.steps { lead.push(step.unit, step.copies) }
      }
    }
    // The segment before a discontinuity has the dates before it.
    for segment in output.segments where output.stretch.map({ segment.start < $0 }) ?? true { add(segment) }
    if let unit = output.unit { advance(to: unit.time, stretch: output.stretch) }
    if !output.placed.isEmpty { place(output.placed) }
    send(output.pieces, isPromised: output.placed.contains { $0.copy.copy.copy == 1 })
    for segment in output.segments where output.stretch.map({ segment.start >= $0 }) ?? false { add(segment) }
    for part in output.parts { presentation.add(part, wallClock: wallClock(of: part.segmentStart)) }
    for piece in output.pieces { presentation.add(piece) { wallClock(of: $0) } }
    for notice in output.notices {
      switch notice {
      case .interrupted(let error): report("\(error)")
      case .resumed: break
      case .exceededRate:
        report("too few null packets come for the events: packets are added, and the bit rate is not constant there")
      }
    }
  }

  /// Hands bytes to the outputs. An event leaves once the journal knows its place: a restart must not give it another one.
  ///
  /// - Parameter isPromised: Whether there are first copies among them.
  private func send(_ pieces: [LivePipeline.Piece], isPromised: Bool) {
    guard !sinks.isEmpty, !pieces.isEmpty else { return }
    let bytes: @Sendable () -> Void = { [sinks] in
      for piece in pieces {
        for sink in sinks { sink.add(piece.bytes, startsUnit: piece.unit != nil, isRandomAccess: piece.unit?.isRandomAccess ?? false) }
      }
    }
    // What comes meanwhile stays behind it.
    guard settings.journal != nil, isPromised || waitingPortions.load(ordering: .acquiring) > 0 else { return bytes() }
    waitingPortions.add(1, ordering: .acquiringAndReleasing)
    desk.afterwards { [self] in
      bytes()
      waitingPortions.subtract(1, ordering: .acquiringAndReleasing)
    }
  }

  /// Records that the stream has come to a time.
  private func advance(to unitTime: MediaTime, stretch: MediaTime?) {
    // A network tells by its access units that it comes.
    setInput(isUp: true)
    let listed = stretch == nil ? nil : presentation.endDate
    let (time, dates) = state.withLock { state in
      let time = max(unitTime, state.situation.time ?? unitTime)
      state.situation.time = time
      state.silence.end(at: .now)
      let dates =
        stretch.map { start in
          // Dates do not go back, and a gap may last until after now.
          let date = WallClock.now - (time - start).milliseconds
          return DateAnchor(time: start, wallClock: max(date, state.dates?.wallClock(of: start) ?? date, listed ?? date))
        } ?? state.dates
        ?? DateAnchor(time: time, wallClock: WallClock.now)
      state.dates = dates
      return (time, dates)
    }
    desk.advance(to: time, dates: dates)
  }

  private func add(_ segment: LiveSegment) { presentation.add(segment, wallClock: wallClock(of: segment.start)) }

  /// The date of a time on the programme's timeline, in milliseconds since 1970.
  private func wallClock(of time: MediaTime) -> Int64 { state.withLock { $0.dates }?.wallClock(of: time) ?? WallClock.now }

  private func place(_ copies: [PlacedCopy]) {
    let dates = state.withLock { $0.dates }
    desk.place(copies) { dates?.wallClock(of: $0) ?? WallClock.now }
    state.withLock { state in
      state.situation.copies += copies.count
      if let first = copies.last(where: { $0.copy.copy.copy == 1 })?.copy {
        state.situation.lastEvent = "\(first.copy.event.type) \(first.copy.event.sequence.map { "\($0)" } ?? "")"
      }
    }
  }

  // MARK: Silence

  /// Sends listeners an empty message every ten seconds, so that their connections stay open.
  private func keepAlive(_ next: inout ContinuousClock.Instant) {
    guard ContinuousClock.now >= next else { return }
    next = .now + .seconds(10)
    feed.keepAlive()
  }

  /// Lists gaps while nothing comes from the input, so that players go on waiting.
  private func watch() {
    if let limit = settings.duration, let time = situation.time, time >= limit { inputStop.set() }
    presentation.release()
    guard let seconds = presentation.targetDuration else { return }
    let target = Duration.seconds(Int(clamping: seconds))
    switch state.withLock({ $0.silence.step(at: .now, target: target) }) {
    case nil: break
    case .begin: fallSilent(target)
    case .gap:
      // A gap comes behind what the silence has ended.
      guard presentation.isIdle else { return }
      state.withLock { $0.silence.cover(target: target) }
      presentation.addGap()
    }
  }

  private func fallSilent(_ target: Duration) {
    let (wasUp, output) = state.withLock { state in
      state.silence.begin(target: target)
      defer { state.situation.isInputUp = false }
      state.pipeline.interrupt()
      return (state.situation.isInputUp, state.pipeline.take())
    }
    // Its access units came before the silence.
    hand(on: output.withoutUnit)
    lead.withLock { $0.interrupt() }
    presentation.interrupt()
    guard wasUp else { return }
    report("nothing comes from \(settings.input.name)")
    tellInput(isUp: false)
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
