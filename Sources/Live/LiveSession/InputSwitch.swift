import LiveGame
import PacketStamping
import Synchronization

/// The two inputs of a session with a backup. Both are received all the time, and one of them feeds the session.
package final class InputSwitch: Sendable {
  package typealias Source = InputChoice.Source

  private let main: StandbyInput
  private let backup: StandbyInput
  private let state: Mutex<InputChoice>
  /// Wakes the thread that feeds the session.
  private let arrival = WakeUp()

  /// - Parameters:
  ///   - backup: The address of the backup.
  ///   - inbox: The inbox of an input that is published; `nil` for another one.
  ///   - say: Receives messages for the operator.
  init(
    _ settings: LiveSettings, backup: LiveInput, inbox: (LiveInput) -> PublisherInbox?, say: @escaping @Sendable (String) -> Void
  ) {
    var others = settings
    others.input = backup
    // These are about the main input.
    (others.options.program, others.rendition) = (nil, nil)
    main = StandbyInput(settings, inbox: inbox(settings.input), arrival: arrival, say: say)
    self.backup = StandbyInput(others, inbox: inbox(backup), arrival: arrival, say: say)
    state = Mutex(InputChoice(from: .now))
  }

  private func input(_ source: Source) -> StandbyInput { source == .main ? main : backup }

  // MARK: State

  /// The input that feeds the session.
  package var feeding: Source { state.withLock { $0.feeding } }

  /// How many times another input has begun to feed it.
  package var switches: Int { state.withLock { $0.switches } }

  /// The counts of the packets of the input that feeds it.
  var counts: InputCounts { input(feeding).counts }

  /// Whether access units of an input arrive.
  package func isUp(_ source: Source) -> Bool {
    note()
    return state.withLock { $0.isUp(source, at: .now) }
  }

  /// The name of an input.
  package func name(_ source: Source) -> String { input(source).input.name }

  /// Lets an input feed the session from its next key frame on. One that is silent does so when it is back.
  package func ask(for source: Source) {
    state.withLock { $0.ask(for: source, at: .now) }
    arrival.signal()
  }

  private func note() {
    let facts = [(main.facts, Source.main), (backup.facts, .backup)]
    state.withLock { state in for (facts, source) in facts { state.note(facts, of: source) } }
  }

  // MARK: The session

  /// Feeds a session until it ends, or both inputs have.
  ///
  /// - Throws: `LiveSessionError` if neither input can be read.
  func feed(_ session: LiveSession) throws(LiveSessionError) {
    session.inputStop.whenSet { [self] in
      main.inputStop.set()
      backup.inputStop.set()
      arrival.signal()
    }
    main.begin()
    for input in [main, backup] { input.start() }
    defer { for input in [main, backup] { input.stop() } }
    while !session.inputStop.isSet {
      note()
      change(session)
      let input = input(feeding)
      let arrivals = input.takeArrivals()
      for arrival in arrivals.items where !session.inputStop.isSet {
        // The other input takes over at once, if it can: nothing is interrupted but the stream.
        if arrival.item == .input(isUp: false), isUp(feeding.other) { continue }
        StandbyInput.pass(arrival, isLive: arrival.instant >= arrivals.attached, to: session)
      }
      guard arrivals.items.isEmpty else { continue }
      if main.hasEnded, backup.hasEnded {
        if let failure = main.failure ?? backup.failure { throw failure }
        return
      }
      arrival.wait(until: state.withLock { $0.nextMoment(after: .now) })
    }
  }

  /// Lets another input feed the session if that is due, and it has a key frame to begin with.
  private func change(_ session: LiveSession) {
    let now = ContinuousClock.now
    guard let step = state.withLock({ $0.step(at: now) }) else { return }
    let (old, new) = (input(step.source.other), input(step.source))
    guard new.begin(since: step.since, orAnyFrom: step.deadline) else { return }
    let isSilent = state.withLock { !$0.isUp(step.source.other, at: now) }
    old.detach()
    state.withLock { $0.change(to: step.source) }
    session.interruptInput()
    let name = step.source == .main ? "the stream comes from \(new.input.name) again" : "the stream comes from the backup \(new.input.name)"
    session.report(isSilent ? "\(old.input.name) is silent: \(name)" : name)
    session.tellInput(isUp: true, isSilent ? "\(old.input.name) is silent" : "the operator has asked for it")
  }
}
