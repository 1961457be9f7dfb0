import Basics
import EventSchedule
import GameEvents
import LibC
import LiveGame
import LiveHLS
import PacketStamping
import Synchronization
import TransportStream

/// The stream of the first input, on its way to the outputs, the presentation and the game.
extension LiveSession {
  /// Sends the pipeline's output.
  func send(_ output: LivePipeline.Output) {
    let isOtherInterval = state.withLock { state in
      (state.situation.addedPackets, state.situation.replacedPackets) = output.packetCounts
      return exchange(&state.situation.keyFrameInterval, with: output.keyFrameInterval) != output.keyFrameInterval
    }
    if isOtherInterval { attention.signal() }
    if !output.steps.isEmpty {
      changeLead { lead in
        for step in output.steps { lead.push(step.unit, step.copies) }
      }
    }
    // What comes before a discontinuity has the earlier dates. The places of events are written before the segment that has them: otherwise, after a
    // crash in between, an event that viewers have would be placed again.
    let isBefore = { (time: MediaTime) in output.stretch.map { time < $0 } ?? true }
    // Dates may be corrected with the segment that begins, so what is in it is dated afterwards.
    let corrected = output.unit == nil ? nil : output.segmentStart
    let isDated = { (time: MediaTime) in isBefore(time) && corrected.map { time < $0 } ?? true }
    place(output.placed.filter { isDated($0.copy.time) })
    for segment in output.segments where isBefore(segment.start) { add(segment) }
    if let unit = output.unit {
      advance(to: unit, output.timecodes, stretch: output.stretch, segment: output.segmentStart)
      follow(output.splices, to: unit.time)
    }
    place(output.placed.filter { !isDated($0.copy.time) })
    send(output.pieces, hasFirstCopies: output.placed.contains { $0.copy.copy.copy == 1 })
    for segment in output.segments where !isBefore(segment.start) { add(segment) }
    for part in output.parts { add(part) }
    if let jump = output.jump { noteJump(jump) }
    for message in output.messages { report(message) }
    for notice in output.notices {
      switch notice {
      case .interrupted(let error): report("\(error)")
      case .resumed: break
      case .withoutMessages(let type):
        report("no SEI messages: they need H.264 or HEVC video, and the stream's clock is \(type.name)")
      case .exceededRate:
        report("there are too few null packets for the events: packets are added, and the bit rate is not constant there")
      }
    }
  }

  /// Reports a jump of the input's clock.
  private func noteJump(_ jump: MediaTime) {
    // Otherwise the discontinuity has another reason: other tables, or key frames that are too far apart.
    guard jump.magnitude >= Self.noticeableJump else { return }
    state.withLock { $0.situation.clockJumps += 1 }
    report("\(input.name): the clock of the stream has jumped by \(jump < .zero ? "" : "+")\(jump.text(decimals: 1)) s")
  }

  /// Shorter steps come from rounding and single frames.
  private static let noticeableJump = MediaTime(ticks: 9_000)

  /// Sends bytes to the outputs. An event leaves once the journal has its place, so that a restart does not give it another one.
  ///
  /// - Parameter hasFirstCopies: Whether there are first copies among them.
  func send(_ pieces: [LivePipeline.Piece], hasFirstCopies: Bool) {
    guard !sinks.isEmpty, !pieces.isEmpty else { return }
    let bytes: @Sendable () -> Void = { [sinks] in
      for piece in pieces {
        for sink in sinks { sink.add(piece.bytes, startsUnit: piece.unit != nil, isRandomAccess: piece.unit?.isRandomAccess ?? false) }
      }
    }
    // Later pieces keep their order.
    guard settings.journal != nil, hasFirstCopies || waitingPortions.load(ordering: .acquiring) > 0 else { return bytes() }
    waitingPortions.add(1, ordering: .acquiringAndReleasing)
    desk.afterwards { [self] in
      bytes()
      waitingPortions.subtract(1, ordering: .acquiringAndReleasing)
    }
  }

  /// Records the latest access unit.
  ///
  /// - Parameters:
  ///   - timecodes: The timecodes of pictures since the last time, in decoding order.
  ///   - stretch: The start of the stretch that has begun; `nil` for none.
  ///   - segment: The start of the segment that has begun; `nil` for none.
  func advance(to unit: LiveAccessUnit, _ timecodes: [FoundTimecode], stretch: MediaTime?, segment: MediaTime?) {
    // The access units of a network show that it is up.
    setInput(isUp: true)
    let listed = stretch == nil ? nil : presentation.endDate
    let reading = ClockReading.now()
    let (time, dates, measured, timecode, notices, wasSilent) = state.withLock { state in
      let time = max(unit.time, state.situation.time ?? unit.time)
      state.situation.time = time
      state.silence.end(at: reading.instant)
      defer { state.isSilent = false }
      let dateNotices = state.dates.push(
        DateKeeper.Unit(unit), stretch: stretch, segment: segment, listedEnd: listed, arrival: state.arrival, at: reading)
      let notices = dateNotices.map(\.description) + state.timecodes.push(timecodes, to: time, stretch: stretch).map(\.description)
      let dates = state.dates.dates ?? DateAnchor(time: time, wallClock: reading.wallClock)
      state.situation.dateOffset = Double(dates.wallClock(of: time) - reading.wallClock) / 1_000
      return (time, dates, state.dates.measured ?? dates, state.timecodes.timecode, notices, state.isSilent)
    }
    if wasSilent { attention.signal() }
    for notice in notices { report(notice) }
    desk.advance(to: time, dates: dates, measured: measured, timecode: timecode)
    if let limit = settings.duration, time >= limit { inputStop.set() }
  }

  /// Lists a segment. Its date jumps at a discontinuity only.
  func add(_ segment: LiveSegment) {
    var segment = segment
    let (date, jumps) = date(ofSegment: segment.start)
    if jumps { segment.boundary = .discontinuity }
    presentation.add(segment, wallClock: date)
  }

  private func add(_ part: LivePart) {
    var part = part
    let (date, jumps) = date(ofSegment: part.segmentStart)
    if jumps { part.boundary = .discontinuity }
    presentation.add(part, wallClock: date)
  }

  /// The date of a segment's start, in milliseconds since 1970, and whether it does not continue that of the segment before.
  private func date(ofSegment start: MediaTime) -> (Int64, jumps: Bool) {
    state.withLock { state in (state.dates.tell(start) ?? WallClock.now, state.dates.jumps(at: start)) }
  }

  func place(_ copies: [PlacedCopy]) {
    guard !copies.isEmpty else { return }
    let first = desk.place(copies) { time in state.withLock { $0.dates.tell(time) } ?? WallClock.now }
    if settings.hasDateRanges { presentation.set(first.compactMap { LiveDateRange($0.event, wallClock: $0.wallClock) }) }
    state.withLock { state in
      state.situation.copies += copies.count
      if let first = copies.last(where: { $0.copy.copy.copy == 1 })?.copy {
        state.situation.lastEvent = "\(first.copy.event.type) \(first.copy.event.sequence.map { "\($0)" } ?? "")"
      }
    }
  }
}

extension DateKeeper.Unit {
  fileprivate init(_ unit: LiveAccessUnit) {
    self.init(time: unit.time, presentationTime: unit.presentationTime, decodingTime: unit.decodingTime)
  }
}
