import Basics
import Sheets

// Tables of questions: one a row.

extension QuestionBank.Reading {
  /// Reads comma-separated values: in each row the question, the right answer, and the wrong answers.
  ///
  /// A first row that begins with `question` names the columns: `question`, `correct`, any number of `wrong`, and `category`, `difficulty`,
  /// `points` (numbers with spaces between them: the right answer's, then the wrong ones'), `explanation` and `link`, in any order, whatever
  /// their case. `right answer`, `wrong answer 1` and the like are understood too. Where rows have no names, what comes behind the right answer
  /// are wrong answers; empty cells are skipped.
  package init(csv text: String) {
    let table = CSVText(text)
    if let separator = Self.otherSeparator(of: table.rows) {
      var problems: [SheetProblem] = []
      problems.report(at: table.rows[0][0].place, "the separator looks like \(separator); part the cells with commas")
      self.init(QuestionBank(), problems: problems)
      return
    }
    var problems = table.problems
    var rows = table.rows[...]
    var columns = CSVColumns()
    if let first = rows.first, first.first.map({ QuestionText.folded($0.value) }) == Array("question".utf8) {
      var mistakes: [SheetProblem] = []
      columns = CSVColumns(header: first, &mistakes)
      // Without names nothing can be said about the rows.
      guard mistakes.isEmpty else {
        self.init(QuestionBank(), problems: mistakes)
        return
      }
      rows = rows.dropFirst()
    }
    if rows.isEmpty {
      problems.report(at: .start, "there is no question; write a question, the right answer and the wrong ones in each row")
    }
    if rows.count > QuestionLimits.questions, let row = rows.dropFirst(QuestionLimits.questions).first {
      problems.report(
        at: row[0].place, "there are \(rows.count) questions, above the limit of \(QuestionLimits.questions); split the file here")
      rows = []
    }
    var bank = QuestionBank()
    for row in rows {
      if let question = columns.question(row, &problems) { bank.questions.append(Placed(question, at: row[0].place)) }
    }
    self.init(bank, problems: problems)
  }

  /// The name of the separator that is used instead of commas, if there is one: the first row is a single cell, and most rows contain it.
  private static func otherSeparator(of rows: [[Placed<String>]]) -> String? {
    guard let first = rows.first, first.count == 1 else { return nil }
    for (separator, name) in [(UInt8(ascii: ";"), "a semicolon"), (UInt8(ascii: "\t"), "a tab")]
    where first[0].value.utf8.contains(separator) {
      let count = rows.count { row in row.contains { $0.value.utf8.contains(separator) } }
      if count * 2 > rows.count { return name }
    }
    return nil
  }
}

/// What the columns of a table mean.
private struct CSVColumns {
  private enum Column: String, CaseIterable {
    case question, correct, wrong, category, difficulty, points, explanation, link

    /// What the columns of answers are called besides.
    private var otherNames: [String] {
      switch self {
      case .correct: ["correct answer", "right", "right answer", "answer"]
      case .wrong: ["wrong answer", "wrong answers"]
      case .question, .category, .difficulty, .points, .explanation, .link: []
      }
    }

    /// The column of this name, whatever its case and punctuation; wrong answers may be numbered.
    init?(named text: String) {
      let name = QuestionText.folded(text)
      func isCalled(_ column: Column, _ name: [UInt8]) -> Bool {
        Array(column.rawValue.utf8) == name || column.otherNames.contains { Array($0.utf8) == name }
      }
      var unnumbered = name
      while let last = unnumbered.last, last == 0x20 || (0x30...0x39).contains(last) { unnumbered.removeLast() }
      guard let column = Self.allCases.first(where: { isCalled($0, $0 == .wrong ? unnumbered : name) }) else { return nil }
      self = column
    }
  }

  /// The columns in order; behind them come wrong answers where the table has no header, and nothing where it has one.
  private var columns: [Column?] = [.question, .correct]
  private var furtherColumn: Column? = .wrong

  init() {}

  init(header: [Placed<String>], _ problems: inout [SheetProblem]) {
    furtherColumn = nil
    columns = []
    for cell in header {
      let column = Column(named: cell.value)
      if let column, column != .wrong, columns.contains(column) {
        problems.report(at: cell.place, "the column \(cell.value.quoted) is there twice; remove one of them")
      }
      if column == nil, !cell.value.trimmed.isEmpty {
        let known = Column.allCases.map { $0.rawValue }.joined(separator: ", ")
        problems.report(at: cell.place, "unknown column \(cell.value.quoted); there are \(known), as in question,correct,wrong,wrong")
      }
      columns.append(column)
    }
    for column in [Column.correct, .wrong] where !columns.contains(column) {
      problems.report(
        at: header.first?.place ?? .start, "no column is called \(column.rawValue.quoted); name one so, as in question,correct,wrong,wrong")
    }
  }

  func question(_ row: [Placed<String>], _ problems: inout [SheetProblem]) -> Question? {
    let count = problems.count
    var draft = QuestionDraft(at: row[0].place)
    var (correct, wrong): (Placed<String>?, [Placed<String>]) = (nil, [])
    for (index, cell) in row.enumerated() {
      let column = index < columns.count ? columns[index] : furtherColumn
      let isEmpty = cell.value.trimmed.isEmpty
      switch column {
      case .question: draft.text = cell
      case .correct: correct = cell
      case .wrong: if !isEmpty { wrong.append(cell) }
      case .category: if !isEmpty { draft.category = cell }
      case .difficulty: if !isEmpty { draft.difficulty = cell }
      case .points: if !isEmpty { draft.points = points(cell, &problems) }
      case .explanation: if !isEmpty { draft.explanation = cell }
      case .link: if !isEmpty { draft.link = cell }
      case nil: if !isEmpty { problems.report(at: cell.place, "this cell is in a column without a name; remove it or name the column") }
      }
    }
    if draft.text == nil { draft.text = Placed("", at: row[0].place) }
    guard let correct, !correct.value.trimmed.isEmpty else {
      problems.report(at: correct?.place ?? row[0].place, "the right answer is missing; write it behind the question")
      return nil
    }
    draft.answers = [correct] + wrong
    draft.correctAnswer = 0
    let question = draft.checked(&problems)
    return problems.count == count ? question : nil
  }

  private func points(_ cell: Placed<String>, _ problems: inout [SheetProblem]) -> Placed<[Int]>? {
    var values: [Int] = []
    for word in cell.value.utf8.split(separator: 0x20) {
      let text = String(decoding: word, as: UTF8.self)
      guard let value = Int(text), QuestionLimits.points.contains(value) else {
        problems.report(
          at: cell.place,
          "\"points\" has \(text.quoted); write integers from \(QuestionLimits.points.lowerBound) to \(QuestionLimits.points.upperBound)")
        return nil
      }
      values.append(value)
    }
    return Placed(values, at: cell.place)
  }
}
