package import Basics
import EventSchedule
import LiveGame
import PacketStamping
import Stamping
import Synchronization
import TransportStream

/// The input of a node of a pair. It is always read, and the latest packets are kept, so that a node that begins to lead can continue with exactly the
/// access unit that the next segment starts with. The inputs of a session with a backup are kept in the same way.
package final class StandbyInput: InputReceiver {
  /// How the input continues the segments that the other node has listed.
  package enum Beginning: Equatable, Sendable {
    /// With the next access unit.
    case seamless
    /// With one that is presented so much later.
    case later(MediaTime)
    case unknown
  }

  private struct State {
    var stamper: LivePacketStamper
    var finder = UnitFinder()
    var packets: [UInt8] = []
    var marks: [InputHistory.Mark] = []
    var history = InputHistory()
    /// When the latest access unit arrived, and how many there were until then.
    var latestUnit: ContinuousClock.Instant?
    var unitCount = 0
    var counts = InputCounts()
    var isUp = false
    /// When the latest packets arrived.
    var latest: ContinuousClock.Instant?
    /// Since when a session receives the packets; `nil` while this node does not lead.
    var attached: ContinuousClock.Instant?
    var hasEnded = false
    var failure: LiveSessionError?
    /// How long packets are kept.
    var memory = Duration.seconds(15)
  }

  let settings: LiveSettings
  var input: LiveInput { settings.input }
  let inputStop = StopFlag()
  private let state: Mutex<State>
  /// Wakes the thread that waits for packets: the one that begins to lead, and then the one that reads the session's input.
  private let arrival: WakeUp
  let inbox: PublisherInbox?
  private let worker: Mutex<Worker?> = Mutex(nil)
  private let say: @Sendable (String) -> Void

  /// The maximum number of kept bytes.
  private static let mostKept = 128 << 20
  /// A network input counts as down after this silence.
  private static let silence = Duration.seconds(1)
  /// How long the access unit at the next segment's start is awaited, since one input may be a little behind the other.
  private static let patience = Duration.milliseconds(500)

  /// The input of a node of a pair.
  ///
  /// - Parameter say: Receives messages for the operator.
  package convenience init(_ settings: LiveSettings, say: @escaping @Sendable (String) -> Void) {
    self.init(settings, inbox: nil, arrival: WakeUp(), say: say)
  }

  /// - Parameters:
  ///   - inbox: The inbox of a published stream; `nil` for another input.
  ///   - arrival: Signalled when something has arrived.
  init(_ settings: LiveSettings, inbox: PublisherInbox?, arrival: WakeUp, say: @escaping @Sendable (String) -> Void) {
    (self.settings, self.inbox, self.arrival, self.say) = (settings, inbox, arrival, say)
    let schedule = EventSchedule([], policy: CopyPolicy())
    state = Mutex(
      State(stamper: LivePacketStamper(schedule, settings.options, from: .zero, SegmentClock(duration: settings.segmentDuration))))
  }

  /// Begins to read.
  package func start() {
    inputStop.whenSet { [arrival] in arrival.signal() }
    let reading = Worker("input") { [self] in
      do throws(LiveSessionError) {
        var reader = InputReader(self)
        try reader.read()
      } catch {
        state.withLock { $0.failure = error }
      }
      state.withLock { $0.hasEnded = true }
      arrival.signal()
    }
    worker.withLock { $0 = reading }
  }

  /// Ends the reading.
  package func stop() {
    inputStop.set()
    worker.withLock { $0 }?.join(seconds: 1)
  }

  /// When the latest packets arrived; `nil` before the first ones.
  package var latest: ContinuousClock.Instant? { state.withLock { $0.latest } }

  /// The counts of its packets.
  var counts: InputCounts { state.withLock { $0.counts } }

  /// Whether packets arrive.
  package var isUp: Bool { latest.map { .now - $0 < Self.silence } ?? false }

  /// Whether the input has ended.
  package var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Why it cannot be read; `nil` if it can.
  package var failure: LiveSessionError? { state.withLock { $0.failure } }

  /// Keeps packets long enough for the segments that are being made.
  package func keep(targetDuration: Int) { state.withLock { $0.memory = .seconds(3 * max(targetDuration, 1) + 5) } }

  // MARK: The input

  func decodingTime(_ packet: Span<UInt8>) -> UInt64? { state.withLock { $0.stamper.decodingTime(packet) } }

  func push(_ packets: Span<UInt8>) {
    state.withLock { state in
      packets.forEachPacket { packet in
        state.stamper.push(packet, into: &state.finder)
        if let timestamp = state.finder.takeStart() { state.marks.append(.init(offset: state.packets.count, timestamp: timestamp)) }
        state.packets.append(copying: packet)
      }
    }
  }

  func endPortion(byteCount: Int) {
    let isNew = state.withLock { state in
      _ = state.stamper.takeNotices()
      guard !state.packets.isEmpty else { return false }
      (state.isUp, state.latest) = (true, .now)
      if state.finder.unitCount != state.unitCount { (state.latestUnit, state.unitCount) = (.now, state.finder.unitCount) }
      state.history.append(.init(item: .packets(state.packets), instant: .now, marks: state.marks))
      (state.packets, state.marks) = ([], [])
      // A session must get all packets.
      let oldest = state.history.arrivals.first?.instant ?? .now
      state.history.expire(before: state.attached == nil ? .now - state.memory : oldest, limit: Self.mostKept)
      return true
    }
    if isNew { arrival.signal() }
  }

  func note(_ counts: InputCounts) { state.withLock { $0.counts = counts } }

  func setInput(isUp: Bool) {
    state.withLock { state in
      guard state.isUp != isUp else { return }
      state.isUp = isUp
      state.history.append(.init(item: .input(isUp: isUp), instant: .now))
    }
    if !isUp { interrupt() }
    arrival.signal()
  }

  func interruptInput() {
    interrupt()
    state.withLock { $0.history.append(.init(item: .discontinuity, instant: .now)) }
    arrival.signal()
  }

  private func interrupt() { state.withLock { $0.stamper.interrupt() } }

  func receive(_ event: ForeignEvent) {
    state.withLock { $0.history.append(.init(item: .event(event), instant: .now)) }
    arrival.signal()
  }

  func report(_ message: String) { say(message) }

  // MARK: The session

  /// Sends the kept packets and all further ones to a session.
  ///
  /// - Parameters:
  ///   - timestamp: The PTS of the access unit that the next segment starts with, 33 bits; `nil` if it is unknown.
  ///   - instant: When the last segment was listed. Earlier packets belong to it.
  func attach(at timestamp: UInt64?, since instant: ContinuousClock.Instant?) -> Beginning {
    let deadline = ContinuousClock.now + Self.patience
    while let timestamp, !inputStop.isSet, ContinuousClock.now < deadline {
      if state.withLock({ $0.history.place(at: timestamp) }) != nil { break }
      arrival.wait(until: deadline)
    }
    return state.withLock { state in
      state.attached = .now
      let known = timestamp.flatMap { state.history.place(at: $0) }
      guard let place = known ?? state.history.place(since: instant ?? .now) else {
        return .unknown
      }
      // A segment of a transport stream has the packets that come after its first picture, one of fragmented MP4 the audio of its time.
      let leadingPID = settings.segmentType == .fragmentedMP4 ? state.finder.leadingPID : nil
      state.history.begin(at: place, tables: [ProgramAssociationTable.pid, state.finder.pmtPID].compactMap(\.self), besides: leadingPID)
      guard let distance = place.distance else { return .unknown }
      return distance == .zero ? .seamless : .later(distance)
    }
  }

  /// Keeps packets for the next session, after the end of one.
  package func detach() { state.withLock { $0.attached = nil } }

  // MARK: The session with a backup

  /// What decides whether it feeds the session.
  var facts: InputChoice.Facts {
    state.withLock { InputChoice.Facts(latestUnit: $0.latestUnit, isDown: $0.hasEnded || ($0.latestUnit != nil && !$0.isUp)) }
  }

  /// Lets all further packets feed a session.
  func begin() { state.withLock { $0.attached = .now } }

  /// Lets the packets from a random access point on feed a session: from the first one since an instant. From the second instant on, the latest one
  /// before will do, and without any the next packets.
  ///
  /// - Returns: Whether it begins.
  func begin(since instant: ContinuousClock.Instant, orAnyFrom deadline: ContinuousClock.Instant) -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      let place = state.history.place(since: instant)
      let isRecent = place.map { state.history.arrivals.elements[$0.index].instant >= instant } ?? false
      guard isRecent || now >= deadline else { return false }
      state.attached = now
      let leadingPID = settings.segmentType == .fragmentedMP4 ? state.finder.leadingPID : nil
      if let place {
        state.history.begin(at: place, tables: [ProgramAssociationTable.pid, state.finder.pmtPID].compactMap(\.self), besides: leadingPID)
      }
      return true
    }
  }

  /// All arrivals that a session has not received, and since when they are for it.
  func takeArrivals() -> (items: [InputHistory.Arrival], attached: ContinuousClock.Instant) {
    state.withLock { ($0.history.takeAll(), $0.attached ?? .now) }
  }

  /// Sends the input to a session until one of both ends. Waiting events go before live access units, not before kept ones.
  ///
  /// - Throws: `LiveSessionError` if the input cannot be read.
  func feed(_ session: LiveSession) throws(LiveSessionError) {
    let attached = state.withLock { $0.attached } ?? .now
    session.inputStop.whenSet { [arrival] in arrival.signal() }
    while !session.inputStop.isSet {
      let (arrivals, hasEnded, failure) = state.withLock { ($0.history.takeAll(), $0.hasEnded, $0.failure) }
      for arrival in arrivals where !session.inputStop.isSet { Self.pass(arrival, isLive: arrival.instant >= attached, to: session) }
      guard arrivals.isEmpty else { continue }
      if let failure { throw failure }
      if hasEnded { return }
      arrival.wait()
    }
  }

  static func pass(_ arrival: InputHistory.Arrival, isLive: Bool, to session: LiveSession) {
    switch arrival.item {
    case .discontinuity: session.interruptInput()
    case .input(let isUp): session.setInput(isUp: isUp)
    case .event(let event): session.receive(event)
    case .packets(let bytes):
      var run = PacketRun()
      bytes.span.forEachPacket { packet in
        if TransportPacket.startsUnit(packet) {
          run.pass(to: session)
          if isLive, session.decodingTime(packet) != nil { session.startUnit() }
        }
        run.append(packet)
      }
      run.pass(to: session)
      session.note(arrival: arrival.instant)
      session.endPortion(byteCount: bytes.count)
    }
  }
}

/// Finds the random access points of a stream and the PID of its PMT. It drops the output.
private struct UnitFinder: LiveOutput, Sendable {
  private var start: UInt64?
  private(set) var pmtPID: PID?
  private(set) var leadingPID: PID?
  /// The number of access units so far.
  private(set) var unitCount = 0

  mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy]) {
    unitCount &+= 1
    if unit.isRandomAccess { start = TimestampUnwrapper.timestamp(of: unit.presentationTime) }
  }

  mutating func write(_ packets: Span<UInt8>) {}

  mutating func follow(pmtPID: PID, leadingPID: PID?) { (self.pmtPID, self.leadingPID) = (pmtPID, leadingPID) }

  /// The PTS of the random access point that the latest packet starts, once.
  mutating func takeStart() -> UInt64? { start.take() }
}
