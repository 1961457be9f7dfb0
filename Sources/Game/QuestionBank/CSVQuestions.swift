import ByteCursor
import SheetSyntax

// Tables of questions: one a row.

extension QuestionBank.Reading {
  /// Reads comma-separated values: in each row the question, the right answer, and the wrong answers.
  ///
  /// A first row that begins with `question` names the columns: `question`, `correct`, any number of `wrong`, and `category`, `difficulty`,
  /// `points` (numbers with spaces between them: the right answer's, then the wrong ones'), `explanation` and `link`, in any order. Where rows have
  /// no names, what comes behind the right answer are wrong answers; empty cells are passed over.
  public init(csv text: String) {
    let table = CSVText(text)
    var problems = table.problems
    var rows = table.rows[...]
    var columns = CSVColumns()
    if let first = rows.first, first.first.map({ QuestionText.folded($0.value) }) == Array("question".utf8) {
      columns = CSVColumns(header: first, &problems)
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
}

/// What the columns of a table mean.
private struct CSVColumns {
  private enum Column: CaseIterable {
    case question, correct, wrong, category, difficulty, points, explanation, link

    var name: String {
      switch self {
      case .question: "question"
      case .correct: "correct"
      case .wrong: "wrong"
      case .category: "category"
      case .difficulty: "difficulty"
      case .points: "points"
      case .explanation: "explanation"
      case .link: "link"
      }
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
      let name = QuestionText.folded(cell.value)
      let column = Column.allCases.first { Array($0.name.utf8) == name }
      if let column, column != .wrong, columns.contains(column) {
        problems.report(at: cell.place, "the column \(cell.value.quoted) is there twice; remove one of them")
      }
      if column == nil, !cell.value.trimmed.isEmpty {
        let known = Column.allCases.map { $0.name }.joined(separator: ", ")
        problems.report(at: cell.place, "unknown column \(cell.value.quoted); there are \(known)")
      }
      columns.append(column)
    }
    for column in [Column.correct, .wrong] where !columns.contains(column) {
      problems.report(at: header.first?.place ?? .start, "no column is called \(column.name.quoted); name one so")
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
      let isOtherwiseParted = row.count == 1 && row[0].value.utf8.contains { $0 == UInt8(ascii: ";") || $0 == 0x09 }
      problems.report(
        at: correct?.place ?? row[0].place,
        isOtherwiseParted ? "this row is one cell; part the cells with commas" : "the right answer is missing; write it behind the question"
      )
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
