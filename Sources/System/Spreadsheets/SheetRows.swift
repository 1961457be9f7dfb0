/// A cell that is merged over several rows.
struct MergedCells {
  var column: Int
  var rows: ClosedRange<Int>
}

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

  /// Returns the sheet, and begins another one, for which the limits count on.
  mutating func takeSheet(name: String) -> Spreadsheet {
    defer { sheet = Spreadsheet() }
    sheet.name = name
    return sheet
  }

  /// Gives a cell that is merged over several rows to each of these rows that has another cell.
  mutating func spread(_ merged: MergedCells) throws(SpreadsheetError) {
    let first = index(ofRow: merged.rows.lowerBound)
    guard merged.rows.count > 1, first < sheet.rows.count, sheet.rows[first].number == merged.rows.lowerBound,
      let cell = sheet.rows[first].cells.first(where: { $0.column == merged.column })
    else { return }
    for row in first + 1..<max(first + 1, index(ofRow: merged.rows.upperBound + 1)) {
      cellCount += 1
      guard cellCount <= SpreadsheetLimits.cells else {
        throw .unreadable("the sheet has too much in it: more than \(SpreadsheetLimits.cells) cells")
      }
      let place = sheet.rows[row].cells.firstIndex { $0.column >= merged.column } ?? sheet.rows[row].cells.count
      let isFree = place == sheet.rows[row].cells.count || sheet.rows[row].cells[place].column != merged.column
      if isFree { sheet.rows[row].cells.insert(cell, at: place) }
    }
  }

  /// The index of the first row that is not above one of this number.
  private func index(ofRow number: Int) -> Int {
    var (low, high) = (0, sheet.rows.count)
    while low < high {
      let middle = low + (high - low) / 2
      if sheet.rows[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  mutating func remark(_ text: String, row: Int, column: Int, isMistake: Bool) {
    guard sheet.remarks.count < SpreadsheetLimits.remarks else { return }
    sheet.remarks.append(Spreadsheet.Remark(row: row, column: column, text: text, isMistake: isMistake))
  }
}
