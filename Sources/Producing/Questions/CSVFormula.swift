import Basics
import Sheets

// Spreadsheets evaluate cells that begin like formulas, which can start programs or send cells elsewhere. A leading apostrophe makes such a cell a
// text.

extension String {
  /// The text as a cell that no spreadsheet evaluates, with a leading apostrophe if it needs one.
  var asCellText: String { isFormula ? "'" + self : self }

  /// The text as a cell of RFC 4180: in quotation marks if necessary, and never a formula.
  package var csvCell: String {
    let text = asCellText
    let needsMarks = text.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D].contains($0) }
    return needsMarks ? "\"\(text.replacing(["\"": "\"\""]))\"" : text
  }

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
