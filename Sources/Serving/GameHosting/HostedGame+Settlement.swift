package import Basics
import CueSheet
package import GameEvents
import Questions
import Scoring

/// Predictions: which answer is right is known after the first result, minutes or hours later.
extension HostedGame {
  /// What is right in a prediction.
  package struct Settlement: Equatable, Sendable {
    /// The event of the second result.
    package var guid: GUID
    /// The index of the right answer.
    package var answer: Int
    package var cue: JSONObject
    /// Its time in the stream.
    package var placedAt: MediaTime?
  }

  /// Names the right answer of a prediction.
  ///
  /// - Throws: ``HostingProblem`` if the question is none, has no result yet, or is settled.
  mutating func settle(_ question: GUID, _ answer: Int, now: Moment, _ change: inout Change) throws(HostingProblem) {
    guard let index = asked.firstIndex(where: { $0.guid == question }) else { throw .invalid("/question", "no question has this guid") }
    let asked = asked[index]
    guard self.question(index).task.kind == .prediction else { throw .invalid("/question", "the question is no prediction") }
    guard asked.phase == .shown else { throw .notNow("the prediction has no result yet") }
    guard asked.settlement == nil else { throw .notNow("the prediction is settled") }
    guard self.question(index).answers.indices.contains(answer) else { throw .invalid("/answer", "the question has no such answer") }
    guard let guid = GUID(game: settings.id, settling: question.text) else { return }
    var game = scored
    var settled = scoredQuestion(index)
    (settled.right, settled.result) = (.one(answer), guid)
    game.receive([settled])
    let time = now.edge ?? asked.shownAt ?? .zero
    let cue = ResultCue(settings, asked, number: streamNumber(index), board: boards.count + 1, guid: guid).cue(
      summary: game.summary(of: question), leaders: game.leaders(Self.leaderCount, at: time))
    add(.settled(guid, question: index, answer: answer, cue: cue.with("correctAnswer", answer)), &change)
  }

  /// Whether a question that was asked is a prediction that waits for what is right.
  package func mayBeSettled(_ index: Int) -> Bool {
    question(index).task.kind == .prediction && asked[index].phase == .shown && asked[index].settlement == nil && end == nil
  }

  /// The question of the quiz that was asked.
  func question(_ index: Int) -> Question { settings.questions[asked[index].quizIndex] }

  /// Adds what is right in a prediction to the points, in the same way as all readers of the stream.
  mutating func showSettlement(_ index: Int, at time: MediaTime) {
    guard asked[index].phase == .shown, asked[index].settlement != nil else { return }
    asked[index].settlement?.placedAt = time
    var question = shownQuestion(index)
    question.result = asked[index].settlement?.guid
    scored.receive([question])
    publish(Board(scoreboard: scored.scoreboard(of: GameID(settings.id), after: question.guid, top: Self.boardCount, at: time)))
  }
}
