import Basics
import Sheets

// Reads tables of questions from any format, one question a row.

extension QuestionBank.Reading {
  /// Reads the non-empty rows of a table.
  ///
  /// - Parameters:
  ///   - rows: The cells of each row. The place of the first cell is the row's own.
  ///   - problems: Earlier problems with the table, which are reported too.
  ///   - notices: Notices about it.
  init(table rows: [[Placed<String>]], problems: [SheetProblem] = [], notices: [SheetProblem] = []) {
    var (problems, notices) = (problems, notices)
    var rest = rows[...]
    var columns = TableColumns()
    if let index = TableColumns.header(of: rows) {
      var mistakes: [SheetProblem] = []
      columns = TableColumns(header: rows[index], &mistakes)
      // Without names, the rows cannot be checked.
      guard mistakes.isEmpty else {
        self.init(QuestionBank(), problems: mistakes, notices: notices)
        return
      }
      rest = rows[(index + 1)...]
      if index > 0 {
        notices.report(at: rows[0][0].place, "what stands above the names of the columns in line \(rows[index][0].place.line) is left out")
      }
    }
    if rest.isEmpty {
      problems.report(at: .start, "there is no question; write a question, the right answer and the wrong ones in each row")
    }
    if rest.count > QuestionLimits.questions, let row = rest.dropFirst(QuestionLimits.questions).first {
      problems.report(
        at: row[0].place, "there are \(rest.count) questions, above the limit of \(QuestionLimits.questions); split the file here")
      rest = []
    }
    if columns.place == nil, let first = rest.first {
      if TableRow.endWithNumbers(rest) {
        problems.report(
          at: first[0].place,
          "each row ends with a number behind answers that are none; name the columns in a first row, as in question,option 1,option 2,correct,seconds"
        )
        rest = []
      } else {
        notices.report(
          at: first[0].place,
          "no row names the columns, so line \(first[0].place.line) is taken for a question, and its second cell for the right answer")
      }
    }
    let read = rest.map { TableRow($0, columns) }.filter { !$0.isEmpty }
    let meaning = columns.hasPlace ? .place : AnswerKey.meaning(read.lazy.compactMap { $0.key })
    var bank = QuestionBank()
    for row in read {
      if let question = row.question(meaning, &problems) { bank.questions.append(Placed(question, at: row.place)) }
    }
    self.init(bank, problems: problems, notices: notices)
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
      case nil:
        // Forms number their questions in a column before them.
        if index > columns.questionIndex || Int(cell.value.trimmed) == nil { strays.append(cell.place) }
      }
    }
    guard hasOptions, let correct else { return }
    key = AnswerKey(correct.value, options: answers.map { $0.value }, places: places)
  }

  /// Whether each of several rows ends with a number, after at least two answers that are not numbers. Then the columns are not what they seem.
  static func endWithNumbers(_ rows: ArraySlice<[Placed<String>]>) -> Bool {
    rows.count > 1
      && rows.allSatisfy { row in
        let cells = row.dropFirst().map { $0.value.trimmed }.filter { !$0.isEmpty }
        return cells.count > 2 && Int(cells[cells.count - 1]) != nil && cells.count { Int($0) == nil } > 1
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
    draft.points = points.flatMap { Self.points($0, &problems) }
    guard let correct, !correct.value.trimmed.isEmpty else {
      return problems.refuse(
        at: correct?.place ?? place,
        hasOptions
          ? "the right answer is missing; write its number, its letter or its text"
          : "the right answer is missing; write it behind the question")
    }
    draft.answers = hasOptions ? answers : [correct] + answers
    draft.correctAnswer = hasOptions ? key?.index(meaning, correct, count: answers.count, &problems) : 0
    let question = draft.checked(&problems)
    return problems.count == count ? question : nil
  }

  private static func points(_ cell: Placed<String>, _ problems: inout [SheetProblem]) -> Placed<[Int]>? {
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
    return Placed(values, at: cell.place)
  }

  /// Returns seconds as tables write them, with a decimal point: `7,5`, `20 s`, `20 sec`.
  private static func seconds(_ text: String) -> String {
    let number = text.trimmed.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ",") }
    let unit = ColumnName.reduced(String(text.trimmed.dropFirst(number.count)))
    guard unit.isEmpty || ["s", "sek"].contains(unit) || ColumnName(unit) == .seconds else { return text }
    return String(number).replacing(",", with: ".")
  }
}
