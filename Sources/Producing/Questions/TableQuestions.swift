import Basics
import Sheets

// Reads tables of questions from any format, one question a row.

extension QuestionBank.Reading {
  /// Reads the non-empty rows of a table.
  ///
  /// - Parameters:
  ///   - rows: The cells of each row. The place of the first cell is the row's own.
  ///   - options: What is known of the columns.
  ///   - problems: Earlier problems with the table, which are reported too. A row with one of them is no question.
  ///   - notices: Notices about it.
  init(
    table rows: [[Placed<String>]], _ options: TableOptions = TableOptions(), problems: [SheetProblem] = [], notices: [SheetProblem] = []
  ) {
    var (problems, notices) = (problems, notices)
    let faulty = Self.rows(of: rows, with: problems)
    guard let (columns, begin) = Self.columns(of: rows, options, &problems, &notices) else {
      self.init(QuestionBank(), problems: problems, notices: notices)
      return
    }
    var rest = rows[begin...]
    if rest.isEmpty {
      problems.report(at: .start, "there is no question; write a question, the right answer and the wrong ones in each row")
    }
    if rest.count > QuestionLimits.questions, let row = rest.dropFirst(QuestionLimits.questions).first {
      problems.report(
        at: row[0].place, "there are \(rest.count) questions, above the limit of \(QuestionLimits.questions); split the file here")
      rest = []
    }
    let read = rest.indices.lazy.map { (index: $0, row: TableRow(rest[$0], columns)) }.filter { !$0.row.isEmpty }
    let all = Array(read)
    let meaning = columns.hasPlace ? .place : AnswerKey.meaning(all.lazy.compactMap { $0.row.key })
    var bank = QuestionBank()
    for (index, row) in all {
      guard let question = row.question(meaning, &problems, &notices), !faulty.contains(index) else { continue }
      bank.questions.append(Placed(question, at: row.place))
    }
    if !all.isEmpty { problems.requireQuestion(in: bank, leftOut: notices.filter { $0.place > all[0].row.place }) }
    self.init(bank, problems: problems, notices: notices)
  }

  /// The indices of the rows in which there is a problem.
  private static func rows(of rows: [[Placed<String>]], with problems: [SheetProblem]) -> Set<Int> {
    var faulty: Set<Int> = []
    for problem in problems {
      let index = rows.partitionIndex { $0[0].place > problem.place } - 1
      guard rows.indices.contains(index), let last = rows[index].last else { continue }
      // A cell may have several lines. Rows without a text are not in the list.
      if problem.line <= last.place.line + last.value.utf8.count(where: { $0 == 0x0A || $0 == 0x0D }) { faulty.insert(index) }
    }
    return faulty
  }

  /// The columns of a table, and the index of its first row with a question; `nil` if nothing says what the columns hold, which is reported.
  private static func columns(
    of rows: [[Placed<String>]], _ options: TableOptions, _ problems: inout [SheetProblem], _ notices: inout [SheetProblem]
  ) -> (TableColumns, Int)? {
    guard let first = rows.first else { return (TableColumns(), 0) }
    let (line, place) = (first[0].place.line, first[0].place)
    let header = options.hasNoHeader ? nil : TableColumns.header(of: rows)
    if let header, header > 0 {
      notices.report(at: place, "what stands above the names of the columns in line \(rows[header][0].place.line) is left out")
    }
    if let layout = options.columns {
      let columns = TableColumns(layout)
      let isQuestion = options.hasNoHeader || header == nil && TableRow(first, columns).isQuestion
      if isQuestion { return (columns, 0) }
      if header == nil {
        notices.report(at: place, "line \(line) is taken for the names of the columns and left out; say --no-header if it is a question")
      }
      return (columns, (header ?? 0) + 1)
    }
    let advice = TableLayout.advice(for: Array(rows[(header ?? 0)...].prefix(200)))
    if let header {
      var mistakes: [SheetProblem] = []
      let columns = TableColumns(header: rows[header], above: rows[(header + 1)...], advice: advice, &mistakes)
      // Without names, the rows cannot be checked.
      problems += mistakes
      guard mistakes.isEmpty else { return nil }
      let ignored = columns.ignoredNames
      if !ignored.isEmpty { notices.report(at: rows[header][0].place, "columns ignored: \(ignored.joined(separator: ", "))") }
      return (columns, header + 1)
    }
    guard options.hasNoHeader else {
      problems.report(
        at: place,
        "line \(line) does not name the columns as in question,correct,wrong, and nothing says which answer is right; "
          + "say what the columns hold: \(advice), and --no-header if line \(line) is a question")
      return nil
    }
    guard !TableRow.endWithKeys(rows[...]) else {
      problems.report(
        at: place, "each row ends with a number or a letter after its answers; say what the columns hold: --no-header \(advice)")
      return nil
    }
    notices.report(at: place, "no row names the columns, so the second cell of each row is taken for the right answer")
    return (TableColumns(), 0)
  }
}
