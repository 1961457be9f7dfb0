import Basics
import TestSupport
import Testing

@testable import Spreadsheets

/// Spreadsheets become the texts of their cells.
@Suite(.enabled(if: (try? Spreadsheet.requireLibraries()) != nil, "libarchive and libxml2 read spreadsheets")) struct SpreadsheetTests {
  private func rows(_ bytes: [UInt8]) throws -> [String] {
    try Spreadsheet(bytes).rows.map { row in "\(row.number): " + row.cells.map { "\($0.column)=\($0.text)" }.joined(separator: " ") }
  }

  private func remarks(_ bytes: [UInt8]) throws -> [String] {
    try Spreadsheet(bytes).remarks.map { "\($0.row):\($0.column) \($0.isMistake ? "!" : "")\($0.text)" }
  }

  private func failure(_ bytes: [UInt8]) -> String? {
    do throws(SpreadsheetError) {
      _ = try Spreadsheet(bytes)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private static let cells = """
    <row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>in</t><r><t>line</t></r><rPh><t>no</t></rPh></is></c></row>
    <row r="3"><c r="B3"><v>1969</v></c><c r="C3" t="b"><v>1</v></c><c r="D3" t="str"><f>A1</f><v>a_x000D_&#10;b_x0041_</v></c>
    <c r="AA3"><v>0.1</v></c></row>
    """
  private static let strings = "<si><t>sha</t><r><t>red</t></r></si>"

  @Test func officeOpenXML() throws {
    #expect(
      try rows(SampleWorkbook.xlsx(Self.cells, strings: Self.strings)) == ["1: 1=shared 3=inline", "3: 2=1969 3=True 4=a\nbA 27=0.1"])
    #expect(
      try rows(SampleWorkbook.xlsx("<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>")) == ["1: 1=1 2=2", "2: 1=3"])
    #expect(try rows(SampleWorkbook.xlsx("")) == [])
  }

  @Test func openDocument() throws {
    let tables = """
      <table:table><table:table-row table:number-rows-repeated="9"><table:table-cell table:number-columns-repeated="9"/></table:table-row></table:table>
      <table:table><table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="2"><text:p>a<text:s text:c="2"/>b</text:p>\
      <text:p>c</text:p><office:annotation><text:p>no</text:p></office:annotation></table:table-cell><table:table-cell office:boolean-value="true"><text:p>WAHR</text:p></table:table-cell>\
      <table:table-cell office:value-type="error"><text:p>#DIV/0!</text:p></table:table-cell></table:table-row></table:table>
      """
    let row = "1=a  b\nc 2=a  b\nc 3=True 4=#DIV/0!"
    #expect(try rows(SampleWorkbook.ods(tables)) == ["1: \(row)", "2: \(row)"])
    #expect(try remarks(SampleWorkbook.ods(tables)) == ["1:4 !this cell has the error #DIV/0!; correct it"])
    #expect(failure(SampleWorkbook.ods(content: "<a/>")) == "this file of OpenDocument is no spreadsheet, or has a password")
  }

  private static let threeSheets = [
    ("Empty", "visible", ""), ("Eins", "visible", "<sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row></sheetData>"),
    ("Zwei", "visible", "<sheetData><row r=\"1\"><c r=\"A1\"><v>2</v></c></row></sheetData>"),
    ("Weg", "hidden", "<sheetData><row r=\"1\" hidden=\"1\"><c r=\"A1\"><v>3</v></c></row></sheetData>"),
  ]

  @Test func sheetsOfAWorkbook() throws {
    let bytes = SampleWorkbook.xlsx(sheets: Self.threeSheets)
    func cells(_ choice: SheetSelection) throws(SpreadsheetError) -> [String] {
      try Spreadsheet.read(bytes, choice).map { sheet in "\(sheet.name): \(sheet.rows.flatMap { $0.cells }.map { $0.text }.joined())" }
    }
    #expect(try cells(.first) == ["Eins: 1"] && cells(.all) == ["Eins: 1", "Zwei: 2"] && cells(.named("zwei")) == ["Zwei: 2"])
    #expect(try cells(.named("Weg")) == ["Weg: 3"] && cells(.named("Empty")) == ["Empty: "])
    #expect(
      try Spreadsheet(bytes).remarks.map(\.text) == [
        "the sheet Eins is read; Zwei has rows, too: say --sheet NAME or --sheet all to read others"
      ])
    #expect(
      try Spreadsheet.read(bytes, .named("Weg")).flatMap { $0.remarks }.map(\.text) == ["this row is hidden, and is read all the same"])
    #expect(throws: SpreadsheetError.unreadable("there is no sheet Drei in this spreadsheet; its sheets are Empty, Eins, Zwei, Weg")) {
      try cells(.named("Drei"))
    }
    let table = { (name: String, text: String) in
      "<table:table table:name=\"\(name)\"><table:table-row><table:table-cell><text:p>\(text)</text:p></table:table-cell></table:table-row></table:table>"
    }
    let ods = SampleWorkbook.ods(table("A", "1") + table("B", "2"))
    #expect(try Spreadsheet.read(ods, .all).map { "\($0.name)\($0.rows.count)" } == ["A1", "B1"])
    #expect(try Spreadsheet.read(ods, .named("B")).first?.rows.first?.cells.first?.text == "2")
    #expect(
      try Spreadsheet(ods).remarks.map(\.text) == ["the sheet A is read; B has rows, too: say --sheet NAME or --sheet all to read others"])
  }

  /// A cell that is merged over several rows counts for each of them that has something in it.
  @Test func mergedCells() throws {
    let rows = (1...4).map { row in
      "<row r=\"\(row)\">\(row == 2 ? "<c r=\"B2\" t=\"str\"><v>Art</v></c>" : "")" + (row == 3 ? "" : "<c r=\"C\(row)\"><v>\(row)</v></c>")
        + "</row>"
    }
    let sheet = "<sheetData>\(rows.joined())</sheetData><mergeCells><mergeCell ref=\"B2:B9\"/><mergeCell ref=\"C1:D1\"/></mergeCells>"
    #expect(try self.rows(SampleWorkbook.xlsx(sheets: [("One", "visible", sheet)])) == ["1: 3=1", "2: 2=Art 3=2", "4: 2=Art 3=4"])
    let cell = { (text: String, more: String) in "<table:table-cell\(more)><text:p>\(text)</text:p></table:table-cell>" }
    let tables =
      "<table:table><table:table-row>\(cell("Art", " table:number-rows-spanned=\"2\""))\(cell("1", ""))</table:table-row>"
      + "<table:table-row><table:covered-table-cell/>\(cell("2", ""))</table:table-row></table:table>"
    #expect(try self.rows(SampleWorkbook.ods(tables)) == ["1: 1=Art 2=1", "2: 1=Art 2=2"])
  }

  /// Dates, formulas and errors are not passed over without a word.
  @Test func remarks() throws {
    let formats = ["yyyy-mm-dd", "[$-409]h:mm", "0.00", "0%", "yyyy", "0.00E+00", "&quot;Nr. &quot;0"]
    let row =
      "<row>"
      + ["44000", "0.5", "2", "0.25", "36526", "12", "7"].enumerated().map { "<c s=\"\($0.offset + 1)\"><v>\($0.element)</v></c>" }.joined()
    let bytes = SampleWorkbook.xlsx(row + "<c><f>1+1</f></c><c t=\"e\"><v>#N/A</v></c></row>", formats: formats)
    #expect(try rows(bytes) == ["1: 1=2020-06-18 2=12:00 3=2.00 4=25% 5=2000 6=12 7=7 9=#N/A"])
    #expect(
      try remarks(bytes) == [
        "1:1 this cell is a date, and is read as 2020-06-18; make the cell a text to say it otherwise",
        "1:2 this cell is a time, and is read as 12:00; make the cell a text to say it otherwise",
        "1:6 this cell is a number in the format 0.00E+00, and is read as 12; make the cell a text to say it otherwise",
        "1:7 this cell is a number in the format \"Nr. \"0, and is read as 7; make the cell a text to say it otherwise",
        "1:8 !this cell has a formula whose value was not saved; open the file in a spreadsheet program and save it",
        "1:9 !this cell has the error #N/A; correct it",
      ])
    let old = SampleWorkbook.xlsx("<row><c s=\"1\"><v>0</v></c></row>", formats: ["d.m.yy"], book: "<workbookPr date1904=\"1\"/>")
    #expect(try rows(old) == ["1: 1=1904-01-01"])
  }

  @Test(arguments: [
    ("<row r=\"0\"/>", "the sheet has a row 0"), ("<row r=\"1048577\"/>", "the sheet has a row 1048577"),
    ("<row><c r=\"5\"/></row>", "5 is no cell of a spreadsheet"), ("<row><c r=\"ZZZZZ1\"/></row>", "ZZZZZ1 is no cell of a spreadsheet"),
    ("<row><c r=\"IW1\"><v>1</v></c></row>", "row 1 has something in column 257, above the limit of 256 columns"),
    ("<row><c r=\"B1\"><v>1</v></c><c r=\"A1\"><v>1</v></c></row>", "the cells are out of order in row 1"),
    ("<row r=\"2\"><c><v>1</v></c></row><row r=\"1\"><c><v>1</v></c></row>", "the cells are out of order in row 1"),
    ("<row><c t=\"s\"><v>1</v></c></row>", "the text of the cell in row 1, column 1 is missing in this spreadsheet"),
  ])
  func mistakes(rows: String, message: String) { #expect(failure(SampleWorkbook.xlsx(rows, strings: Self.strings)) == message) }

  @Test func limits() throws {
    let long = String(repeating: "a", count: SpreadsheetLimits.cell + 1)
    #expect(
      failure(SampleWorkbook.xlsx("<row><c t=\"str\"><v>\(long)</v></c></row>"))
        == "the cell in row 1, column 1 has more than 65536 bytes of text")
    let deep = String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100)
    #expect(failure(SampleWorkbook.xlsx("<row>\(deep)</row>")) != nil)
    let wide = String(repeating: "a", count: 60_000)
    let repeated =
      "<table:table><table:table-row table:number-rows-repeated=\"1048576\"><table:table-cell table:number-columns-repeated=\"200\">"
      + "<text:p>\(wide)</text:p></table:table-cell></table:table-row></table:table>"
    #expect(failure(SampleWorkbook.ods(repeated)) == "the sheet has too much in it: more than 2000000 cells or 64 MiB of text")
    // Entities that stand for each other a million times are not expanded.
    let bomb =
      "<!DOCTYPE w [<!ENTITY a \"aaaaaaaaaa\">\((1...9).map { "<!ENTITY a\($0) \"&a\($0 == 1 ? "" : "\($0 - 1)");&a\($0 == 1 ? "" : "\($0 - 1)");&a\($0 == 1 ? "" : "\($0 - 1)");\">" }.joined())]><w><row><c t=\"str\"><v>&a9;</v></c></row></w>"
    _ = failure(SampleWorkbook.xlsx(sheet: bomb, strings: "<sst/>", styles: "<styleSheet/>"))
  }

  @Test func otherFiles() {
    #expect(failure([]) == "this is no spreadsheet: it is no zip file")
    #expect(
      failure([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1])
        == "this is a file of Office before 2007, or one with a password; save it as .xlsx without a password")
    let old = "this is a spreadsheet of Excel before 2007 (.xls); save it as .xlsx without a password, or as .csv"
    // The first record of Excel 4 and of Excel 2.
    #expect(failure([9, 4, 6, 0, 0, 0, 0x10, 0, 0, 0]) == old && failure([9, 0, 4, 0, 2, 0, 0x10, 0]) == old)
    #expect(
      failure(SampleWorkbook.zip([("a.dat", "a")])) == "this zip file is no spreadsheet; save the questions as .xlsx or .csv")
    #expect(failure(SampleWorkbook.zip([("b/quiz.xlsx", "a")])) == "this zip file is no spreadsheet; unpack it, and name quiz.xlsx")
    #expect(
      failure(SampleWorkbook.zip([("a/\u{1b}[31m.csv", "a")])) == "this zip file is no spreadsheet; unpack it, and name what is in it")
    #expect(
      failure(SampleWorkbook.zip([("word/document.xml", "<a/>")]))?.hasPrefix("this is a document of a word processor (.docx); save it")
        == true)
    for (body, message) in [
      ("text", "this is a document of a word processor (.odt); save it"), ("presentation", "this is a presentation (.odp); put its"),
      ("drawing", "this is a drawing (.odg); put its"), ("database", "this file of OpenDocument is no spreadsheet"),
    ] {
      let content = "<office:document xmlns:office=\"urn:o\"><office:body><office:\(body)/></office:body></office:document>"
      #expect(failure(SampleWorkbook.zip([("content.xml", content)]))?.hasPrefix(message) == true)
    }
    #expect(failure(SampleWorkbook.zip([])) == "this zip file is damaged")
  }

  /// Wherever a file is cut off, and whatever byte is wrong, there are its cells or a reason.
  @Test func cutAndDamagedFiles() throws {
    let files = [
      SampleWorkbook.xlsx(Self.cells, strings: Self.strings, formats: ["0.00"]),
      SampleWorkbook.ods(
        "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row></table:table>"),
    ]
    var random = SeededNumbers(seed: 7)
    for bytes in files {
      let whole = try Spreadsheet(bytes)
      for count in 0..<bytes.count {
        // The directory at the end is not needed to read what is before it.
        if let cut = try? Spreadsheet(Array(bytes.prefix(count))) { #expect(cut.rows.count <= whole.rows.count) }
      }
      for _ in 0..<1_000 {
        var damaged = bytes
        for _ in 0...random.below(3) { damaged[random.below(damaged.count)] = UInt8(truncatingIfNeeded: random.next()) }
        #expect(((try? Spreadsheet(damaged))?.rows.count ?? 0) <= whole.rows.count)
      }
    }
  }
}

/// How numbers are shown.
@Suite struct NumberFormatTests {
  private static let textCases: [(String, Double, String)] = [
    ("General", 0.1 + 0.2, "0.3"), ("General", 1e21, "1E+21"), ("General", 1e-11, "1E-11"), ("General", -0.0, "0"),
    ("General", 123_456_789_012, "123456789012"),
    ("0", 2.5, "3"), ("0", -2.5, "-3"), ("0", 0.4, "0"), ("0.00", 1.005, "1.01"), ("0.0", 99.96, "100.0"), ("#,##0", 1_234_567, "1234567"),
    ("0%", 0.075, "8%"), ("0.0%", 0.075, "7.5%"), ("@", 12, "12"), ("", 12, "12"), ("0;[Red]-0", -4, "-4"), ("0_)", 3, "3"),
    ("yyyy", 36_526, "2000"),
  ]

  @Test(arguments: textCases) func texts(code: String, number: Double, expected: String) {
    #expect(NumberFormat(code).text(number, hasDatesFrom1904: false).text == expected)
  }

  private static let dateCases: [(Double, String, String)] = [
    (0.0, "1899-12-31", "00:00"), (1, "1900-01-01", "00:00"), (59, "1900-02-28", "00:00"), (61, "1900-03-01", "00:00"),
    (36_526.75, "2000-01-01", "18:00"), (45_351.000_011_6, "2024-02-29", "00:00:01"), (2_958_465, "9999-12-31", "00:00"),
  ]

  @Test(arguments: dateCases) func dates(serial: Double, date: String, time: String) throws {
    let found = try #require(DateText(serial: serial, from1904: false))
    #expect(found.date == date && found.time == time)
  }

  @Test func noDates() {
    for serial in [-1, 2_958_466, Double.infinity] { #expect(DateText(serial: serial, from1904: false) == nil) }
    #expect(NumberFormat("d.m.yy").text(-1, hasDatesFrom1904: false).remark == "this cell is no date")
  }

  /// Every code that is cut off or damaged makes some format, and every number some text.
  @Test func damagedCodes() {
    var random = SeededNumbers(seed: 9)
    let code = "[$-409]d. mmmm yyyy;[Red]\"a;b\"\\x_)0.0?%* ;@"
    for count in 0...code.count { #expect(!NumberFormat(String(code.prefix(count))).text(1.5, hasDatesFrom1904: false).text.isEmpty) }
    for _ in 0..<1_000 {
      let bytes = (0..<random.below(20)).map { _ in Array("[]\"\\_*;@0#?.,%ymdhs: E+".utf8)[random.below(23)] }
      let number = Double(bitPattern: random.next())
      guard number.isFinite else { continue }
      #expect(!NumberFormat(String(decoding: bytes, as: UTF8.self)).text(number, hasDatesFrom1904: false).text.isEmpty)
    }
  }
}
