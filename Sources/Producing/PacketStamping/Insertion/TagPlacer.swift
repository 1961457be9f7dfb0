import Basics
import EventSchedule
import GameEvents
import TransportStream

/// Writes the copies of a schedule into transport packets, before the access units to which they belong.
struct TagPlacer: Sendable {
  /// Where new tags go.
  struct Position: Sendable {
    /// The offset in the input of the packet that follows.
    var offset: Int
    /// The time on the timeline of the latest access unit in the order of presentation.
    var latestTime: MediaTime
    /// Whether a tag of the input on the same PID is incomplete. New tags wait for its end.
    var isInsideTag = false
  }

  private(set) var schedule: EventSchedule
  /// The carriages of tags.
  var carriages: CarriageWriters
  private(set) var report = PacketStamper.Report()
  /// The packets that wait for the next null packets of a live stream; `nil` if tags go before their access units.
  private var owed: OwedTags?
  /// The packets that have begun to wait for null packets since these were taken.
  var newlyOwed: [UInt8] = []
  /// The copies whose packets are all in the stream since these were taken.
  var placed: [PlacedCopy] = []
  /// The search for room after a tag has found no null packets. From then on nothing is placed. The search only completes the error.
  var roomSearch: RoomSearch?
  /// Whether the next access unit starts a segment.
  private var isSegmentStarting = false

  /// Events of a live stream for the next access unit, or a later one if their `at` says so, in this order.
  private var arrived: [PlannedEvent] = []
  /// The time of the last event that arrived.
  private var latestArrival = MediaTime(ticks: .min)
  /// Signs the events of a live stream, once their times are known.
  var sign: EventSigner?
  /// The copies before the latest access unit that had some.
  var latestCopies: [EventSchedule.TimedCopy] = []

  /// - Parameters:
  ///   - previous: The placer of the stream's tags so far.
  ///   - awaitsNullPackets: Whether tags wait for the next null packets.
  init(_ schedule: EventSchedule, _ carriages: CarriageWriters, following previous: TagPlacer? = nil, awaitsNullPackets: Bool = false) {
    (self.schedule, self.carriages) = (schedule, carriages)
    if awaitsNullPackets { owed = OwedTags() }
    arrived = previous?.arrived ?? []
    latestArrival = previous?.latestArrival ?? latestArrival
    sign = previous?.sign
  }

  // MARK: Copies

  /// Starts a segment with the next access unit.
  mutating func startSegment() { isSegmentStarting = true }

  /// Receives an event of a live stream, whose `at` is the earliest time that it may have; `nil` for the next access unit.
  mutating func add(_ event: PlannedEvent) { arrived.append(event) }

  /// Inserts the events that have arrived into the schedule, each not earlier than the one before it.
  ///
  /// - Returns: The time of the access unit for the schedule. If frames are reordered, an event's time may be a few frames later than its access
  ///   unit. Players accept tags that come early.
  private mutating func insertArrived(before time: MediaTime) -> MediaTime {
    guard !arrived.isEmpty else { return time }
    let earliest = max(time, schedule.earliestTime)
    for var event in arrived {
      event.event.at = max(event.event.at ?? earliest, earliest, latestArrival)
      latestArrival = event.time
      if let sign { event.signature = sign(event.event.signedBytes) }
      // This cannot fail, because no event is before the earliest time.
      try? schedule.insert(event)
    }
    arrived = []
    return earliest
  }

  /// Queues the copies that go before an access unit.
  mutating func queueCopies(
    before unit: EventSchedule.AccessUnit, in carrying: CarryingUnit?, origin: MediaTime
  ) throws(PacketStampingError) {
    var unit = unit
    unit.time = insertArrived(before: unit.time)
    if isSegmentStarting { schedule.startSegment(at: unit.time) }
    isSegmentStarting = false
    try queue(origin, carrying) { (schedule) throws(EventError) in try schedule.copies(before: unit) }
  }

  /// Queues copies that another stream also carries.
  mutating func queue(told copies: [EventSchedule.TimedCopy], in carrying: CarryingUnit?, origin: MediaTime) throws(PacketStampingError) {
    try queue(origin, carrying) { _ in copies }
  }

  /// Queues the copies between the last access unit of a segment and its end.
  mutating func queueCopies(
    ofSegmentEndingAt end: MediaTime, in carrying: CarryingUnit?, origin: MediaTime
  ) throws(PacketStampingError) {
    try queue(origin, carrying) { (schedule) throws(EventError) in try schedule.endSegment(at: end) }
  }

  /// Queues the copies that are left at the end of the stream.
  mutating func queueCopies(ofStreamEndingAt end: MediaTime, frameDuration: MediaTime, origin: MediaTime) throws(PacketStampingError) {
    try queue(origin, nil) { (schedule) throws(EventError) in try schedule.finish(at: end, frameDuration: frameDuration) }
  }

  private mutating func queue(
    _ origin: MediaTime, _ carrying: CarryingUnit?, _ copies: (inout EventSchedule) throws(EventError) -> [EventSchedule.TimedCopy]
  ) throws(PacketStampingError) {
    latestCopies = []
    do throws(EventError) {
      latestCopies = try copies(&schedule)
      try carriages.queue(latestCopies.map { PlacedCopy(copy: $0, presentationTime: origin + $0.time) }, before: carrying)
      report.count(latestCopies)
    } catch {
      throw .event(error)
    }
  }

  /// Whether a tag may be due so soon after an access unit that null packets must be kept for it from here on.
  ///
  /// - Parameter margin: The longest time from the decoding time to the next position for a tag; `nil` if it is not known.
  func expectsTag(after decodingTime: MediaTime, margin: MediaTime?) -> Bool {
    guard roomSearch == nil else { return true }
    guard let next = schedule.nextTime else { return false }
    guard let margin else { return true }
    return next <= decodingTime + margin
  }

  // MARK: Room

  /// Places the waiting tags, unless a tag of the input is incomplete. If tags must wait for null packets, they begin to wait.
  mutating func place(
    at position: Position, before next: Span<UInt8>?, _ window: inout OutputWindow, _ sink: inout some ByteSink & ~Copyable
  ) {
    guard carriages.isWaiting, !position.isInsideTag, roomSearch == nil else { return }
    for (copy, packets) in carriages.takePackets() {
      guard owed == nil else {
        owed?.append(packets, of: copy)
        newlyOwed += packets.joined()
        continue
      }
      guard window.place(packets, before: next, &sink) else {
        let copy = copy.copy
        let tag = UnplacedTag(copy: copy.copy, time: copy.time, offset: position.offset, roomFrom: nil)
        // The remaining copies of a burst need room as well.
        let copyCount = max(1, copy.copy.copies - copy.copy.copy + 1)
        roomSearch = RoomSearch(tag, packetCount: packets.count * copyCount, after: position.latestTime)
        return
      }
      placed.append(copy)
    }
  }

  // MARK: Null packets of a live stream

  /// Whether packets wait for null packets.
  var owesPackets: Bool { owed?.isEmpty == false }

  /// The packet that takes the place of the next null packet, if one waits.
  mutating func popOwed() -> [UInt8]? {
    guard let member = owed?.popFirst() else { return nil }
    if let copy = member.copy { placed.append(copy) }
    return member.packet
  }

  /// Makes an existing packet of the same PID wait after the waiting tags.
  mutating func owe(existing packet: [UInt8]) {
    owed?.append(existing: packet)
    newlyOwed += packet
  }

  /// Adds packets that have waited for null packets in vain, before `next`.
  ///
  /// - Parameter deadline: Tells which of them may no longer wait; `nil` if none may.
  mutating func addOwed(
    by deadline: TagDeadline?, before next: Span<UInt8>?, _ window: inout OutputWindow, _ sink: inout some ByteSink & ~Copyable
  ) {
    while let first = owed?.first, deadline?.hasPassed(first.presentationTime) ?? true, let packet = popOwed() {
      // If packets may be added, there is always room.
      _ = window.place([packet], before: next, &sink)
    }
  }

  // MARK: Tags of the input on the same PID

  /// Records a third-party tag at a time: later copies do not precede it.
  mutating func recordThirdPartyTag(at time: MediaTime) { schedule.recordThirdPartyTag(at: time) }
}
