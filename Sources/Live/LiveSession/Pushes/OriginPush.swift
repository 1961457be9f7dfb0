import HTTPClient
import LiveHLS
import LiveInterface
import Synchronization

/// Pushes a live presentation to one origin, on a thread of its own, so that a slow or failing origin slows nothing else.
///
/// At most three segments wait. If there are more, the oldest are given up: they are gaps in the playlists that the origin gets.
final class OriginPush: Sendable {
  /// The refusal of the first thing that an origin was sent.
  struct Refusal: Equatable, Sendable {
    /// The address without secrets.
    var name: String
    var reason: String
  }

  private struct State {
    var backlog = PushBacklog()
    var isUp = false
    /// Whether the origin has taken anything.
    var hasSucceeded = false
    /// Whether the origin has refused the first thing that it was sent.
    var isRefused = false
    var isClosed = false
    /// Whether the stream is about to end: the last segment is known once the queue is closed.
    var isEnding = false
    /// Files that the origin need not keep.
    var removable: [String] = []
  }

  let address: PushAddress
  private let state = Mutex(State())
  private let wakeUp = WakeUp()
  private let stop = StopFlag()
  private let worker: Mutex<Worker?> = Mutex(nil)
  private let say: @Sendable (String) -> Void
  private let refuse: @Sendable (Refusal) -> Void

  /// How many files wait for their removal at most: the origin keeps the others.
  private static let mostRemovable = 1_000

  /// Begins to wait for changes of the presentation.
  ///
  /// - Parameters:
  ///   - say: Receives messages for the operator.
  ///   - refuse: Called if the origin refuses the first thing that it is sent, with the reason.
  init(
    _ address: PushAddress, _ credentials: PushCredentials, _ storage: PushStorage, hasEventTrack: Bool,
    say: @escaping @Sendable (String) -> Void, refuse: @escaping @Sendable (Refusal) -> Void
  ) {
    (self.address, self.say, self.refuse) = (address, say, refuse)
    stop.whenSet { [wakeUp] in wakeUp.signal() }
    let worker = Worker("push") { [self] in work(credentials, storage, hasEventTrack: hasEventTrack) }
    self.worker.withLock { $0 = worker }
  }

  /// The address for messages and metrics, without secrets.
  var name: String { address.name }

  /// Whether the origin takes what it is sent.
  var isUp: Bool { state.withLock { $0.isUp && !$0.isClosed } }

  /// Whether the origin has refused the first thing that it was sent, and has taken nothing since.
  var isRefused: Bool { state.withLock { $0.isRefused && !$0.hasSucceeded } }

  /// The number of segments that the origin does not have.
  var lostSegments: Int { state.withLock { $0.backlog.lostCount } }

  /// Queues a change of the presentation.
  func add(_ update: SegmentStore.Update) {
    state.withLock { $0.backlog.add(update) }
    wakeUp.signal()
  }

  /// Announces that only the last segments follow.
  func prepareEnd() { state.withLock { $0.isEnding = true } }

  /// Lets the push end once it has sent everything.
  func close() {
    state.withLock { $0.isClosed = true }
    wakeUp.signal()
  }

  /// Waits until the push has ended, and ends it at an instant.
  func join(until instant: ContinuousClock.Instant) {
    let worker = worker.withLock { $0 }
    guard worker?.join(until: instant) == false else { return }
    stop.set()
    worker?.join(seconds: 1)
  }

  // MARK: The thread

  private func work(_ credentials: PushCredentials, _ storage: PushStorage, hasEventTrack: Bool) {
    var sender = PushSender(address, credentials, storage) { [stop] in stop.isSet }
    var ingest = address.form == .ingest ? IngestTracks(hasEventTrack: hasEventTrack) : nil
    var files = PushFiles(address)
    /// Whether the origin has failed since the last change.
    var hasFailed = false
    var attempts = BackOff(.seconds(1), longest: .seconds(8))
    /// How many lost segments the operator knows of.
    var toldLost = 0
    /// Whether the operator knows that the origin is too slow.
    var isSlow = false
    var removesFiles = address.form != .ingest
    while let task = next(knowsLast: ingest != nil) {
      guard case .change(let update, let lost, let isLast) = task else {
        if case .removal(let file) = task, removesFiles { removesFiles = remove(file, files, &sender) }
        continue
      }
      // An origin may be slow for some time: the segments that wait meanwhile are worth it.
      sender.patience = .seconds(max(Int(clamping: update.targetDuration) * 3, 6))
      var requests =
        ingest?.segments(update.record, update.segments, isLast: isLast).map { request($0) }
        ?? files.requests(for: update, without: lost, isAfterFailure: exchange(&hasFailed, with: false))
      while !requests.isEmpty, !stop.isSet {
        do throws(PushFailure) {
          try sender.send(requests[0])
          requests.removeFirst()
          let isRecovered = attempts.succeed()
          let (lost, isBehind) = state.withLock { state in
            (state.isUp, state.hasSucceeded) = (true, true)
            return (state.backlog.lostCount, state.backlog.segmentCount > 1)
          }
          let new = lost - exchange(&toldLost, with: lost)
          if isRecovered {
            say("\(name): it takes segments again\(Self.words(lost: new))")
          } else if new > 0, !isSlow {
            say("\(name): it is too slow\(Self.words(lost: new))")
          }
          isSlow = isBehind && (isSlow || new > 0)
        } catch {
          guard error != .network(.interrupted) else { break }
          hasFailed = true
          let isRefused = state.withLock { state in
            state.isUp = false
            let isFirst = error.isRefusal && !state.hasSucceeded && !state.isRefused
            if isFirst { state.isRefused = true }
            return isFirst
          }
          if attempts.fail("\(error)", at: .now) { say("\(name): \(error)") }
          if isRefused { refuse(Refusal(name: name, reason: "\(error)")) }
          if !error.isRefusal, let next = attempts.nextTry { wait(until: next) }
          // What is refused, or too old by now, is not tried again.
          guard error.isRefusal || state.withLock({ $0.backlog.isFull }) else { continue }
          state.withLock { $0.backlog.lose(update) }
          requests = []
          if error.isRefusal, let next = attempts.nextTry { wait(until: next) }
        }
      }
      state.withLock { state in
        guard removesFiles, state.removable.count < Self.mostRemovable else { return }
        state.removable += update.removable + update.removableParts
      }
    }
    let lost = state.withLock { $0.backlog.lostCount + $0.backlog.segmentCount } - toldLost
    if stop.isSet || lost > 0 { say("\(name): the end of the stream is missing there\(Self.words(lost: lost))") }
  }

  private func request(_ segment: IngestTracks.Segment) -> PushRequest {
    PushRequest(
      method: .post, url: "\(address.url)/Streams(\(segment.track))", contentType: segment.contentType, body: segment.bytes,
      isChunked: true,
      header: segment.header)
  }

  private static func words(lost: Int) -> String {
    switch lost {
    case ...0: ""
    case 1: "; one segment is lost there"
    default: "; \(lost) segments are lost there"
    }
  }

  /// What the thread does next.
  private enum Task {
    /// Send a change of the presentation.
    case change(SegmentStore.Update, lost: Set<String>, isLast: Bool)
    /// Remove a file.
    case removal(String)
  }

  /// What to do next, as soon as there is something; `nil` at the end.
  ///
  /// - Parameter knowsLast: Whether the last segment of a stream is to be known as such.
  private func next(knowsLast: Bool) -> Task? {
    while !stop.isSet {
      let (task, isOver): (Task?, Bool) = state.withLock { state in
        let isHeld = knowsLast && state.isEnding && !state.isClosed && state.backlog.segmentCount < 2
        if !isHeld, let update = state.backlog.take() {
          return (.change(update, lost: state.backlog.lostNames, isLast: state.isEnding && state.backlog.segmentCount == 0), false)
        }
        guard state.backlog.isEmpty, !state.isClosed, !state.removable.isEmpty else {
          return (nil, state.isClosed && state.backlog.isEmpty)
        }
        return (.removal(state.removable.removeFirst()), false)
      }
      if let task { return task }
      if isOver { return nil }
      wakeUp.wait()
    }
    return nil
  }

  /// Removes a file; returns whether the origin lets files be removed.
  private func remove(_ file: String, _ files: PushFiles, _ sender: inout PushSender) -> Bool {
    do throws(PushFailure) { try sender.send(files.removal(of: file)) } catch {
      // It may be gone already, or the next request tells what is wrong.
      guard case .status(let status, _) = error, ![404, 410].contains(status), error.isRefusal else { return true }
      say("\(name): old segments stay there, since it does not remove files (HTTP \(status))")
      state.withLock { $0.removable = [] }
      return false
    }
    return true
  }

  /// Waits until an instant, or until the backlog is full: then the present segment is too old.
  private func wait(until instant: ContinuousClock.Instant) {
    while ContinuousClock.now < instant, !stop.isSet, !state.withLock({ $0.backlog.isFull }) { wakeUp.wait(until: instant) }
  }
}
