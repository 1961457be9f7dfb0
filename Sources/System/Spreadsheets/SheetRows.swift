/// Collects the rows of a sheet within the limits.
struct SheetRows {
  private(set) var sheet = Spreadsheet()
  private var cellCount = 0
  private var textCount = 0

  /// Adds a cell that is not empty. Rows, and the columns within a row, must be in order.
  mutating func add(_ text: String, row: Int, column: Int) throws(SpreadsheetError) {
    guard text.utf8.contains(where: { $0 > 0x20 }) else { return }
    guard column <= SpreadsheetLimits.columns else {
      throw .unreadable("row \(row) has something in column \(column), above the limit of \(SpreadsheetLimits.columns) columns")
    }
    guard text.utf8.count <= SpreadsheetLimits.cell else {
      throw .unreadable("the cell in row \(row), column \(column) has more than \(SpreadsheetLimits.cell) bytes of text")
    }
    (cellCount, textCount) = (cellCount + 1, textCount + text.utf8.count)
    guard cellCount <= SpreadsheetLimits.cells, textCount <= SpreadsheetLimits.text else {
      throw .unreadable(
        "the sheet has too much in it: more than \(SpreadsheetLimits.cells) cells or \(SpreadsheetLimits.text >> 20) MiB of text")
    }
    let cell = Spreadsheet.Cell(column: column, text: text)
    guard let last = sheet.rows.indices.last, sheet.rows[last].number >= row else {
      sheet.rows.append(Spreadsheet.Row(number: row, cells: [cell]))
      return
    }
    // A file that contains a row or a cell twice is not valid.
    guard sheet.rows[last].number == row, let end = sheet.rows[last].cells.last?.column, end < column else {
      throw .unreadable("the cells are out of order in row \(row)")
    }
    sheet.rows[last].cells.append(cell)
  }

  mutating func remark(_ text: String, row: Int, column: Int, isMistake: Bool) {
    guard sheet.remarks.count < SpreadsheetLimits.remarks else { return }
    sheet.remarks.append(Spreadsheet.Remark(row: row, column: column, text: text, isMistake: isMistake))
  }

  mutating func remarkOnSheet(_ text: String) {
    guard let first = sheet.rows.first, let cell = first.cells.first else { return }
    sheet.remarks.insert(Spreadsheet.Remark(row: first.number, column: cell.column, text: text, isMistake: false), at: 0)
  }
}
