import Basics
import GameEvents
import TestSupport
import Testing

@testable import StateMachine

/// Whatever the order in which the same copies arrive, they lead to the same state.
@Suite struct EventOrderTests {
  /// The state at a time, in seconds, of events that arrive in order, at their times.
  private static func state(of events: some Sequence<GameEvent>, at time: Int) -> GameState {
    var machine = GameStateMachine()
    _ = machine.play(events.filter { $0.at ?? .zero <= MediaTime(seconds: time) })
    _ = machine.advance(to: time)
    return machine.state
  }

  /// Lets the machine receive the events in every order, the first at `time` and each `step` seconds after the one before it, and hands on
  /// where each order led. Orders that begin alike share their beginning.
  private static func inEveryOrder(
    _ events: [GameEvent], _ machine: GameStateMachine, at time: Int, step: Int = 0, _ body: (GameStateMachine) -> Void
  ) {
    guard !events.isEmpty else { return body(machine) }
    for index in events.indices {
      var (machine, rest) = (machine, events)
      _ = machine.receive(rest.remove(at: index), seenAt: time)
      inEveryOrder(rest, machine, at: time + step, step: step, body)
    }
  }

  /// All of them late, and spread over the game, so that some come before they happen and others after.
  @Test(arguments: [(50, 0), (1, 6)])
  func everyPermutationOfAShortGame(first: Int, step: Int) {
    let expected = Self.state(of: Sample.shortGame, at: 60)
    #expect(expected.phase == .ended)
    var count = 0
    var differing = 0
    Self.inEveryOrder(Sample.shortGame, GameStateMachine(), at: first, step: step) { machine in
      count += 1
      var machine = machine
      _ = machine.advance(to: 60)
      if machine.state != expected { differing += 1 }
    }
    #expect(count == 5_040)
    #expect(differing == 0)
  }

  @Test func everyEventMissingInTurn() {
    let states = Sample.shortGame.indices.map { missing in
      var events = Sample.shortGame
      events.remove(at: missing)
      let expected = Self.state(of: events, at: 36)
      var differing = 0
      Self.inEveryOrder(events, GameStateMachine(), at: 36) { machine in
        if machine.state != expected { differing += 1 }
      }
      #expect(differing == 0)
      return expected
    }
    #expect(states.map(\.phase) == [.results, .results, .results, .results, .closed, .results, .results])
    #expect(states.map(\.question?.guid.text) == ["ask2", "ask2", "ask2", nil, "ask2", "ask2", "ask2"])
    #expect(states.map(\.result?.guid.text) == ["show2", "show2", "show2", "show2", nil, "show2", "show2"])
    #expect(states.map(\.title) == [nil] + Array(repeating: "Friday Night", count: 6))
  }

  @Test func answersCountInEveryOrderOfWhatFollows() {
    let rest = Array(Sample.shortGame[2...].filter { $0.type != .endGame })
    var machine = GameStateMachine()
    _ = machine.play(Sample.shortGame[..<2])
    #expect(machine.select(1, at: 7) == .accepted)
    Self.inEveryOrder(rest, machine, at: 36, step: 1) { machine in
      #expect(machine.state.score == 1)
      #expect(machine.state.answered == 1)
      #expect(machine.state.phase == .results)
    }
  }

  /// Two games with and without sequence numbers, events at the same time, events out of order, unknown games, deadlines on events.
  private static func randomEvents(_ generator: inout SeededNumbers) -> [GameEvent] {
    let isSequenced = Bool.random(using: &generator)
    let numbers = (1...12).shuffled(using: &generator)
    return (0..<Int.random(in: 1...12, using: &generator)).map { index in
      let game = ["friday", "h", nil].randomElement(using: &generator) ?? nil
      let sequence = isSequenced || Bool.random(using: &generator) ? numbers[index] : nil
      let at = Int.random(in: 0...12, using: &generator)
      let number = Int.random(in: 0...2, using: &generator)
      var event =
        switch Int.random(in: 0...6, using: &generator) {
        case 0:
          Sample.start(game: game, sequence: sequence, at: at, startsIn: [nil, 0, 3, 301].randomElement(using: &generator) ?? nil)
        case 1: Sample.ask(number, game: game, sequence: sequence, at: at, allotted: 3, .open)
        case 2: Sample.ask(number, game: game, sequence: sequence, at: at, allotted: Int.random(in: 0...4, using: &generator))
        case 3: Sample.show(number, game: game, sequence: sequence, at: at, of: "event \(Int.random(in: 0...12, using: &generator))")
        case 4: Sample.info(number, game: game, sequence: sequence, at: at)
        case 5: Sample.end(game: game, sequence: sequence, at: at)
        default: Sample.poll("custom", game: game, sequence: sequence, at: at)
        }
      event.guid = Sample.guid("event \(index)")
      return event
    }
  }

  @Test func randomCopiesInRandomOrders() {
    var generator = SeededNumbers(seed: 20_191_120)
    for _ in 0..<400 {
      let events = Self.randomEvents(&generator)
      var states: [GameState] = []
      for _ in 0..<3 {
        var machine = GameStateMachine()
        var time = 0
        for event in (events + events.filter { _ in Bool.random(using: &generator) }).shuffled(using: &generator) {
          _ = machine.receive(event, seenAt: time)
          if Int.random(in: 0...9, using: &generator) == 0 { _ = machine.seek(to: Int.random(in: 0...time, using: &generator)) }
          #expect(machine.state == machine.refoldedState)
          time += Int.random(in: 0...2, using: &generator)
        }
        _ = machine.advance(to: 100)
        states.append(machine.state)
      }
      #expect(states.allSatisfy { $0 == states.first })
    }
  }

  @Test func goingOnEqualsFoldingAgainWithAnswersToo() {
    var generator = SeededNumbers(seed: 2_026)
    var (accepted, highest) = (0, 0)
    for _ in 0..<600 {
      var machine = GameStateMachine()
      var time = 0
      for event in Self.randomEvents(&generator).shuffled(using: &generator) {
        _ = machine.receive(event, seenAt: time)
        if machine.select(Int.random(in: 0...2, using: &generator), at: time) == .accepted { accepted += 1 }
        if Int.random(in: 0...9, using: &generator) == 0 { _ = machine.seek(to: Int.random(in: 0...time, using: &generator)) }
        #expect(machine.state == machine.refoldedState)
        time += Int.random(in: 0...2, using: &generator)
      }
      highest = max(highest, machine.state.score)
    }
    // With this seed answers are accepted and scored; otherwise the test would test nothing.
    #expect(accepted > 100)
    #expect(highest > 0)
  }
}
