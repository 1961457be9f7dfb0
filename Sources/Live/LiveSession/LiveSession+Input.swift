import Basics
import CueSheet
import GameEvents
import LiveGame
import LiveHLS
import LiveInterface
import Sheets
import Synchronization
import TransportStream

/// A session's first input, and its silence.
extension LiveSession {
  func readInput() {
    do throws(LiveSessionError) {
      if let pair { return try pair.readInput(into: self) }
      if let inputSwitch { return try inputSwitch.feed(self) }
      var reader = InputReader(self)
      try reader.read()
    } catch {
      state.withLock { $0.failure = error }
    }
  }

  /// The DTS of the access unit that starts in a packet, 33 bits.
  func decodingTime(_ packet: Span<UInt8>) -> UInt64? { state.withLock { $0.pipeline.decodingTime(packet) } }

  /// Puts the arrived events before the access unit that starts with the next packet.
  func startUnit() {
    let arrivals = desk.takeArrivals()
    guard !arrivals.isEmpty else { return }
    state.withLock { state in
      for arrival in arrivals { state.pipeline.add(arrival.planned) }
    }
  }

  /// Records when the packets that follow arrived: those that a node has kept came earlier.
  func note(arrival: ContinuousClock.Instant) { state.withLock { $0.arrival = arrival } }

  /// Receives packets of the input.
  func push(_ packets: Span<UInt8>) { state.withLock { state in packets.forEachPacket { state.pipeline.push($0) } } }

  /// Sends the pipeline's output, at the end of the bytes that were received at once.
  func endPortion(byteCount: Int) {
    let output = state.withLock { state in
      state.situation.receivedBytes += byteCount
      return state.pipeline.take()
    }
    send(output)
  }

  /// Records the counts of the packets so far.
  func note(_ counts: InputCounts) { state.withLock { $0.situation.input = counts } }

  /// Records that the input is up or down.
  func setInput(isUp: Bool) {
    let isNew = state.withLock { state in
      guard state.situation.isInputUp != isUp else { return false }
      state.situation.isInputUp = isUp
      if !isUp {
        state.pipeline.interrupt()
        state.dates.changeSource()
      }
      return true
    }
    guard isNew else { return }
    tellInput(isUp: isUp)
    attention.signal()
  }

  /// Begins another stretch with the next access unit.
  func interruptInput() {
    state.withLock { state in
      state.pipeline.interrupt()
      state.dates.changeSource()
    }
  }

  /// Receives an event of the input. It goes before the frames after it. If it is invalid, it is reported and left out.
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
      // The event is a repeat with another time, as some injectors send them.
      case .failure(.conflict): break
      case .failure(let problem): report("\(settings.input.name): \(event.name.quoted) is left out: \(problem)")
      }
    }
  }

  /// Tells listeners that the input is up or down.
  ///
  /// - Parameter reason: Why, in words; `nil` if nothing more is known than that it has begun or ended.
  func tellInput(isUp: Bool, _ reason: String? = nil) {
    let name = inputSwitch.map { $0.name($0.feeding) } ?? settings.input.name
    let object = JSONObject(fields: ["input": isUp ? "up" : "down", "name": name]).with("source", inputSwitch?.feeding.rawValue)
    feed.send("input", object.with("reason", reason))
  }

  // MARK: Silence

  /// Does what is due while the input is silent, until the session ends. It sleeps until something is due, or ``attention`` is signalled.
  func watchInput() {
    inputStop.whenSet { [attention] in attention.signal() }
    var nextSign = ContinuousClock.now
    var latest: Condition?
    var watch = ConditionWatch()
    while !inputStop.isSet {
      if ContinuousClock.now >= nextSign {
        // Connections stay open.
        feed.keepAlive()
        nextSign = .now + .seconds(10)
      }
      presentation.release()
      var reported = situation
      // A silence that is not reported does not count.
      reported.isInputUp = state.withLock { $0.situation.isInputUp }
      for message in watch.messages(reported, presentation.format, refusal: desk.refusal, input: input.name) { report(message) }
      tellHeldNotices()
      let moments = [watchSilence(), presentation.nextRelease, state.withLock { $0.notices.nextDue }, nextSign]
      if latest != condition {
        latest = condition
        changes.tell()
      }
      let next = moments.compactMap(\.self).min() ?? nextSign
      state.withLock { $0.silence.sleep(until: next) }
      attention.wait(until: next)
      state.withLock { $0.silence.wake(at: .now) }
    }
  }

  /// The state of the stream that ``changes`` is about.
  private struct Condition: Equatable {
    var isInputUp: Bool
    var delivery: StreamDelivery?
  }

  private var condition: Condition { Condition(isInputUp: situation.isInputUp, delivery: delivery) }

  /// Lists gaps while the input is silent, so that players go on waiting; returns when the next step is due.
  private func watchSilence() -> ContinuousClock.Instant? {
    let target = silenceTarget
    switch state.withLock({ $0.silence.step(at: .now, target: target) }) {
    case nil: break
    case .begin: fallSilent(target)
    case .gap:
      // The segment that the silence has ended comes first.
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
    // Its access units are from before the silence.
    send(output.withoutUnit)
    changeLead(isInterrupted: true) { $0.interrupt() }
    guard wasUp else { return }
    report("nothing comes from \(settings.input.name)")
    tellInput(isUp: false, "nothing comes from \(settings.input.name)")
  }
}
