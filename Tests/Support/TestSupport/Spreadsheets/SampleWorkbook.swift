/// Spreadsheets, as small as they can be, in zip files that pack nothing.
package enum SampleWorkbook {
  /// A spreadsheet of Office Open XML.
  ///
  /// - Parameters:
  ///   - rows: The rows of its sheet, as XML within `sheetData`.
  ///   - strings: The texts that cells share, as XML within `sst`.
  ///   - formats: The codes of formats: cell format 1 has the first one, and so on.
  ///   - book: More that the workbook says, before its sheets.
  package static func xlsx(_ rows: String, strings: String = "", formats: [String] = [], book: String = "") -> [UInt8] {
    let codes = formats.enumerated().map { "<numFmt numFmtId=\"\(164 + $0.offset)\" formatCode=\"\($0.element)\"/>" }.joined()
    let styles = "<xf numFmtId=\"0\"/>" + formats.indices.map { "<xf numFmtId=\"\(164 + $0)\"/>" }.joined()
    return xlsx(
      sheet: "<worksheet xmlns=\"\(main)\"><sheetData>\(rows)</sheetData></worksheet>", strings: "<sst xmlns=\"\(main)\">\(strings)</sst>",
      styles: "<styleSheet xmlns=\"\(main)\"><numFmts>\(codes)</numFmts><cellXfs>\(styles)</cellXfs></styleSheet>", book: book)
  }

  private static let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
  private static let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

  /// A spreadsheet of Office Open XML with these files.
  package static func xlsx(sheet: String, strings: String, styles: String, book: String = "") -> [UInt8] {
    let parts = [("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")]
    let relations = parts.enumerated().map {
      "<Relationship Id=\"r\($0.offset)\" Type=\"\(office)/\($0.element.0)\" Target=\"\($0.element.1)\"/>"
    }.joined()
    return zip([
      (
        "_rels/.rels",
        "<Relationships><Relationship Id=\"r\" Type=\"\(office)/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
      ),
      (
        "xl/workbook.xml",
        "<workbook xmlns=\"\(main)\" xmlns:r=\"\(office)\">\(book)<sheets><sheet name=\"One\" sheetId=\"1\" r:id=\"r0\"/></sheets></workbook>"
      ),
      ("xl/_rels/workbook.xml.rels", "<Relationships>\(relations)</Relationships>"), ("xl/worksheets/sheet1.xml", sheet),
      ("xl/sharedStrings.xml", strings), ("xl/styles.xml", styles),
    ])
  }

  /// A spreadsheet of Office Open XML with several sheets: the name, the state and what is within `worksheet` of each.
  package static func xlsx(sheets: [(name: String, state: String, content: String)]) -> [UInt8] {
    let relations = sheets.indices.map {
      "<Relationship Id=\"r\($0)\" Type=\"\(office)/worksheet\" Target=\"worksheets/sheet\($0).xml\"/>"
    }
    let list = sheets.enumerated().map {
      "<sheet name=\"\($0.element.name)\" sheetId=\"\($0.offset + 1)\" state=\"\($0.element.state)\" r:id=\"r\($0.offset)\"/>"
    }
    let files = sheets.enumerated().map {
      ("xl/worksheets/sheet\($0.offset).xml", "<worksheet xmlns=\"\(main)\">\($0.element.content)</worksheet>")
    }
    return zip(
      [
        ("xl/workbook.xml", "<workbook xmlns=\"\(main)\" xmlns:r=\"\(office)\"><sheets>\(list.joined())</sheets></workbook>"),
        ("xl/_rels/workbook.xml.rels", "<Relationships>\(relations.joined())</Relationships>"),
      ] + files)
  }

  /// A spreadsheet of OpenDocument.
  ///
  /// - Parameter tables: Its tables, as XML within `spreadsheet`.
  package static func ods(_ tables: String) -> [UInt8] {
    ods(
      content: "<office:document-content xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\">"
        + "<office:body><office:spreadsheet>\(tables)</office:spreadsheet></office:body></office:document-content>")
  }

  /// A file of OpenDocument with this content.
  package static func ods(content: String) -> [UInt8] {
    zip([("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", content)])
  }

  /// A zip file (PKWARE, APPNOTE 6.3) of texts, which are not packed.
  package static func zip(_ files: [(name: String, text: String)]) -> [UInt8] {
    var output: [UInt8] = []
    var directory: [UInt8] = []
    for file in files {
      let (name, content) = (Array(file.name.utf8), Array(file.text.utf8))
      // Version, flags, method, time and date; then what is known of the content and the name.
      let common =
        number(20, 2) + number(0, 8) + number(crc(content), 4) + number(UInt32(content.count), 4) + number(UInt32(content.count), 4)
        + number(UInt32(name.count), 2) + number(0, 2)
      directory += [0x50, 0x4B, 1, 2] + number(20, 2) + common + number(0, 10) + number(UInt32(output.count), 4) + name
      output += [0x50, 0x4B, 3, 4] + common + name + content
    }
    let count = number(UInt32(files.count), 2)
    return output + directory + [0x50, 0x4B, 5, 6] + number(0, 4) + count + count + number(UInt32(directory.count), 4)
      + number(UInt32(output.count), 4) + number(0, 2)
  }

  private static func number(_ value: UInt32, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { $0 < 4 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
  }

  private static let table: [UInt32] = (0..<256).map { (index: UInt32) in
    (0..<8).reduce(index) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { value, byte in table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
  }
}
