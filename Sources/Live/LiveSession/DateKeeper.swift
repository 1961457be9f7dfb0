import Basics
import LiveGame

/// The dates of a live programme: which date each segment gets, and which date it should have.
///
/// An access unit is dated by its time on the encoder's clock and by the smallest delay of the last minute (see ``DelayMeter``). Listed dates follow that
/// measure at the starts of segments, and those that were told never change. The clocks are passed in.
struct DateKeeper: Sendable {
  /// An access unit, with its times on both timelines.
  struct Unit: Equatable, Sendable {
    /// When it is presented, on the programme's timeline.
    var time: MediaTime
    /// When it is presented and decoded, on the stream's clock.
    var presentationTime: MediaTime
    var decodingTime: MediaTime
  }

  /// Something for the operator.
  enum Notice: Equatable, Sendable, CustomStringConvertible {
    /// The machine's clock was set forward by so many milliseconds.
    case clockWasSet(Int64)
    /// The dates were so many milliseconds ahead of the machine's clock, and are corrected with the segment that begins.
    case corrected(Int64)
    /// The dates are so many milliseconds ahead, and cannot follow, since the stream does not come in real time.
    case cannotFollow(Int64)

    var description: String {
      switch self {
      case .clockWasSet(let step):
        "the clock of this machine was set \(step < 0 ? "back" : "forward") by \(Self.seconds(step)) s: the dates follow with the next segment"
      case .corrected(let error): "the dates were \(Self.words(error)) this machine's clock: they are corrected, with a discontinuity"
      case .cannotFollow(let error):
        "the dates are \(Self.words(error)) this machine's clock: the stream does not come in real time, so that they cannot follow"
      }
    }

    private static func words(_ error: Int64) -> String { "\(seconds(error)) s \(error < 0 ? "behind" : "ahead of")" }

    private static func seconds(_ milliseconds: Int64) -> String {
      MediaTime(milliseconds: milliseconds).magnitude.text(decimals: 2)
    }
  }

  /// The dates from a time on.
  private struct Entry: Equatable, Sendable {
    var start: MediaTime
    var dates: DateAnchor
    /// Whether the date there does not continue the one before, although the media does.
    var isJump = false
  }

  /// The clock of an encoder.
  private struct EncoderClock: Equatable, Sendable {
    var meter = DelayMeter()
    private var unwrapper = TimestampUnwrapper()
    /// By how much the first access unit is presented after it is decoded. Access units arrive in the order of decoding, and are dated by this one.
    private let reordering: MediaTime
    /// The time of the latest access unit, and how far this clock is from the programme's timeline.
    private(set) var latest = MediaTime(ticks: .min)
    private(set) var distance = MediaTime.zero

    init(_ unit: Unit) { reordering = unit.presentationTime - unit.decodingTime }

    /// The time of an access unit, in the order of arrival.
    func time(of unit: Unit) -> MediaTime {
      let presentation = unwrapper.peek(TimestampUnwrapper.timestamp(of: unit.presentationTime))
      return presentation - (unit.presentationTime - unit.decodingTime) + reordering
    }

    mutating func push(_ unit: Unit, arrival: Int64) {
      let time = time(of: unit)
      distance = unwrapper.unwrap(TimestampUnwrapper.timestamp(of: unit.presentationTime)) - unit.time
      latest = max(latest, time)
      meter.add(mediaTime: time.microseconds, arrival: arrival)
    }
  }

  /// Whether arrivals tell the time. Files are sent at the pace of this machine, and playlists bring several seconds at once.
  private let isMeasured: Bool
  /// The latest entry comes last.
  private var entries: [Entry]
  private var encoder: EncoderClock?
  /// Whether the next access unit comes from another encoder, or from one that has connected again.
  private var isOtherSource = false
  /// Whether a date since the start of the stretch was told.
  private var isTold = false
  /// Whether the dates are being corrected.
  private var isCorrecting = false
  /// Whether the operator knows that the dates cannot follow.
  private var isNoticed = false
  /// The start of the latest segment.
  private var segmentStart: MediaTime?
  /// The earliest date of the stretch: the date at which the one before it ends.
  private var earliest: Int64?
  /// The origin of microseconds, and the distance from them to the machine's clock, in microseconds.
  private var origin: ContinuousClock.Instant?
  private var wallOffset: Int64?
  /// By how many milliseconds the machine's clock was set since the latest segment began.
  private var clockStep: Int64 = 0
  /// The measured dates, by which events are placed; `nil` before the first access unit.
  private(set) var measured: DateAnchor?

  /// The dates are corrected from this error on, until it is below the second one, by this much at most at each segment; in milliseconds.
  private static let (toleratedError, correctedError, largestStep): (Int64, Int64, Int64) = (40, 10, 10)
  /// A larger error is corrected at once, with a discontinuity, in milliseconds.
  static let largestError: Int64 = 250
  /// A smaller change of the machine's clock is no step, in milliseconds.
  private static let smallestClockStep: Int64 = 250
  /// An access unit that arrives earlier than its clock allows, by more than this (0.1 s), has another clock.
  private static let earliness: Int64 = 100_000
  /// Measured dates change in steps of this, in milliseconds.
  private static let resolution: Int64 = 5
  /// The maximum number of entries. Segments are listed soon after their ends.
  private static let mostEntries = 64

  /// - Parameters:
  ///   - dates: The dates of the session that this one continues without a break; `nil` for none.
  ///   - isMeasured: Whether the arrivals of access units tell the time.
  init(following dates: DateAnchor? = nil, isMeasured: Bool) {
    entries = dates.map { [Entry(start: MediaTime(ticks: .min), dates: $0)] } ?? []
    (self.isMeasured, isTold, measured) = (isMeasured, dates != nil, dates)
  }

  // MARK: Dates

  /// The dates of the latest segment; `nil` before the first access unit.
  var dates: DateAnchor? { entries.last?.dates }

  /// The date of a time, in milliseconds since 1970; `nil` before the first access unit.
  func date(of time: MediaTime) -> Int64? { entry(of: time)?.dates.wallClock(of: time) }

  /// The date of a time for others, which never changes from now on.
  mutating func tell(_ time: MediaTime) -> Int64? {
    if let last = entries.last, last.start <= time { isTold = true }
    return date(of: time)
  }

  /// Whether the date jumps at the start of a segment in which the media goes on.
  func jumps(at start: MediaTime) -> Bool { entry(of: start).map { $0.isJump && $0.start == start } ?? false }

  private func entry(of time: MediaTime) -> Entry? { entries.last { $0.start <= time } ?? entries.first }

  private mutating func add(_ entry: Entry) {
    entries.append(entry)
    if entries.count > Self.mostEntries { entries.removeFirst() }
  }

  // MARK: Access units

  /// Records that the next access unit comes from another encoder, or from one that has connected again.
  mutating func changeSource() { isOtherSource = true }

  /// Records the arrival of an access unit.
  ///
  /// - Parameters:
  ///   - stretch: The start of the stretch that begins with it or shortly before; `nil` for none.
  ///   - segment: The start of the segment that begins with it or shortly before; `nil` for none.
  ///   - listedEnd: The date at which the playlist ends, if a stretch begins, in milliseconds since 1970; `nil` for none.
  ///   - arrival: When it arrived; `nil` for now.
  mutating func push(
    _ unit: Unit, stretch: MediaTime? = nil, segment: MediaTime? = nil, listedEnd: Int64? = nil, arrival: ContinuousClock.Instant? = nil,
    at reading: ClockReading
  ) -> [Notice] {
    let now = microseconds(reading.instant)
    var notices: [Notice] = []
    if let step = readWallClock(reading.wallClock, at: now) {
      clockStep += step
      notices.append(.clockWasSet(step))
    }
    let goesOn = measure(unit, isBoundary: stretch != nil, arrival: arrival.map { microseconds($0) } ?? now)
    if stretch != nil || entries.isEmpty {
      begin(stretch ?? unit.time, after: listedEnd, isKnown: goesOn, now)
    } else if !isTold {
      settle(now)
    } else if let segment, segment != segmentStart {
      notices += correct(at: segment, now)
    }
    segmentStart = segment ?? stretch ?? segmentStart
    updateMeasured(unit.time, now)
    return notices
  }

  private mutating func microseconds(_ instant: ContinuousClock.Instant) -> Int64 {
    // Kept packets arrived before the first access unit was read.
    let start = origin ?? instant - .seconds(3_600)
    origin = start
    let (seconds, attoseconds) = (instant - start).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// Reads the machine's clock; returns by how many milliseconds it was set.
  private mutating func readWallClock(_ wallClock: Int64, at now: Int64) -> Int64? {
    let offset = wallClock &* 1_000 &- now
    let step = wallOffset.map { (offset &- $0) / 1_000 } ?? 0
    wallOffset = offset
    return step.magnitude > Self.smallestClockStep.magnitude ? step : nil
  }

  /// Measures the delay of an access unit; returns whether it continues the encoder's clock. If it does not, the measure begins anew.
  private mutating func measure(_ unit: Unit, isBoundary: Bool, arrival: Int64) -> Bool {
    guard var clock = encoder else {
      encoder = EncoderClock(unit)
      encoder?.push(unit, arrival: arrival)
      return false
    }
    var goesOn = true
    if isBoundary || isOtherSource {
      let (time, smallest) = (clock.time(of: unit), clock.meter.delay(at: arrival) ?? 0)
      // A silence or a loss leaves the clock as it is, and what was held back arrives late.
      goesOn = isMeasured && !isOtherSource && time >= clock.latest && arrival - time.microseconds >= smallest - Self.earliness
      if !goesOn { clock = EncoderClock(unit) }
    }
    isOtherSource = false
    clock.push(unit, arrival: arrival)
    encoder = clock
    return goesOn
  }

  /// The date that a time should have, by the smallest delay; `nil` before the first access unit.
  private func trueDate(of time: MediaTime, _ now: Int64) -> Int64? {
    guard let encoder, let wallOffset, let delayNow = encoder.meter.delay(at: now) else { return nil }
    // What arrives late had the delay of the moment at which it should have arrived.
    let place = (time + encoder.distance).microseconds
    let delay = encoder.meter.delay(at: min(place + delayNow, now)) ?? delayNow
    return (place &+ delay &+ wallOffset) / 1_000
  }

  /// Whether dates can follow the measure.
  private var canFollow: Bool { isMeasured && encoder?.meter.isSteady ?? false }

  // MARK: Stretches

  /// Dates the start of a stretch.
  ///
  /// - Parameter isKnown: Whether the encoder's clock goes on.
  private mutating func begin(_ start: MediaTime, after listedEnd: Int64?, isKnown: Bool, _ now: Int64) {
    clockStep = 0
    (isTold, isCorrecting) = (false, false)
    guard let measured = trueDate(of: start, now) else { return }
    var date = measured
    let end = self.date(of: start)
    if isKnown, canFollow, let end {
      // Dates go back at once, but for a little.
      earliest = end - date > Self.largestError ? nil : end
      date = max(date, earliest ?? date)
    } else {
      // Nothing is known of a clock that begins. Gaps may be listed until a little later than now.
      earliest = isMeasured ? end ?? listedEnd : [end, listedEnd].compactMap(\.self).max()
      date = max(date, earliest ?? date)
    }
    add(Entry(start: start, dates: DateAnchor(time: start, wallClock: date)))
  }

  /// Dates the start of the stretch again, as long as nobody knows it: what a sender has kept arrives at once, and is followed by what is new.
  private mutating func settle(_ now: Int64) {
    guard let last = entries.last else { return }
    var date = last.dates.wallClock + exchange(&clockStep, with: 0)
    if canFollow, let measured = trueDate(of: last.dates.time, now), measured < date { date = max(measured, earliest ?? measured) }
    entries[entries.count - 1].dates.wallClock = date
  }

  // MARK: Segments

  /// Corrects the dates from the start of a segment on.
  private mutating func correct(at start: MediaTime, _ now: Int64) -> [Notice] {
    guard let listed = date(of: start), let measured = trueDate(of: start, now) else { return [] }
    let step = exchange(&clockStep, with: 0)
    let wanted = canFollow ? measured : listed + step
    let error = listed - wanted
    if error.magnitude > Self.largestError.magnitude {
      add(Entry(start: start, dates: DateAnchor(time: start, wallClock: wanted), isJump: true))
      (isCorrecting, isNoticed) = (false, false)
      return step == 0 ? [.corrected(error)] : []
    }
    guard canFollow else { return isMeasured && step == 0 ? noticeLag(listed - measured) : [] }
    if error.magnitude < Self.largestError.magnitude / 2 { isNoticed = false }
    isCorrecting = error.magnitude > (isCorrecting ? Self.correctedError : Self.toleratedError).magnitude
    guard isCorrecting else { return [] }
    let change = min(max(-error, -largestChange(at: start)), largestChange(at: start))
    add(Entry(start: start, dates: DateAnchor(time: start, wallClock: listed + change)))
    return []
  }

  /// By how many milliseconds the date of a segment may be corrected: 10 ms, and the drift of the segment before if that alone is half as much.
  private func largestChange(at start: MediaTime) -> Int64 {
    let duration = segmentStart.map { start - $0 } ?? .zero
    let drift = Int64((Double(duration.milliseconds) * (encoder?.meter.rate ?? 0).magnitude).rounded())
    return Self.largestStep + (drift > Self.largestStep / 2 ? drift : 0)
  }

  private mutating func noticeLag(_ error: Int64) -> [Notice] {
    guard error.magnitude > Self.largestError.magnitude, encoder?.meter.isLong == true, !isNoticed else { return [] }
    isNoticed = true
    return [.cannotFollow(error)]
  }

  // MARK: Events

  /// Follows the measure in small steps, since each change of dates wakes the thread that waits for times.
  private mutating func updateMeasured(_ time: MediaTime, _ now: Int64) {
    guard let dates else { return }
    guard canFollow, let date = trueDate(of: time, now) else {
      return measured = DateAnchor(time: dates.time, wallClock: dates.wallClock + clockStep)
    }
    if let measured, (measured.wallClock(of: time) - date).magnitude < Self.resolution.magnitude { return }
    measured = DateAnchor(time: time, wallClock: date)
  }
}

extension MediaTime {
  /// The microseconds; those of a time beyond thousands of years are cut off.
  fileprivate var microseconds: Int64 { min(max(ticks, -1 << 53), 1 << 53) * 100 / 9 }
}
