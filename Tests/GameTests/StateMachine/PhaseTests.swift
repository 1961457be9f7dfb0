import Basics
import GameEvents
import Testing

@testable import StateMachine

@Suite struct PhaseTests {
  @Test func aGameFromStartToEnd() {
    var machine = GameStateMachine()
    #expect(machine.state == GameState())
    var phases: [GameState.Phase] = []
    var announcements: [Announcement] = []
    for event in Sample.shortGame {
      let transitions = machine.receive(event)
      phases += transitions.map(\.state.phase)
      announcements += transitions.announcements
      #expect(machine.state == machine.refoldedState)
    }
    #expect(
      announcements == [
        Announcement(.gameStarted, at: 2, "start"), Announcement(.questionAsked, at: 5, "ask1"),
        Announcement(.questionClosed, at: 15, "ask1"), Announcement(.resultsShown, at: 18, "show1"),
        Announcement(.questionAsked, at: 20, "ask2"), Announcement(.questionClosed, at: 30, "ask2"),
        Announcement(.resultsShown, at: 33, "show2"), Announcement(.infoUpdated, at: 35, "info100"),
        Announcement(.gameEnded, at: 40, "end"),
      ])
    #expect(phases == [.playing, .asking, .closed, .results, .asking, .closed, .results, .results, .ended])
    #expect(machine.nextDeadline == nil)
  }

  @Test func theStateWhileAQuestionIsAsked() {
    var machine = GameStateMachine()
    let (start, ask) = (Sample.start(), Sample.ask(1, sequence: 2, at: 5))
    let transitions = machine.play([start, ask])
    guard case .startGame(let startContent) = start.content, case .askQuestion(let askContent) = ask.content else {
      Issue.record("The samples are of other types.")
      return
    }
    var expected = GameState()
    expected.phase = .asking
    expected.game = GameID("friday")
    expected.start = .init(
      payload: EventPayload(startContent, by: start), time: MediaTime(seconds: 2), entryOpensAt: MediaTime(seconds: 2),
      startsAt: MediaTime(seconds: 2)
    )
    expected.question = .init(
      payload: EventPayload(askContent, by: ask), opensAt: MediaTime(seconds: 5), closesAt: MediaTime(seconds: 15))
    #expect(machine.state == expected)
    #expect(transitions.last?.state == expected)
    #expect(machine.state.title == "Friday Night")
    #expect(machine.state.totalQuestions == 3)
    #expect(machine.nextDeadline == MediaTime(seconds: 15))
  }

  @Test func theTimeForAnswersChanges() {
    let (ask, longer) = (Sample.ask(1, sequence: 2, at: 5), Sample.adjust("more", of: "ask1", to: 20, sequence: 3, at: 10))
    var machine = GameStateMachine()
    var announcements = machine.play([Sample.start(), ask, longer]).announcements
    #expect(machine.state.phase == .asking && machine.state.question?.closesAt == .seconds(25))
    #expect(machine.state.question?.adjustment?.guid == Sample.guid("more") && machine.nextDeadline == .seconds(25))
    #expect(machine.select(answer: 1, at: .seconds(20)).outcome == .accepted)
    // Shorter than it has been already: it is over where the event is.
    announcements += machine.receive(Sample.adjust("less", of: "ask1", to: 0, sequence: 4, at: 22)).announcements
    #expect(machine.state.phase == .closed && machine.state.question?.closesAt == .seconds(22) && machine.state.answered == 1)
    // What is over stays over.
    announcements += machine.receive(Sample.adjust("late", of: "ask1", to: 60, sequence: 5, at: 24)).announcements
    #expect(machine.state.phase == .closed && machine.state.question?.closesAt == .seconds(22))
    #expect(
      announcements == [
        Announcement(.gameStarted, at: 2, "start"), Announcement(.questionAsked, at: 5, "ask1"),
        Announcement(.timeAdjusted, at: 10, "more"),
        Announcement(.questionClosed, at: 22, "ask1"),
      ])
    #expect(machine.state == machine.refoldedState)
  }

  /// A change that is learned of late opens the question again, if its time is not up by then.
  @Test func theTimeForAnswersHasChanged() {
    let (ask, longer) = (Sample.ask(1, sequence: 2, at: 5), Sample.adjust("more", of: "ask1", to: 20, sequence: 3, at: 10))
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), ask])
    #expect(machine.advance(to: .seconds(18)).announcements == [Announcement(.questionClosed, at: 15, "ask1")])
    let copy = EventCopy(of: longer, copy: 4, copies: 3, age: .seconds(8))
    #expect(machine.receive(copy, at: .seconds(18)).announcements == [Announcement(.questionAsked, at: 18, happened: 5, "ask1")])
    #expect(machine.state.phase == .asking && machine.nextDeadline == .seconds(25))
    // One for another question changes nothing.
    #expect(machine.receive(Sample.adjust("other", of: "ask2", to: 0, sequence: 4, at: 19)).announcements == [])
    #expect(machine.state.phase == .asking && machine.state == machine.refoldedState)
  }

  @Test func theLobbyOpensEntryFiveMinutesBeforeTheStart() {
    var machine = GameStateMachine()
    #expect(machine.receive(Sample.start(startsIn: 400)).announcements == [Announcement(.lobbyOpened, at: 2, "start")])
    #expect(machine.state.phase == .lobby)
    #expect(machine.nextDeadline == MediaTime(seconds: 102))
    #expect(machine.advance(to: 101).isEmpty)
    #expect(machine.advance(to: 102).announcements == [Announcement(.entryOpened, at: 102, "start")])
    #expect(machine.state.start?.isEntryOpen == true)
    #expect(machine.nextDeadline == MediaTime(seconds: 402))
    #expect(machine.advance(to: 402).announcements == [Announcement(.gameStarted, at: 402, "start")])
    #expect(machine.state.phase == .playing)
    #expect(machine.state.start?.isEntryOpen == false)
    #expect(machine.nextDeadline == nil)
  }

  @Test func entryOpensWithAnAnnouncementShortBeforeTheStart() {
    var machine = GameStateMachine()
    let transitions = machine.receive(Sample.start(startsIn: 60))
    #expect(transitions.announcements == [Announcement(.lobbyOpened, at: 2, "start"), Announcement(.entryOpened, at: 2, "start")])
    #expect(transitions.map(\.state.start?.isEntryOpen) == [false, true])
  }

  @Test func deadlinesAreMetInOrderHoweverFarOneAdvances() {
    var machine = GameStateMachine()
    var announcements = machine.receive(Sample.start(startsIn: 400)).announcements
    // These arrive before they happen.
    announcements += machine.receive(Sample.ask(1, sequence: 2, at: 410), seenAt: 3).announcements
    announcements += machine.receive(Sample.end(sequence: 4, at: 500), seenAt: 3).announcements
    #expect(announcements == [Announcement(.lobbyOpened, at: 2, "start")])
    #expect(
      machine.advance(to: 1_000_000).announcements == [
        Announcement(.eventLost(sequences: 3...3), at: 8, nil), Announcement(.entryOpened, at: 102, "start"),
        Announcement(.gameStarted, at: 402, "start"), Announcement(.questionAsked, at: 410, "ask1"),
        Announcement(.questionClosed, at: 420, "ask1"), Announcement(.gameEnded, at: 500, "end"),
      ])
    #expect(machine.time == MediaTime(seconds: 1_000_000))
  }

  @Test func aQuestionStartsTheGameThatIsInTheLobby() {
    var machine = GameStateMachine()
    _ = machine.receive(Sample.start(startsIn: 60))
    let transitions = machine.receive(Sample.ask(1, sequence: 2, at: 20))
    #expect(transitions.announcements == [Announcement(.gameStarted, at: 20, "start"), Announcement(.questionAsked, at: 20, "ask1")])
    #expect(transitions.map(\.state.phase) == [.playing, .asking])
    #expect(machine.state.start?.startsAt == MediaTime(seconds: 20))
  }

  @Test func whatComesBeforeTheZeroClosesTheQuestion() {
    let events = [Sample.show(1, sequence: 3, at: 9), Sample.ask(2, sequence: 3, at: 9), Sample.end(sequence: 3, at: 9)]
    let kinds: [GameTransition.Kind] = [.resultsShown, .questionAsked, .gameEnded]
    for (event, kind) in zip(events, kinds) {
      var machine = GameStateMachine()
      _ = machine.play([Sample.start(), Sample.ask(1, sequence: 2, at: 5)])
      let transitions = machine.receive(event)
      #expect(transitions.announcements == [Announcement(.questionClosed, at: 9, "ask1"), Announcement(kind, at: 9, event.guid.text)])
      #expect(transitions.first?.state.question?.closesAt == MediaTime(seconds: 9))
      #expect(machine.advance(to: 15).isEmpty)
    }
  }

  @Test func aQuestionWithoutTimeOpensAndCloses() {
    var machine = GameStateMachine()
    _ = machine.receive(Sample.start())
    let transitions = machine.receive(Sample.ask(1, sequence: 2, at: 5, allotted: 0))
    #expect(transitions.announcements == [Announcement(.questionAsked, at: 5, "ask1"), Announcement(.questionClosed, at: 5, "ask1")])
    #expect(transitions.map(\.state.phase) == [.asking, .closed])
  }

  /// Refreshes go on after an event is over, and may be all that arrives: a question whose time is up is closed, and never asked.
  @Test func aQuestionThatIsOverIsNeverAsked() {
    let ask = Sample.ask(1, sequence: 2, at: 5)
    let (show, next) = (Sample.show(1, sequence: 3, at: 18), Sample.ask(2, sequence: 4, at: 20))
    func kinds(_ events: [GameEvent], at time: Int) -> ([String], GameState.Phase) {
      var machine = GameStateMachine(verifySeal: Sample.verifySeal)
      var transitions: [GameTransition] = []
      for event in events { transitions += machine.receive(Sample.copy(of: event, seenAt: time, isRefresh: true), at: .seconds(time)) }
      return (transitions.map(\.kind.text), machine.state.phase)
    }
    #expect(kinds([Sample.start(), ask], at: 16) == (["joinedLate", "gameStarted", "questionClosed"], .closed))
    #expect(kinds([Sample.start(), show, ask], at: 19) == (["joinedLate", "gameStarted", "resultsShown"], .results))
    // Whatever the order in which they come.
    let order = kinds([ask, Sample.start(), next, show], at: 22)
    #expect(order.1 == .asking && order.0.filter { $0 == "questionAsked" }.count == 1)
    #expect(kinds([Sample.end(sequence: 5, at: 25), Sample.start(), next, ask], at: 26) == (["joinedLate", "gameEnded"], .ended))
  }

  @Test func nothingMovesAfterTheEnd() {
    var machine = GameStateMachine()
    _ = machine.play(Sample.shortGame)
    let state = machine.state
    let late = [
      Sample.ask(3, sequence: 8, at: 41), Sample.info(7, sequence: 9, at: 42), Sample.start("again", sequence: 10, at: 43),
    ]
    #expect(machine.play(late).isEmpty)
    #expect(machine.state == state)
  }

  @Test func extremeTimesSaturate() {
    var machine = GameStateMachine()
    let largest = MediaTime(ticks: .max)
    let content = AskQuestion(question: "?", answers: ["1", "2"], questionNumber: 1, allottedTime: largest)
    let ask = GameEvent(guid: Sample.guid("ask"), at: MediaTime(seconds: 5), content: .askQuestion(content))
    _ = machine.receive(ask)
    #expect(machine.state.question?.closesAt == largest)
    let early = GameEvent(guid: Sample.guid("early"), at: MediaTime(ticks: .min), content: .endGame(EndGame(totalQuestions: 1)))
    _ = machine.receive(early, seenAt: 6)
    #expect(machine.state == machine.refoldedState)
    #expect(machine.advance(to: largest).count <= 1)
    #expect(machine.advance(to: MediaTime(ticks: .min)).isEmpty)
    #expect(machine.time == largest)
  }
}
