package import Basics
import EventSchedule
import LiveGame
import PacketStamping
import Stamping
import Synchronization
import TransportStream

/// The input of a node of a pair. It is read whether the node leads or not, and what came lately is kept: whoever begins to lead goes on with the very
/// access unit that the next segment starts with.
package final class StandbyInput: InputReceiver {
  /// How the input goes on behind what the other node has listed.
  package enum Beginning: Equatable, Sendable {
    /// With the access unit that comes next.
    case seamless
    /// With one that is presented so much later.
    case later(MediaTime)
    /// Nothing is known of it.
    case unknown
  }

  private struct State {
    var stamper: LivePacketStamper
    var finder = UnitFinder()
    var packets: [UInt8] = []
    var marks: [InputHistory.Mark] = []
    var history = InputHistory()
    var counts = InputCounts()
    var isUp = false
    /// When something has come last.
    var latest: ContinuousClock.Instant?
    /// From when on what has come goes into a session; `nil` while nobody leads here.
    var attached: ContinuousClock.Instant?
    var hasEnded = false
    var failure: LiveSessionError?
    /// How long what came is kept.
    var memory = Duration.seconds(15)
  }

  let settings: LiveSettings
  var input: LiveInput { settings.input }
  let inputStop = StopFlag()
  private let state: Mutex<State>
  /// Wakes the thread that waits for what comes: the one that begins to lead, and then the one that reads the session's input.
  private let arrival = WakeUp()
  private let worker: Mutex<Worker?> = Mutex(nil)
  private let say: @Sendable (String) -> Void

  /// More bytes than this are not kept.
  private static let mostKept = 128 << 20
  /// A network does not say that its sender has gone: nothing has come for so long.
  private static let silence = Duration.seconds(1)
  /// How long the access unit is waited for that goes on where the other node has stopped: one input may be a little behind the other.
  private static let patience = Duration.milliseconds(500)

  /// - Parameter say: Receives messages for the operator.
  package init(_ settings: LiveSettings, say: @escaping @Sendable (String) -> Void) {
    (self.settings, self.say) = (settings, say)
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

  /// Ends it.
  package func stop() {
    inputStop.set()
    worker.withLock { $0 }?.join(seconds: 1)
  }

  /// When something has come last; `nil` where nothing has.
  package var latest: ContinuousClock.Instant? { state.withLock { $0.latest } }

  /// What was counted of its packets.
  var counts: InputCounts { state.withLock { $0.counts } }

  /// Whether something comes.
  package var isUp: Bool { latest.map { .now - $0 < Self.silence } ?? false }

  /// Whether nothing is to come any more.
  package var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Why it could not be read; `nil` where it can.
  package var failure: LiveSessionError? { state.withLock { $0.failure } }

  /// Keeps what comes for so long from now on: at least what the segments need that are being made.
  package func keep(targetDuration: Int) { state.withLock { $0.memory = .seconds(3 * max(targetDuration, 1) + 5) } }

  // MARK: The input

  func decodingTime(_ packet: Span<UInt8>) -> UInt64? { state.withLock { $0.stamper.decodingTime(packet) } }

  func startUnit() {}

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
      state.history.append(.init(item: .packets(state.packets), instant: .now, marks: state.marks))
      (state.packets, state.marks) = ([], [])
      // What a session has not come to take waits for it.
      let oldest = state.history.arrivals.first?.instant ?? .now
      state.history.expire(before: state.attached == nil ? .now - state.memory : oldest, limit: Self.mostKept)
      return true
    }
    if isNew { arrival.signal() }
  }

  func note(_ counts: InputCounts) { state.withLock { $0.counts.take(counts) } }

  func leaveOut(datagramCount: Int) { state.withLock { $0.counts.foreignDatagrams += datagramCount } }

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

  var inbox: PublisherInbox? { nil }

  /// Does nothing: only publishers by RTMP bring events, and a pair has none.
  func receive(_ event: ForeignEvent) {}

  func report(_ message: String) { say(message) }

  // MARK: The session

  /// Gives what has come, and comes, to a session from now on.
  ///
  /// - Parameters:
  ///   - timestamp: When the access unit is presented that the next segment starts with, 33 bits; `nil` where that is not known.
  ///   - instant: When the last segment was listed; what came before belongs to it.
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
        // Access units without a beginning are of no use.
        return .unknown
      }
      // A segment of a transport stream has the packets that come after its first picture, one of fragmented MP4 the audio of its time.
      let leadingPID = settings.segmentType == .fragmentedMP4 ? state.finder.leadingPID : nil
      state.history.begin(at: place, tables: [ProgramAssociationTable.pid, state.finder.pmtPID].compactMap(\.self), besides: leadingPID)
      guard let distance = place.distance else { return .unknown }
      return distance == .zero ? .seamless : .later(distance)
    }
  }

  /// Keeps what comes from now on, as it did before ``attach(at:since:)``: the session has ended.
  package func detach() { state.withLock { $0.attached = nil } }

  /// Passes the input on to a session until one of both ends. Events that wait go in front of what comes now, not of what came before.
  ///
  /// - Throws: `LiveSessionError` where the input cannot be read.
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

  private static func pass(_ arrival: InputHistory.Arrival, isLive: Bool, to session: LiveSession) {
    switch arrival.item {
    case .discontinuity: session.interruptInput()
    case .input(let isUp): session.setInput(isUp: isUp)
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
      session.endPortion(byteCount: bytes.count)
    }
  }
}

/// Finds the access units of a stream that decoding can start with, and where its tables are. What is written is nobody's.
private struct UnitFinder: LiveOutput, Sendable {
  private var start: UInt64?
  private(set) var pmtPID: PID?
  private(set) var leadingPID: PID?

  mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy]) {
    if unit.isRandomAccess { start = TimestampUnwrapper.timestamp(of: unit.presentationTime) }
  }

  mutating func write(_ packets: Span<UInt8>) {}

  mutating func follow(pmtPID: PID, leadingPID: PID?) { (self.pmtPID, self.leadingPID) = (pmtPID, leadingPID) }

  /// The presentation time of the access unit that the latest packet starts, where decoding can start with it, once.
  mutating func takeStart() -> UInt64? { start.take() }
}
