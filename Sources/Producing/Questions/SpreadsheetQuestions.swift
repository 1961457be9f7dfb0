import Sheets
import Spreadsheets

// Reads spreadsheets as they were saved. Places are rows and columns of the sheet.

extension QuestionBank.Reading {
  /// Reads the first non-empty sheet as a table, with or without column names.
  ///
  /// - Throws: If the file cannot be read at all.
  init(spreadsheet bytes: [UInt8]) throws(SheetError) {
    let sheet: Spreadsheet
    do throws(SpreadsheetError) {
      sheet = try Spreadsheet(bytes)
    } catch {
      throw SheetError(at: .start, "\(error)")
    }
    let rows = sheet.rows.map { row in
      var cells: [Placed<String>] = []
      for cell in row.cells {
        while cells.count < cell.column - 1 { cells.append(Placed("", at: SheetPlace(line: row.number, column: cells.count + 1))) }
        cells.append(Placed(cell.text, at: SheetPlace(line: row.number, column: cell.column)))
      }
      return cells
    }
    func remarks(_ areMistakes: Bool) -> [SheetProblem] {
      sheet.remarks.filter { $0.isMistake == areMistakes }.map {
        SheetProblem(at: SheetPlace(line: $0.row, column: $0.column), $0.text)
      }
    }
    self.init(table: rows, problems: remarks(true), notices: remarks(false))
  }
}
