import XML

/// The cells of a spreadsheet of OpenDocument (part 3, chapter 9): each has the text that it shows.
struct OpenDocumentTable {
  private var rows = SheetRows()
  private var tables = 0
  /// What the body is, such as `spreadsheet`; empty if its element has begun, and `nil` before.
  private var body: String?
  private let choice: SheetSelection
  private var sheets: [Spreadsheet] = []
  private var names: [String] = []
  private var name = ""
  /// Whether the cells of the table are read, and not only looked for.
  private var isRead = true
  private var hasCells = false
  /// The tables with cells that are not read.
  private var others: [String] = []
  private var merged: [MergedCells] = []

  private var row = 0
  private var rowRepeats = 1
  private var cells: [(column: Int, text: String)] = []
  private var column = 0
  private var columnRepeats = 1
  private var text = ""
  private var paragraphs = 0
  private var truth: String?
  /// The number of rows over which the cell is merged.
  private var spanned = 1
  private var isError = false
  /// How many elements are open whose texts belong to no cell: comments, drawings.
  private var outside = 0
  private var isParagraph = false

  private init(_ choice: SheetSelection) { self.choice = choice }

  /// The tables of a choice.
  static func read(_ content: [UInt8], _ choice: SheetSelection) throws(SpreadsheetError) -> [Spreadsheet] {
    var table = OpenDocumentTable(choice)
    try XMLText.read(content) { (node) throws(SpreadsheetError) in try table.take(node) }
    guard table.tables > 0 else { throw .unreadable(OtherFiles.openDocument(table.body ?? "")) }
    return try choice.checked(table.sheets, names: table.names, others: table.others)
  }

  private static let notShown: Set<String> = ["annotation", "shapes", "frame", "custom-shape", "g", "line", "rect"]

  private mutating func take(_ node: XMLNode) throws(SpreadsheetError) {
    switch node {
    case .start(let name, let attributes): try start(name, attributes)
    case .text(let part):
      guard isParagraph, outside == 0 else { return }
      text += part
      try checkText()
    case .end(let name): try end(name)
    }
  }

  private mutating func start(_ name: String, _ attributes: [(name: String, value: String)]) throws(SpreadsheetError) {
    if Self.notShown.contains(name) { outside += 1 }
    guard outside == 0 else { return }
    if body == "" { body = name }
    switch name {
    case "body": body = ""
    case "table":
      (tables, row, hasCells, merged) = (tables + 1, 0, false, [])
      self.name = attributes["name"] ?? ""
      if names.count < SpreadsheetLimits.entries { names.append(self.name) }
      isRead = choice.includes(self.name, isHidden: false, after: sheets.count)
    case "table-row":
      rowRepeats = Self.repeats(attributes["number-rows-repeated"])
      (cells, column) = ([], 0)
    case "table-cell", "covered-table-cell":
      columnRepeats = Self.repeats(attributes["number-columns-repeated"])
      (text, paragraphs) = ("", 0)
      isError = attributes.contains { $0.name == "value-type" && $0.value == "error" }
      spanned = Self.repeats(attributes["number-rows-spanned"])
      truth = attributes["boolean-value"].map { $0 == "true" ? "True" : "False" }
    case "p":
      if paragraphs > 0 { text += "\n" }
      paragraphs += 1
      isParagraph = true
    case "s": text += String(repeating: " ", count: min(Self.repeats(attributes["c"]), 1_000))
    case "tab": text += "\t"
    case "line-break": text += "\n"
    default: break
    }
    try checkText()
  }

  private mutating func end(_ name: String) throws(SpreadsheetError) {
    if Self.notShown.contains(name) { outside -= 1 }
    guard outside == 0 else { return }
    switch name {
    case "p": isParagraph = false
    case "table-cell", "covered-table-cell":
      let shown = truth ?? text
      if shown.utf8.contains(where: { $0 > 0x20 }) {
        guard columnRepeats <= SpreadsheetLimits.columns else { throw .unreadable("row \(row + 1) repeats a cell \(columnRepeats) times") }
        hasCells = true
        if spanned > 1, isRead, merged.count < SpreadsheetLimits.cells {
          merged.append(MergedCells(column: column + 1, rows: row + 1...row + spanned))
        }
        for index in 0..<columnRepeats where isRead { cells.append((column + index + 1, shown)) }
        if isError, isRead {
          rows.remark("this cell has the error \(shown); correct it", row: row + 1, column: column + 1, isMistake: true)
        }
      }
      column += columnRepeats
    case "table-row":
      guard row + rowRepeats <= SpreadsheetLimits.rows else { throw .unreadable("the sheet has more than \(SpreadsheetLimits.rows) rows") }
      if !cells.isEmpty {
        for index in 1...rowRepeats {
          for cell in cells { try rows.add(cell.text, row: row + index, column: cell.column) }
        }
      }
      row += rowRepeats
    case "table":
      if !isRead, hasCells { others.append(self.name) }
      guard isRead else { return }
      for range in merged { try rows.spread(range) }
      let sheet = rows.takeSheet(name: self.name)
      if !sheet.rows.isEmpty || choice.names(self.name) { sheets.append(sheet) }
    default: break
    }
  }

  private func checkText() throws(SpreadsheetError) {
    guard text.utf8.count <= SpreadsheetLimits.cell else {
      throw .unreadable("a cell in row \(row + 1) has more than \(SpreadsheetLimits.cell) bytes of text")
    }
  }

  /// The number of repetitions, from 1.
  private static func repeats(_ text: String?) -> Int { min(max(text.flatMap { Int($0) } ?? 1, 1), SpreadsheetLimits.rows) }
}
