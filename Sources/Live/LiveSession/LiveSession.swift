package import Basics
import CueSheet
import EventSchedule
package import Files
package import GameEvents
import HLSPlaylist
package import LibAV
import LibC
package import LiveGame
import LiveHLS
import PacketStamping
import Reach
package import Sheets
package import StreamInput
import Synchronization

/// Why a live session cannot begin, or has failed.
package enum LiveSessionError: Error, Sendable {
  case input(FileInputError)
  case media(RemuxError)
  case output(FileSinkError)
  /// The input of this name has no transport packets.
  case notATransportStream(String)
  /// A playlist cannot be read.
  case presentation(StreamInputError)
  /// The input of this name is no rendition of the programme.
  case variant(String, reason: String)
  /// The origin of this name has refused the stream, and nothing else has it.
  case origin(String, reason: String)
  /// The journal is damaged, or belongs to another game.
  case journal(path: String, reason: String)
  /// The cues for the start contradict the journal.
  case cues([SheetProblem])
}

/// A live stream with events: its input, its outputs, its game.
///
/// One thread reads the input and stamps, one writes the journal, and one notices when the input becomes silent. Each output has a thread, and each further
/// rendition has two.
package final class LiveSession: InputReceiver {
  struct State {
    var pipeline: LivePipeline
    var situation = Situation()
    /// The dates of programme times.
    var dates: DateKeeper
    /// The timecode of the stream.
    var timecodes = TimecodeKeeper()
    /// When the packets that are being received arrived; `nil` for now.
    var arrival: ContinuousClock.Instant?
    var silence = Silence(from: .now)
    /// Whether the watching thread has found the input silent.
    var isSilent = false
    var notices = NoticeGate()
    var breaks = BreakDesk()
    var failure: LiveSessionError?
  }

  package let settings: LiveSettings
  /// The largest accepted tag in bytes.
  package var largestTagSize: Int { settings.policy.largestTagSize }
  /// Accepts requests about events.
  package let desk: EventDesk
  /// What pages report of the events; `nil` if they may not.
  package let reach: ReachDesk?
  /// Sends messages to listeners.
  package let feed: LiveFeed
  /// Has the files of the presentation.
  package let store: SegmentStore
  /// The inboxes of the inputs that are published to a listener.
  package let inboxes: [PublisherInbox]
  let state: Mutex<State>
  let sinks: [StreamSink]
  let pushes: [OriginPush]
  let presentation: Presentation
  /// What the first input has decided, for other renditions.
  let lead = Mutex(LeadingTimeline())
  let variants: Mutex<[VariantStream]> = Mutex([])
  /// Whether there was a session before.
  let isContinuation: Bool
  /// Wakes the thread that watches the input, when something has changed.
  let attention = WakeUp()
  /// Notified when the input goes up or down, when ``delivery`` is known, and at the end.
  let changes = Changes()
  /// The number of portions of the stream that wait for the journal.
  let waitingPortions = Atomic<Int>(0)
  /// Asks the input to end, and then the outputs.
  let inputStop = StopFlag()
  /// The first input and its backup; `nil` without a backup.
  package let inputSwitch: InputSwitch?
  /// The pair that the session leads; `nil` for a session alone.
  let pair: PairLead?
  /// The pair's term: how many times leadership has changed.
  package let term: Int
  /// Whether the presentation is that of a session before.
  let continuesPresentation: Bool
  /// Whether the other node of a pair continues when this one ends.
  let handsOver = StopFlag()
  /// Whether another session of this process continues the stream when this one ends.
  let isPaused = StopFlag()
  let outputStop = StopFlag()
  /// Keeps other sessions out of the folders that this one writes to.
  let folderLocks: Mutex<[FolderLock]>
  let workers: Mutex<[Worker]> = Mutex([])
  /// Whether the session was started, or is given up: only one of the two happens.
  let isTaken = Atomic<Bool>(false)
  /// The free bytes of each folder that the session writes to.
  let freeSpace: Mutex<[String: UInt64]> = Mutex([:])
  private let say: @Sendable (String) -> Void

  /// Opens the journal and the outputs, and continues an earlier session.
  ///
  /// - Parameters:
  ///   - pair: The state of a node of a pair that begins to lead; `nil` for a session alone.
  ///   - before: A session of this process that was the same stream and has ended; `nil` for none. Clients stay with its presentation.
  ///   - say: Receives messages for the operator.
  /// - Throws: `LiveSessionError`.
  package init(
    _ wanted: LiveSettings, leading pair: PairLead? = nil, after before: LiveSession? = nil, say: @escaping @Sendable (String) -> Void
  ) throws(LiveSessionError) {
    var wanted = wanted
    if before != nil || wanted.continuesJournal { wanted.continueRecordings(say) }
    self.say = say
    self.pair = pair
    let relay = Relay<String>()
    feed = pair?.feed ?? LiveFeed()
    for path in wanted.inputs.compactMap(\.path) where !FileInput.isReadOnce(path) {
      do throws(FileInputError) { _ = try FileInput(path: path).size } catch { throw .input(error) }
    }
    // Fail before anything is made.
    do throws(FileSinkError) {
      for address in wanted.outputs { try address.requirePlace(overwrite: wanted.overwrite) }
      folderLocks = Mutex(try wanted.lockFolders())
    } catch {
      throw .output(error)
    }
    var journal = try SessionJournal(path: wanted.journal)
    var restored = try journal.restore { [wanted] (records) throws(JournalText.Damage) in
      try RestoredSession(records, wanted, now: WallClock.now)
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
    try journal.begin(restored.beginning)
    var sinks: [StreamSink] = []
    let outputStop = outputStop
    do throws(FileSinkError) {
      for address in settings.outputs where address.folder == nil && address.origin == nil {
        sinks.append(try StreamSink(address, overwrite: settings.overwrite, isStopped: { outputStop.isSet }, say: relay.send))
      }
    } catch {
      // The outputs before it have threads.
      outputStop.set()
      for sink in sinks { sink.close() }
      throw .output(error)
    }
    self.sinks = sinks
    let refusals = Relay<OriginPush.Refusal>()
    pushes = settings.outputs.compactMap(\.origin).map { address in
      OriginPush(
        address, settings.pushCredentials, settings.pushStorage, hasEventTrack: settings.hasEventTrack, say: relay.send,
        refuse: refusals.send)
    }
    let inboxes = settings.inputs.compactMap { input in
      if case .publisher(let address) = input { PublisherInbox(address) } else { nil }
    }
    self.inboxes = inboxes
    inputSwitch = settings.backup.map { backup in
      InputSwitch(settings, backup: backup, inbox: { input in inboxes.first { .publisher($0.address) == input } }, say: relay.send)
    }
    let inherited = pair?.store ?? before?.storeToContinue(with: settings)
    let store = inherited ?? SegmentStore(folder: settings.presentationFolder, spoolFolder: settings.spoolFolder, say: relay.send)
    if pair == nil { store.messages.reach(relay.send) }
    self.store = store
    continuesPresentation = inherited != nil
    // After a crash, drop segments that never reached the disk.
    let unwritten = restored.keepSegments(store.resume(restored.continuation?.segments.map(\.files) ?? []))
    restored.compareInitializations { store.file($0)?.bytes }
    let placed = restored.placedEvents(signedBy: settings.sign)
    var schedule = EventSchedule(placed.lost, policy: settings.policy)
    let bursts = restored.bursts
    for event in placed.seen { schedule.resume(event, copies: bursts[event.event.guid]) }
    if restored.isContinuation { schedule.begin(at: restored.start) }
    let ranges = settings.hasDateRanges ? restored.dateRanges(of: placed.seen + placed.lost) : []
    restored.game.forgetPlacedEvents()
    isContinuation = restored.isContinuation
    let clock = SegmentClock(duration: settings.segmentDuration, targetDuration: restored.continuation?.targetDuration)
    let stamper = LivePacketStamper(
      schedule, settings.options, from: restored.start, clock, sign: settings.sign, isContinuation: restored.isContinuation)
    let prefix = String(UInt32.random(in: .min ... .max), radix: 36)
    reach = settings.hasReach ? before?.reach ?? ReachDesk() : nil
    desk = EventDesk(
      restored.game, arrivals: restored.arrivals, journal: journal.file.take(), after: journal.contents.chain, feed: feed,
      mirror: pair.map { ($0.mirror, store, term) }, reach: reach
    ) { Self.object($0, of: settings.name) }
    let variantCount = settings.variants.count
    var playlist = LivePlaylist(
      settings.playlist, settings.segmentType, prefix: prefix, renditionCount: variantCount, hasParts: settings.partDuration != nil,
      offersRangeDeltas: settings.hasDateRanges, fragmentOrigin: LiveSegmenter.fragmentOrigin, following: restored.continuation)
    playlist.resume(ranges, at: restored.start)
    store.remove(playlist.leftovers + unwritten)
    let problems = Relay<Presentation.Problem>()
    // A segment must not wait for other renditions for longer than players are behind.
    let patience = settings.variantPatience ?? settings.partDuration.map { .milliseconds(Int64(LivePart.heldBack) * $0.milliseconds) }
    presentation = Presentation(
      playlist, variantCount: variantCount, patience: patience, in: store, pushedTo: pushes, desk, attention: attention, say: relay.send,
      tell: problems.send)
    let segmenter = LiveSegmenter(
      settings.segmentType, partDuration: settings.partDuration, goesOn: restored.dates != nil,
      // The next session has to know of those too of which this one places no copy.
      goingOnWith: placed.seen.compactMap { event in bursts[event.event.guid].map { .init(guid: event.event.guid, copies: $0) } })
    let pipeline = LivePipeline(
      stamper, segmenter, isLeading: variantCount > 0, hasSinks: !sinks.isEmpty, goesOn: restored.dates != nil)
    state = Mutex(
      State(
        pipeline: pipeline, dates: DateKeeper(following: restored.dates, isMeasured: settings.tellTime),
        breaks: BreakDesk(restored.game.breaks, count: restored.game.breakCount)))
    if let pair { feed.copies.reach { [mirror = pair.mirror] in mirror.tell($0) } }
    desk.changes.observe { [attention] in attention.signal() }
    relay.reach { [weak self] in self?.report($0) }
    // The relay had no receiver when the store was made.
    if pair == nil, let failure = store.spoolFailure { report(failure) }
    problems.reach { [weak self] in self?.handle($0) }
    refusals.reach { [weak self] in self?.handle($0) }
  }

  package var input: LiveInput { settings.input }

  var inbox: PublisherInbox? { inbox(of: input) }

  /// The inbox of an input.
  func inbox(of input: LiveInput) -> PublisherInbox? { inboxes.first { .publisher($0.address) == input } }

  /// A status with its path.
  package func object(_ status: EventStatus) -> JSONObject { Self.object(status, of: settings.name) }

  private static func object(_ status: EventStatus, of stream: String) -> JSONObject {
    status.object(at: "/v1/streams/\(stream.percentEncodedPart)/events/\(status.guid.text.percentEncodedPart)")
  }

  /// Tells listeners that an event was accepted.
  package func noteAccepted(_ status: EventStatus) { feed.send("accepted", object(status)) }

  /// Tells listeners that an event was cancelled.
  package func noteCancelled(_ guid: GUID) {
    if let status = desk.read({ game, _ in game.status(guid) }) { feed.send("cancelled", object(status)) }
  }

  /// Checks the free space until the session ends. The file system of another machine may be slow.
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

  /// Why the session has failed; `nil` if it has not.
  package var failure: LiveSessionError? { state.withLock { $0.failure } }

  /// Calls `body` when the state of an event changes, as ``EventDesk/changes`` says, when the input goes up or down, when ``delivery`` changes, and when
  /// the session has ended.
  ///
  /// - Parameter body: Called on a thread of the session that holds no lock then. It returns at once, and tolerates calls without a change.
  package func onChange(_ body: @escaping @Sendable () -> Void) {
    desk.changes.observe(body)
    changes.observe(body)
  }

  // MARK: Beginning and end

  /// Begins to read, unless the session was given up.
  package func start() {
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { return }
    desk.start()
    presentation.closeBegunSegment()
    // They must exist before the first input can end.
    let others = settings.variants.enumerated().map { VariantStream($1, $0, of: self) }
    variants.withLock { $0 = others }
    for variant in others { variant.start() }
    let reading = Worker("input") { [self] in
      readInput()
      finish()
    }
    let watching = Worker("watch") { [self] in watchInput() }
    // It is not joined, since a file system may hang.
    _ = Worker("disk") { [weak self] in self?.watchDisk() }
    workers.withLock { $0 = [reading, watching] }
  }

  // MARK: Messages

  func report(_ message: String) {
    let due = state.withLock { state in
      state.situation.notices += 1
      return state.notices.add(message, at: .now)
    }
    // The watching thread reports held messages later.
    if let due { tell(due) } else { attention.signal() }
  }

  /// Reports messages that were held because the same was reported within a second.
  func tellHeldNotices() {
    for notice in state.withLock({ $0.notices.takeDue(at: .now) }) { tell(notice) }
  }

  func tell(_ notice: String) {
    state.withLock { $0.situation.notice = notice }
    feed.send("notice", JSONObject(fields: ["notice": notice]))
    say(notice)
  }
}
