import Basics
import GameEvents
import Scoring

/// Prints scoreboards, winners and what each player achieved, for people or for programs.
struct ScoreboardPrinter {
  /// How many players a scoreboard shows.
  let top: Int

  /// Lines that belong to the one above are indented as far as that one's time reaches.
  private static let indent = "           "

  /// Prints the scoreboard after a question.
  func printScoreboard(
    _ game: inout ScoredGame, of id: GameID, after question: ScoredQuestion, at time: MediaTime, _ output: inout TransitionPrinter
  ) throws(CommandFailure) {
    guard let summary = game.summary(of: question.guid) else { return }
    // Who joins later does not stand on it.
    let (leaders, left, count) = (game.leaders(top, at: time), game.playersLeft(at: time), game.roster.count(at: time))
    if output.asJSON {
      var line = JSONObject()
      line.add("type", "scoreboard")
      line.add("time", time)
      line.add("game", id.text)
      line.add("question", question.guid.text)
      line.add("number", question.number)
      line.append("correctAnswer", question.correctAnswer.map { .number(JSONNumber($0)) } ?? .null)
      line.append("counts", .array(summary.counts.map { .number(JSONNumber($0)) }))
      line.add("taken", summary.taken)
      line.add("tooLate", summary.tooLate)
      line.add("tooEarly", summary.tooEarly)
      line.add("otherwiseRefused", summary.otherwiseRefused)
      line.add("scored", summary.isScored)
      line.add("players", count)
      line.add("playersLeft", left)
      line.append("leaders", .array(leaders.map { .object(Self.object($0)) }))
      return try output.line(line)
    }
    try output.text(Self.indent + Self.text(summary, players: count, left: left))
    guard summary.isScored else { return }
    try print(leaders, of: count, &output)
  }

  /// Prints who has won and what each player achieved who had joined when the game ended.
  func printResults(
    _ game: inout ScoredGame, of id: GameID, at time: MediaTime, _ output: inout TransitionPrinter
  ) throws(CommandFailure) {
    let winners = game.winners(at: time)
    if output.asJSON {
      for winner in winners { try output.line(Self.line("winner", winner, of: id)) }
      for standing in game.standings(at: time) { try output.line(Self.line("player", standing, of: id)) }
      return
    }
    try output.text(Self.indent + Self.text(winners.map { $0.nickname.text }))
    try print(game.leaders(top, at: time), of: game.roster.count(at: time), &output)
  }

  /// More winners are not named in a text.
  private static let largestWinnerCount = 1_000

  private static func text(_ winners: [String]) -> String {
    guard winners.count > 1 else { return winners.first.map { "Winner: \($0)" } ?? "Nobody has won" }
    let rest = winners.count - largestWinnerCount
    let names = winners.prefix(largestWinnerCount).joined(separator: ", ")
    return "\(winners.count) winners: \(names)\(rest > 0 ? " and \(rest) more; --json names all" : "")"
  }

  private func print(_ standings: [Standing], of count: Int, _ output: inout TransitionPrinter) throws(CommandFailure) {
    let nameWidth = standings.map { $0.nickname.text.count }.max() ?? 0
    let rankWidth = standings.map { String($0.rank).count }.max() ?? 0
    let scoreWidth = standings.map { String($0.score).count }.max() ?? 0
    for standing in standings {
      let rank = String(repeating: " ", count: rankWidth - String(standing.rank).count) + "\(standing.rank)"
      let name = standing.nickname.text + String(repeating: " ", count: nameWidth - standing.nickname.text.count)
      let score = String(repeating: " ", count: scoreWidth - String(standing.score).count) + "\(standing.score)"
      let out = standing.outAt.map { "   out at question \($0)" } ?? ""
      try output.text("\(Self.indent)\(rank)  \(name)  \(score)   \(standing.right) right of \(standing.answered) answered\(out)")
    }
    let rest = count - standings.count
    if rest > 0 { try output.text("\(Self.indent)and \(rest) more; --top all shows them") }
  }

  private static func text(_ summary: QuestionSummary, players: Int, left: Int) -> String {
    let counts = summary.counts.map(String.init).joined(separator: " · ")
    let refusals = [(summary.tooLate, "too late"), (summary.tooEarly, "too early"), (summary.otherwiseRefused, "refused")]
    let notes = refusals.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
    let names = "\(players) \(players == 1 ? "player" : "players")\(left < players ? ", \(left) left" : "")"
    let scored = summary.isScored ? "" : "; no result has come, so nobody gets points for it"
    return "Question \(summary.question.number): \(counts) of \(names)\(notes)\(scored)"
  }

  private static func line(_ type: String, _ standing: Standing, of game: GameID) -> JSONObject {
    var line = JSONObject()
    line.add("type", type)
    line.add("game", game.text)
    line.add(all: object(standing))
    return line
  }

  private static func object(_ standing: Standing) -> JSONObject {
    var object = JSONObject()
    object.add("rank", standing.rank)
    object.add("player", standing.nickname.text)
    object.add("score", standing.score)
    object.add("right", standing.right)
    object.add("answered", standing.answered)
    object.append("outAt", standing.outAt.map { .number(JSONNumber($0)) } ?? .null)
    return object
  }
}
