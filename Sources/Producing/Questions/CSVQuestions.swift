import Sheets

// Tables as text.

extension QuestionBank.Reading {
  /// Reads a table whose cells are separated by commas, semicolons, tabs or bars, with one question a row.
  ///
  /// A row may name the columns, in any order: `question`, `correct`, any number of `wrong`, `category`, `difficulty`, `points` (numbers with spaces
  /// between them, in the order of the answers), `seconds`, `picture`, `pictureText`, `pictureSize` such as `640x480`, `sound`,
  /// `soundText`, `explanation` and `link`. Instead of right and wrong answers there may be
  /// columns `option 1`, `option 2` and further, and `correct` gives the number, the letter or the text of the right one. ``ColumnNames`` has the
  /// names in eight languages. Columns with other names are ignored. If no row has names, the options say what
  /// the columns hold; without a layout each row has the question, the right answer, and wrong answers. Empty cells are skipped.
  package init(csv text: String, _ options: TableOptions = TableOptions()) {
    let dialect = CSVDialect(of: text)
    let table = CSVText(text.unicodeScalars, separator: dialect.separator, skipping: dialect.skipped)
    self.init(table: table.rows, options, problems: table.problems)
  }
}
