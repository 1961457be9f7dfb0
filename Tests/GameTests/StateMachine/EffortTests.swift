import Basics
import GameEvents
import Testing

@testable import StateMachine

/// How much is folded where events come in any order.
@Suite struct EffortTests {
  private enum Order: CaseIterable {
    case ascending, descending, shuffled, scattered, unnumbered, numbersAgainstTimes
  }

  /// Questions with their results and counters, two seconds apart.
  private static func events(_ count: Int, _ order: Order) -> [GameEvent] {
    var generator = SeededNumbers(seed: 7)
    let numbers = (1...count).shuffled(using: &generator)
    let events = (0..<count).map { index in
      let sequence: Int? =
        switch order {
        case .ascending, .descending, .shuffled: index + 1
        case .scattered: 5 * numbers[index]
        case .unnumbered: nil
        case .numbersAgainstTimes: count - index
        }
      let (guid, at) = ("event \(index)", 2 * index)
      return switch index % 3 {
      case 0: Sample.ask(guid, sequence: sequence, at: at)
      case 1: Sample.show(guid, of: "event \(index - 1)", sequence: sequence, at: at)
      default: Sample.info(guid, sequence: sequence, at: at)
      }
    }
    switch order {
    case .ascending, .scattered, .numbersAgainstTimes: return events
    case .descending: return events.reversed()
    case .shuffled, .unnumbered: return events.shuffled(using: &generator)
    }
  }

  private static func steps(_ events: [GameEvent]) -> Int {
    var machine = GameStateMachine()
    for event in events { _ = machine.receive(event, seenAt: 100_000) }
    #expect(machine.log.entries.count == events.count)
    return machine.folded.steps
  }

  /// It takes a number of steps for each event that does not grow with the number of events.
  @Test(arguments: Order.allCases) private func eachEventTakesFewSteps(_ order: Order) {
    for count in [150, 1_500] { #expect(Self.steps(Self.events(count, order)) <= 100 * count, "\(count) events") }
  }

  @Test func whatComesInOrderIsFoldedOnce() {
    #expect(Self.steps(Self.events(4_800, .ascending)) == 4_800)
  }

  /// What is known before it happens costs nothing until then.
  @Test func eventsThatComeBeforeTheyHappenAreFoldedOnce() {
    var machine = GameStateMachine()
    for event in Self.events(4_800, .shuffled) { _ = machine.receive(event, seenAt: -1) }
    #expect(machine.folded.steps == 0)
    var announced = 0
    for second in 0...9_600 { announced += machine.advance(to: second).count }
    #expect(machine.folded.steps == 4_800)
    #expect(announced > 4_800)
  }
}
