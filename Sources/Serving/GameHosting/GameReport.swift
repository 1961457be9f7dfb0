import Basics
import GameEvents
import Questions
import Scoring
package import Spreadsheets

extension Question {
  /// Whether an answer, by its code, is right as a whole; `nil` if nothing is right, or if that depends on the answers of others.
  fileprivate func isRight(_ code: Int, to guid: GUID, _ game: ScoredGame) -> Bool? {
    guard form != .text || right == nil else { return game.isRightText(code, to: guid) }
    return right.flatMap { right in game.given(code, to: guid).flatMap { task.grading.isRight($0, right) } }
  }
}

/// The results of a game as a table for spreadsheets.
package enum GameReport: String, CaseIterable, Sendable {
  /// A row for each player, the best first.
  case players
  /// A row for each question.
  case questions

  /// The maximum number of players in one table.
  package static let mostPlayers = 100_000

  /// The table (RFC 4180), in UTF-8 with a byte order mark, by which spreadsheets know it. Texts that begin like formulas have an apostrophe in front.
  package func csv(_ game: inout HostedGame) -> [UInt8] {
    var bytes = Array("\u{FEFF}".utf8)
    rows(&game) { row in bytes += "\(row.map { $0.text.csvCell }.joined(separator: ","))\r\n".utf8 }
    return bytes
  }

  /// All tables as the sheets of a spreadsheet of Office Open XML, where numbers are numbers, and nothing is a formula.
  ///
  /// - Throws: `SpreadsheetError` if a library is missing, or the file would be too large.
  package static func spreadsheet(_ game: HostedGame) throws(SpreadsheetError) -> [UInt8] {
    try WrittenSpreadsheet.file(
      [(Self.players, "Players"), (.questions, "Questions")].map { report, name in
        WrittenSpreadsheet.Sheet(name: name) { (take) throws(SpreadsheetError) in
          var game = game
          try report.rows(&game) { (row) throws(SpreadsheetError) in try take(row.map(\.cell)) }
        }
      })
  }

  /// A value of a table.
  private enum Value {
    case text(String)
    case count(Int)
    /// A number in words, with its unit, and in digits alone.
    case measure(words: String, digits: String)

    static let empty = Self.text("")

    var text: String {
      switch self {
      case .text(let text): text
      case .count(let count): "\(count)"
      case .measure(let words, _): words
      }
    }

    var cell: WrittenSpreadsheet.Cell {
      switch self {
      case .text(let text): .text(text)
      case .count(let count): .number(count)
      case .measure(_, let digits): .decimal(digits)
      }
    }
  }

  /// Gives the rows one after the other: all of them would need much memory.
  private func rows<Failure: Error>(_ game: inout HostedGame, _ take: ([Value]) throws(Failure) -> Void) throws(Failure) {
    switch self {
    case .players: try Self.players(&game, take)
    case .questions: try Self.questions(&game, take)
    }
  }

  /// Ranks and points are those of the results that were shown.
  private static func players<Failure: Error>(_ game: inout HostedGame, _ take: ([Value]) throws(Failure) -> Void) throws(Failure) {
    let asked = game.asked.enumerated().filter { $0.element.opensAt != nil && $0.element.phase != .voided }
    let columns = asked.map { (index: $0.offset, answers: game.scored.answers(to: $0.element.guid)) }
    let questions = columns.map { game.question($0.index) }
    // What says an answer in words, once for each question.
    let events = questions.map { $0.asked(number: 1, allottedTime: .zero) }
    let hasTeams = game.settings.rules.teams != nil
    var head = ["rank", "nickname"] + (hasTeams ? ["team"] : []) + ["points", "right", "answered", "out at question"]
    for (column, question) in zip(columns, questions) {
      head += ["\(column.index + 1): \(question.text)", "\(column.index + 1): right"]
    }
    try take(head.map { .text($0) })
    for standing in game.published.standings().lazy.filter({ [game] in !game.isKicked($0.player.index) }).prefix(mostPlayers) {
      let player = standing.player.index
      var row: [Value] = [.count(standing.rank), .text(standing.nickname.text)]
      if hasTeams { row.append(.text(game.team(of: player) ?? "")) }
      row += [.count(standing.score), .count(standing.right), .count(standing.answered), standing.outAt.map { .count($0) } ?? .empty]
      for ((column, question), event) in zip(zip(columns, questions), events) {
        let code = column.answers.indices.contains(player) ? column.answers[player] : nil
        let guid = game.asked[column.index].guid
        let answer = code.flatMap { game.scored.given($0, to: guid) }
        let isShown = game.asked[column.index].phase == .shown
        row.append(answer.map { Self.value($0, $0.words(of: event)) } ?? .empty)
        row.append(.text(isShown ? code.flatMap { question.isRight($0, to: guid, game.scored) }.map { $0 ? "yes" : "no" } ?? "" : ""))
      }
      try take(row)
    }
  }

  private static func value(_ answer: GivenAnswer, _ words: String) -> Value {
    if case .number(let number) = answer { .measure(words: words, digits: number.text) } else { .text(words) }
  }

  private static func right(of question: Question) -> Value {
    if case .number(let number)? = question.right {
      .measure(words: question.rightAnswer, digits: number.text)
    } else {
      .text(question.rightAnswer)
    }
  }

  private static func questions<Failure: Error>(_ game: inout HostedGame, _ take: ([Value]) throws(Failure) -> Void) throws(Failure) {
    let most = game.asked.indices.map { game.question($0).answers.count }.max() ?? 0
    var head = ["number", "question", "category", "state", "right answer", "answered", "right", "right in percent"]
    for number in 0..<most { head += ["answer \(number + 1)", "count \(number + 1)"] }
    try take(head.map { .text($0) })
    for (index, asked) in game.asked.enumerated() {
      let question = game.question(index)
      let counts = game.counts(index)
      let given = game.scored.answers(to: asked.guid).compactMap { $0 }
      let (answered, right) = (given.count, given.count { question.isRight($0, to: asked.guid, game.scored) == true })
      var row: [Value] = [
        .count(index + 1), .text(question.text), .text(question.category ?? ""), .text(asked.phase.rawValue), Self.right(of: question),
        .count(answered), .count(right), answered == 0 ? .empty : .count((right * 100 + answered / 2) / answered),
      ]
      for (answer, count) in zip(question.answers, counts + Array(repeating: 0, count: max(0, question.answers.count - counts.count))) {
        row += [.text(answer), .count(count)]
      }
      try take(row)
    }
  }
}
