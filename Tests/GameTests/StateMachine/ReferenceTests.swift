import Basics
import GameEvents
import TestSupport
import Testing

@testable import StateMachine

/// The machine, which folds as little as it can, against the reference, which looks everything up again.
@Suite struct ReferenceTests {
  /// What comes in a case: how many events, of which games, how they are numbered and dated, and how many of them are verified.
  private struct Mix {
    var count: Int
    var games: [String?]
    var isNumbered: Bool
    var hasRivals: Bool
    var unverified: Int
    var latest: Int

    init(_ generator: inout SeededNumbers) {
      count = [8, 20, 60, 200].randomElement(using: &generator) ?? 8
      games = [["friday"], ["friday"], ["friday", "h"], ["friday", "h", nil]].randomElement(using: &generator) ?? []
      isNumbered = Int.random(in: 0...2, using: &generator) > 0
      hasRivals = Int.random(in: 0...3, using: &generator) == 0
      // In tenths.
      unverified = [0, 0, 1, 5, 10].randomElement(using: &generator) ?? 0
      latest = [10, 60, 400].randomElement(using: &generator) ?? 10
    }

    func copies(_ generator: inout SeededNumbers) -> [EventCopy] {
      let numbers = (1...count).shuffled(using: &generator)
      var copies = (0..<count).map { index in
        let event = event(index, number: numbers[index], &generator)
        return Sample.copy(of: event, isVerified: Int.random(in: 0..<10, using: &generator) >= unverified)
      }
      for copy in copies where Int.random(in: 0...2, using: &generator) == 0 {
        var copy = copy
        copy.isVerified = copy.isVerified || Bool.random(using: &generator)
        // Some say something else.
        if Int.random(in: 0...3, using: &generator) == 0 { copy.event.at = .seconds(Int.random(in: 0...latest, using: &generator)) }
        copies.append(copy)
      }
      switch Int.random(in: 0...3, using: &generator) {
      case 0: copies.sort { ($0.event.at ?? .zero) < ($1.event.at ?? .zero) }
      case 1: copies.sort { ($0.event.at ?? .zero) > ($1.event.at ?? .zero) }
      case 2: copies.sort { ($0.event.sequence ?? 0) > ($1.event.sequence ?? 0) }
      default: copies.shuffle(using: &generator)
      }
      return copies
    }

    private func event(_ index: Int, number: Int, _ generator: inout SeededNumbers) -> GameEvent {
      let game = games.randomElement(using: &generator) ?? nil
      let ofMany = Int.random(in: 1...max(count / 2, 1), using: &generator)
      let sequence = isNumbered || Int.random(in: 0...5, using: &generator) > 0 ? hasRivals ? ofMany : number : nil
      // Mostly in the order of the numbers.
      let at = Bool.random(using: &generator) ? latest * number / count : Int.random(in: 0...latest, using: &generator)
      let question = Int.random(in: 0...3, using: &generator)
      let asked = "event \(Int.random(in: 0..<count, using: &generator))"
      let kind = Int.random(in: 0...(count > 20 ? 60 : 12), using: &generator)
      var event =
        switch kind {
        case 0, 1: Sample.start(game: game, sequence: sequence, at: at, startsIn: [nil, 0, 3, 301].randomElement(using: &generator) ?? nil)
        case 2: Sample.end(game: game, sequence: sequence, at: at)
        case 3: Sample.poll("custom", game: game, sequence: sequence, at: at)
        case _ where kind % 7 == 4:
          Sample.adjust(
            "adjust", of: asked, to: Int.random(in: 0...9, using: &generator), game: game, sequence: sequence, at: at)
        case _ where kind % 3 == 0: Sample.show(question, game: game, sequence: sequence, at: at, of: asked)
        case _ where kind % 3 == 1: Sample.info(question, game: game, sequence: sequence, at: at)
        default:
          Sample.ask(
            question, game: game, sequence: sequence, at: at, allotted: Int.random(in: 0...9, using: &generator),
            Bool.random(using: &generator) ? .open : .sealed)
        }
      event.guid = Sample.guid("event \(index)")
      return event
    }
  }

  @Test(arguments: Seeds.some(of: 160)) func statesAndTransitionsAreThoseOfTheReference(seed: UInt64) {
    var generator = SeededNumbers(seed: seed)
    let mix = Mix(&generator)
    let isSmall = Int.random(in: 0...3, using: &generator) == 0
    let limits = isSmall ? EventLog.Limits(entries: 12, games: 2) : EventLog.Limits()
    var machine = GameStateMachine(limits: limits, verifySeal: Sample.verifySeal)
    var reference = ReferenceMachine(limits: limits, verifySeal: Sample.verifySeal)
    var time = MediaTime.zero
    for copy in mix.copies(&generator) {
      // Some come when they happen, some before, most after.
      let seen = Int.random(in: 0...2, using: &generator) == 0 ? max(copy.event.at ?? time, time) : time
      var (found, expected) = (machine.receive(copy, at: seen), reference.receive(copy, at: seen))
      time = max(time, seen)
      switch Int.random(in: 0...19, using: &generator) {
      case 0, 1, 2:
        let answer = Int.random(in: 0...2, using: &generator)
        let (chosen, likewise) = (machine.select(answer: answer, at: time), reference.select(answer: answer, at: time))
        #expect(chosen.outcome == likewise.outcome)
        (found, expected) = (found + chosen.transitions, expected + likewise.transitions)
      case 3:
        time = .seconds(Int.random(in: 0...mix.latest, using: &generator))
        (found, expected) = (found + machine.seek(to: time), expected + reference.seek(to: time))
      case 4, 5:
        time += .seconds(Int.random(in: 0...9, using: &generator))
        (found, expected) = (found + machine.advance(to: time), expected + reference.advance(to: time))
      default: break
      }
      #expect(found == expected)
      #expect(machine.state == reference.state)
      #expect(machine.nextDeadline == reference.nextDeadline)
      guard found == expected, machine.state == reference.state else { break }
    }
    let end = MediaTime.seconds(10_000)
    #expect(machine.advance(to: end) == reference.advance(to: end))
    #expect(machine.counters == reference.counters)
    #expect(machine.state == machine.refoldedState)
  }
}
