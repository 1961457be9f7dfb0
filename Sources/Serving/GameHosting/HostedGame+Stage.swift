package import Basics
package import GameEvents
import Questions
import Scoring

/// What a screen shows: everything that everybody may see, and nothing of a result that is not in the stream.
extension HostedGame {
  /// What a screen shows.
  package enum StageState: String, CaseIterable, Sendable {
    case lobby, question, closed, result, board, podium, ended
  }

  /// How long a screen shows a result before the scoreboard.
  static let resultTime = MediaTime(seconds: 8)
  /// How many of the latest players a screen names.
  static let mostNames = 60
  /// How many places of a scoreboard a screen shows.
  static let stagePlaces = 10

  /// What a screen shows now.
  package func stageState(at now: Moment) -> StageState {
    switch phase(at: now) {
    case .lobby, .starting: return .lobby
    case .asking: return boards.isEmpty ? .lobby : .board
    case .open: return .question
    case .closed: return .closed
    case .result: return boardIsDue(now).map { $0 <= .zero } ?? true ? .board : .result
    case .ended: return boards.last?.results == nil ? .ended : .podium
    }
  }

  /// How long it takes until the scoreboard follows a result; `nil` where no result is shown, or nothing tells the time.
  package func boardIsDue(_ now: Moment) -> MediaTime? {
    guard let edge = now.edge, let shown = asked.last?.shownAt, end == nil else { return nil }
    return max(shown + Self.resultTime - edge, .zero)
  }

  /// What a screen shows now as JSON, without the time, which ``stageTime(at:)`` has.
  package mutating func stage(at now: Moment) -> JSONObject {
    let state = stageState(at: now)
    let nicknames = scored.roster.nicknames
    let names = nicknames.indices.reversed().lazy.filter { [players] in !players.kicked.contains($0) }.prefix(Self.mostNames)
      .map { nicknames[$0].text }
    return JSONObject(fields: [
      "game": settings.id, "state": state.rawValue, "title": settings.title, "code": settings.code, "address": joinAddress,
      "players": playerCount, "names": Array(names), "questions": questionCount, "delay": settings.rules.delay,
      "question": stageQuestion(state), "board": stageBoard(state),
      "winners": board(boards.count)?.results.map { $0.winners.map(\.nickname.text) },
    ]).with("teams", stageTeams(state))
  }

  /// The time that is left for answers at the live edge, and the whole time; `nil` where no question takes answers.
  package func stageTime(at now: Moment) -> JSONObject? {
    guard stageState(at: now) == .question, let edge = now.edge, let last = asked.last, let opens = last.opensAt,
      let closes = last.closesAt
    else { return nil }
    return JSONObject(fields: ["left": min(max(closes - edge, .zero), closes - opens), "whole": closes - opens])
  }

  /// Where players join; `nil` if the server does not know how it is reached.
  private var joinAddress: String? {
    guard let boards = settings.boardAddress, let end = boards.firstRange(of: "/v1/games/")?.lowerBound else { return nil }
    return "\(boards[..<end])/play?code=\(settings.code)"
  }

  /// The latest question and how often each of its answers was chosen so far, if it is a live poll whose result is not in the stream yet.
  package mutating func liveCounts() -> (question: GUID, counts: [Int])? {
    guard let asked = asked.last, asked.opensAt != nil, ![.shown, .voided].contains(asked.phase) else { return nil }
    guard question(self.asked.count - 1).task.isLive, let summary = scored.summary(of: asked.guid) else { return nil }
    return (asked.guid, summary.counts)
  }

  private mutating func stageQuestion(_ state: StageState) -> JSONObject? {
    guard [.question, .closed, .result].contains(state), let asked = asked.last, asked.opensAt != nil else { return nil }
    let index = self.asked.count - 1
    let question = self.question(index)
    let summary = scored.summary(of: asked.guid)
    var object = JSONObject(fields: [
      "guid": asked.guid.text, "kind": question.task.kind.text, "number": index + 1, "text": question.text, "answers": question.answers,
      "answered": summary?.taken ?? 0, "voided": asked.phase == .voided,
    ])
    question.task.writeDetails(to: &object)
    question.media.write(to: &object)
    if let worth = question.worth { object.append("points", worth) }
    let counts = summary.flatMap { $0.counts.isEmpty ? nil : $0.counts }
    // Before the result is in the stream, neither the right answer nor what others have chosen is for a screen, except in a poll that is live.
    guard asked.phase == .shown else {
      return question.task.isLive ? object.with("counts", counts).with("texts", summary?.texts?.object) : object
    }
    if let right = question.right { object.append(right.key, right.json) }
    return object.with("counts", counts).with("histogram", summary?.histogram?.object).with("texts", summary?.texts?.object).with(
      "explanation", question.explanation)
  }

  private func stageBoard(_ state: StageState) -> [JSONObject]? {
    guard [.result, .board, .podium].contains(state), let board = board(boards.count) else { return nil }
    // The end has the places of the last question: a movement is since the question before it.
    let before = self.board(boards.count - (board.results != nil ? 2 : 1))?.leaders ?? []
    let ranks = Dictionary(before.map { ($0.player.index, $0.rank) }) { first, _ in first }
    return board.leaders.prefix(Self.stagePlaces).map { standing in
      JSONObject(fields: [
        "rank": standing.rank, "player": standing.nickname.text, "score": standing.score, "right": standing.right,
        "before": ranks[standing.player.index],
      ])
    }
  }
}
