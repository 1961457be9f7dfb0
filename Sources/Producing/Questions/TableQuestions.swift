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
      guard let question = row.question(meaning, &problems), !faulty.contains(index) else { continue }
      bank.questions.append(Placed(question, at: row.place))
    }
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
      let isQuestion = options.hasNoHeader || header == nil && TableRow(first, columns).key?.isFound == true
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

/// A row of a table of questions, by the meaning of its cells.
struct TableRow {
  let place: SheetPlace
  /// The right answer among options, if the table has options.
  private(set) var key: AnswerKey?
  private var draft: QuestionDraft
  private var correct: Placed<String>?
  private var answers: [Placed<String>] = []
  private var points: Placed<String>?
  private var type: Placed<String>?
  /// Cells of columns without names.
  private var strays: [SheetPlace] = []
  private let hasOptions: Bool
  /// Whether the row has nothing but its number, like the empty rows of a form.
  private(set) var isEmpty = true

  init(_ row: [Placed<String>], _ columns: TableColumns) {
    place = row[0].place
    draft = QuestionDraft(at: place)
    hasOptions = columns.hasOptions
    draft.text = Placed("", at: place)
    var places: [Int] = []
    var options = 0
    for (index, cell) in row.enumerated() {
      let column = columns[index]
      if column == .option { options += 1 }
      if column == .question { draft.text = cell }
      if column == .correct || column == .place { correct = cell }
      guard !cell.value.trimmed.isEmpty else { continue }
      isEmpty = isEmpty && (column == .number || column == nil && index < columns.questionIndex)
      switch column {
      case .wrong: answers.append(cell)
      case .option:
        answers.append(cell)
        places.append(options)
      case .category: draft.category = cell
      case .difficulty: draft.difficulty = Placed(ColumnNames.difficulty(cell.value)?.rawValue ?? cell.value, at: cell.place)
      case .points: points = cell
      case .seconds: draft.seconds = Placed(Self.seconds(cell.value), at: cell.place)
      case .picture: draft.picture = cell
      case .explanation: draft.explanation = cell
      case .link: draft.link = cell
      case .type: type = cell
      case .question, .correct, .place, .answer, .number: break
      case .time: draft.time = Placed(Self.time(cell.value), at: cell.place)
      case nil where columns.isIgnored(index): break
      case nil:
        // Forms number their questions in a column before them.
        if index > columns.questionIndex || Int(cell.value.trimmed) == nil { strays.append(cell.place) }
      }
    }
    guard hasOptions, let correct else { return }
    key = AnswerKey(correct.value, options: answers.map { $0.value }, places: places)
  }

  /// Whether each of several rows ends with a number or a letter, after at least two answers that are none. Then the columns are not what they seem.
  static func endWithKeys(_ rows: ArraySlice<[Placed<String>]>) -> Bool {
    func isKey(_ text: String) -> Bool { Int(text) != nil || ColumnName.place(text) != nil }
    // The first row may have names that are not known.
    return rows.count > 1
      && rows.dropFirst().allSatisfy { row in
        let cells = row.dropFirst().map { $0.value.trimmed }.filter { !$0.isEmpty }
        return cells.count > 2 && isKey(cells[cells.count - 1]) && cells.count { !isKey($0) } > 1
      }
  }

  /// Returns the question if it has no mistakes. Mistakes are reported.
  func question(_ meaning: AnswerKey.Meaning?, _ problems: inout [SheetProblem]) -> Question? {
    let count = problems.count
    for stray in strays { problems.report(at: stray, "this cell is in a column without a name; remove it or name the column") }
    if let type, ColumnNames.isOtherType(type.value) {
      return problems.refuse(
        at: type.place, "questions of the type \(type.value.quoted) have no single right answer to choose; remove this row")
    }
    var draft = draft
    guard let correct, !correct.value.trimmed.isEmpty else {
      return problems.refuse(
        at: correct?.place ?? place,
        hasOptions
          ? "the right answer is missing; write its number, its letter or its text"
          : "the right answer is missing; write it after the question")
    }
    draft.answers = hasOptions ? answers : [correct] + answers
    draft.correctAnswer = hasOptions ? key?.index(meaning, correct, count: answers.count, &problems) : 0
    if let points { draft.points = Self.points(points, of: draft, &problems) }
    let question = draft.checked(&problems)
    return problems.count == count ? question : nil
  }

  /// The points of each answer. One number is what the right answer is worth.
  private static func points(_ cell: Placed<String>, of draft: QuestionDraft, _ problems: inout [SheetProblem]) -> Placed<[Int]>? {
    var values: [Int] = []
    for word in cell.value.utf8.split(separator: 0x20) {
      let text = String(decoding: word, as: UTF8.self)
      guard let value = Int(text), QuestionLimits.points.contains(value) else {
        return problems.refuse(
          at: cell.place,
          "\"points\" has \(text.quoted); write integers from \(QuestionLimits.points.lowerBound) to \(QuestionLimits.points.upperBound)")
      }
      values.append(value)
    }
    if values.count == 1, let answers = draft.answers {
      values = answers.indices.map { $0 == draft.correctAnswer ? values[0] : 0 }
    }
    return Placed(values, at: cell.place)
  }

  /// Returns a time as cue sheets write it, with a decimal point.
  private static func time(_ text: String) -> String {
    var text = text.trimmed
    for unit in ["sec", "sek", "s"] where text.lowercased().hasSuffix(unit) { return time(String(text.dropLast(unit.count))) }
    text.replace(",", with: ".")
    return text
  }

  /// Returns seconds as tables write them, with a decimal point: `7,5`, `20 s`, `20 sec`.
  private static func seconds(_ text: String) -> String {
    let number = text.trimmed.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ",") }
    let unit = ColumnName.reduced(String(text.trimmed.dropFirst(number.count)))
    guard unit.isEmpty || ["s", "sek"].contains(unit) || ColumnName(unit) == .seconds else { return text }
    return String(number).replacing(",", with: ".")
  }
}
