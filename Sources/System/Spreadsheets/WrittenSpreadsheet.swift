/// Writes spreadsheets of Office Open XML (.xlsx, ECMA-376), row by row: nothing but the compressed file and one row is in memory.
package enum WrittenSpreadsheet {
  /// A cell of a sheet that is written.
  package enum Cell: Equatable, Sendable {
    /// A text, which no program evaluates, whatever it begins with.
    case text(String)
    /// A number.
    case number(Int)
    /// A number in decimal digits, with a sign and a point where it has them; anything else is written as a text.
    case decimal(String)
  }

  /// Takes the next row of a sheet. Empty texts are empty cells.
  package typealias Take = ([Cell]) throws(SpreadsheetError) -> Void

  /// A sheet that is written: its first row has the names of the columns, which stay in sight.
  package struct Sheet {
    /// The name, of at most 31 characters, without any of `[]:*?/\`.
    package var name: String
    /// Gives the rows one after the other.
    package var rows: (Take) throws(SpreadsheetError) -> Void

    package init(name: String, rows: @escaping (Take) throws(SpreadsheetError) -> Void) { (self.name, self.rows) = (name, rows) }
  }

  /// The file.
  ///
  /// - Throws: ``SpreadsheetError`` if libarchive is missing, or the file is above the limits of ``SpreadsheetLimits``.
  package static func file(_ sheets: [Sheet]) throws(SpreadsheetError) -> [UInt8] {
    let zip = try ZipWriter(limit: SpreadsheetLimits.written)
    for (name, text) in fixedParts(sheets.map(\.name)) {
      try zip.begin(name)
      try zip.write(Array((xmlHead + text).utf8))
    }
    for (index, sheet) in sheets.enumerated() {
      try zip.begin("xl/worksheets/sheet\(index + 1).xml")
      var text = SheetText()
      try sheet.rows { (cells) throws(SpreadsheetError) in
        try text.append(cells)
        guard text.bytes.count >= 1 << 16 else { return }
        try zip.write(text.bytes)
        text.clear()
      }
      text.end()
      try zip.write(text.bytes)
    }
    return try zip.finish()
  }

  fileprivate static let xmlHead = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
  fileprivate static let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

  /// The files of the package besides the sheets (ECMA-376 Part 1, 12.3).
  private static func fixedParts(_ names: [String]) -> [(String, String)] {
    let (schemas, types) = ("http://schemas.openxmlformats.org", "application/vnd.openxmlformats-officedocument.spreadsheetml")
    let relations = "\(schemas)/officeDocument/2006/relationships"
    let numbers = 1..<(names.count + 1)
    func relation(_ id: Int, _ type: String, _ target: String) -> String {
      "<Relationship Id=\"rId\(id)\" Type=\"\(relations)/\(type)\" Target=\"\(target)\"/>"
    }
    func list(_ content: String) -> String { "<Relationships xmlns=\"\(schemas)/package/2006/relationships\">\(content)</Relationships>" }
    let sheets = zip(numbers, names).map { "<sheet name=\"\($1.xmlText)\" sheetId=\"\($0)\" r:id=\"rId\($0)\"/>" }.joined()
    let overrides = numbers.map { number in
      "<Override PartName=\"/xl/worksheets/sheet\(number).xml\" ContentType=\"\(types).worksheet+xml\"/>"
    }
    let contentTypes =
      "<Types xmlns=\"\(schemas)/package/2006/content-types\">"
      + "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
      + "<Override PartName=\"/xl/workbook.xml\" ContentType=\"\(types).sheet.main+xml\"/>"
      + "<Override PartName=\"/xl/styles.xml\" ContentType=\"\(types).styles+xml\"/>\(overrides.joined())</Types>"
    // Format 1 is bold, for the first row. Format 2 is for texts that begin like formulas: `quotePrefix` keeps them texts when somebody edits them.
    let styles =
      "<styleSheet xmlns=\"\(main)\"><fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>"
      + "<font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts><fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>"
      + "<fill><patternFill patternType=\"gray125\"/></fill></fills><borders count=\"1\"><border/></borders><cellStyleXfs count=\"1\"><xf/></cellStyleXfs>"
      + "<cellXfs count=\"3\"><xf xfId=\"0\"/><xf xfId=\"0\" fontId=\"1\" applyFont=\"1\"/><xf xfId=\"0\" numFmtId=\"49\" applyNumberFormat=\"1\" quotePrefix=\"1\"/></cellXfs>"
      + "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>"
    return [
      ("[Content_Types].xml", contentTypes), ("_rels/.rels", list(relation(1, "officeDocument", "xl/workbook.xml"))),
      ("xl/workbook.xml", "<workbook xmlns=\"\(main)\" xmlns:r=\"\(relations)\"><sheets>\(sheets)</sheets></workbook>"),
      (
        "xl/_rels/workbook.xml.rels",
        list(
          numbers.map { relation($0, "worksheet", "worksheets/sheet\($0).xml") }.joined()
            + relation(names.count + 1, "styles", "styles.xml"))
      ), ("xl/styles.xml", styles),
    ]
  }
}

/// The XML of a sheet (18.3.1).
private struct SheetText {
  private(set) var bytes: [UInt8]
  private var row = 0
  /// The names of the columns, as many as were needed so far.
  private var columns: [[UInt8]] = []

  init() {
    let view =
      "<sheetView workbookViewId=\"0\"><pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView>"
    let text =
      "<worksheet xmlns=\"\(WrittenSpreadsheet.main)\"><sheetViews>\(view)</sheetViews><sheetFormatPr defaultRowHeight=\"15\"/><sheetData>"
    bytes = Array((WrittenSpreadsheet.xmlHead + text).utf8)
  }

  mutating func append(_ cells: [WrittenSpreadsheet.Cell]) throws(SpreadsheetError) {
    row += 1
    guard row <= SpreadsheetLimits.rows, cells.count <= SpreadsheetLimits.writtenColumns else {
      throw .unwritable("the sheet has more than \(SpreadsheetLimits.rows) rows, or \(SpreadsheetLimits.writtenColumns) columns")
    }
    while columns.count < cells.count { columns.append(Self.columnName(columns.count)) }
    let number = Array("\(row)".utf8)
    add("<row r=\"")
    bytes += number
    add("\">")
    for (column, cell) in zip(columns, cells) {
      let (text, isNumber) =
        switch cell {
        case .text(let text): (text, false)
        case .number(let number): ("\(number)", true)
        case .decimal(let text): (text, text.isDecimalNumber)
        }
      guard !text.isEmpty else { continue }
      add("<c r=\"")
      bytes += column
      bytes += number
      let isFormula = !isNumber && ["=", "+", "-", "@", "\t", "\r", "\n", "'"].contains { text.unicodeScalars.first == $0 }
      if row == 1 { add("\" s=\"1") } else if isFormula { add("\" s=\"2") }
      add(isNumber ? "\"><v>" : "\" t=\"inlineStr\"><is><t xml:space=\"preserve\">")
      bytes +=
        isNumber
        ? Array(text.utf8) : Array(text.utf16.count > SpreadsheetLimits.writtenCell ? text.cutCell.xmlText.utf8 : text.xmlText.utf8)
      add(isNumber ? "</v></c>" : "</t></is></c>")
    }
    add("</row>")
  }

  /// Uses the memory of what was written again.
  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  mutating func end() { add("</sheetData></worksheet>") }

  private mutating func add(_ text: StaticString) {
    // Unsafe: the bytes of a literal, which stay for ever.
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  /// The name of a column, such as `AB`, by its number from 0.
  private static func columnName(_ number: Int) -> [UInt8] {
    var (name, rest) = ([UInt8](), number)
    repeat {
      name.append(UInt8(ascii: "A") + UInt8(rest % 26))
      rest = rest / 26 - 1
    } while rest >= 0
    return name.reversed()
  }
}

extension String {
  /// Whether it is a decimal number as `v` has it.
  fileprivate var isDecimalNumber: Bool {
    let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return (1...2).contains(parts.count) && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
  }

  /// The beginning of a text that is too long for a cell.
  fileprivate var cutCell: String {
    var (count, end) = (0, unicodeScalars.startIndex)
    for index in unicodeScalars.indices {
      count += UTF16.width(unicodeScalars[index])
      guard count <= SpreadsheetLimits.writtenCell else { break }
      end = unicodeScalars.index(after: index)
    }
    return String(unicodeScalars[..<end])
  }

  /// The text as the content of an element or an attribute. Characters that XML cannot contain are written as `_x0001_` (22.9.2.19), and so is the
  /// beginning of what would be read as such.
  fileprivate var xmlText: String {
    // Most texts have nothing of the kind.
    guard utf8.contains(where: { $0 < 0x20 || $0 == 0xEF || "&<>\"_".utf8.contains($0) }) else { return self }
    var text = ""
    for (index, scalar) in zip(unicodeScalars.indices, unicodeScalars) {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "_" where isEscape(at: index): text += "_x005F_"
      case "\t", "\n": text.unicodeScalars.append(scalar)
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}":
        let digits = String(scalar.value, radix: 16, uppercase: true)
        text += "_x\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)_"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Whether an underscore begins what readers take for a character that is written in digits.
  private func isEscape(at index: Index) -> Bool {
    let rest = Array(utf8[index...].prefix(7))
    return rest.count == 7 && rest[1] == UInt8(ascii: "x") && rest[6] == UInt8(ascii: "_")
      && rest[2..<6].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }
}
