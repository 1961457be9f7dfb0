import Basics
import CueSheet
import GameEvents
import GameHosting
import Questions
import Scoring
import Testing

/// Predictions, which are settled long after their first results.
@Suite struct SettlementTests {
  private static let settled = GUID(game: "g1", settling: HostedShow.asked[0].text) ?? HostedShow.end

  /// A prediction between whose two results another question is asked and answered: Ann is right in the prediction, Ben in the question.
  private func show() throws -> HostedShow {
    var settings = HostedShow.settings(scoring: "right:10")
    settings.questions = [
      Question(text: "Who will win?", task: QuestionTask(.prediction), answers: ["Red", "Blue"], right: nil),
      HostedShow.questions[1], HostedShow.questions[2],
    ]
    var show = HostedShow(settings)
    for name in ["Ann", "Ben"] { try show.join(name) }
    try show.ask()
    #expect(show.answer(1, by: 0) == nil && show.answer(0, by: 1) == nil)
    show.finishQuestion()
    try show.ask()
    #expect(show.answer(0, by: 0) == nil && show.answer(1, by: 1) == nil)
    show.finishQuestion()
    return show
  }

  private func refusal(_ show: HostedShow, _ question: GUID, _ answer: Int) -> HostingProblem? {
    var show = show
    do throws(HostingProblem) {
      try show.command(.settle(question: question, answer: answer))
      return nil
    } catch {
      return error
    }
  }

  @Test func aPredictionIsScoredWhenItIsSettled() throws {
    var show = try show()
    #expect(show.game.boards.map { $0.leaders.map(\.score) } == [[0, 0], [10, 0]])
    #expect(show.game.asked[0].resultCue?["correctAnswer"] == nil && show.game.asked[0].resultCue?["counts"]?.text == "[1,1]")
    let change = try show.command(.settle(question: HostedShow.asked[0], answer: 1), "settles")
    #expect(change.messages.map(\.name) == ["decision"])
    #expect(show.game.outgoing.map(\.guid) == [Self.settled])
    let cue = try #require(show.game.outgoing.first?.cue)
    #expect(cue["correctAnswer"]?.int == 1 && cue["questionNumber"]?.int == 1)
    #expect(cue["leaderboard"]?.text == #"[{"nickname":"Ann","score":10},{"nickname":"Ben","score":10}]"#)
    // Nothing is public before it is in the stream.
    #expect(show.game.boards.count == 2)
    show.placeAll()
    #expect(show.game.outgoing == [])
    #expect(show.game.boards.map { $0.leaders.map(\.score) } == [[0, 0], [10, 0], [10, 10]])
    #expect(show.game.boards[2].scoreboard?.summary.question.right == .one(1))
    // The same command again does nothing, another one is refused.
    #expect(try show.command(.settle(question: HostedShow.asked[0], answer: 0), "settles").records == [])
    #expect(refusal(show, HostedShow.asked[0], 0) == .notNow("the prediction is settled"))
  }

  @Test func whatCannotBeSettled() throws {
    var show = try show()
    #expect(refusal(show, HostedShow.start, 0) == .invalid("/question", "no question has this guid"))
    #expect(refusal(show, HostedShow.asked[1], 0) == .invalid("/question", "the question is no prediction"))
    #expect(refusal(show, HostedShow.asked[0], 2) == .invalid("/answer", "the question has no such answer"))
    #expect(refusal(show, HostedShow.asked[0], -1) == .invalid("/answer", "the question has no such answer"))
    // What the stream does not accept may be said again.
    try show.command(.settle(question: HostedShow.asked[0], answer: 1))
    #expect(refusal(show, HostedShow.asked[0], 0) == .notNow("the prediction is settled"))
    show.withdraw(Self.settled)
    #expect(show.game.outgoing == [] && show.game.boards.count == 2)
    try show.command(.settle(question: HostedShow.asked[0], answer: 0))
    show.placeAll()
    #expect(show.game.boards.last?.leaders.map(\.score) == [20, 0])
    try show.command(.end)
    #expect(refusal(show, HostedShow.asked[0], 0) == .ended)
    var early = HostedShow(show.game.settings)
    try early.ask()
    #expect(refusal(early, HostedShow.asked[0], 0) == .notNow("the prediction has no result yet"))
  }

  /// Another process has settled it: what is in the stream counts.
  @Test func whatTheInjectorHasCounts() throws {
    var show = try show()
    try show.command(.settle(question: HostedShow.asked[0], answer: 1))
    let other = try #require(show.game.outgoing.first?.cue).removing(["correctAnswer"]).with("correctAnswer", 0)
    #expect(show.adopt(other, for: Self.settled).records.count == 1)
    #expect(show.game.outgoing.map(\.cue) == [other])
    show.placeAll()
    #expect(show.game.boards.last?.leaders.map(\.score) == [20, 0])
  }

  /// After a restart at every moment the game goes on as it was, and its boards come in the order in which the results were in the stream.
  @Test func overARestart() throws {
    var show = try show()
    try show.command(.settle(question: HostedShow.asked[0], answer: 1))
    show.placeAll()
    try show.ask()
    #expect(show.answer(0, by: 0) == nil)
    show.finishQuestion()
    try show.command(.end)
    show.placeAll()
    for snapshot in show.snapshots {
      let again = try show.restored(snapshot)
      #expect(GameFacts(again.game, snapshot.now) == GameFacts(snapshot.game, snapshot.now))
    }
    #expect(show.game.boards.map { $0.leaders.map(\.score) } == [[0, 0], [10, 0], [10, 10], [20, 10], [20, 10]])
  }

  @Test func theRecordIsReadAsItWasWritten() throws {
    let record = HostingRecord.settled(Self.settled, question: 0, answer: 1, cue: JSONObject(fields: ["a": 1]))
    #expect(record.object.text == #"{"type":"settled","guid":"\#(Self.settled.text)","question":0,"answer":1,"cue":{"a":1}}"#)
    #expect(try HostingRecord(record.object) == record)
    #expect(throws: JSONFieldError.self) { try HostingRecord(record.object.removing(["answer"])) }
  }
}
