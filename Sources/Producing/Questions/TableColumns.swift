import Basics
import Sheets

/// The meanings of the columns of a table of questions.
struct TableColumns {
  /// The columns in order. They are followed by wrong answers if no row names the columns, and by nothing if one does.
  private(set) var columns: [ColumnName?] = [.question, .correct]
  let furtherColumn: ColumnName?
  /// The place of the column names; `nil` if there are none.
  let place: SheetPlace?

  /// The maximum number of rows above the column names, such as the title of a form.
  private static let mostRowsAbove = 50
  /// The maximum number of columns that are searched for names.
  private static let mostColumns = 256

  /// The columns of a table without names: the question, the right answer, wrong answers.
  init() { (furtherColumn, place) = (.wrong, nil) }

  /// The index of the row that names the columns, if there is one.
  ///
  /// In the first row, `question` as the first cell is enough, or the names of three columns. Elsewhere, both the question and an answer are
  /// required.
  static func header(of rows: [[Placed<String>]]) -> Int? {
    rows.prefix(mostRowsAbove).enumerated().first { index, row in
      guard row.count > 1 else { return false }
      let names = row.prefix(mostColumns).map { ColumnName($0.value) }
      let found = names.compactMap { $0 }
      let kinds = found.indices.filter { !found[..<$0].contains(found[$0]) }.count
      let hasAnswers = found.contains { [.correct, .wrong, .option, .answer, .place].contains($0) }
      guard found.contains(.question) else { return index == 0 && kinds > 2 && hasAnswers }
      return hasAnswers && kinds > 1 || index == 0 && (names.first == .question || kinds > 1)
    }?.offset
  }

  /// The columns that a row names.
  init(header: [Placed<String>], _ problems: inout [SheetProblem]) {
    furtherColumn = nil
    place = header.first?.place ?? .start
    columns = header.map { ColumnName($0.value) }
    resolveAnswers()
    for (index, cell) in header.enumerated() {
      let column = columns[index]
      if let column, ![.wrong, .option].contains(column), columns[..<index].contains(column) {
        problems.report(at: cell.place, "the column \(cell.value.quoted) is there twice; remove one of them")
      }
      if column == nil, !cell.value.trimmed.isEmpty {
        problems.report(
          at: cell.place, "unknown column \(cell.value.quoted); there are \(ColumnName.known), as in question,correct,wrong,wrong")
      }
    }
    report(header, &problems)
  }

  /// `answer` is the right one, unless another column says which one is.
  private mutating func resolveAnswers() {
    let saysRightOne = columns.contains { $0 == .correct || $0 == .place }
    for index in columns.indices where columns[index] == .answer { columns[index] = saysRightOne ? .option : .correct }
  }

  /// Reports what is missing.
  private func report(_ header: [Placed<String>], _ problems: inout [SheetProblem]) {
    let start = header.first?.place ?? .start
    if !columns.contains(.question) {
      problems.report(at: start, "no column is called \"question\"; name one so, as in question,correct,wrong,wrong")
    }
    if !columns.contains(.correct), !columns.contains(.place) {
      problems.report(at: start, "no column is called \"correct\"; name one so, as in question,correct,wrong,wrong")
    }
    let options = columns.count { $0 == .option }
    if options > 0, let index = columns.firstIndex(of: .wrong) {
      problems.report(
        at: header[index].place,
        "there are options and wrong answers; name the columns as in question,option 1,option 2,correct or as in question,correct,wrong")
    } else if options == 1 || options == 0 && !columns.contains(.wrong) {
      problems.report(
        at: start,
        options == 1
          ? "there is one column with an option; name all of them, as in question,option 1,option 2,correct"
          : "no column is called \"wrong\"; name one so, as in question,correct,wrong,wrong")
    }
  }

  /// Whether a column says which of the options is right.
  var hasOptions: Bool { columns.contains(.option) }
  /// Whether that column always gives a place.
  var hasPlace: Bool { columns.contains(.place) }
  /// The index of the question's column.
  var questionIndex: Int { columns.firstIndex(of: .question) ?? 0 }

  /// The column of a cell.
  subscript(_ index: Int) -> ColumnName? { index < columns.count ? columns[index] : furtherColumn }
}
