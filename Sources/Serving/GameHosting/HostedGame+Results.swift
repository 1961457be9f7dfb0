package import Basics
import CueSheet
package import GameEvents
import Questions
import Scoring

/// Results, and what the stream reports of events.
extension HostedGame {
  /// Decides on a result, after all accepted answers are stored and recorded here.
  package mutating func decide(_ index: Int, now: Moment) -> Change {
    guard asked[index].phase == .deciding, let guid = GUID(game: settings.id, deciding: asked[index].guid.text, kind: .showResults) else {
      return Change()
    }
    var game = scored
    var question = scoredQuestion(index)
    question.result = guid
    // A question that the host has closed early was closed when the answers arrived; readers of the stream may not know it yet.
    question.closesAt = asked[index].streamClosesAt ?? question.closesAt
    game.receive([question])
    let time = now.edge ?? question.closesAt
    var cue = ResultCue(settings, asked[index], number: streamNumber(index), board: boards.count + 1, guid: guid).cue(
      summary: game.summary(of: question.guid), leaders: game.leaders(Self.leaderCount, at: time))
    // The result closes the question in the stream: no answer may lie after it.
    if let latest = asked[index].latestAnswer, latest + Self.margin > time {
      cue.append("at", latest + Self.margin)
      cue.append("late", "next")
    }
    return change(.decided(guid, question: index, cue: cue))
  }

  /// The time at the live edge may be some frames ahead of the frame that an event goes in front of.
  static let margin = MediaTime(ticks: 22_500)

  mutating func finish(_ now: Moment, _ change: inout Change) {
    guard let guid = GUID(game: settings.id, deciding: "", kind: .endGame) else { return }
    let time = now.edge ?? .zero
    let record = noteEnd(at: time, &change)
    let cue = ResultCue.end(
      settings, guid: guid, asked: asked.count, winners: scored.winners(at: time), leaders: scored.leaders(Self.leaderCount, at: time),
      record: record)
    add(.ended(guid, cue: cue), &change)
    add(.finished(at: now.wallClock), &change)
  }

  /// Accepts what the injector says about a result: another process has decided it.
  package mutating func adopt(_ cue: JSONObject, for guid: GUID) -> Change {
    var change = Change()
    // The names of players who have deleted theirs in the meantime are not stored again, although the stream has them.
    let kept = HostingRecord.cue(cue, keeping: Set(scored.roster.nicknames.map(\.text)))
    if let index = asked.firstIndex(where: { $0.result == guid && $0.phase == .decided }) {
      if kept != asked[index].resultCue { add(.decided(guid, question: index, cue: kept), &change) }
      // The injector only accepts the cue that it has already.
      asked[index].resultCue = cue
    } else if let index = asked.firstIndex(where: { $0.settlement?.guid == guid && $0.settlement?.placedAt == nil }) {
      if let settlement = asked[index].settlement, kept != settlement.cue {
        add(.settled(guid, question: index, answer: cue["correctAnswer"]?.int(in: .counts) ?? settlement.answer, cue: kept), &change)
      }
      asked[index].settlement?.cue = cue
    } else if end?.guid == guid {
      if kept != end?.cue { add(.ended(guid, cue: kept), &change) }
      end?.cue = cue
    }
    return change
  }

  /// Records that an event is in the stream.
  package mutating func place(_ guid: GUID, at time: MediaTime) -> Change {
    outgoing.contains { $0.guid == guid } ? change(.placed(guid, at: time)) : Change()
  }

  /// Continues without an event that the stream does not accept: the time of a question stays as it is, and a question or a result that viewers never
  /// see is voided. The end counts all the same, and so does the start if the end is decided.
  package mutating func withdraw(_ guid: GUID, now: Moment) -> Change {
    guard outgoing.contains(where: { $0.guid == guid }) else { return Change() }
    if asked.contains(where: { $0.adjustment?.guid == guid || $0.settlement?.guid == guid }) { return change(.withdrawn(guid)) }
    if let index = asked.firstIndex(where: { $0.result == guid || ($0.guid == guid && $0.phase == .asking) }) {
      return change(.voided(question: index))
    }
    return end == nil ? Change() : change(.placed(guid, at: now.edge ?? asked.compactMap(\.opensAt).max() ?? .zero))
  }

  /// The number of a question in the stream, which does not count questions that the stream did not accept.
  func streamNumber(_ index: Int) -> Int { asked[...index].count { $0.opensAt != nil } }

  func scoredQuestion(_ index: Int) -> ScoredQuestion {
    let (number, asked, question) = (streamNumber(index), asked[index], self.question(index))
    let opens = asked.opensAt ?? .zero
    return ScoredQuestion(
      guid: asked.guid, number: number, form: question.form, grading: question.task.grading, worth: question.worth, opensAt: opens,
      allottedTime: allottedTime(of: question), closesAt: asked.closesAt, right: right(index), points: question.points)
  }

  /// The right answer of a question that was asked; `nil` for a poll, and for a prediction until what is right is in the stream.
  private func right(_ index: Int) -> RightAnswer? {
    guard let settlement = asked[index].settlement, settlement.placedAt != nil else { return question(index).right }
    return .one(settlement.answer)
  }

  /// How long a question takes answers: its own time, or that of all questions.
  func allottedTime(of question: Question) -> MediaTime { question.allottedTime ?? settings.rules.allottedTime }

  /// The question in its state before its result.
  func unscoredQuestion(_ index: Int) -> ScoredQuestion {
    var question = scoredQuestion(index)
    (question.right, question.points) = (nil, nil)
    return question
  }
}
