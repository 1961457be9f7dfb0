import Basics
import LibC
import LiveInterface
import LivePair
package import LiveSession
import NIOCore
import NIOPosix
import Synchronization

/// A node of a redundant pair: it leads, or it follows the other node and takes its place when that is gone.
///
/// One thread decides and follows; each connection from the other node has a further one.
package final class PairNode: Sendable {
  /// The address of the other node.
  package struct Peer: Equatable, Sendable {
    package var host: String
    package var port: Int

    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }
  }

  /// How a node has ended.
  package enum Outcome: Sendable {
    /// The stream is over, or the operator has ended the node.
    case ended
    /// Both nodes have led, and the other one continues.
    case yielded
    case failed(LiveSessionError)
  }

  struct State {
    /// The greeting of this node.
    var hello: PairHello
    /// The interface of the session, if this node leads.
    var leading: LiveServer?
    var session: LiveSession?
    /// The connection to the leading node, once this node has all of its data.
    var leader: PairLink?
    var isComplete = false
    /// When the leading thread last ran. A process that was stopped for longer than this allows may have been taken for gone.
    var lastLook = ContinuousClock.now
    var hasSlept: Bool { session != nil && ContinuousClock.now - lastLook > PairRole.silence + PairRole.patienceAfterLoss }
    /// The callers that wait for an answer from the leading node.
    var callers: [Int: CheckedContinuation<PairAnswer?, Never>] = [:]
    var nextCall = 1
    var takeovers = 0
    /// The number of connections that have not identified themselves yet.
    var strangers = 0
    /// The latest attempts to follow, which the other node has refused.
    var refusals = BackOff(PairNode.watch)
    /// Why the last connection could not be made; `nil` if the other node was reached, or no program listens there.
    var linkFailure: PairLinkFailure?
    var outcome: Outcome?
  }

  let settings: LiveSettings
  let access: Access
  let store: SegmentStore
  let feed = LiveFeed()
  private let journal: String
  private let peer: Peer
  private let input: StandbyInput
  let mirror = SessionMirror()
  let state: Mutex<State>
  private let stopping = StopFlag()
  /// Signals that this node begins or ceases to lead, to follow or to be ready, or ends.
  let changes = Changes()
  /// Wakes the leading thread.
  private let attention = WakeUp()
  private let worker: Mutex<Worker?> = Mutex(nil)
  private let say: @Sendable (String) -> Void

  /// How often a node asks the other one again.
  private static let interval = Duration.milliseconds(100)
  /// How often a node that leads alone checks whether the other one leads, too.
  fileprivate static let watch = Duration.seconds(1)
  /// The maximum time for a connection and its first message.
  static let patience = Duration.milliseconds(800)
  /// Events that were accepted alone and are older than this are reported, and no longer put into the stream.
  private static let oldestOrphan: Int64 = 60_000

  /// Makes a node that does nothing before ``start()``.
  ///
  /// - Parameters:
  ///   - journal: The path of its journal.
  ///   - peer: Where the other node listens.
  ///   - say: Receives messages for the operator.
  package init(
    _ settings: LiveSettings, journal: String, peer: Peer, tokens: CurrentTokens, origins: [String],
    say: @escaping @Sendable (String) -> Void
  ) {
    (self.settings, self.journal, self.peer, self.say) = (settings, journal, peer, say)
    access = Access(stream: settings.name, tokens: tokens, origins: origins)
    store = SegmentStore(folder: nil, spoolFolder: settings.spoolFolder, say: say)
    input = StandbyInput(settings, say: say)
    let hello = PairHello(
      stream: settings.name, game: settings.game, node: String(UInt64.random(in: .min ... .max), radix: 36), phase: .undecided, term: 0,
      length: 0, digest: "", token: tokens.now.publishToken)
    state = Mutex(State(hello: hello))
    mirror.changes.observe { [changes, attention] in
      attention.signal()
      changes.tell()
    }
    stopping.whenSet { [attention] in attention.signal() }
  }

  // MARK: State

  /// The interface of the session, if this node leads, and can be sure that it does.
  var leading: LiveServer? { state.withLock { $0.hasSlept ? nil : $0.leading } }

  /// Whether it leads, or has everything that the other node has. A node that cannot make connections at all is not ready: the other one may lead,
  /// too.
  var isReady: Bool { state.withLock { $0.isComplete && !$0.hasSlept && $0.linkFailure?.isLocal != true } }

  /// Why this node cannot reach the other one, in words; `nil` if it can, or if no program listens there.
  var linkFailure: String? { state.withLock { $0.linkFailure?.reason } }

  /// Whether the other node is connected.
  var isConnected: Bool { state.withLock { $0.leading == nil ? $0.leader != nil : !mirror.isAlone } }

  /// How many times this process has taken the place of the other node.
  var takeovers: Int { state.withLock { $0.takeovers } }

  /// The session, if this node leads.
  package var session: LiveSession? { state.withLock { $0.session } }

  /// How the node has ended; `nil` if it has not.
  package var outcome: Outcome? { state.withLock { $0.outcome } }

  /// The message that this node is alive.
  var beat: PairMessage {
    let age = input.latest.map { (ContinuousClock.now - $0).inSeconds * 1_000 }
    return .beat(inputAge: age.map { Int(min($0, Double(Int32.max))) })
  }

  var hello: PairHello {
    var hello = state.withLock { $0.hello }
    hello.isInputUp = input.isUp
    return hello
  }

  // MARK: Start and end

  /// Begins to read the input, and to look for the other node.
  package func start() {
    input.start()
    let worker = Worker("pair") { [self] in
      do throws(LiveSessionError) { end(try run()) } catch { end(.failed(error)) }
    }
    self.worker.withLock { $0 = worker }
  }

  /// Ends the node: the other one continues, if it is there.
  package func stop() {
    stopping.set()
    worker.withLock { $0 }?.join(seconds: 3)
    input.stop()
  }

  private func end(_ outcome: Outcome) {
    let callers = state.withLock { state in
      state.outcome = state.outcome ?? outcome
      return exchange(&state.callers, with: [:])
    }
    for caller in callers.values { caller.resume(returning: nil) }
    changes.tell()
    store.close()
    feed.close()
  }

  /// Decides, follows and leads until the end. After a handover the node follows again.
  private func run() throws(LiveSessionError) -> Outcome {
    var role = PairRole(at: .now)
    while !stopping.isSet {
      let follower = try PairFollower(journal: journal, store: store, feed: feed)
      say("looking for the other node at \(peer.host):\(peer.port)")
      if let outcome = try waitToLead(&role, follower) { return outcome }
      // The other node learns the new phase before the session is made.
      note(role, follower)
      follower.close()
      if let outcome = try lead(&role, follower.lastListing) { return outcome }
    }
    return .ended
  }

  /// Decides and follows.
  ///
  /// - Returns: How the node has ended; `nil` if it is to lead.
  private func waitToLead(_ role: inout PairRole, _ follower: PairFollower) throws(LiveSessionError) -> Outcome? {
    var asking = BackOff(Self.interval)
    while !stopping.isSet {
      note(role, follower)
      let (step, link) = ask(&role)
      switch step {
      case .lead: return nil
      case .follow:
        guard let link else { continue }
        note(role, follower)
        switch try follow(link, &role, follower) {
        case .lead: return nil
        case .end: return .ended
        default: continue
        }
      case .yield: return .yielded
      case .ask, .go, .end, .handOver:
        asking.fail(nil, at: .now)
        stopping.wait(until: asking.nextTry ?? .now)
      }
      if let failure = input.failure { throw failure }
    }
    return .ended
  }

  /// Updates the greeting of this node.
  private func note(_ role: PairRole, _ follower: PairFollower) {
    let (length, digest, term) = (follower.length, follower.digest, follower.term)
    state.withLock { state in
      (state.hello.phase, state.hello.length, state.hello.digest, state.hello.term) = (role.phase, length, digest, term)
    }
  }

  // MARK: Asking

  /// Asks the other node for its state.
  ///
  /// - Returns: The resulting step, and the connection.
  private func ask(_ role: inout PairRole) -> (PairRole.Step, PairLink?) {
    let link: PairLink
    do { link = try connect() } catch {
      let failure = PairLinkFailure(error)
      record(failure.isRefusal ? nil : failure)
      return (role.hearNothing(isRefused: failure.isRefusal, at: .now), nil)
    }
    record(nil)
    link.sendPreface()
    link.send(.hello(hello))
    switch link.first(within: Self.patience) {
    case .hello(let other):
      state.withLock { _ = $0.refusals.succeed() }
      let step = role.hear(other, hello, at: .now)
      if step != .follow { link.close() }
      return (step, step == .follow ? link : nil)
    case .refused(let reason):
      link.close()
      let (isNew, next) = state.withLock { ($0.refusals.fail(reason, at: .now), $0.refusals.nextTry) }
      if isNew { say("the other node refuses: \(reason)") }
      stopping.wait(until: next ?? .now)
      return (role.phase == .leading ? .go : .ask, nil)
    default:
      link.close()
      return (role.hearNothing(isRefused: false, at: .now), nil)
    }
  }

  /// Records why no connection could be made, and tells the operator once for each reason.
  private func record(_ failure: PairLinkFailure?) {
    guard state.withLock({ exchange(&$0.linkFailure, with: failure) != failure }) else { return }
    changes.tell()
    if let failure { say("no connection to the other node at \(peer.host):\(peer.port): \(failure.reason)") }
  }

  private func connect() throws -> PairLink {
    let link = PairLink(isTrusted: true)
    _ = try ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connectTimeout(.nanoseconds(Int64(Self.patience.inSeconds * 1e9)))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(PairHandler(link)) }
      }
      .connect(host: peer.host, port: peer.port).wait()
    return link
  }

  // MARK: Following

  /// Follows until the connection ends.
  private func follow(_ link: PairLink, _ role: inout PairRole, _ follower: PairFollower) throws(LiveSessionError) -> PairRole.Step {
    follower.begin()
    var (lastHeard, nextBeat, hasTold) = (ContinuousClock.now, ContinuousClock.now, false)
    defer {
      lose(link)
      link.close()
    }
    while !stopping.isSet, let messages = link.take(until: min(nextBeat, lastHeard + PairRole.silence)),
      ContinuousClock.now - lastHeard < PairRole.silence
    {
      if !messages.isEmpty { lastHeard = .now }
      for message in messages {
        if case .files(let files) = message { input.keep(targetDuration: files.targetDuration) }
        guard try !follower.receive(message) else { continue }
        switch message {
        case .answer(let number, let answer): state.withLock { $0.callers.removeValue(forKey: number) }?.resume(returning: answer)
        // A node that does not have all data cannot lead.
        case .leaving(let isEnd) where isEnd || follower.isComplete:
          say(isEnd ? "the stream is over" : "the other node has ended")
          return role.hearLeaving(isEnd: isEnd)
        default: break
        }
      }
      let count = follower.takeReceived()
      if count > 0 { link.send(.received(count)) }
      if ContinuousClock.now >= nextBeat {
        link.send(beat)
        nextBeat = .now + PairRole.beat
      }
      if follower.isComplete, !hasTold {
        hasTold = true
        state.withLock { ($0.leader, $0.isComplete) = (link, true) }
        changes.tell()
        say("following the other node, which leads")
        post(follower.orphans, link)
      }
    }
    if stopping.isSet { return .end }
    say("the connection with the other node has ended")
    return role.lose(isComplete: follower.isComplete, at: .now)
  }

  /// Forgets a lost connection: callers that wait for an answer over it get none.
  private func lose(_ link: PairLink) {
    let callers = state.withLock { state in
      if state.leader === link { state.leader = nil }
      return exchange(&state.callers, with: [:])
    }
    for caller in callers.values { caller.resume(returning: nil) }
    changes.tell()
  }

  /// Posts to the other node the events that this one accepted while both led. Old ones are only reported, and kept beside the journal.
  private func post(_ orphans: [PairFollower.Orphan], _ link: PairLink) {
    guard !orphans.isEmpty else { return }
    let recent = orphans.filter { $0.wallClock >= WallClock.now - Self.oldestOrphan }
    say("\(orphans.count) events were accepted while both nodes led; \(recent.count) of them go into the stream now; see \(journal).aside")
    for orphan in recent {
      var request = orphan.request
      request.append("late", "next")
      var fields = [PairCall.Field(name: "Content-Type", value: "application/json")]
      if let token = access.tokens.now.publishToken { fields.append(.init(name: "Authorization", value: "Bearer \(token)")) }
      let call = PairCall(
        method: "POST", path: "/v1/streams/\(settings.name.percentEncodedPart)/events", fields: fields, isLocal: true,
        body: Array(request.text.utf8))
      // No caller waits for the answer: a repeated event counts once.
      link.send(.call(number: 0, call))
    }
  }

  /// Passes a request on to the node that leads.
  ///
  /// - Returns: The answer; `nil` if there is none, so that the outcome of the request is unknown.
  func pass(_ call: PairCall) async -> PairAnswer? {
    await withCheckedContinuation { continuation in
      let sent: (PairLink, Int)? = state.withLock { state in
        guard let leader = state.leader, state.callers.count < Self.mostCallers else { return nil }
        defer { state.nextCall += 1 }
        state.callers[state.nextCall] = continuation
        return (leader, state.nextCall)
      }
      guard let (link, number) = sent else { return continuation.resume(returning: nil) }
      link.send(.call(number: number, call))
    }
  }

  private static let mostCallers = 4_096

  // MARK: Leading

  /// Leads.
  ///
  /// - Returns: How the node has ended; `nil` if it has handed over.
  private func lead(_ role: inout PairRole, _ lastListing: ContinuousClock.Instant?) throws(LiveSessionError) -> Outcome? {
    let beginning = ContinuousClock.now
    let start = PairLead(input: input, store: store, feed: feed, mirror: mirror, lastListing: lastListing)
    let session = try LiveSession(settings, leading: start, say: say)
    let server = LiveServer(session, tokens: access.tokens, origins: access.origins)
    session.onChange { [attention] in attention.signal() }
    session.start()
    state.withLock { state in
      (state.session, state.leading, state.isComplete, state.lastLook) = (session, server, true, .now)
      (state.hello.length, state.hello.digest, state.hello.term) = (0, "", session.term)
      if lastListing != nil { state.takeovers += 1 }
    }
    changes.tell()
    say(lastListing == nil ? "leading alone" : "leading in the place of the other node")
    var nextWatch = ContinuousClock.now + Self.watch
    while !session.situation.hasEnded {
      if stopping.isSet {
        if mirror.isAlone { session.stop() } else { session.handOver() }
        break
      }
      let hasSlept = state.withLock { $0.hasSlept }
      if !hasSlept { state.withLock { $0.lastLook = .now } }
      let own = max(input.latest ?? beginning, beginning)
      if role.compareInputs(own: own, other: mirror.otherInput, at: .now) == .handOver {
        try handOver(session)
        return nil
      }
      // After a pause of the process, the node asks the other one before it answers any client.
      if hasSlept || (mirror.isAlone && ContinuousClock.now >= nextWatch) {
        let (step, _) = ask(&role)
        if step == .yield {
          session.handOver()
          return .yielded
        }
        nextWatch = .now + Self.watch
        state.withLock { $0.lastLook = .now }
        if hasSlept { changes.tell() }
      }
      // Wakes up at each own beat, to notice whether the process was stopped. Each beat of the other node also wakes it, to compare the inputs.
      let moments = [.now + PairRole.beat, role.handOverInstant, mirror.isAlone ? nextWatch : nil]
      attention.wait(until: moments.compactMap(\.self).min())
    }
    if let failure = session.failure { throw failure }
    return .ended
  }

  /// Lets the other node lead.
  private func handOver(_ session: LiveSession) throws(LiveSessionError) {
    say("nothing comes from \(settings.input.name) here, and it does to the other node, which leads from now on")
    // From now on the other node does not follow this one any more, and requests wait for the next leader.
    state.withLock { state in
      (state.session, state.leading, state.isComplete) = (nil, nil, false)
      state.hello.phase = .undecided
    }
    changes.tell()
    session.handOver()
    let end = ContinuousClock.now + Self.farewell
    while !session.situation.hasEnded, .now < end { attention.wait(until: end) }
    input.detach()
    if let failure = session.failure { throw failure }
  }

  /// How long a session may take to hand over the events that it has accepted.
  private static let farewell = Duration.seconds(5)
}
