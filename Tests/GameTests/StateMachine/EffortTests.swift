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

  // MARK: Several games

  /// How the sequence numbers of a game's events relate to their times.
  private enum Numbers: CaseIterable {
    /// The later the event, the smaller its number.
    case reversed
    case shuffled
    /// In the order of the times, but for the first event, which has the last number.
    case almostRight
    /// Reversed in small groups, as long as the numbers still choose the order; then in the order of the times.
    case reversedInGroups
  }

  /// How events arrive.
  private enum Arrival: CaseIterable {
    case ascending, descending, shuffled, scattered
  }

  /// Events of several games in turn, whose numbers contradict their times, behind the starts of the games: which game runs is known.
  private static func events(_ count: Int, games: Int, _ numbers: Numbers, _ arrival: Arrival) -> [GameEvent] {
    var generator = SeededNumbers(seed: 11)
    let each = count / games
    let shuffled = (1...each).shuffled(using: &generator)
    let starts = (0..<games).map { Sample.start("start \($0)", game: "game \($0)", sequence: 1, at: 0) }
    var events: [GameEvent] = []
    for index in 0..<each * games {
      let (place, game) = (index / games, "game \(index % games)")
      let sequence =
        switch numbers {
        case .reversed: each - place + 1
        case .shuffled: shuffled[place] + 1
        case .almostRight: place == 0 ? each + 2 : place + 1
        case .reversedInGroups: place < 40 ? place / 4 * 4 + 5 - place % 4 : place + 2
        }
      let (guid, at) = ("event \(index)", 2 * index)
      let event =
        switch place % 3 {
        case 0: Sample.ask(guid, game: game, sequence: sequence, at: at)
        case 1: Sample.show(guid, of: "event \(index - games)", game: game, sequence: sequence, at: at)
        default: Sample.info(guid, game: game, sequence: sequence, at: at)
        }
      events.append(event)
    }
    switch arrival {
    case .ascending: return starts + events
    case .descending: return starts + events.reversed()
    case .shuffled: return starts + events.shuffled(using: &generator)
    case .scattered: return starts + (0..<16).flatMap { start in stride(from: start, to: events.count, by: 16).map { events[$0] } }
    }
  }

  /// The number of steps for each event is bounded too where the numbers of several games contradict their times.
  @Test(arguments: [1, 3, 10], Numbers.allCases) private func contradictionsTakeFewSteps(games: Int, _ numbers: Numbers) {
    for arrival in Arrival.allCases {
      for count in [600, 1_500] {
        #expect(Self.steps(Self.events(count, games: games, numbers, arrival)) <= 150 * count, "\(arrival), \(count) events")
      }
    }
  }

  @Test func whatComesInOrderIsFoldedOnce() {
    #expect(Self.steps(Self.events(4_800, .ascending)) == 4_800)
  }

  /// Events that are known before they happen are not folded until then.
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
