import Basics
import GameEvents
import Testing

@testable import StateMachine

/// What copies without a checksum may do, and events that claim each other's place.
@Suite struct TrustTests {
  /// A copy without checksum.
  private static func forged(_ event: GameEvent) -> EventCopy { Sample.copy(of: event, isVerified: false) }

  private static func receive(_ event: GameEvent, _ machine: inout GameStateMachine, isVerified: Bool, seenAt seconds: Int? = nil)
    -> [GameTransition]
  {
    let time = seconds.map { MediaTime.seconds($0) } ?? event.at ?? .zero
    return machine.receive(Sample.copy(of: event, seenAt: seconds, isVerified: isVerified), at: time)
  }

  /// The states, second by second, of a game whose verified copies come at their times, with other copies before or after them.
  private static func states(_ others: [GameEvent], comeFirst: Bool) -> [GameState] {
    var machine = GameStateMachine()
    if comeFirst { for other in others { _ = machine.receive(forged(other), at: .zero) } }
    return (0...45).map { second in
      let now = Sample.shortGame.filter { $0.at == .seconds(second) }
      let forgeries = comeFirst ? [] : others.filter { $0.at == .seconds(second) }
      for event in now { _ = Self.receive(event, &machine, isVerified: true) }
      for event in forgeries { _ = Self.receive(event, &machine, isVerified: false) }
      _ = machine.advance(to: second)
      return machine.state
    }
  }

  /// Everything that an unverified copy could try while the game is on.
  private static let forgeries = [
    Sample.end("forged end", sequence: 90, at: 6), Sample.end("forged end too", at: 7),
    Sample.ask(1, sequence: 2, at: 6, allotted: 1, .open), Sample.ask("forged question", sequence: 91, at: 8),
    Sample.ask("taken", sequence: 2, at: 9), Sample.start(sequence: 1, at: 10, startsIn: 99),
    Sample.show("forged result", of: "ask1", sequence: 92, at: 8), Sample.info("forged info", at: 9),
    Sample.start("h start", game: "h", at: 11), Sample.ask("h ask", game: "h", at: 12), Sample.start("no game", game: nil, at: 13),
    Sample.info("late", sequence: 1_000_000, at: 21),
  ]

  @Test(arguments: [true, false]) func unverifiedCopiesChangeNothingOfAVerifiedGame(comeFirst: Bool) {
    let expected = Self.states([], comeFirst: false)
    #expect(expected.last?.phase == .ended)
    // From the first verified copy on.
    #expect(Self.states(Self.forgeries, comeFirst: comeFirst)[2...] == expected[2...])
    for forgery in Self.forgeries { #expect(Self.states([forgery], comeFirst: comeFirst)[2...] == expected[2...], "\(forgery.guid)") }
  }

  @Test func anUnverifiedEndEndsNoVerifiedGame() {
    var machine = GameStateMachine()
    _ = machine.play(Sample.shortGame[..<2])
    let state = machine.state
    #expect(Self.receive(Sample.end(sequence: 3, at: 5), &machine, isVerified: false).isEmpty)
    #expect(machine.state == state)
    // Nor does it lose events, or keep the number of the event that is verified.
    #expect(machine.finish().map(\.kind.text) == ["questionClosed"])
    #expect(
      Self.receive(Sample.show(1, sequence: 3, at: 18), &machine, isVerified: true).map(\.kind.text) == [
        "sequenceConflict", "resultsShown",
      ])
    #expect(machine.log.entry(Sample.guid("end"), of: GameID("friday")) == nil)
    // A repeat of it with a checksum does.
    #expect(Self.receive(Sample.end(sequence: 7, at: 40), &machine, isVerified: false).isEmpty)
    #expect(Self.receive(Sample.end(sequence: 7, at: 40), &machine, isVerified: true).map(\.kind.text) == ["gameEnded"])
    #expect(machine.state == machine.refoldedState)
  }

  @Test func aForgeryThatComesFirstLosesItsIdentifier() {
    var machine = GameStateMachine()
    _ = machine.receive(Self.forged(Sample.ask(1, sequence: 2, at: 5, allotted: 99, .open)), at: .seconds(5))
    #expect(machine.state.question?.closesAt == .seconds(104))
    let real = Sample.ask(1, sequence: 2, at: 5)
    _ = machine.receive(real, seenAt: 6)
    #expect(machine.state.question?.closesAt == .seconds(15))
    #expect(machine.state.question?.content.correctAnswer == nil)
    #expect(
      Self.receive(Sample.ask(1, sequence: 2, at: 5, allotted: 99, .open), &machine, isVerified: false, seenAt: 7).announcements == [
        Announcement(.eventConflict, at: 7, happened: 5, "ask1")
      ])
    #expect(machine.state.question?.closesAt == .seconds(15))
  }

  @Test func aGameWithoutChecksumsPlays() {
    var (verified, unverified) = (GameStateMachine(), GameStateMachine())
    for event in Sample.shortGame {
      let expected = Self.receive(event, &verified, isVerified: true)
      #expect(Self.receive(event, &unverified, isVerified: false) == expected)
    }
    #expect(unverified.state.phase == .ended)
  }

  @Test func aGameWithoutChecksumsGivesWayToAnyOther() {
    var machine = GameStateMachine()
    for event in [Sample.start("h start", game: "h", at: 1), Sample.ask("h ask", game: "h", at: 3)] {
      _ = Self.receive(event, &machine, isVerified: false)
    }
    #expect(machine.state.game == GameID("h"))
    // It needs no start for that.
    #expect(
      Self.receive(Sample.ask(1, sequence: 2, at: 5), &machine, isVerified: true).map(\.kind.text) == ["joinedLate", "questionAsked"])
    #expect(machine.state.game == GameID("friday"))
    #expect(Self.receive(Sample.start("h again", game: "h", sequence: 2, at: 6), &machine, isVerified: false).isEmpty)
    #expect(machine.state.game == GameID("friday"))
    // What is over is not displaced.
    _ = Self.receive(Sample.end(sequence: 7, at: 7), &machine, isVerified: true)
    let anew = Self.receive(Sample.start("h anew", game: "h", sequence: 3, at: 8), &machine, isVerified: false)
    #expect(anew.map(\.kind.text) == ["gameStarted"])
    #expect(machine.state.game == GameID("h"))
    #expect(machine.state == machine.refoldedState)
  }

  @Test func unverifiedEventsDriveNothingOutOfTheLog() {
    var machine = GameStateMachine(limits: .init(entries: 10, games: 2), verifySeal: Sample.verifySeal)
    _ = machine.play(Sample.shortGame[..<5])
    let (state, entries) = (machine.state, machine.log.entries(of: GameID("friday")))
    for index in 0..<200 {
      _ = Self.receive(Sample.info("forged \(index)", sequence: 6 + index, at: 34), &machine, isVerified: false)
      _ = Self.receive(Sample.start("start \(index)", game: "junk \(index)", at: 34), &machine, isVerified: false)
    }
    #expect(machine.state == state)
    #expect(machine.log.entries(of: GameID("friday")).filter(\.isVerified) == entries)
    #expect(machine.log.entries.count <= 2 * 13)
    // Numbers of events that have left are no reason to take verified ones for known.
    #expect(machine.receive(Sample.info(100, sequence: 6, at: 35)).last?.kind == .infoUpdated)
    #expect(machine.receive(Sample.end(sequence: 7, at: 40)).last?.kind == .gameEnded)
  }

  // MARK: One number, two events

  @Test func theFirstVerifiedEventKeepsItsNumber() {
    var machine = GameStateMachine()
    _ = machine.play(Sample.shortGame[..<2])
    let state = machine.state
    let rival = Sample.ask("rival", sequence: 2, at: 6)
    let told = [Announcement(.sequenceConflict(kept: Sample.guid("ask1")), at: 6, "rival")]
    #expect(machine.receive(rival).announcements == told)
    #expect(machine.receive(rival).announcements == told)
    #expect(Self.receive(rival, &machine, isVerified: false).announcements == told)
    #expect(machine.state == state)
    #expect(machine.counters == .init(copies: 5, events: 2, duplicates: 0, conflicts: 3, lost: 0))
  }

  @Test func aVerifiedEventTakesTheNumberOfAnUnverifiedOne() {
    var machine = GameStateMachine()
    _ = Self.receive(Sample.ask("rival", sequence: 2, at: 4), &machine, isVerified: false)
    #expect(
      Self.receive(Sample.ask("third", sequence: 2, at: 4), &machine, isVerified: false).announcements == [
        Announcement(.sequenceConflict(kept: Sample.guid("rival")), at: 4, "third")
      ])
    #expect(
      machine.receive(Sample.ask(1, sequence: 2, at: 5)).announcements == [
        Announcement(.sequenceConflict(kept: Sample.guid("ask1")), at: 5, "rival"), Announcement(.questionClosed, at: 5, "rival"),
        Announcement(.questionAsked, at: 5, "ask1"),
      ])
    #expect(machine.log.entries.map(\.event.guid.text) == ["ask1"])
    #expect(machine.counters == .init(copies: 3, events: 2, duplicates: 0, conflicts: 2, lost: 0))
    #expect(machine.state == machine.refoldedState)
  }
}
