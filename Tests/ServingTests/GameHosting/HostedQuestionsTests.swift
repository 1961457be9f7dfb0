import Basics
import GameEvents
import Questions
import Testing

@testable import GameHosting

/// The questions that are to be asked, which the host changes during the show.
@Suite struct HostedQuestionsTests {
  private static let written = Question(text: "Which is the largest?", answers: ["Mars", "Jupiter", "Venus"], correctAnswer: 1)

  private func change(_ show: inout HostedShow, _ change: HostedGame.QuestionChange, _ id: String? = nil) throws -> [HostMessage] {
    try show.command(.questions(change), id).messages
  }

  /// The texts of the questions in the order in which the events ask them, with how many there are.
  private func asked(_ show: HostedShow) -> [String] {
    show.game.asked.map { "\(show.game.settings.questions[$0.quizIndex].text) \($0.totalQuestions)" }
  }

  /// Each change has one record or two, says nothing of the questions to listeners but their number, and changes nothing when it is repeated.
  @Test func changes() throws {
    var show = HostedShow()
    #expect(show.game.upcoming == [0, 1, 2] && show.game.skipped == [] && show.game.questionCount == 3)
    #expect(try change(&show, .move(question: 2, to: 0), "a") == [.questions(upcoming: 3)])
    #expect(show.game.upcoming == [2, 0, 1])
    #expect(try change(&show, .move(question: 2, to: 9), "a") == [])
    #expect(try change(&show, .move(question: 2, to: 9)) == [.questions(upcoming: 3)])
    #expect(show.game.upcoming == [0, 1, 2])
    #expect(try change(&show, .move(question: 2, to: 2)) == [])
    #expect(try change(&show, .skip(question: 1)) == [.questions(upcoming: 2)])
    #expect(show.game.upcoming == [0, 2] && show.game.skipped == [1] && show.game.questionCount == 2)
    #expect(try change(&show, .skip(question: 1)) == [])
    #expect(try change(&show, .write(Self.written, at: 1)) == [.questions(upcoming: 2), .questions(upcoming: 3)])
    #expect(show.game.upcoming == [0, 3, 2] && show.game.settings.questions[3] == Self.written)
    // One that is skipped comes back, changed.
    var other = Self.written
    other.text = "And now?"
    _ = try change(&show, .edit(question: 1, other))
    _ = try change(&show, .move(question: 1, to: 0))
    #expect(show.game.upcoming == [1, 0, 3, 2] && show.game.settings.questions[1] == other)
    _ = try change(&show, .write(other, at: nil))
    #expect(show.game.upcoming == [1, 0, 3, 2, 4])
    for snapshot in show.snapshots { #expect(try show.restored(snapshot).facts == GameFacts(snapshot.game, snapshot.now)) }
  }

  /// A question that was asked stays as it is, whatever has become of it, and the next one is the first of those that are left.
  @Test func askedQuestionsStay() throws {
    var show = HostedShow()
    try show.join("Ann")
    let first = show.game.settings.questions[0].text
    _ = try change(&show, .write(Self.written, at: 0))
    show.go(to: 10)
    try show.ask()
    let cue = show.game.windows
    #expect(asked(show) == ["\(Self.written.text) 4"])
    for wanted: HostedGame.QuestionChange in [.edit(question: 3, Self.written), .move(question: 3, to: 0), .skip(question: 3)] {
      #expect(throws: HostingProblem.notNow("the question was asked already")) { try change(&show, wanted) }
    }
    #expect(throws: HostingProblem.invalid("/question", "there is no question of this number")) {
      try change(&show, .skip(question: 4))
    }
    // While it takes answers, the others may change.
    _ = try change(&show, .skip(question: 1))
    _ = try change(&show, .edit(question: 2, Self.written))
    #expect(show.game.windows == cue && show.game.asked[0].totalQuestions == 4)
    #expect(show.answer(1, by: 0) == nil)
    show.finishQuestion()
    #expect(show.board == ["1 Ann 1"])
    show.go(to: 60)
    try show.ask()
    #expect(asked(show) == ["\(Self.written.text) 4", "\(first) 3"])
    try show.command(.void)
    try show.ask()
    try show.command(.void)
    #expect(show.game.hasAskedAll && show.game.asked.map(\.quizIndex) == [3, 0, 2])
    // A show whose questions were all asked goes on with one that is written on the spot.
    _ = try change(&show, .write(Self.written, at: nil))
    try show.ask()
    #expect(show.game.asked.map(\.guid) == (1...4).map { HostedShow.guid("\($0)", .askQuestion) })
    try show.command(.void)
    try show.command(.next)
    #expect(show.game.end != nil)
    #expect(throws: HostingProblem.ended) { try change(&show, .write(Self.written, at: nil)) }
    for snapshot in show.snapshots { #expect(try show.restored(snapshot).facts == GameFacts(snapshot.game, snapshot.now)) }
  }

  /// The events carry the number of questions at the time at which they were decided, so that an event that is sent again is the same.
  @Test func eventsStayTheSame() throws {
    var show = HostedShow()
    try show.command(.start)
    _ = try change(&show, .skip(question: 0))
    try show.command(.next)
    let before = show.game.outgoing
    _ = try change(&show, .write(Self.written, at: 0))
    #expect(show.game.outgoing == before && before.map { $0.cue["totalQuestions"]?.int } == [3, 2])
  }

  /// Whoever changes the questions of a plan does not take the game from it.
  @Test func thePlanGoesOn() throws {
    var show = HostedShow()
    try show.plan(automatic: true, startsAt: HostedShow.wallClock(5))
    _ = try change(&show, .move(question: 1, to: 0))
    #expect(show.game.isAutomatic)
    try show.command(.start)
    #expect(!show.game.isAutomatic)
  }

  @Test func mostQuestions() throws {
    var show = HostedShow()
    for _ in 3..<HostedGame.mostQuestions {
      _ = try show.game.carryOut(.questions(.write(Self.written, at: 0)), id: "\(show.game.upcoming)", now: show.now)
    }
    #expect(throws: HostingProblem.notNow("a game has 1000 questions at most")) { try change(&show, .write(Self.written, at: nil)) }
  }

  /// What the host writes is read as a quiz file is.
  @Test func reading() throws {
    let object = try #require(
      try JSONValue(parsing: #"{"question":"Which is red?","answers":["Earth","Mars"],"correct":"Mars","seconds":20}"#).object)
    let question = Question(text: "Which is red?", answers: ["Earth", "Mars"], correctAnswer: 1, allottedTime: MediaTime(seconds: 20))
    #expect(try Question.read(object).get() == question)
    #expect(try Question.read(question.object).get() == question)
    for text in [
      #"{}"#, #"{"question":"Which?","answers":["Mars"],"correct":"Mars"}"#, #"{"question":"Which?","answers":["a","b"],"correct":"c"}"#,
    ] {
      let object = try #require(try JSONValue(parsing: text).object)
      #expect(throws: Question.ReadingProblem.self) { try Question.read(object).get() }
    }
  }
}
