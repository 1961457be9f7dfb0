/// Which sheets of a spreadsheet are read.
package enum SheetSelection: Equatable, Sendable {
  /// The first visible sheet with something in it.
  case first
  /// The sheet of this name, even if it is hidden.
  case named(String)
  /// All visible sheets with something in them.
  case all

  /// Whether it names a sheet, regardless of case.
  func names(_ sheet: String) -> Bool {
    guard case .named(let name) = self else { return false }
    return sheet.lowercased() == name.lowercased()
  }

  /// Whether it names some sheet.
  var isByName: Bool { if case .named = self { true } else { false } }

  /// Whether a sheet is read, after a number of sheets that were.
  func includes(_ sheet: String, isHidden: Bool, after count: Int) -> Bool {
    switch self {
    case .first: !isHidden && count == 0
    case .named: names(sheet) && count == 0
    case .all: !isHidden
    }
  }

  /// What to say if no sheet has the name.
  func unknown(_ sheets: [String]) -> String {
    guard case .named(let name) = self else { return "there is no sheet in this spreadsheet" }
    return "there is no sheet \(name) in this spreadsheet; its sheets are \(Self.list(sheets))"
  }

  /// Returns the sheets that were read; with the first one alone it is said which others have something in them.
  func checked(_ sheets: [Spreadsheet], names: [String], others: [String]) throws(SpreadsheetError) -> [Spreadsheet] {
    if isByName, sheets.isEmpty { throw .unreadable(unknown(names)) }
    guard self == .first, !others.isEmpty, var first = sheets.first else { return sheets }
    let verb = others.count == 1 ? "has" : "have"
    first.remarkOnSheet(
      "the sheet \(first.name) is read; \(Self.list(others)) \(verb) rows, too: say --sheet NAME or --sheet all to read others")
    return [first]
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(20).joined(separator: ", ") + (names.count > 20 ? " and \(names.count - 20) more" : "")
  }
}

extension Spreadsheet {
  /// Adds a remark on the whole sheet, at its first cell.
  fileprivate mutating func remarkOnSheet(_ text: String) {
    guard let row = rows.first, let cell = row.cells.first else { return }
    remarks.insert(Remark(row: row.number, column: cell.column, text: text, isMistake: false), at: 0)
  }
}
