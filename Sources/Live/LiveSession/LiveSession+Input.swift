import Basics
import CueSheet
import GameEvents
import LiveGame
import LiveHLS
import LiveInterface
import Sheets
import Synchronization
import TransportStream

/// What comes from a session's first input, and what happens where nothing comes.
extension LiveSession {
  func readInput() {
    do throws(LiveSessionError) {
      if let pair { return try pair.readInput(into: self) }
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

  /// Receives packets of the input.
  func push(_ packets: Span<UInt8>) { state.withLock { state in packets.forEachPacket { state.pipeline.push($0) } } }

  /// Hands on what has come out, at the end of what was received at once.
  func endPortion(byteCount: Int) {
    let output = state.withLock { state in
      state.situation.receivedBytes += byteCount
      return state.pipeline.take()
    }
    hand(on: output)
  }

  /// Records what was counted of the packets until now.
  func note(_ counts: InputCounts) { state.withLock { $0.situation.input.take(counts) } }

  func countIgnored(datagrams: Int) { state.withLock { $0.situation.input.foreignDatagrams += datagrams } }

  /// Records that the input has come, or has gone.
  func setInput(isUp: Bool) {
    let isNew = state.withLock { state in
      guard state.situation.isInputUp != isUp else { return false }
      state.situation.isInputUp = isUp
      if !isUp { state.pipeline.interrupt() }
      return true
    }
    guard isNew else { return }
    tellInput(isUp: isUp)
    attention.signal()
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

  func tellInput(isUp: Bool) {
    var data = JSONObject()
    data.append("input", isUp ? "up" : "down")
    feed.send("input", data)
  }

  // MARK: Silence

  /// Does what is due where nothing comes from the input, until the session ends. It sleeps until a moment is due, or somebody signals ``attention``.
  func watchInput() {
    inputStop.whenSet { [attention] in attention.signal() }
    var nextSign = ContinuousClock.now
    var told: Condition?
    var watch = ConditionWatch()
    while !inputStop.isSet {
      if ContinuousClock.now >= nextSign {
        // Connections stay open.
        feed.keepAlive()
        nextSign = .now + .seconds(10)
      }
      presentation.release()
      for message in watch.messages(sessionCondition, input: input.name) { report(message) }
      tellHeldNotices()
      let moments = [watchSilence(), presentation.nextRelease, state.withLock { $0.notices.nextDue }, nextSign]
      if told != condition {
        told = condition
        changes.tell()
      }
      attention.wait(until: moments.compactMap(\.self).min())
    }
  }

  /// What those are told of who want to know how the stream is.
  private struct Condition: Equatable {
    var isInputUp: Bool
    var delivery: StreamDelivery?
  }

  /// What the operator is told of, where it changes.
  private var sessionCondition: SessionCondition {
    let situation = situation
    // A silence of which nothing is told is none here.
    return SessionCondition(
      isInputUp: state.withLock { $0.situation.isInputUp }, format: presentation.format, bitRate: situation.input.bitRate,
      keyFrameInterval: situation.keyFrameInterval, segmentCount: situation.segments, refusal: desk.refusal)
  }

  private var condition: Condition { Condition(isInputUp: situation.isInputUp, delivery: delivery) }

  /// Lists gaps while nothing comes from the input, so that players go on waiting; returns when the next step is due.
  private func watchSilence() -> ContinuousClock.Instant? {
    let target = silenceTarget
    switch state.withLock({ $0.silence.step(at: .now, target: target) }) {
    case nil: break
    case .begin: fallSilent(target)
    case .gap:
      // A gap comes after what the silence has ended.
      guard presentation.isIdle else { return nil }
      state.withLock { $0.silence.cover(target: target) }
      presentation.addGap()
    }
    return state.withLock { state in
      let now = ContinuousClock.now
      state.isSilent = state.silence.isNoticeable(at: now, target: target)
      return state.silence.next(after: now, target: target)
    }
  }

  func fallSilent(_ target: Duration) {
    let (wasUp, output) = state.withLock { state in
      state.silence.begin(target: target)
      defer { state.situation.isInputUp = false }
      state.pipeline.interrupt()
      return (state.situation.isInputUp, state.pipeline.take())
    }
    // Its access units came before the silence.
    hand(on: output.withoutUnit)
    changeLead(isInterrupted: true) { $0.interrupt() }
    guard wasUp else { return }
    report("nothing comes from \(settings.input.name)")
    tellInput(isUp: false)
  }
}
