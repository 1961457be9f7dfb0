import Basics
import GameEvents
import Questions
import Scoring

extension Question {
  /// Whether an answer is right as a whole; `nil` if nothing is right, or if that depends on the answers of others.
  fileprivate func isRight(_ answer: GivenAnswer) -> Bool? { right.flatMap { task.grading.isRight(answer, $0) } }
}

/// The results of a game as a table for spreadsheets (RFC 4180).
package enum GameReport: String, CaseIterable, Sendable {
  /// A row for each player, the best first.
  case players
  /// A row for each question.
  case questions

  /// The maximum number of players in one table.
  package static let mostPlayers = 100_000

  /// The table, in UTF-8 with a byte order mark, by which spreadsheets know it. Texts that begin like formulas have an apostrophe in front.
  package func csv(_ game: inout HostedGame) -> [UInt8] {
    let rows =
      switch self {
      case .players: Self.players(&game)
      case .questions: Self.questions(&game)
      }
    return Array("\u{FEFF}\(rows.map { $0.map(\.csvCell).joined(separator: ",") + "\r\n" }.joined())".utf8)
  }

  /// Ranks and points are those of the results that were shown.
  private static func players(_ game: inout HostedGame) -> [[String]] {
    let asked = game.asked.enumerated().filter { $0.element.opensAt != nil && $0.element.phase != .voided }
    let columns = asked.map { (index: $0.offset, answers: game.scored.answers(to: $0.element.guid)) }
    let questions = columns.map { game.question($0.index) }
    // What says an answer in words, once for each question.
    let events = questions.map { $0.asked(number: 1, allottedTime: .zero) }
    let hasTeams = game.settings.rules.teams != nil
    var rows = [["rank", "nickname"] + (hasTeams ? ["team"] : []) + ["points", "right", "answered", "out at question"]]
    for (column, question) in zip(columns, questions) {
      rows[0] += ["\(column.index + 1): \(question.text)", "\(column.index + 1): right"]
    }
    for standing in game.published.standings().lazy.filter({ [game] in !game.isKicked($0.player.index) }).prefix(mostPlayers) {
      var row = ["\(standing.rank)", standing.nickname.text]
      if hasTeams { row.append(game.team(of: standing.player.index) ?? "") }
      row += [
        "\(standing.score)", "\(standing.right)", "\(standing.answered)",
        standing.outAt.map { "\($0)" } ?? "",
      ]
      for ((column, question), event) in zip(zip(columns, questions), events) {
        let player = standing.player.index
        let code = column.answers.indices.contains(player) ? column.answers[player] : nil
        let answer = code.flatMap { question.form.answer(UInt32(clamping: $0)) }
        let isShown = game.asked[column.index].phase == .shown
        row.append(answer.map { $0.words(of: event) } ?? "")
        row.append(isShown ? answer.flatMap { question.isRight($0) }.map { $0 ? "yes" : "no" } ?? "" : "")
      }
      rows.append(row)
    }
    return rows
  }

  private static func questions(_ game: inout HostedGame) -> [[String]] {
    let most = game.asked.indices.map { game.question($0).answers.count }.max() ?? 0
    var rows = [["number", "question", "category", "state", "right answer", "answered", "right", "right in percent"]]
    for number in 0..<most { rows[0] += ["answer \(number + 1)", "count \(number + 1)"] }
    for (index, asked) in game.asked.enumerated() {
      let question = game.question(index)
      let counts = game.counts(index)
      let given = game.scored.answers(to: asked.guid).compactMap { $0.flatMap { question.form.answer(UInt32(clamping: $0)) } }
      let (answered, right) = (given.count, given.count { question.isRight($0) == true })
      var row = [
        "\(index + 1)", question.text, question.category ?? "", asked.phase.rawValue, question.rightAnswer, "\(answered)", "\(right)",
        answered == 0 ? "" : "\((right * 100 + answered / 2) / answered)",
      ]
      for (answer, count) in zip(question.answers, counts + Array(repeating: 0, count: max(0, question.answers.count - counts.count))) {
        row += [answer, "\(count)"]
      }
      rows.append(row)
    }
    return rows
  }
}
