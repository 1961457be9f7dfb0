import Basics

// Spreadsheets evaluate cells that begin like formulas, which can start programs or send cells elsewhere. A leading apostrophe makes such a cell a
// text.

extension String {
  /// The text as a cell that no spreadsheet evaluates, with a leading apostrophe if it needs one.
  var asCellText: String { isFormula ? "'" + self : self }

  /// The text of a cell, without the apostrophe that ``asCellText`` has added.
  var fromCellText: String { utf8.first == UInt8(ascii: "'") && isFormula ? String(dropFirst()) : self }

  /// Whether it begins like a formula, after any apostrophes. Numbers with a sign do not count as formulas.
  private var isFormula: Bool {
    let text = utf8.drop { $0 == UInt8(ascii: "'") }
    guard let first = text.first, "=+-@\t\r\n".utf8.contains(first) else { return false }
    let digits = text.dropFirst()
    let isNumber = "+-".utf8.contains(first) && !digits.isEmpty && digits.allSatisfy { $0.isASCIIDigit || ".,".utf8.contains($0) }
    return !isNumber
  }
}
