import Basics
import GameEvents
import Testing

@testable import StateMachine

/// What the machine makes of copies that are missing, late, repeated, contradictory or of other games.
@Suite struct EventTests {
  @Test func repeatsChangeNothing() {
    var machine = GameStateMachine()
    var transitions = 0
    for event in Sample.shortGame {
      for _ in 0..<3 { transitions += machine.receive(event).count }
      transitions += machine.receive(event, isRefresh: true).count
    }
    #expect(transitions == 9)
    #expect(machine.counters == GameStateMachine.Counters(copies: 28, events: 7, duplicates: 21, conflicts: 0, lost: 0))
  }

  @Test func whoComesLateJoinsInTheMiddle() {
    var machine = GameStateMachine()
    let ask = machine.receive(Sample.ask(1, sequence: 2, at: 5), seenAt: 8, isRefresh: true)
    #expect(
      ask.announcements == [
        Announcement(.joinedLate, at: 8, happened: 5, "ask1"), Announcement(.questionAsked, at: 8, happened: 5, "ask1"),
      ])
    #expect(ask.last?.state.phase == .asking)
    #expect(machine.state.title == nil)
    let start = machine.receive(Sample.start(), seenAt: 9, isRefresh: true)
    #expect(start.announcements == [Announcement(.gameStarted, at: 9, happened: 2, "start")])
    #expect(machine.state.title == "Friday Night")
    #expect(machine.state.phase == .asking)
  }

  @Test func aRefreshOfTheStartIsLate() {
    var machine = GameStateMachine()
    let start = machine.receive(Sample.start(startsIn: 60), seenAt: 10, isRefresh: true)
    #expect(
      start.announcements == [
        Announcement(.joinedLate, at: 10, happened: 2, "start"), Announcement(.lobbyOpened, at: 10, happened: 2, "start"),
        Announcement(.entryOpened, at: 10, happened: 2, "start"),
      ])
    #expect(machine.receive(Sample.poll("poll", game: "h", sequence: nil, at: 11)).map(\.kind.text) == ["customEvent"])
  }

  @Test func whoSeesOnlyCountersIsInTheMiddleOfTheGame() {
    var machine = GameStateMachine()
    let transitions = machine.receive(Sample.info(7, sequence: 6, at: 5))
    #expect(transitions.announcements == [Announcement(.joinedLate, at: 5, "info7"), Announcement(.infoUpdated, at: 5, "info7")])
    #expect(machine.state.phase == .playing)
    #expect(machine.state.info?.content.viewers == 7)
  }

  @Test func theResultOfAnUnknownQuestionIsShown() {
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.ask(1, sequence: 2, at: 5)])
    #expect(machine.receive(Sample.show(2, sequence: 5, at: 33)).map(\.kind.text) == ["questionClosed", "resultsShown"])
    #expect(machine.state.phase == .results)
    #expect(machine.state.question == nil)
    #expect(machine.state.result?.seal == .absent)
    // Its question fills the gap and is not asked any more.
    #expect(machine.receive(Sample.ask(2, sequence: 4, at: 20), seenAt: 34).isEmpty)
    #expect(machine.state.phase == .results)
    #expect(machine.state.question?.guid == Sample.guid("ask2"))
    #expect(machine.state.result?.seal == .valid)
  }

  @Test func aLateQuestionIsAskedWhileItIsOpen() {
    for (seen, name, phase) in [(24, "questionAsked", GameState.Phase.asking), (31, "questionClosed", .closed)] {
      var machine = GameStateMachine()
      _ = machine.play(Sample.shortGame[..<3])
      let transitions = machine.receive(Sample.ask(2, sequence: 4, at: 20), seenAt: seen)
      #expect(transitions.map(\.kind.text) == [name])
      #expect(machine.state.phase == phase)
    }
  }

  @Test func anOlderQuestionNeverMovesThePhaseBack() {
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.ask(2, sequence: 4, at: 20)])
    let state = machine.state
    #expect(machine.receive(Sample.ask(1, sequence: 2, at: 5, allotted: 60), seenAt: 21).isEmpty)
    #expect(machine.state == state)
  }

  @Test func whatIsMissingIsLostAndMayBeRecovered() {
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.ask(2, sequence: 4, at: 20)])
    #expect(machine.nextDeadline == MediaTime(seconds: 25))
    #expect(machine.advance(to: 26).announcements == [Announcement(.eventLost(sequences: 2...3), at: 25, nil)])
    #expect(machine.counters.lost == 2)
    #expect(
      machine.receive(Sample.show(1, sequence: 3, at: 18), seenAt: 27).announcements == [
        Announcement(.eventRecovered, at: 27, happened: 18, "show1")
      ])
    #expect(machine.counters == GameStateMachine.Counters(copies: 3, events: 3, duplicates: 0, conflicts: 0, lost: 1))
  }

  @Test func theEndOfTheStreamDeclaresLostWhatIsMissing() {
    var machine = GameStateMachine()
    #expect(machine.finish().isEmpty)
    _ = machine.play([Sample.start(), Sample.ask(2, sequence: 4, at: 20)])
    #expect(
      machine.finish().announcements == [
        Announcement(.eventLost(sequences: 2...3), at: 20, nil), Announcement(.questionClosed, at: 30, "ask2"),
      ])
    #expect(machine.state.phase == .closed)
    #expect(machine.finish().isEmpty)
  }

  @Test func aContradictionChangesNothing() {
    var machine = GameStateMachine()
    _ = machine.play(Sample.shortGame[..<2])
    let state = machine.state
    let other = Sample.ask(1, sequence: 2, at: 5, allotted: 99, .open)
    #expect(machine.receive(other, seenAt: 6).announcements == [Announcement(.eventConflict, at: 6, happened: 5, "ask1")])
    #expect(machine.state == state)
    #expect(machine.counters.conflicts == 1)
  }

  @Test func aVerifiedCopyCorrectsAnUnverifiedOne() {
    var machine = GameStateMachine()
    let damaged = Sample.ask(1, sequence: 2, at: 5, allotted: 1)
    _ = machine.receive(Sample.copy(of: damaged, isVerified: false), at: MediaTime(seconds: 5))
    #expect(machine.advance(to: 7).map(\.kind.text) == ["questionClosed"])
    #expect(machine.receive(Sample.ask(1, sequence: 2, at: 5), seenAt: 7).map(\.kind.text) == ["questionAsked"])
    #expect(machine.state.question?.closesAt == MediaTime(seconds: 15))
    #expect(machine.state == machine.refoldedState)
  }

  @Test func eventsOfOtherTypesAreHandedOn() {
    var machine = GameStateMachine()
    _ = machine.receive(Sample.start())
    let state = machine.state
    let (poll, later) = (Sample.poll("poll", sequence: 2, at: 5), Sample.poll("later", sequence: 3, at: 9))
    #expect(machine.receive(poll).announcements == [Announcement(.customEvent(poll), at: 5, "poll")])
    #expect(machine.receive(poll).isEmpty)
    #expect(machine.receive(later, seenAt: 6).isEmpty)
    #expect(machine.nextDeadline == MediaTime(seconds: 9))
    #expect(machine.advance(to: 10).announcements == [Announcement(.customEvent(later), at: 9, "later")])
    #expect(machine.state == state)
  }
}

@Suite struct SeveralGamesTests {
  @Test func theStartOfAnotherGameStartsAfresh() {
    var machine = GameStateMachine()
    _ = machine.play(Sample.shortGame[..<2])
    let transitions = machine.receive(Sample.start("start h", game: "h", at: 7))
    #expect(transitions.announcements == [Announcement(.gameStarted, at: 7, "start h")])
    #expect(machine.state.game == GameID("h"))
    #expect(machine.state.question == nil)
    // The game before moves nothing any more.
    #expect(machine.play(Sample.shortGame[2...]).isEmpty)
    #expect(machine.state.phase == .playing)
  }

  @Test func anotherGameWithoutStartWaitsForTheEnd() {
    var machine = GameStateMachine()
    _ = machine.play(Sample.shortGame[..<2])
    #expect(machine.receive(Sample.ask(1, game: "h", sequence: 5, at: 6, name: "h1")).map(\.kind.text) == ["joinedLate"])
    #expect(machine.state.question?.guid == Sample.guid("ask1"))
    _ = machine.receive(Sample.end(sequence: 7, at: 8))
    #expect(machine.receive(Sample.ask(2, game: "h", sequence: 6, at: 9, name: "h2")).map(\.kind.text) == ["questionAsked"])
    #expect(machine.state.game == GameID("h"))
    #expect(machine.state.title == nil)
  }

  @Test func manyGamesStayBounded() {
    var machine = GameStateMachine()
    for index in 0..<200 {
      _ = machine.receive(Sample.start("start \(index)", game: "game \(index)", at: index))
      #expect(machine.state.game == GameID("game \(index)"))
    }
    #expect(machine.log.games.count <= machine.log.limits.games)
  }
}

@Suite struct SeekTests {
  @Test func theStateIsThatOfTheTime() {
    var machine = GameStateMachine()
    var states: [GameState] = []
    for second in 0...45 {
      _ = machine.advance(to: second)
      for event in Sample.shortGame where event.at == MediaTime(seconds: second) { _ = machine.receive(event) }
      if second == 7 { #expect(machine.select(1, at: 7) == .accepted) }
      if second == 22 { #expect(machine.select(2, at: 22) == .accepted) }
      states.append(machine.state)
    }
    #expect(states.last?.score == 2)
    for second in [10, 3, 44, 0, 19, 30, 7, 6, 45] {
      _ = machine.seek(to: second)
      #expect(machine.state == states[second])
      #expect(machine.time == MediaTime(seconds: second))
    }
    // Played on from anywhere, it all happens again.
    _ = machine.seek(to: 4)
    #expect(machine.advance(to: 45).last?.state == states[45])
  }

  @Test func aSeekAnnouncesWhatIsShown() {
    var machine = GameStateMachine()
    _ = machine.play(Sample.shortGame)
    #expect(machine.seek(to: 25).announcements == [Announcement(.questionAsked, at: 25, happened: 20, "ask2")])
    #expect(machine.seek(to: 8).announcements == [Announcement(.questionAsked, at: 8, happened: 5, "ask1")])
    #expect(machine.seek(to: 19).announcements.map(\.kind) == [.questionClosed, .resultsShown])
    #expect(machine.seek(to: 0).isEmpty)
    #expect(machine.state == GameState())
  }

  @Test func anAnswerGivenAgainReplacesTheLaterOne() {
    var machine = GameStateMachine()
    _ = machine.play(Sample.shortGame[..<2])
    #expect(machine.select(1, at: 12) == .accepted)
    _ = machine.advance(to: 16)
    #expect(machine.state.score == 1)
    _ = machine.seek(to: 8)
    #expect(machine.state.question?.selectedAnswer == nil)
    #expect(machine.state.score == 0)
    #expect(machine.select(2, at: 9) == .accepted)
    _ = machine.advance(to: 16)
    #expect(machine.state.question?.selectedAnswer == 2)
    #expect(machine.state.score == 0)
  }

  @Test func whatWasPassedOverIsNotLost() {
    var machine = GameStateMachine()
    _ = machine.receive(Sample.start())
    _ = machine.seek(to: 30)
    _ = machine.receive(Sample.show(2, sequence: 5, at: 33))
    #expect(machine.counters.lost == 0)
  }
}
