package import Basics
import CueSheet
import EventSchedule
package import Files
package import GameEvents
import HLSPlaylist
package import LibAV
package import LiveGame
import LiveHLS
package import LiveInterface
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
    /// What was counted of the packets of the input.
    package var input = InputCounts()
    /// How often the clock of the input has jumped.
    package var clockJumps = 0
    /// By how many seconds the programme's date was ahead of this machine's clock when the latest access unit came; `nil` before the first one.
    package var dateOffset: Double?
    /// The longest time between two key frames lately; `nil` before the second one.
    package var keyFrameInterval: MediaTime?
    /// The type and the place in the game of the event that was placed last.
    package var lastEvent: String?
    /// The latest message for the operator.
    package var notice: String?
    /// The number of messages for the operator.
    package var notices = 0
    /// The session is over.
    package var hasEnded = false
  }

  struct State {
    var pipeline: LivePipeline
    var situation = Situation()
    /// Which date the programme has when.
    var dates: DateAnchor?
    var silence = Silence(from: .now)
    /// Whether the thread that watches the input has found it silent.
    var isSilent = false
    var notices = NoticeGate()
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
  let state: Mutex<State>
  let sinks: [StreamSink]
  let presentation: Presentation
  /// What the first input has decided, for other renditions.
  let lead = Mutex(LeadingTimeline())
  let variants: Mutex<[VariantStream]> = Mutex([])
  /// Whether there was a session before.
  let isContinuation: Bool
  /// Wakes the thread that watches the input: what it looks at has changed.
  let attention = WakeUp()
  /// Told when the input comes or goes, when it is known how the stream reaches viewers, and at the end.
  let changes = Changes()
  /// How many portions of the stream wait for the journal.
  let waitingPortions = Atomic<Int>(0)
  /// Asks the input to end, and then the outputs.
  let inputStop = StopFlag()
  /// The pair that the session leads; `nil` for a session alone.
  let pair: PairLead?
  /// How often a node of the pair has led, with this time.
  package let term: Int
  /// Whether the other node of a pair goes on when this one ends.
  let handsOver = StopFlag()
  let outputStop = StopFlag()
  /// Keeps other sessions out of the folders that this one writes to.
  let folderLocks: Mutex<[FolderLock]>
  private let workers: Mutex<[Worker]> = Mutex([])
  /// How many bytes are left in each folder that the session writes to.
  private let freeSpace: Mutex<[String: UInt64]> = Mutex([:])
  private let say: @Sendable (String) -> Void

  /// Opens the journal and the outputs, and goes on where an earlier session ended.
  ///
  /// - Parameters:
  ///   - pair: What a node of a pair begins to lead with; `nil` for a session alone.
  ///   - say: Receives messages for the operator.
  /// - Throws: `LiveSessionError`.
  package init(_ wanted: LiveSettings, leading pair: PairLead? = nil, say: @escaping @Sendable (String) -> Void) throws(LiveSessionError) {
    var wanted = wanted
    if wanted.continuesJournal { wanted.continueRecordings(say) }
    self.say = say
    self.pair = pair
    let relay = Relay<String>()
    feed = pair?.feed ?? LiveFeed()
    for path in ([wanted.input] + wanted.variants).compactMap(\.path) {
      do throws(FileInputError) { _ = try FileInput(path: path).size } catch { throw .input(error) }
    }
    // Nothing is made before it is clear that everything can be.
    do throws(FileSinkError) {
      for address in wanted.outputs { try address.requirePlace(overwrite: wanted.overwrite) }
    } catch {
      throw .output(error)
    }
    do throws(FileSinkError) { folderLocks = Mutex(try wanted.lockFolders()) } catch { throw .output(error) }
    var journal: JournalFile?
    var restored: RestoredSession
    do throws(FileSinkError) { journal = try wanted.journal.map { (path) throws(FileSinkError) in try JournalFile(path: path) } } catch {
      throw .output(error)
    }
    var contents: JournalText.Contents
    do throws(JournalText.Damage) {
      contents = try JournalText.whole(journal?.contents ?? [])
      restored = try RestoredSession(contents.records, wanted, now: WallClock.now)
    } catch {
      throw .journal(path: wanted.journal ?? "", reason: "\(error)")
    }
    wanted.game = restored.game.settings.game
    let settings = wanted
    self.settings = settings
    pair?.begin(&restored)
    let term = restored.term + 1
    self.term = term
    do throws(SheetError) {
      if let cues = settings.cues { try restored.start(with: cues, now: WallClock.now) }
    } catch {
      throw .cues(error.problems)
    }
    do throws(FileSinkError) {
      try journal?.start(at: contents.byteCount)
      let lines = contents.chain.lines(restored.beginning)
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
    let store = pair?.store ?? SegmentStore(folder: folder, spoolFolder: settings.spoolFolder, say: relay.send)
    self.store = store
    // Segments that were in memory alone are gone.
    let unwritten = restored.keepSegments(store.resume(restored.continuation?.segments.map(\.files) ?? [], in: folder))
    let placed = restored.placedEvents(signedBy: settings.sign)
    var schedule = EventSchedule(placed.lost, policy: settings.policy)
    let bursts = restored.bursts
    for event in placed.seen { schedule.resume(event, copies: bursts[event.event.guid]) }
    if restored.isContinuation { schedule.begin(at: restored.start) }
    restored.game.forgetPlacedEvents()
    isContinuation = restored.isContinuation
    let clock = SegmentClock(duration: settings.segmentDuration, targetDuration: restored.continuation?.targetDuration)
    let stamper = LivePacketStamper(
      schedule, settings.options, from: restored.start, clock, sign: settings.sign, isContinuation: restored.isContinuation)
    let prefix = String(UInt32.random(in: .min ... .max), radix: 36)
    desk = EventDesk(
      restored.game, arrivals: restored.arrivals, journal: journal.take(), after: contents.chain, feed: feed,
      mirror: pair.map { ($0.mirror, store, term) }
    ) { Self.object($0, of: settings.name) }
    let variantCount = settings.variants.count
    let playlist = LivePlaylist(
      settings.playlist, settings.segmentType, prefix: prefix, renditionCount: variantCount, hasParts: settings.partDuration != nil,
      fragmentOrigin: LiveSegmenter.fragmentOrigin, following: restored.continuation)
    store.remove(playlist.leftovers + unwritten, from: folder)
    let problems = Relay<Presentation.Problem>()
    // Nobody waits for other renditions for longer than players are behind.
    let patience = settings.variantPatience ?? settings.partDuration.map { .milliseconds(Int64(LivePart.heldBack) * $0.milliseconds) }
    presentation = Presentation(
      playlist, variantCount: variantCount, patience: patience, in: store, desk, attention: attention, say: relay.send, tell: problems.send)
    let segmenter = LiveSegmenter(
      settings.segmentType, partDuration: settings.partDuration, goesOn: restored.dates != nil,
      // The next session has to know of those too of which this one places no copy.
      goingOnWith: placed.seen.compactMap { event in bursts[event.event.guid].map { .init(guid: event.event.guid, copies: $0) } })
    let pipeline = LivePipeline(
      stamper, segmenter, isLeading: variantCount > 0, hasSinks: !sinks.isEmpty, goesOn: restored.dates != nil)
    state = Mutex(State(pipeline: pipeline, dates: restored.dates))
    if let pair { feed.copies.reach { [mirror = pair.mirror] in mirror.tell($0) } }
    desk.onChange { [attention] in attention.signal() }
    relay.reach { [weak self] in self?.report($0) }
    // Nobody was there to hear it when the store was made.
    if pair == nil, let failure = store.spoolFailure { report(failure) }
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
    let target = silenceTarget
    var situation = state.withLock { state in
      var situation = state.situation
      if state.silence.isNoticeable(at: .now, target: target) { situation.isInputUp = false }
      return situation
    }
    if let pair { situation.input = pair.input.counts }
    let counts = presentation.counts
    (situation.segments, situation.discontinuities, situation.gaps) = (counts.segments, counts.discontinuities, counts.gaps)
    return situation
  }

  /// The duration by which a silence of the input is judged: the target duration, or what it will be at least.
  var silenceTarget: Duration {
    if let seconds = presentation.targetDuration { return .seconds(Int(clamping: seconds)) }
    return max(.seconds(1), .milliseconds(settings.segmentDuration.milliseconds))
  }

  /// How the stream reaches viewers; `nil` as long as there is nothing to play.
  package var delivery: StreamDelivery? {
    guard let target = presentation.targetDuration else { return nil }
    return StreamDelivery(
      segmentDuration: settings.segmentDuration, targetDuration: MediaTime(seconds: Int(clamping: target)),
      partTarget: presentation.partTarget, keyFrameInterval: state.withLock { $0.situation.keyFrameInterval })
  }

  /// The number of access units that slow outputs have missed.
  package var droppedUnits: Int { sinks.reduce(0) { $0 + $1.droppedUnits } }

  /// The outputs besides the web server: the name of each, whether it takes what it is sent, and how many access units it has missed.
  package var outputs: [(name: String, isUp: Bool, droppedUnits: Int)] { sinks.map { ($0.name, $0.isUp, $0.droppedUnits) } }

  /// The other renditions: the name of the playlist of each, whether it has gaps now, and what was counted of the packets of its input.
  package var renditions: [(name: String, hasGaps: Bool, input: InputCounts)] {
    let inputs = variants.withLock { $0 }.map(\.counts)
    return presentation.renditions.enumerated().map { ($1.name, $1.hasGaps, $0 < inputs.count ? inputs[$0] : InputCounts()) }
  }

  /// The folders that the session writes to, and how many bytes were left there some seconds ago.
  package var folders: [(path: String, freeBytes: UInt64)] { freeSpace.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0, $1) } }

  /// Looks how much is left, until the session ends. A file system of another machine may take its time.
  private func watchDisk() {
    let files = [settings.journal].compactMap(\.self) + settings.outputs.compactMap(\.file)
    let folders = Set(files.map { PathParts($0).folder })
    while !folders.isEmpty, !outputStop.isSet, !inputStop.isSet {
      for folder in folders {
        let left = FileSpace.left(at: folder)
        freeSpace.withLock { $0[folder] = left }
      }
      inputStop.wait(until: .now + Self.diskInterval)
    }
  }

  private static let diskInterval = Duration.seconds(5)

  /// What keeps the session from doing all that it should, in words for the operator; empty where nothing does.
  package var faults: [String] {
    let input = situation.isInputUp ? [] : ["nothing comes from the input"]
    let renditions = presentation.renditions.filter(\.hasGaps).map { "\($0.name) has gaps, since its input does not come in time" }
    return input + [desk.refusal].compactMap(\.self) + renditions
  }

  /// Why the session has ended before it should; `nil` where it has not.
  package var failure: LiveSessionError? { state.withLock { $0.failure } }

  /// Calls `body` when the state of an event changes, as ``EventDesk/onChange(_:)`` does, and when the condition of the stream does: the input comes or goes,
  /// ``delivery`` is another one, or the session has ended. What has changed, it looks up.
  ///
  /// - Parameter body: Called on a thread of the session that holds no lock then. It returns at once, and tolerates calls without a change.
  package func onChange(_ body: @escaping @Sendable () -> Void) {
    desk.onChange(body)
    changes.observe(body)
  }

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
    let watching = Worker("watch") { [self] in watchInput() }
    // Nobody waits for it: a file system may hang.
    _ = Worker("disk") { [weak self] in self?.watchDisk() }
    workers.withLock { $0 = [reading, watching] }
  }

  /// Ends everything: the playlist with ENDLIST, the journal, clients. What was placed until now is written first, which usually takes a fraction of a
  /// second; only a disk that does not answer makes it take longer, up to ``endPatience``.
  package func stop() {
    inputStop.set()
    let patience = ContinuousClock.now + Self.endPatience
    for worker in workers.withLock({ $0 }) { worker.join(seconds: max((patience - .now).inSeconds, 0)) }
  }

  /// The longest time that the end of a session may take.
  private static let endPatience = Duration.seconds(20)
  /// The longest time that each step of it may take: the last segments, the journal, the files of a folder.
  static let endStepSeconds = 5.0

  /// Ends everything, as ``stop()`` does, and lets others work meanwhile.
  package func stopWaiting() async {
    await withCheckedContinuation { continuation in
      _ = Worker("stop") { [self] in
        stop()
        continuation.resume()
      }
    }
  }

  func finish() {
    if handsOver.isSet { return leave() }
    // What was placed is in the last segments. An input that has ended by itself may have left more to make.
    let seconds = inputStop.isSet ? Self.endStepSeconds : 60
    inputStop.set()
    let output = state.withLock { state in
      state.pipeline.interrupt()
      return state.pipeline.take()
    }
    hand(on: output)
    finishVariants(seconds: seconds / 3)
    presentation.end()
    desk.close()
    for sink in sinks { sink.close() }
    // An output that does not take the rest in this time, or still waits for the other side, is interrupted.
    let patience = ContinuousClock.now + .milliseconds(300)
    let open = sinks.filter { !$0.join(until: patience) }
    outputStop.set()
    for sink in open { _ = sink.join(until: patience + .milliseconds(700)) }
    store.close()
    folderLocks.withLock { $0 = [] }
    pair?.mirror.leave(isEnd: true)
    for notice in state.withLock({ $0.notices.takeAll(at: .now) }) { tell(notice) }
    state.withLock { $0.situation.hasEnded = true }
    changes.tell()
    feed.close()
  }

  func report(_ message: String) {
    let due = state.withLock { state in
      state.situation.notices += 1
      return state.notices.add(message, at: .now)
    }
    // The thread that watches the input tells later what is held back.
    if let due { tell(due) } else { attention.signal() }
  }

  /// Tells what was held back because the same was said within a second.
  func tellHeldNotices() {
    for notice in state.withLock({ $0.notices.takeDue(at: .now) }) { tell(notice) }
  }

  private func tell(_ notice: String) {
    state.withLock { $0.situation.notice = notice }
    var data = JSONObject()
    data.append("notice", notice)
    feed.send("notice", data)
    say(notice)
  }
}
