import Basics
import CommandSupport
import GameJSON
import Scoring

// Prints scoreboards, winners and what each player achieved, for people or for programs.
extension TransitionPrinter {
  /// The indent of lines that belong to the one above, which is the width of its time.
  private static let indent = "           "

  /// Prints the scoreboard after a question.
  mutating func print(_ scoreboard: Scoreboard) throws(CommandFailure) {
    if asJSON { return try output.line(scoreboard.object) }
    try output.line(Self.indent + Self.text(scoreboard))
    if scoreboard.summary.isScored { try print(scoreboard.leaders, of: scoreboard.playerCount) }
  }

  /// Prints the winners, and what each player who had joined when the game ended achieved.
  mutating func print(_ results: GameResults) throws(CommandFailure) {
    guard !asJSON else {
      for line in results.objects { try output.line(line) }
      return
    }
    try output.line(Self.indent + Self.text(results.winners.map { $0.nickname.text }))
    try print(results.leaders, of: results.playerCount)
  }

  /// The maximum number of winners that are named in a text.
  private static let largestWinnerCount = 1_000

  private static func text(_ winners: [String]) -> String {
    guard winners.count > 1 else { return winners.first.map { "Winner: \($0)" } ?? "Nobody has won" }
    let rest = winners.count - largestWinnerCount
    let names = winners.prefix(largestWinnerCount).joined(separator: ", ")
    return "\(winners.count) winners: \(names)\(rest > 0 ? " and \(rest) more; --json names all" : "")"
  }

  private mutating func print(_ standings: [Standing], of count: Int) throws(CommandFailure) {
    let nameWidth = standings.map { $0.nickname.text.count }.max() ?? 0
    let rankWidth = standings.map { String($0.rank).count }.max() ?? 0
    let scoreWidth = standings.map { String($0.score).count }.max() ?? 0
    for standing in standings {
      let (rank, name, score) = ("\(standing.rank)", standing.nickname.text, "\(standing.score)")
      let columns = [rank.padded(from: rankWidth), name.padded(to: nameWidth), score.padded(from: scoreWidth)].joined(separator: "  ")
      let out = standing.outAt.map { "   out at question \($0)" } ?? ""
      try output.line("\(Self.indent)\(columns)   \(standing.right) right of \(standing.answered) answered\(out)")
    }
    let rest = count - standings.count
    if rest > 0 { try output.line("\(Self.indent)and \(rest) more; --top all shows them") }
  }

  private static func text(_ scoreboard: Scoreboard) -> String {
    let (summary, players, left) = (scoreboard.summary, scoreboard.playerCount, scoreboard.playersLeft)
    let counts = summary.counts.map(String.init).joined(separator: " · ")
    let refusals = [(summary.tooLate, "too late"), (summary.tooEarly, "too early"), (summary.otherwiseRefused, "refused")]
    let refused = refusals.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
    let names = "\(players.of("player"))\(left < players ? ", \(left) left" : "")"
    let scored = summary.isScored ? "" : "; no result has come, so nobody gets points for it"
    return "Question \(summary.question.number): \(counts) of \(names)\(refused)\(scored)"
  }
}
