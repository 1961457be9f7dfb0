/// Files of offices that are no spreadsheets that are read: what they are, and what to do with them.
enum OtherFiles {
  private static let compound: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]

  /// Whether a file begins like one of Office before 2007: a compound file, or a bare stream of records of Excel 2 to 4.
  static func isOld(_ bytes: [UInt8]) -> Bool { bytes.starts(with: compound) || isStream(bytes) }

  /// Whether a file begins with the record that begins a sheet (BOF): its number, and 4 to 16 bytes of content.
  private static func isStream(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 8, bytes[0] == 9, bytes[3] == 0 else { return false }
    return [0, 2, 4, 8].contains(bytes[1]) && [4, 6, 8, 16].contains(bytes[2])
  }

  /// What a file of Office before 2007, or one with a password, is by the names of its streams.
  static func old(_ bytes: [UInt8]) -> String {
    if isStream(bytes) { return excel }
    // The directory may be anywhere, and mostly is near the beginning or the end.
    let start = bytes.prefix(1 << 20)
    let end = bytes.suffix(1 << 20)
    func has(_ name: String) -> Bool {
      let wide: [UInt8] = name.utf8.flatMap { [$0, 0] }
      return start.has(wide + [0, 0]) || end.has(wide + [0, 0])
    }
    if has("EncryptedPackage") { return "this file has a password; save it as .xlsx without one" }
    if has("WordDocument") { return "this is a document of Word (.doc); \(text)" }
    if has("PowerPoint Document") { return "this is a presentation of PowerPoint (.ppt); \(table)" }
    if has("Workbook") || has("Book") { return excel }
    return "this is a file of Office before 2007, or one with a password; save it as .xlsx without a password"
  }

  private static let excel = "this is a spreadsheet of Excel before 2007 (.xls); save it as .xlsx without a password, or as .csv"
  private static let table = "put its questions into a table, and save that as .xlsx or .csv"
  static let text =
    "save it as plain text (Aiken's format: the question, A. and B. with the answers, and ANSWER: B, each on a line of its own), "
    + "or put the questions into a table (.xlsx or .csv)"

  /// What a file of OpenDocument is whose body has no table.
  static func openDocument(_ body: String) -> String {
    switch body {
    case "text": "this is a document of a word processor (.odt); \(text)"
    case "presentation": "this is a presentation (.odp); \(table)"
    case "drawing": "this is a drawing (.odg); \(table)"
    default: "this file of OpenDocument is no spreadsheet, or has a password"
    }
  }

  /// What a zip file without a workbook is, by the names of the files in it.
  static func zip(_ names: [String]) -> String {
    func has(_ name: String) -> Bool { names.contains { $0.hasSuffix(name) } }
    if has("word/document.xml") { return "this is a document of a word processor (.docx); \(text)" }
    if has("ppt/presentation.xml") { return "this is a presentation (.pptx); \(table)" }
    if has("xl/workbook.bin") { return "this is a binary workbook of Excel (.xlsb); save it as .xlsx or .csv" }
    if has(".iwa") || has("index.apxl") {
      return "this is a file of Numbers, Pages or Keynote; export it from Numbers as Excel (.xlsx) or CSV"
    }
    if names.contains(where: { $0.hasPrefix("collection.anki") }) {
      return "these are cards of Anki; make a table of them: question,correct,wrong,wrong (.xlsx or .csv)"
    }
    if has("imsmanifest.xml") { return "this is a package of a learning platform; export the questions as GIFT, Aiken or CSV" }
    if names.contains("mimetype"), names.contains("META-INF/container.xml") { return "this is an electronic book; \(table)" }
    let endings = [".xlsx", ".ods", ".csv", ".tsv", ".gift", ".yaml", ".json", ".txt"]
    let readable = names.first { name in endings.contains { name.hasSuffix($0) } }
    if let readable, !readable.hasPrefix("__MACOSX/") { return "this zip file is no spreadsheet; unpack it, and name \(readable.shown)" }
    return "this zip file is no spreadsheet; save the questions as .xlsx or .csv"
  }
}

extension String {
  /// The name of a file in a message: its last part, on one line.
  fileprivate var shown: String {
    let name = split(separator: "/").last.map { String($0) } ?? self
    let isPlain = name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    return isPlain && name.utf8.count <= 100 ? name : "what is in it"
  }
}

extension Sequence<UInt8> where Self: RandomAccessCollection {
  /// Whether these bytes are somewhere in it.
  fileprivate func has(_ wanted: [UInt8]) -> Bool { firstRange(of: wanted) != nil }
}
