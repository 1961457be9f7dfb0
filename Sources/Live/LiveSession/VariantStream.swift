import Basics
import LiveGame
import LiveHLS
import PacketStamping
import Synchronization
import TransportStream

/// Another rendition of the programme, with an input of its own. It has the times, the segments and the copies of the first input.
///
/// One thread reads the input. Another one waits until the first input has decided, and stamps.
final class VariantStream: InputReceiver {
  private enum Item: Sendable {
    /// Whole packets.
    case packets([UInt8])
    case discontinuity
  }

  private struct Arriving {
    var packets: [UInt8] = []
    var counts = InputCounts()
    /// Whether packets were dropped, since too many wait.
    var isDropping = false
  }

  let settings: LiveSettings
  let input: LiveInput
  let inputStop = StopFlag()
  private let session: LiveSession
  private let index: Int
  private let arriving = Mutex(Arriving())
  private let items = JobQueue<Item>()
  private let waitingCount = Atomic<Int>(0)
  /// Wakes the thread that reads, when there may be room.
  private let room = WakeUp()
  /// Wakes the thread that stamps, when the first input has decided more.
  private let news = WakeUp()
  private let workers: Mutex<[Worker]> = Mutex([])

  /// How many bytes a network may be ahead of the first input, and how many any other input.
  private static let mostWaiting = 64 << 20
  private static let mostRead = 4 << 20
  /// After this silence an input has no more packets for a segment that the first input has ended.
  private static let patienceAtInterruption = Duration.milliseconds(50)
  /// How long a network is awaited after the end of the first input.
  private static let patienceAtEnd = Duration.milliseconds(350)
  /// How long the first input is awaited to change its clock in the same way.
  private static let patience = Duration.seconds(3)
  /// A rendition that is further behind than this has nothing when its segments are listed.
  private static let longestDelay = MediaTime(seconds: 10)

  /// - Parameter index: The number of the rendition, from 0.
  init(_ input: LiveInput, _ index: Int, of session: LiveSession) {
    (self.input, self.index, self.session) = (input, index, session)
    var settings = session.settings
    // This setting is for the first input.
    settings.rendition = nil
    self.settings = settings
  }

  /// Whether the sender of the input does not wait.
  private var isLive: Bool {
    switch input {
    case .network, .publisher: true
    case .standardInput, .file, .playlist: false
    }
  }

  func start() {
    inputStop.whenSet { [room, news] in
      room.signal()
      news.signal()
    }
    let reading = Worker("variant input") { [self] in
      do throws(LiveSessionError) {
        var reader = InputReader(self)
        try reader.read()
      } catch {
        session.refuseVariant(index, error)
      }
      items.close()
    }
    let stamping = Worker("variant") { [self] in stamp() }
    workers.withLock { $0 = [reading, stamping] }
  }

  /// Records that the first input has decided more.
  ///
  /// - Parameter isInterrupted: Whether it has become silent or has ended.
  func follow(isInterrupted: Bool = false) {
    news.signal()
    if isInterrupted { items.wake() }
  }

  /// Waits for the end, after that of the first input; returns whether it came before an instant.
  func join(until instant: ContinuousClock.Instant) -> Bool {
    workers.withLock { $0.last }?.join(until: instant) ?? true
  }

  /// Ends now.
  func stop() {
    inputStop.set()
    items.close()
  }

  // MARK: The input

  func push(_ packets: Span<UInt8>) { arriving.withLock { $0.packets.append(copying: packets) } }

  func endPortion(byteCount: Int) {
    let packets = arriving.withLock { exchange(&$0.packets, with: []) }
    guard !packets.isEmpty else { return }
    if isLive {
      guard waitingCount.load(ordering: .relaxed) < Self.mostWaiting else { return arriving.withLock { $0.isDropping = true } }
      if arriving.withLock({ exchange(&$0.isDropping, with: false) }) { items.add(.discontinuity) }
    } else {
      while waitingCount.load(ordering: .relaxed) > Self.mostRead, !inputStop.isSet { room.wait() }
    }
    waitingCount.add(packets.count, ordering: .relaxed)
    items.add(.packets(packets))
  }

  /// The counts of its input's packets.
  var counts: InputCounts { arriving.withLock { $0.counts } }

  func note(_ counts: InputCounts) { arriving.withLock { $0.counts = counts } }

  func setInput(isUp: Bool) { if !isUp { items.add(.discontinuity) } }

  func interruptInput() { items.add(.discontinuity) }

  var inbox: PublisherInbox? { session.inbox(of: input) }

  func report(_ message: String) { session.report(message) }

  // MARK: Stamping

  private func stamp() {
    var options = session.settings.options
    // This option is for the first input.
    options.program = nil
    // It is played with the audio of the first input.
    let segmenter = LiveSegmenter(settings.segmentType, hasAudio: false, partDuration: settings.partDuration)
    var pipeline = LivePipeline(LivePacketStamper(told: options), segmenter)
    var follower = Follower(session, index, isLive: isLive, news, inputStop)
    while !follower.isOver {
      let (isOver, isInterrupted) = session.lead.withLock { ($0.isOver, $0.isInterrupted && !follower.hasPaused) }
      let patience: Duration? = isLive && isOver ? Self.patienceAtEnd : isInterrupted ? Self.patienceAtInterruption : nil
      let end = patience.map { ContinuousClock.now + $0 }
      guard let next = items.take(until: end) else { break }
      for item in next {
        switch item {
        case .discontinuity: follower.endStretch(&pipeline)
        case .packets(let packets):
          packets.span.forEachPacket { packet in
            guard !follower.isOver else { return }
            if let timestamp = pipeline.presentationTime(packet) {
              // The packets before go out now, and do not wait for the first input.
              session.add(pipeline.take(), ofVariant: index)
              follower.tell(timestamp, &pipeline)
            }
            pipeline.push(packet)
          }
          waitingCount.subtract(packets.count, ordering: .relaxed)
          room.signal()
        }
        session.add(pipeline.take(), ofVariant: index)
      }
      guard next.isEmpty, let end, ContinuousClock.now >= end else { continue }
      if isLive, isOver { break }
      follower.pause(&pipeline)
    }
    follower.endStretch(&pipeline)
  }

  /// Applies the first input's decisions to each access unit.
  private struct Follower {
    private let session: LiveSession
    private let index: Int
    /// Whether access units before the first one of the first input are dropped.
    private let isLive: Bool
    private let news: WakeUp
    private let stop: StopFlag
    private var position = LeadingTimeline.Position()
    /// Until when an unknown clock is awaited from the first input.
    private var deadline: ContinuousClock.Instant?
    /// The time of the latest access unit.
    private var lastTime: MediaTime?
    /// Whether access units are dropped, since their clock is unknown.
    private var isLost = false
    /// Since when it is far behind the first input, and whether the operator knows that.
    private var behindSince: ContinuousClock.Instant?
    private var hasReportedDelay = false
    /// Whether the open segment has ended with those of the first input.
    private(set) var hasPaused = false
    /// Whether the first input has ended before the latest access unit.
    private(set) var isOver = false

    init(_ session: LiveSession, _ index: Int, isLive: Bool, _ news: WakeUp, _ stop: StopFlag) {
      (self.session, self.index, self.isLive, self.news, self.stop) = (session, index, isLive, news, stop)
    }

    private enum Answer {
      case told(ToldUnit, delay: MediaTime)
      /// The first input has not decided yet, or has ended.
      case early(isOver: Bool)
      /// The first input does not have this time.
      case absent
      /// The clock goes back, and that of the first input may do so, too.
      case back
      case otherClock(isInterrupted: Bool)
    }

    /// Ends the open segment. A discontinuity follows.
    func endStretch(_ pipeline: inout LivePipeline) {
      pipeline.interrupt()
      session.add(pipeline.take(), ofVariant: index)
    }

    /// Ends the open segment while the first input is silent and its segment has ended, too.
    mutating func pause(_ pipeline: inout LivePipeline) {
      guard session.lead.withLock({ $0.isInterrupted }) else { return hasPaused = false }
      guard !hasPaused else { return }
      hasPaused = true
      endStretch(&pipeline)
    }

    /// Applies the first input's decision to the next access unit, once there is one.
    mutating func tell(_ timestamp: UInt64, _ pipeline: inout LivePipeline) {
      while !isOver {
        // Without this instant only the first input can change the answer.
        var end: ContinuousClock.Instant?
        switch ask(timestamp) {
        case .told(let told, let delay):
          (deadline, isLost, lastTime, hasPaused) = (nil, false, told.time, false)
          checkDelay(delay)
          return pipeline.tell(told)
        case .early(let isOver):
          self.isOver = isOver || stop.isSet
          pause(&pipeline)
        case .absent: return pipeline.tell(nil)
        case .back:
          deadline = deadline ?? .now + VariantStream.patience
          end = deadline
          isOver = stop.isSet
        case .otherClock(let isInterrupted):
          // The first input may come back with this clock.
          let deadline = isInterrupted ? nil : self.deadline ?? .now + VariantStream.patience
          self.deadline = deadline
          end = deadline
          isOver = stop.isSet
          guard isLost || deadline.map({ ContinuousClock.now >= $0 }) ?? false else { break }
          if !isLost {
            endStretch(&pipeline)
            session.refuseVariant(index, "its clock does not agree with that of \(session.settings.input.name)")
          }
          isLost = true
          return pipeline.tell(nil)
        }
        if !isOver { news.wait(until: end) }
      }
    }

    /// Reports a rendition whose access units arrive after their segments were listed.
    private mutating func checkDelay(_ delay: MediaTime) {
      let segment = session.settings.segmentDuration
      guard delay > max(VariantStream.longestDelay, segment + segment) else { return (behindSince, hasReportedDelay) = (nil, false) }
      let since = behindSince ?? .now
      behindSince = since
      guard !hasReportedDelay, ContinuousClock.now - since >= VariantStream.patience else { return }
      hasReportedDelay = true
      session.refuseVariant(index, "it is \(delay.text(decimals: 1)) s behind \(session.settings.input.name)")
    }

    private mutating func ask(_ timestamp: UInt64) -> Answer {
      var position = position
      let answer: Answer = session.lead.withLock { lead in
        guard lead.hasBegun else { return isLive && !lead.isOver ? .absent : .early(isOver: lead.isOver) }
        guard let time = lead.time(of: timestamp, after: lastTime) else {
          if lead.isOver { return .early(isOver: true) }
          return lead.precedesStretch(timestamp) ? .absent : .otherClock(isInterrupted: lead.isInterrupted)
        }
        guard lead.knows(time) else { return .early(isOver: lead.isOver) }
        let isBack = lastTime.map { time < $0 - LeadingTimeline.overlap } ?? false
        guard !isBack || lead.isOver || deadline.map({ ContinuousClock.now >= $0 }) ?? false else { return .back }
        return .told(lead.tell(time, &position), delay: lead.delay(of: time))
      }
      self.position = position
      return answer
    }
  }
}
