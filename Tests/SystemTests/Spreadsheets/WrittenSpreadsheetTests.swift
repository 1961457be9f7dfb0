import Basics
import TestSupport
import Testing

@testable import Spreadsheets

/// Spreadsheets that are written, as they are read again. What other programs read in them is a proof's business.
@Suite(.enabled(if: (try? Spreadsheet.requireLibraries()) != nil, "libarchive and libxml2 are here")) struct WrittenSpreadsheetTests {
  private func written(_ sheets: [(String, [[WrittenSpreadsheet.Cell]])]) throws -> [UInt8] {
    try WrittenSpreadsheet.file(
      sheets.map { name, rows in
        WrittenSpreadsheet.Sheet(name: name) { (take) throws(SpreadsheetError) in for row in rows { try take(row) } }
      })
  }

  private func rows(_ sheet: Spreadsheet) -> [String] {
    sheet.rows.map { row in "\(row.number): " + row.cells.map { "\($0.column)=\($0.text)" }.joined(separator: " ") }
  }

  /// The XML of a sheet.
  private func xml(_ bytes: [UInt8], _ number: Int = 1) throws -> String {
    var zip = try ZipFile(bytes)
    return String(decoding: try #require(try zip.content(of: "xl/worksheets/sheet\(number).xml")), as: UTF8.self)
  }

  @Test func sheets() throws {
    let bytes = try written([
      (
        "Players",
        [[.text("rank"), .text("name")], [.number(1), .text("Ann & <Ben> \"C\"")], [.number(-2), .text(""), .decimal("-3.50")]]
      ),
      ("A & B", [[.text("é 漢 🎲")]]),
    ])
    let sheets = try Spreadsheet.read(bytes, .all)
    #expect(sheets.map(\.name) == ["Players", "A & B"])
    #expect(rows(sheets[0]) == ["1: 1=rank 2=name", "2: 1=1 2=Ann & <Ben> \"C\"", "3: 1=-2 3=-3.5"])
    #expect(rows(sheets[1]) == ["1: 1=é 漢 🎲"])
    #expect(sheets.allSatisfy { $0.remarks.isEmpty })
  }

  /// What begins like a formula is a text that stays one when it is edited, and what is no decimal number is a text.
  @Test func formulas() throws {
    let texts = ["=1+1", "+1", "-1", "@SUM(A1)", "'=1", "\t=1", "1"]
    let bytes = try written([
      ("S", [[.text("=head")]] + texts.map { [.text($0)] } + [[.decimal("=1")], [.decimal("1e5")], [.decimal("1.")]])
    ])
    let xml = try xml(bytes)
    #expect(!xml.contains("<f") && xml.matches(of: /<v>/).isEmpty)
    #expect(xml.matches(of: /s="2"/).count == 7)
    #expect(
      rows(try Spreadsheet(bytes)).map { String($0.split(separator: "=", maxSplits: 1)[1]) } == ["=head"] + texts + ["=1", "1e5", "1."])
  }

  /// Characters that XML cannot contain come back, and what looks like their escapes stays as it is.
  @Test func characters() throws {
    let texts = ["a\u{0}b\u{1B}c", "_x0041_", "_x0041", "__x004G_", "line\nline", " blank ", "\u{FFFE}\u{FFFF}", "]]>"]
    let bytes = try written([("S", texts.map { [.text($0)] })])
    #expect(rows(try Spreadsheet(bytes)).map { String($0.split(separator: "=", maxSplits: 1)[1]) } == texts)
  }

  /// A text that is too long for a cell is cut, and not within a character.
  @Test func longTexts() throws {
    let bytes = try written([("S", [[.text(String(repeating: "🎲", count: 20_000))], [.text(String(repeating: "a", count: 32_767))]])])
    #expect(try Spreadsheet(bytes).rows.map { $0.cells[0].text.utf16.count } == [32_766, 32_767])
  }

  @Test func columns() throws {
    let bytes = try written([("S", [(0..<800).map { .number($0) }])])
    let xml = try xml(bytes)
    for (number, name) in [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA")] {
      #expect(xml.contains("<c r=\"\(name)1\" s=\"1\"><v>\(number)</v></c>"), "\(name)")
    }
    #expect(throws: SpreadsheetError.self) { try written([("S", [Array(repeating: .number(1), count: 16_385)])]) }
  }

  /// Nothing but the compressed file is kept: a sheet of many rows is small.
  @Test func large() throws {
    let bytes = try WrittenSpreadsheet.file([
      WrittenSpreadsheet.Sheet(name: "S") { (take) throws(SpreadsheetError) in
        for row in 0..<20_000 { try take([.number(row), .text("Player \(row)"), .text("yes")]) }
      }
    ])
    #expect(bytes.count < 600_000)
    #expect(try Spreadsheet(bytes).rows.count == 20_000)
  }

  /// What the body throws ends the file.
  @Test func failure() {
    #expect(throws: SpreadsheetError.unwritable("x")) {
      try WrittenSpreadsheet.file([WrittenSpreadsheet.Sheet(name: "S") { (_) throws(SpreadsheetError) in throw .unwritable("x") }])
    }
    #expect(throws: SpreadsheetError.unwritable("the spreadsheet has more than 0 MiB")) {
      let zip = try ZipWriter(limit: 10)
      try zip.begin("a")
      try zip.write(Array(repeating: 1, count: 100_000))
      _ = try zip.finish()
    }
  }
}
