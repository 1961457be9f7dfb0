import Basics
import GameEvents
import Testing

@testable import StateMachine

@Suite struct ScoringTests {
  @Test func anOpenQuestionIsScoredAtTheZero() {
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.ask(1, sequence: 2, at: 5, .open)])
    #expect(machine.select(1, at: 7) == .accepted)
    #expect(machine.state.question?.selectedAnswer == 1)
    #expect(machine.state.correctAnswer == nil)
    #expect(machine.state.score == 0)
    let closing = machine.advance(to: 15)
    #expect(closing.map(\.state.score) == [1])
    #expect(closing.map(\.state.answered) == [1])
    #expect(machine.state.correctAnswer == 1)
    // Not even a result that says otherwise scores again.
    _ = machine.receive(Sample.show(1, sequence: 3, at: 18, right: 2))
    #expect(machine.state.score == 1)
    #expect(machine.state.correctAnswer == 2)
  }

  /// What a player of each kind may select as JSON has it, and what it is in the question's own form.
  static let forms: [(kind: QuestionKind, right: RightAnswer, selected: GivenAnswer, kept: GivenAnswer)] = [
    (.single, .one(2), .one(2), .one(2)),
    (.multiple, .several([0, 2]), .several([2, 0]), .several([0, 2])),
    (.order, .order([2, 0, 1]), .several([2, 0, 1]), .order([2, 0, 1])),
    (.number, .number(DecimalNumber(millionths: 42_000_000)), .one(42), .number(DecimalNumber(millionths: 42_000_000))),
  ]

  @Test(arguments: forms)
  func aSelectionHasTheFormOfItsQuestion(kind: QuestionKind, right: RightAnswer, selected: GivenAnswer, kept: GivenAnswer) throws {
    let scale = try #require(NumberScale(least: .zero, most: DecimalNumber(millionths: 100_000_000), step: .one))
    let content = AskQuestion(
      question: "Which?", task: QuestionTask(kind, scale: kind == .number ? scale : nil), answers: kind == .number ? [] : ["A", "B", "C"],
      questionNumber: 1, allottedTime: .seconds(10), right: right)
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.event("ask1", .askQuestion(content), sequence: 2, at: 5)])
    #expect(machine.select(.several([]), at: .seconds(6)).outcome == .unknownAnswer)
    #expect(machine.select(selected, at: .seconds(7)).outcome == .accepted)
    #expect(machine.state.question?.selection == kept)
    #expect(machine.state.question?.selectedAnswer == (kind == .single ? 2 : nil))
    _ = machine.advance(to: 15)
    #expect(machine.state.right == right && machine.state.score == 1 && machine.state.answered == 1)
  }

  @Test func aSealedQuestionIsScoredByItsResult() {
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.ask(1, sequence: 2, at: 5)])
    #expect(machine.select(1, at: 7) == .accepted)
    _ = machine.advance(to: 15)
    #expect(machine.state.score == 0)
    #expect(machine.state.answered == 1)
    #expect(machine.state.correctAnswer == nil)
    #expect(machine.receive(Sample.show(1, sequence: 3, at: 18)).map(\.state.score) == [1])
    #expect(machine.state.result?.seal == .valid)
    #expect(machine.state.question?.selectedAnswer == 1)
  }

  /// A poll has no right answer: its result is shown, and nobody scores. A sealed question is no poll.
  @Test(arguments: [Sample.Secrecy.neither, .sealed]) func aPollScoresNothing(secrecy: Sample.Secrecy) {
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.ask(1, sequence: 2, at: 5, secrecy)])
    #expect(machine.select(1, at: 7) == .accepted)
    _ = machine.advance(to: 15)
    let result = ShowResults(questionGuid: .of("ask1"), questionNumber: 1, correctAnswer: nil, salt: "salt", counts: [1, 2, 3])
    _ = machine.receive(Sample.event("show", .showResults(result), sequence: 3, at: 18))
    #expect(machine.state.phase == .results && machine.state.result?.content.counts == [1, 2, 3])
    #expect(machine.state.score == 0 && machine.state.answered == 1 && machine.state.correctAnswer == nil)
    #expect(machine.state.result?.seal == (secrecy == .sealed ? .broken : .absent))
  }

  @Test(arguments: [(Optional("other"), 1), ("salt", 2), (nil, 1)])
  func aBrokenSealScoresNothing(salt: String?, right: Int) {
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.ask(1, sequence: 2, at: 5)])
    #expect(machine.select(right, at: 7) == .accepted)
    let transitions = machine.receive(Sample.show(1, sequence: 3, at: 18, right: right, salt: salt))
    #expect(
      transitions.announcements == [
        Announcement(.questionClosed, at: 15, "ask1"), Announcement(.resultsShown, at: 18, "show1"),
        Announcement(.sealBroken, at: 18, "show1"),
      ])
    #expect(machine.state.result?.seal == .broken)
    #expect(machine.state.score == 0)
  }

  @Test func withoutACheckSealsAreTakenAsTheyAre() {
    var machine = GameStateMachine(verifySeal: nil)
    _ = machine.play([Sample.start(), Sample.ask(1, sequence: 2, at: 5)])
    #expect(machine.select(1, at: 7) == .accepted)
    _ = machine.receive(Sample.show(1, sequence: 3, at: 18, salt: "any"))
    #expect(machine.state.result?.seal == .unchecked)
    #expect(machine.state.score == 1)
  }

  /// A later version may have kinds whose right answers this one cannot read.
  @Test(arguments: [nil, RightAnswer.one(1)]) func theSealOfAnUnknownKindIsNotChecked(right: RightAnswer?) {
    let content = AskQuestion(
      question: "Which song?", task: QuestionTask(.other("melody")), answers: ["A", "B"], questionNumber: 1, allottedTime: .seconds(10),
      right: nil, seal: "salt:1")
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.event("ask1", .askQuestion(content), sequence: 2, at: 5)])
    let result = ShowResults(questionGuid: .of("ask1"), questionNumber: 1, right: right, salt: "salt of another answer")
    let transitions = machine.receive(Sample.event("show1", .showResults(result), sequence: 3, at: 18))
    #expect(transitions.announcements == [Announcement(.questionClosed, at: 15, "ask1"), Announcement(.resultsShown, at: 18, "show1")])
    #expect(machine.state.result?.seal == .unchecked && machine.state.score == 0)
  }

  @Test func aQuestionWithNeitherIsScoredByItsResult() {
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.ask(1, sequence: 2, at: 5, .neither)])
    #expect(machine.select(0, at: 7) == .accepted)
    _ = machine.receive(Sample.show(1, sequence: 3, at: 18, right: 0, salt: nil))
    #expect(machine.state.result?.seal == .absent)
    #expect(machine.state.score == 1)
  }

  @Test func anAnswerCanBeChangedUntilTheDeadline() {
    var machine = GameStateMachine()
    #expect(machine.select(0, at: 1) == .noQuestion)
    _ = machine.receive(Sample.start())
    #expect(machine.select(0, at: 3) == .noQuestion)
    _ = machine.receive(Sample.ask(1, sequence: 2, at: 5, .open))
    #expect(machine.select(3, at: 6) == .unknownAnswer)
    #expect(machine.select(-1, at: 6) == .unknownAnswer)
    for answer in 0..<100 { #expect(machine.select(answer % 3, at: 6) == .accepted) }
    for tick in 0..<100 {
      #expect(machine.select(answer: tick % 3, at: MediaTime(ticks: 7 * 90_000 + Int64(tick))).outcome == .accepted)
    }
    let last = MediaTime(ticks: 15 * 90_000 - 1)
    #expect(machine.select(answer: 1, at: last).outcome == .accepted)
    let late = machine.select(answer: 2, at: MediaTime(seconds: 15))
    #expect(late.outcome == .tooLate)
    #expect(late.transitions.announcements == [Announcement(.questionClosed, at: 15, "ask1")])
    #expect(machine.state.question?.selectedAnswer == 1)
    #expect(machine.state.score == 1)
    // The clock does not go back for it.
    #expect(machine.select(2, at: 10) == .tooLate)
  }

  @Test func anAnswerAfterTheEarlyEndOfAQuestionDoesNotCount() {
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.ask(1, sequence: 2, at: 5)])
    #expect(machine.select(0, at: 8) == .accepted)
    #expect(machine.select(1, at: 10) == .accepted)
    // The result, shown at 9, arrives at 11.
    let transitions = machine.receive(Sample.show(1, sequence: 3, at: 9), seenAt: 11)
    #expect(
      transitions.announcements == [
        Announcement(.questionClosed, at: 11, happened: 9, "ask1"), Announcement(.resultsShown, at: 11, happened: 9, "show1"),
      ])
    #expect(machine.state.question?.selectedAnswer == 0)
    #expect(machine.state.score == 0)
  }

  @Test func theResultOfAnEarlierQuestionOnlyScores() {
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.ask(1, sequence: 2, at: 5)])
    #expect(machine.select(1, at: 8) == .accepted)
    _ = machine.receive(Sample.ask(2, sequence: 3, at: 20))
    #expect(machine.receive(Sample.show(1, sequence: 4, at: 21)).isEmpty)
    #expect(machine.state.phase == .asking)
    #expect(machine.state.score == 1)
  }

  @Test func theNextGameCountsAnew() {
    var machine = GameStateMachine()
    _ = machine.play([Sample.start(), Sample.ask(1, sequence: 2, at: 5, .open)])
    #expect(machine.select(1, at: 6) == .accepted)
    _ = machine.advance(to: 15)
    #expect(machine.state.score == 1)
    _ = machine.receive(Sample.start("start2", game: "h", at: 20))
    #expect(machine.state.score == 0)
    #expect(machine.state.answered == 0)
  }

  @Test func theScoreOutlivesTheEventsThatTheLogLetsGo() {
    var machine = GameStateMachine(limits: EventLog.Limits(entries: 8), verifySeal: Sample.verifySeal)
    _ = machine.receive(Sample.start(at: 0))
    for number in 0..<40 {
      let (time, sequence) = (10 + 10 * number, 2 + 2 * number)
      _ = machine.receive(Sample.ask(number % 3, sequence: sequence, at: time, allotted: 5, .open, name: "ask \(number)"))
      #expect(machine.select(number % 3, at: time + 1) == .accepted)
      _ = machine.receive(Sample.info(number, sequence: sequence + 1, at: time + 8))
    }
    #expect(machine.log.entries.count <= 10)
    #expect(machine.state.score == 40)
    #expect(machine.state.answered == 40)
    #expect(machine.state == machine.refoldedState)
  }
}
