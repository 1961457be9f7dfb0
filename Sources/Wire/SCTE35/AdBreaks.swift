package import Basics

/// Follows the breaks of a stream by its sections, in the order in which they come.
///
/// Times are on a clock that keeps growing, such as the programme's timeline. ``advance(to:)`` says where the stream is.
package struct AdBreaks: Equatable, Sendable {
  /// What has happened to a break.
  package enum Change: Equatable, Sendable {
    /// A section says that it will begin.
    case announced(AdBreak)
    /// The programme is left.
    case begun(AdBreak)
    /// A section says something else about its start, its duration or its end than before.
    case changed(AdBreak)
    /// The programme is back.
    case ended(AdBreak)
    /// It will not take place.
    case cancelled(AdBreak)
  }

  /// How long breaks last if no section ends them.
  package struct Limits: Equatable, Sendable {
    /// How much longer than its duration a break lasts that waits for an "in".
    package var overrun = MediaTime(seconds: 5)
    /// How long a break without a duration lasts.
    package var longest = MediaTime(seconds: 600)

    /// The usual limits.
    package init() {}
  }

  /// Breaks that are announced or open, in the order of their announcement.
  package private(set) var current: [AdBreak] = []
  /// The latest breaks that are over, by which repeated sections are recognized.
  private var past: [AdBreak] = []
  private var count = 0
  private var latest: MediaTime?
  private let limits: Limits

  /// The maximum number of breaks that are announced or open. Further ones are not followed.
  package static let mostBreaks = 64

  /// A stream without breaks.
  package init(limits: Limits = Limits()) { self.limits = limits }

  /// Whether the programme is left.
  package var isOpen: Bool { current.contains { $0.state == .open } }

  /// Continues with a break that an earlier run has announced.
  package mutating func restore(_ known: AdBreak) {
    guard known.state != .ended, current.count < Self.mostBreaks else { return }
    count = max(count, known.number + 1)
    current.append(known)
  }

  /// Receives a section.
  ///
  /// - Parameters:
  ///   - section: The section.
  ///   - bytes: Its bytes.
  ///   - place: Where it lies in the stream.
  ///   - clock: What the stream's clock of 33 bits says there; `nil` if it is the place's own.
  /// - Returns: What it has changed.
  package mutating func push(_ section: SpliceSection, bytes: [UInt8], at place: MediaTime, clock: UInt64? = nil) -> [Change] {
    var changes = advance(to: place)
    let clock = clock ?? TimestampUnwrapper.timestamp(of: place)
    // A command without a time happens where it lies.
    let stated = section.time.map { place + MediaTime(ticks: TimestampUnwrapper.distance(from: clock, to: $0)) }
    switch section.command {
    case .insert(let insert): push(insert, at: stated, place, bytes, &changes)
    case .timeSignal:
      for descriptor in section.segmentations { push(descriptor, at: stated, place, bytes, &changes) }
    case .null, .schedule, .bandwidthReservation, .privateCommand, .unknown, .encrypted: break
    }
    return changes + advance(to: place)
  }

  private mutating func push(
    _ insert: SpliceInsert, at stated: MediaTime?, _ place: MediaTime, _ bytes: [UInt8], _ changes: inout [Change]
  ) {
    let id = AdBreak.Identifier(eventID: insert.eventID)
    guard let splice = insert.splice else { return cancel(at: place, &changes) { $0 == id } }
    guard splice.isOut else { return end(id, at: stated ?? place, bytes, &changes) }
    let duration = splice.duration.map { MediaTime(ticks: Int64(clamping: $0)) }
    let new = AdBreak(id, start: stated ?? place, duration: duration, returnsByItself: splice.returnsByItself, out: bytes)
    begin(new, isTimed: stated != nil, &changes)
  }

  private mutating func push(
    _ descriptor: SegmentationDescriptor, at stated: MediaTime?, _ place: MediaTime, _ bytes: [UInt8], _ changes: inout [Change]
  ) {
    guard let segment = descriptor.segment else {
      return cancel(at: place, &changes) { $0.type != nil && $0.eventID == descriptor.eventID }
    }
    guard segment.type.isBreak, let isStart = segment.type.isStart else { return }
    let type = SegmentationType(rawValue: segment.type.rawValue & 0xFE)
    let id = AdBreak.Identifier(type: type, eventID: descriptor.eventID)
    guard isStart else { return end(id, at: stated ?? place, bytes, &changes) }
    let duration = segment.duration.flatMap { $0 == 0 ? nil : MediaTime(ticks: Int64(clamping: $0)) }
    begin(AdBreak(id, start: stated ?? place, duration: duration, out: bytes), isTimed: stated != nil, &changes)
  }

  private mutating func begin(_ new: AdBreak, isTimed: Bool, _ changes: inout [Change]) {
    var new = new
    if let index = current.lastIndex(where: { $0.id == new.id }) {
      let known = current[index]
      if known.state == .open {
        // A section without a time that comes again means the break that it has opened.
        if !isTimed || new.start <= known.start { new.start = known.start } else { return follow(new, &changes) }
        if new.returnsByItself, let duration = new.duration { new.end = new.start + duration }
      }
      (new.number, new.state) = (known.number, known.state)
      if let back = known.back { (new.back, new.end) = (back, known.end) }
      let isSame = (new.start, new.duration, new.end) == (known.start, known.duration, known.end)
      guard !isSame else { return }
      current[index] = new
      changes.append(.changed(new))
    } else {
      let isRepeat = isTimed && past.contains { $0.id == new.id && $0.start == new.start }
      guard !isRepeat else { return }
      follow(new, &changes)
    }
  }

  /// Adds a break after all others, unless it is over already.
  private mutating func follow(_ new: AdBreak, _ changes: inout [Change]) {
    guard current.count < Self.mostBreaks, latest.map({ $0 < limit(of: new) }) ?? true else { return }
    var new = new
    new.number = count
    count += 1
    current.append(new)
    changes.append(.announced(new))
  }

  private mutating func end(_ id: AdBreak.Identifier, at time: MediaTime, _ bytes: [UInt8], _ changes: inout [Change]) {
    // A break may follow another one with the same identifier; the first one that has begun by then ends.
    guard let index = current.firstIndex(where: { $0.id == id && $0.start < time }) ?? current.firstIndex(where: { $0.id == id }),
      current[index].end != time || current[index].back == nil
    else { return }
    current[index].back = bytes
    current[index].end = max(time, current[index].start)
    changes.append(.changed(current[index]))
  }

  private mutating func cancel(at place: MediaTime, _ changes: inout [Change], _ matches: (AdBreak.Identifier) -> Bool) {
    for index in current.indices.reversed() where matches(current[index].id) {
      var cancelled = current.remove(at: index)
      if cancelled.state == .open {
        (cancelled.state, cancelled.end) = (.ended, place)
        changes.append(.ended(cancelled))
      } else {
        changes.append(.cancelled(cancelled))
      }
      // If the same section comes again, it is another announcement.
    }
  }

  /// When a break ends at the latest.
  private func limit(of known: AdBreak) -> MediaTime {
    known.end ?? known.duration.map { known.start + $0 + limits.overrun } ?? known.start + limits.longest
  }

  /// Records where the stream is.
  ///
  /// - Returns: The breaks that begin and end until there, in the order of their times.
  package mutating func advance(to place: MediaTime) -> [Change] {
    latest = latest.map { max($0, place) } ?? place
    var changes: [(time: MediaTime, change: Change)] = []
    for index in current.indices {
      if current[index].state == .announced, current[index].start <= place {
        current[index].state = .open
        changes.append((current[index].start, .begun(current[index])))
      }
      // The next break with the same identifier ends one that waits for its "in".
      let id = current[index].id
      let next = current[(index + 1)...].first { $0.id == id && $0.start <= place }?.start
      let limit = min(limit(of: current[index]), next ?? MediaTime(ticks: .max))
      if current[index].state == .open, limit <= place {
        (current[index].state, current[index].end) = (.ended, limit)
        changes.append((limit, .ended(current[index])))
        past.append(current[index])
      }
    }
    current.removeAll { $0.state == .ended }
    past.removeFirst(max(0, past.count - Self.mostBreaks))
    // An insertion sort, since breaks that begin and end at one time keep their order.
    for index in changes.indices {
      var place = index
      while place > 0, changes[place].time < changes[place - 1].time {
        changes.swapAt(place, place - 1)
        place -= 1
      }
    }
    return changes.map { $0.change }
  }
}
