import Sheets
import Spreadsheets

// Reads spreadsheets as they were saved. Places are rows and columns of the sheet.

extension QuestionBank.Reading {
  /// Reads sheets as tables, with or without column names. If there are several, messages begin with the sheet's name.
  ///
  /// - Throws: If the file cannot be read at all.
  init(spreadsheet bytes: [UInt8], _ options: TableOptions = TableOptions()) throws(SheetError) {
    let sheets: [Spreadsheet]
    do throws(SpreadsheetError) {
      sheets = try Spreadsheet.read(bytes, options.sheet.selection)
    } catch {
      throw SheetError(at: .start, "\(error)")
    }
    self.init(QuestionBank())
    if sheets.isEmpty { self = Self(Spreadsheet.empty, options) }
    for sheet in sheets {
      let next = Self(sheet, options)
      bank.questions += next.bank.questions
      problems += next.problems.map { Self.named($0, sheets, sheet) }
      notices += next.notices.map { Self.named($0, sheets, sheet) }
    }
  }

  private static func named(_ problem: SheetProblem, _ sheets: [Spreadsheet], _ sheet: Spreadsheet) -> SheetProblem {
    sheets.count > 1 ? SheetProblem(at: problem.place, "sheet \(sheet.name): \(problem.message)") : problem
  }

  private init(_ sheet: Spreadsheet, _ options: TableOptions) {
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
    self.init(table: rows, options, problems: remarks(true), notices: remarks(false))
  }
}

extension SheetChoice {
  fileprivate var selection: SheetSelection {
    switch self {
    case .first: .first
    case .named(let name): .named(name)
    case .all: .all
    }
  }
}
