import Basics
import GameEvents
import StateMachine
import TestSupport
import Testing

@testable import Scoring

/// What a person's keys do.
@Suite struct SoloGameTests {
  @Test func theLastAnswerBeforeZeroCounts() {
    let game = PlaySample.game(keys: [(81, 1), (99.9, 2), (100, 3)], to: 110)
    #expect(game.state.verdict == .right)
    #expect(game.reply == .tooLate(answer: 2))
    #expect(game.score == SoloGame.Score(right: 1, decided: 1))
  }

  @Test func repliesSayWhatBecameOfAKey() {
    let cases: [([(Double, Int)], Double, SoloGame.Reply?)] = [
      ([(75, 1)], 76, .noQuestion), ([(81, 1)], 82, .selected(answer: 0, changedFrom: nil)),
      ([(81, 1), (82, 1)], 83, .selected(answer: 0, changedFrom: nil)), ([(81, 1), (82, 3)], 83, .selected(answer: 2, changedFrom: 0)),
      ([(81, 4)], 82, .unknownAnswer(answer: 3, count: 3)), ([(101, 1)], 102, .tooLate(answer: 0)),
      ([(106, 1)], 107, .tooLate(answer: 0)), ([(81, 1)], 100, nil), ([(106, 1)], 121, nil), ([(141, 1)], 142, .noQuestion),
    ]
    for (keys, end, reply) in cases { #expect(PlaySample.game(keys: keys, to: end).reply == reply, "\(keys)") }
  }

  /// Keys toggle several answers, of which one stays; an unknown kind has no keys.
  @Test func keysOfOtherKinds() throws {
    func play(_ task: QuestionTask, _ answers: [String], _ keys: [Int]) throws -> SoloGame {
      var game = SoloGame(rules: try ScoringRules(parsing: "right:10"), verifySeal: nil)
      let content = AskQuestion(
        question: "?", task: task, answers: answers, questionNumber: 1, allottedTime: .seconds(10),
        right: task.kind == .multiple ? .several([0, 2]) : nil)
      _ = game.receive(Sample.copy(of: Sample.event("q", .askQuestion(content), sequence: 1, at: 1)), at: .seconds(1))
      for (index, key) in keys.enumerated() { _ = game.press(key, at: .seconds(2 + index)) }
      return game
    }
    let replies = try [[3], [3, 1], [3, 1, 2, 2], [3, 3]].map { try play(QuestionTask(.multiple), ["A", "B", "C"], $0).reply }
    #expect(replies == [.selectedSeveral([2]), .selectedSeveral([0, 2]), .selectedSeveral([0, 2]), .selectedSeveral([2])])
    #expect(try play(QuestionTask(.multiple), ["A", "B", "C"], [4]).reply == .unknownAnswer(answer: 3, count: 3))
    var right = try play(QuestionTask(.multiple), ["A", "B", "C"], [1, 3])
    _ = right.advance(to: .seconds(20))
    #expect(right.state.verdict == .right && right.score == SoloGame.Score(right: 1, decided: 1, points: 10))
    func decimal(_ text: String) -> DecimalNumber { DecimalNumber(text) ?? .zero }
    let scale = try #require(NumberScale(least: .zero, most: decimal("5"), step: decimal("0.5")))
    #expect(try play(QuestionTask(.number, scale: scale), [], [1]).reply == .otherKind)
    // The keys put the items of an order one after the other, and a second time takes one back.
    let orders = try [[3], [3, 1], [3, 1, 3], [3, 1, 2], [3, 1, 2, 2], [4]].map {
      try play(QuestionTask(.order), ["A", "B", "C"], $0).reply
    }
    #expect(
      orders == [
        .ordering([2], of: 3), .ordering([2, 0], of: 3), .ordering([0], of: 3), .selectedWhole(.order([2, 0, 1])), .ordering([1], of: 3),
        .unknownAnswer(answer: 3, count: 3),
      ])
    func entered(_ text: String, _ task: QuestionTask, _ answers: [String]) throws -> SoloGame.Reply? {
      var game = try play(task, answers, [])
      _ = game.enter(text, at: .seconds(3))
      return game.reply
    }
    let number = QuestionTask(.number, scale: scale)
    #expect(
      try ["2.5", " 2,5 "].map { try entered($0, number, []) } == [
        .selectedWhole(.number(decimal("2.5"))), .selectedWhole(.number(decimal("2.5"))),
      ])
    #expect(try ["2.3", "6", "-1", "1.2.3"].map { try entered($0, number, []) } == .init(repeating: .noNumber(scale), count: 4))
    #expect(
      try ["312", "3, 1, 2"].map { try entered($0, QuestionTask(.order), ["A", "B", "C"]) }
        == .init(repeating: .selectedWhole(.order([2, 0, 1])), count: 2))
    #expect(try entered("1 3", QuestionTask(.multiple), ["A", "B", "C"]) == .selectedSeveral([0, 2]))
    // A number is typed, and one takes back what is wrong.
    var typing = try play(number, [], [])
    for character in ["4", nil, "3", ".", "5"] as [Character?] { typing.type(character) }
    #expect(typing.takesNumber && typing.reply == .typing("3.5"))
    _ = typing.enter(at: .seconds(4))
    #expect(typing.reply == .selectedWhole(.number(decimal("3.5"))))
    #expect(typing.state.question?.selection == .number(decimal("3.5")))
    // So is a text.
    let text = QuestionTask(.text)
    func given(_ text: String) throws -> GivenAnswer { .text(try #require(AnswerText(text))) }
    #expect(try entered(" Mont Blanc ", text, []) == .selectedWhole(given("Mont Blanc")))
    #expect(try ["", " ", String(repeating: "x", count: 65)].map { try entered($0, text, []) } == .init(repeating: .noText, count: 3))
    var writing = try play(text, [], [])
    for character in ["q", "u", "2", nil, "é"] as [Character?] { writing.type(character) }
    #expect(writing.takesText && writing.reply == .typing("qué"))
    _ = writing.enter(at: .seconds(4))
    #expect(try writing.state.question?.selection == given("qué"))
    for _ in 0..<99 { writing.type("x") }
    #expect(writing.reply == .typing(String(repeating: "x", count: 64)))
    #expect(try play(text, [], [1]).reply == .otherKind)
    #expect(try play(QuestionTask(.other("map")), ["A", "B"], [1]).reply == .otherKind)
  }

  @Test func verdictsAreKnownInTime() {
    #expect(PlaySample.game(keys: [(81, 1)], to: 99).state.verdict == nil)
    // The answer is open, and so is known when the time is up.
    #expect(PlaySample.game(keys: [(81, 1)], to: 100).state.verdict == .wrong)
    #expect(PlaySample.game(to: 106).state.verdict == .notAnswered)
    #expect(PlaySample.game(keys: [(121, 1)], to: 126).state.verdict == nil)
    #expect(PlaySample.game(keys: [(121, 1)], to: 131).state.verdict == .void)
  }

  @Test func theScoreGoesWithEachMoment() {
    var game = SoloGame(rules: nil)
    let copies = [PlaySample.start, PlaySample.ask(), PlaySample.show(), PlaySample.askSealed, PlaySample.showBroken, PlaySample.end]
    let moments = PlaySample.moments(of: &game, copies, keys: [(81, 2), (121, 1)], to: 150)
    let announced = moments.map { "\($0.transition.kind.text) \($0.score.right)/\($0.score.decided)" }
    #expect(
      announced == [
        "lobbyOpened 0/0", "entryOpened 0/0", "gameStarted 0/0", "questionAsked 0/0", "questionClosed 1/1", "resultsShown 1/1",
        "questionAsked 1/1", "questionClosed 1/1", "resultsShown 1/1", "sealBroken 1/1", "gameEnded 1/1",
      ])
  }

  @Test func rulesGivePoints() throws {
    let rules = try ScoringRules(parsing: "speed:100")
    let game = PlaySample.game(keys: [(81, 1), (90, 2)], to: 110, rules: rules)
    #expect(game.score == SoloGame.Score(right: 1, decided: 1, points: 50))
  }

  @Test func whoIsOutAnswersNoMore() throws {
    let game = PlaySample.game(keys: [(81, 1), (121, 1)], to: 122, rules: try ScoringRules(parsing: "elimination"))
    #expect(game.reply == .eliminated)
    #expect(game.score.outAt == 1)
    #expect(game.state.question?.selectedAnswer == nil)
  }

  /// A refresh tells who joins late of a question that was over before: it is not one that was missed.
  @Test func whoJoinsLateHasNotMissedWhatWasOver() throws {
    var game = SoloGame(rules: try ScoringRules(parsing: "elimination"))
    let late = MediaTime(seconds: 121)
    var announced: [String] = []
    for copy in [PlaySample.askSealed, PlaySample.start, PlaySample.ask(), PlaySample.show()] {
      let age = late - (copy.event.at ?? .zero)
      let moments = game.receive(EventCopy(of: copy.event, copy: 4, copies: 3, age: age), at: late)
      announced += moments.map(\.transition.kind.text)
    }
    #expect(game.score.outAt == nil && game.state.phase == .asking)
    #expect(announced.filter { $0.hasPrefix("question") } == ["questionAsked"] && !announced.contains("resultsShown"))
    _ = game.press(1, at: MediaTime(seconds: 122))
    #expect(game.reply == .selected(answer: 0, changedFrom: nil))
  }

  @Test func whatIsSaidOfAQuestionGoesWithIt() {
    let lost = PlaySample.copy(
      "show-9", 6, at: 120, .showResults(ShowResults(questionGuid: PlaySample.guid("ask-9"), questionNumber: 2, correctAnswer: 0)))
    let copies = [PlaySample.start, PlaySample.ask(), PlaySample.show(), lost]
    let replies = [104.0, 119, 120].map { PlaySample.game(copies, keys: [(81, 2), (101, 1)], to: $0).reply }
    #expect(replies == [.tooLate(answer: 0), .tooLate(answer: 0), nil])
    #expect(PlaySample.game(copies, keys: [(121, 1)], to: 122).reply == .noQuestion)
  }

  @Test func aNewGameStartsAfresh() {
    var game = PlaySample.game(keys: [(81, 2)], to: 150)
    let event = GameEvent(
      guid: PlaySample.guid("other"), game: "h", sequence: 1, at: MediaTime(seconds: 160),
      content: .startGame(StartGame(title: "Other", totalQuestions: 1)))
    _ = game.receive(EventCopy(of: event), at: MediaTime(seconds: 160))
    #expect(game.score == SoloGame.Score())
    #expect(game.state.title == "Other")
  }
}
