import Basics
import CommandSupport
import Files
import Foundation
import GameEvents
import Seals
import StateMachine
import Terminal

/// Drives the game through a stream: as fast as it is read, or at the programme's pace.
struct ReplayDriver {
  var printer: TransitionPrinter
  /// The programme time at which the stream starts.
  var streamStart: MediaTime?
  /// Records or compares the transitions.
  var journal: ReplayJournal?
  /// The audience that plays along, if there is one.
  var audience: AudienceReplay?
  private(set) var machine = GameStateMachine(verifySeal: AnswerSeal.verify)
  private var pace: Pace?
  private var countdown: Countdown?

  init(printer: TransitionPrinter, pace: Pace?, isInteractive: Bool) {
    self.printer = printer
    self.pace = pace
    countdown = isInteractive ? Countdown() : nil
  }

  mutating func receive(_ copy: EventCopy, at time: MediaTime) throws(CommandFailure) {
    try wait(until: time)
    try show(machine.receive(copy, at: time))
  }

  /// Continues to the end of the stream.
  mutating func finish(at end: MediaTime?) throws(CommandFailure) {
    if let end {
      try wait(until: end)
      try show(machine.advance(to: end))
    }
    try show(machine.finish())
    try clear()
    try audience?.finish(machine, &printer)
    try printer.output.flush()
  }

  /// Erases the countdown.
  mutating func clear() throws(CommandFailure) { try countdown?.clear(&printer.output) }

  /// Waits until `time`, and shows what is due before that.
  private mutating func wait(until time: MediaTime) throws(CommandFailure) {
    guard let pace = pace ?? nil else { return }
    while let now = self.pace?.now(orStartAt: min(streamStart ?? .zero, time)), now < time {
      guard !Interruption.isRequested else {
        try clear()
        throw CommandFailure.interruption
      }
      try show(machine.advance(to: now))
      try countdown?.draw(machine.state, at: now, &printer.output)
      let next = min(time, machine.nextDeadline ?? time, now + (countdown == nil ? MediaTime(ticks: 45_000) : MediaTime(ticks: 9_000)))
      pace.sleep(next - now)
    }
  }

  private mutating func show(_ transitions: [GameTransition]) throws(CommandFailure) {
    guard !transitions.isEmpty else { return }
    try clear()
    for transition in transitions {
      try CommandFailure.requireNoInterruption()
      try printer.print(transition)
      journal?.add(transition)
      try audience?.follow(transition, machine, &printer)
    }
  }
}

/// The programme's time on a clock of this machine.
struct Pace {
  private var zero: ContinuousClock.Instant?
  private let start: MediaTime?

  /// A clock that does not run yet.
  ///
  /// - Parameter start: The programme time at which the clock starts; `nil` for the start of the stream.
  init(from start: MediaTime?) { self.start = start }

  /// The programme's time now. The first call starts the clock, at `first` if no start was given.
  mutating func now(orStartAt first: MediaTime) -> MediaTime {
    let now = ContinuousClock.now
    guard let zero else {
      let start = start ?? first
      self.zero = now - .microseconds(start.ticks * 100 / 9)
      return start
    }
    return MediaTime(zero.duration(to: now))
  }

  func sleep(_ time: MediaTime) {
    // Slices of at most half a second, so that an interruption is noticed.
    usleep(UInt32(clamping: min(max(time.ticks, 90), 45_000) * 100 / 9))
  }
}
