import XML

/// Reads the cells of a sheet of Office Open XML (18.3.1), whatever dimensions it states.
struct WorksheetReader {
  var rows = SheetRows()
  private let strings: SharedStrings
  private let formats: CellFormats
  private let hasDatesFrom1904: Bool

  private var merged: [MergedCells] = []
  /// The first row with something in it that is hidden, and how many there are.
  private var hidden: (first: Int, count: Int)?
  private var isHidden = false

  private var row = 0
  private var column = 0
  private var type = ""
  private var format = 0
  private var value = ""
  private var (isValue, hasFormula, phonetic) = (false, false, 0)

  init(_ strings: SharedStrings, _ formats: CellFormats, hasDatesFrom1904: Bool) {
    (self.strings, self.formats, self.hasDatesFrom1904) = (strings, formats, hasDatesFrom1904)
  }

  mutating func take(_ node: XMLNode) throws(SpreadsheetError) {
    switch node {
    case .start("row", let attributes):
      row = attributes["r"].flatMap { Int($0) } ?? row + 1
      column = 0
      isHidden = ["1", "true"].contains(attributes["hidden"] ?? "")
      guard (1...SpreadsheetLimits.rows).contains(row) else { throw .unreadable("the sheet has a row \(row)") }
    case .start("c", let attributes):
      column = try attributes["r"].map { (reference) throws(SpreadsheetError) in try Self.column(reference) } ?? column + 1
      (type, format) = (attributes["t"] ?? "n", attributes["s"].flatMap { Int($0) } ?? 0)
      (value, hasFormula) = ("", false)
    case .start("f", _): hasFormula = true
    case .start("mergeCell", let attributes):
      guard merged.count < SpreadsheetLimits.cells, let range = attributes["ref"].flatMap({ Self.merged($0) }) else { return }
      merged.append(range)
    case .start("v", _): isValue = true
    case .start("t", _): isValue = type == "inlineStr" && phonetic == 0
    case .start("rPh", _): phonetic += 1
    case .end("rPh"): phonetic -= 1
    case .text(let text):
      guard isValue else { return }
      value += text
      guard value.utf8.count <= SpreadsheetLimits.cell else {
        throw .unreadable("the cell in row \(row), column \(column) has more than \(SpreadsheetLimits.cell) bytes of text")
      }
    case .end("v"), .end("t"): isValue = false
    case .end("c"): try endCell()
    default: break
    }
  }

  /// Ends the sheet: cells that are merged over several rows count for each of them.
  mutating func finish() throws(SpreadsheetError) {
    for range in merged { try rows.spread(range) }
    guard let hidden else { return }
    let what = hidden.count == 1 ? "this row is hidden, and is" : "\(hidden.count) rows from here on are hidden, and are"
    rows.remark("\(what) read all the same", row: hidden.first, column: 1, isMistake: false)
  }

  /// The first column and the rows of a range such as `A2:A11`; `nil` for any other text.
  private static func merged(_ range: String) -> MergedCells? {
    let corners = range.split(separator: ":").map { String($0) }
    guard corners.count == 2, let column = try? column(corners[0]) else { return nil }
    func row(_ corner: String) -> Int? { Int(String(decoding: corner.utf8.drop { $0 > 0x40 }, as: UTF8.self)) }
    guard let first = row(corners[0]), let last = row(corners[1]), first > 0, first <= last, last <= SpreadsheetLimits.rows else {
      return nil
    }
    return MergedCells(column: column, rows: first...last)
  }

  private mutating func endCell() throws(SpreadsheetError) {
    if value.isEmpty {
      if hasFormula, type != "str" {
        remark("this cell has a formula whose value was not saved; open the file in a spreadsheet program and save it", isMistake: true)
      }
      return
    }
    try rows.add(try text(), row: row, column: column)
    guard isHidden else { return }
    isHidden = false
    hidden = (hidden?.first ?? row, (hidden?.count ?? 0) + 1)
  }

  private mutating func text() throws(SpreadsheetError) -> String {
    switch type {
    case "s":
      guard let index = Int(value), strings.texts.indices.contains(index) else {
        throw .unreadable("the text of the cell in row \(row), column \(column) is missing in this spreadsheet")
      }
      return Self.unescaped(strings.texts[index])
    case "b": return value == "1" ? "True" : "False"
    case "e":
      remark("this cell has the error \(value); correct it", isMistake: true)
      return value
    case "n": return number()
    case "inlineStr", "str": return Self.unescaped(value)
    // Dates of ISO 8601 (`d`) are texts already.
    default: return value
    }
  }

  private mutating func number() -> String {
    guard let number = Double(value), number.isFinite else { return value }
    let shown = formats[format].text(number, hasDatesFrom1904: hasDatesFrom1904)
    if let reason = shown.remark {
      remark("\(reason), and is read as \(shown.text); make the cell a text to say it otherwise", isMistake: false)
    }
    return shown.text
  }

  private mutating func remark(_ text: String, isMistake: Bool) { rows.remark(text, row: row, column: column, isMistake: isMistake) }

  /// The column of a reference such as `AB12`, from 1.
  private static func column(_ reference: String) throws(SpreadsheetError) -> Int {
    var column = 0
    for byte in reference.utf8.prefix(while: { $0 > 0x40 }) {
      let letter = Int(byte & 0xDF) - 0x40
      guard (1...26).contains(letter), column < 1_000 else { throw .unreadable("\(reference.prefix(20)) is no cell of a spreadsheet") }
      column = column * 26 + letter
    }
    guard column > 0 else { throw .unreadable("\(reference.prefix(20)) is no cell of a spreadsheet") }
    return column
  }

  /// The text with characters such as `_x000D_` (22.4.2.4), which XML cannot contain or would change.
  private static func unescaped(_ text: String) -> String {
    guard text.contains("_x") else { return text }
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "_"), index + 7 <= bytes.count, bytes[index + 1] == UInt8(ascii: "x"),
        bytes[index + 6] == UInt8(ascii: "_"),
        let value = UInt32(String(decoding: bytes[index + 2..<index + 6], as: UTF8.self), radix: 16), let scalar = Unicode.Scalar(value),
        bytes[index + 2] != UInt8(ascii: "+")
      {
        // A carriage return precedes a line feed, which is enough.
        if scalar != "\r" { output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter) }
        index += 7
      } else {
        output.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
