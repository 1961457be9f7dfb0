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
    place(output.placed.filter { isBefore($0.copy.time) })
    for segment in output.segments where isBefore(segment.start) { add(segment) }
    if let unit = output.unit {
      advance(to: unit.time, stretch: output.stretch)
      follow(output.splices, to: unit.time)
    }
    place(output.placed.filter { !isBefore($0.copy.time) })
    send(output.pieces, hasFirstCopies: output.placed.contains { $0.copy.copy.copy == 1 })
    for segment in output.segments where !isBefore(segment.start) { add(segment) }
    for part in output.parts { presentation.add(part, wallClock: wallClock(of: part.segmentStart)) }
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

  /// Records the time of the latest access unit.
  func advance(to unitTime: MediaTime, stretch: MediaTime?) {
    // The access units of a network show that it is up.
    setInput(isUp: true)
    let listed = stretch == nil ? nil : presentation.endDate
    let (time, dates, wasSilent) = state.withLock { state in
      let time = max(unitTime, state.situation.time ?? unitTime)
      state.situation.time = time
      state.silence.end(at: .now)
      defer { state.isSilent = false }
      let dates =
        stretch.map { start in
          // Dates do not go back, and a gap may last until after now.
          let date = WallClock.now - (time - start).milliseconds
          return DateAnchor(time: start, wallClock: max(date, state.dates?.wallClock(of: start) ?? date, listed ?? date))
        } ?? state.dates
        ?? DateAnchor(time: time, wallClock: WallClock.now)
      state.dates = dates
      state.situation.dateOffset = Double(dates.wallClock(of: time) - WallClock.now) / 1_000
      return (time, dates, state.isSilent)
    }
    if wasSilent { attention.signal() }
    desk.advance(to: time, dates: dates)
    if let limit = settings.duration, time >= limit { inputStop.set() }
  }

  func add(_ segment: LiveSegment) { presentation.add(segment, wallClock: wallClock(of: segment.start)) }

  /// The date of a time on the programme's timeline, in milliseconds since 1970.
  func wallClock(of time: MediaTime) -> Int64 { state.withLock { $0.dates }?.wallClock(of: time) ?? WallClock.now }

  func place(_ copies: [PlacedCopy]) {
    guard !copies.isEmpty else { return }
    let dates = state.withLock { $0.dates }
    let first = desk.place(copies) { dates?.wallClock(of: $0) ?? WallClock.now }
    if settings.hasDateRanges { presentation.set(first.compactMap { LiveDateRange($0.event, wallClock: $0.wallClock) }) }
    state.withLock { state in
      state.situation.copies += copies.count
      if let first = copies.last(where: { $0.copy.copy.copy == 1 })?.copy {
        state.situation.lastEvent = "\(first.copy.event.type) \(first.copy.event.sequence.map { "\($0)" } ?? "")"
      }
    }
  }
}
