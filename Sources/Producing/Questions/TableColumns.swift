import Basics
import GameEvents
import Sheets

/// The meanings of the columns of a table of questions.
struct TableColumns {
  /// The columns in order.
  private(set) var columns: [ColumnName?] = [.question, .correct]
  /// What follows them: wrong answers if no row names the columns, and nothing if one does.
  let furtherColumn: ColumnName?
  /// The columns whose names are unknown, which are ignored; `nil` if all without a meaning are.
  private var unknown: [Int: String]? = [:]

  /// The maximum number of rows above the column names, such as the title of a form.
  private static let mostRowsAbove = 50
  /// The maximum number of columns that are searched for names.
  private static let mostColumns = 256

  /// The columns of a table without names: the question, the right answer, wrong answers.
  init() { furtherColumn = .wrong }

  /// The columns that the user names.
  init(_ layout: TableLayout) {
    furtherColumn = layout.columns.last == .wrong ? .wrong : nil
    unknown = nil
    columns = layout.columns
    resolveAnswers()
  }

  /// The index of the row that names the columns, if there is one.
  ///
  /// In the first row, `question` as the first cell is enough, or the names of three columns. Elsewhere, both the question and an answer are
  /// required.
  static func header(of rows: [[Placed<String>]]) -> Int? {
    rows.prefix(mostRowsAbove).enumerated().first { index, row in
      guard row.count > 1 else { return false }
      let names = row.prefix(mostColumns).map { ColumnName($0.value) }
      let found = names.compactMap { $0 }.filter { !$0.isTask }
      let kinds = found.indices.filter { !found[..<$0].contains(found[$0]) }.count
      let hasAnswers = found.contains { [.correct, .wrong, .option, .answer, .place].contains($0) }
      guard found.contains(.question) else { return index == 0 && kinds > 2 && hasAnswers }
      return hasAnswers && kinds > 1 || index == 0 && (names.first == .question || kinds > 1)
    }?.offset
  }

  /// The columns that a row names.
  ///
  /// - Parameters:
  ///   - rows: The rows below it.
  ///   - advice: What to do if the names do not suffice.
  init(header: [Placed<String>], above rows: ArraySlice<[Placed<String>]>, advice: String, _ problems: inout [SheetProblem]) {
    furtherColumn = nil
    columns = header.map { ColumnName($0.value) }
    resolveAnswers()
    resolveClocks(header, rows)
    resolveKinds(rows)
    var unknown: [Int: String] = [:]
    for (index, cell) in header.enumerated() {
      let column = columns[index]
      let mayRepeat = column == .wrong || column == .option || ColumnName(cell.value) == .correct && !columns.contains(.option)
      if let column, !mayRepeat, columns[..<index].contains(column) {
        problems.report(at: cell.place, "the column \(cell.value.quoted) is there twice; remove one of them")
      }
      if column == nil, !cell.value.trimmed.isEmpty { unknown[index] = cell.value.trimmed }
    }
    self.unknown = unknown
    report(header, advice, &problems)
  }

  /// `answer` is the right one, unless another column says which one is.
  private mutating func resolveAnswers() {
    let saysRightOne = columns.contains { $0 == .correct || $0 == .place }
    for index in columns.indices where columns[index] == .answer { columns[index] = saysRightOne ? .option : .correct }
  }

  /// A column that is called `time` says when questions are asked if a cell has a colon, or if another column has the seconds for answers.
  private mutating func resolveClocks(_ header: [Placed<String>], _ rows: ArraySlice<[Placed<String>]>) {
    guard !columns.contains(.time) else { return }
    let clocks = columns.indices.filter { columns[$0] == .seconds && ColumnNames.clocks.contains(ColumnName.reduced(header[$0].value)) }
    guard let index = clocks.first else { return }
    let hasColon = rows.contains { row in index < row.count && row[index].value.utf8.contains(UInt8(ascii: ":")) }
    if hasColon || columns.count(where: { $0 == .seconds }) > 1 { columns[index] = .time }
  }

  /// Columns for kinds of questions count if a cell names a kind. Otherwise they are columns that happen to have such a name.
  private mutating func resolveKinds(_ rows: ArraySlice<[Placed<String>]>) {
    let index = columns.firstIndex(of: .task(.kind))
    let hasKinds = index.map { index in rows.contains { index < $0.count && TableRow.kind($0[index].value).isKnown } } ?? false
    guard !hasKinds else { return }
    for index in columns.indices where columns[index]?.isTask == true { columns[index] = nil }
  }

  /// Reports what is missing.
  private func report(_ header: [Placed<String>], _ advice: String, _ problems: inout [SheetProblem]) {
    let start = header.first?.place ?? .start
    let names = ignoredNames
    let end = (names.isEmpty ? "" : ", not \(names.joined(separator: ", "))") + "; or say what the columns hold: \(advice)"
    if !columns.contains(.question) {
      problems.report(at: start, "no column is called \"question\"; name one so, as in question,correct,wrong,wrong\(end)")
    }
    if !hasKinds, !columns.contains(.correct), !columns.contains(.place) {
      problems.report(at: start, "no column is called \"correct\"; name one so, as in question,correct,wrong,wrong\(end)")
    }
    let options = columns.count { $0 == .option }
    if options > 0, let index = columns.firstIndex(of: .wrong) {
      problems.report(
        at: header[index].place,
        "there are options and wrong answers; name the columns as in question,option 1,option 2,correct or as in question,correct,wrong")
    } else if !hasKinds, options == 1 || options == 0 && !columns.contains(.wrong) {
      problems.report(
        at: start,
        options == 1
          ? "there is one column with an option; name all of them, as in question,option 1,option 2,correct\(end)"
          : "no column is called \"wrong\"; name one so, as in question,correct,wrong,wrong\(end)")
    }
  }

  /// Whether the columns say the question, the right answer and others.
  var isComplete: Bool {
    let options = columns.count { $0 == .option }
    if hasKinds { return columns.contains(.question) && !(options > 0 && columns.contains(.wrong)) }
    let hasOthers = options == 0 ? columns.contains(.wrong) && columns.contains(.correct) : options > 1 && !columns.contains(.wrong)
    return columns.contains(.question) && (columns.contains(.correct) || columns.contains(.place)) && hasOthers
  }
  /// The names of columns that are ignored, in their order.
  var ignoredNames: [String] { (unknown ?? [:]).sorted { $0.key < $1.key }.map { $0.value } }
  /// Whether a column is ignored, and its cells are no mistakes.
  func isIgnored(_ index: Int) -> Bool { unknown.map { $0[index] != nil } ?? (self[index] == nil) }
  /// Whether a column says of what kind each question is. A poll has no right answer, and a number no answers to choose from.
  var hasKinds: Bool { columns.contains(.task(.kind)) }
  /// Whether a column says which of the options is right.
  var hasOptions: Bool { columns.contains(.option) }
  /// Whether that column always gives a place.
  var hasPlace: Bool { columns.contains(.place) }
  /// The index of the question's column.
  var questionIndex: Int { columns.firstIndex(of: .question) ?? 0 }

  /// The column of a cell.
  subscript(_ index: Int) -> ColumnName? { index < columns.count ? columns[index] : furtherColumn }
}
