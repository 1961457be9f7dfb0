import XML

/// A spreadsheet of Office Open XML (ECMA-376, part 1, chapter 18).
enum Workbook {
  /// The sheets of a choice.
  static func read(_ package: inout ZipFile, _ choice: SheetSelection) throws(SpreadsheetError) -> [Spreadsheet] {
    let root = try relations(&package, of: "")
    let path = root.first { $0.type.hasSuffix("/officeDocument") }?.target ?? "xl/workbook.xml"
    guard let content = try package.content(of: path) else { throw .unreadable(OtherFiles.zip(try package.names())) }
    let relations = try relations(&package, of: path)
    func target(_ type: String) -> String? { relations.first { $0.type.hasSuffix(type) }?.target }
    let book = try Book(content)
    let all = book.sheets.filter { sheet in
      relations.contains { $0.id == sheet.relation && $0.type.hasSuffix("/worksheet") }
    }
    guard all.contains(where: { !$0.isHidden || choice.names($0.name) }) else {
      throw .unreadable(
        choice.isByName ? choice.unknown(all.map { $0.name }) : "there is no visible sheet in this spreadsheet")
    }
    let formats = try target("/styles").flatMap { (path) throws(SpreadsheetError) in try package.content(of: path) }.map {
      (content) throws(SpreadsheetError) in try CellFormats(content)
    }
    let strings = try target("/sharedStrings").flatMap { (path) throws(SpreadsheetError) in try package.content(of: path) }.map {
      (content) throws(SpreadsheetError) in try SharedStrings(content)
    }
    var (sheets, others): ([Spreadsheet], [String]) = ([], [])
    for sheet in all where !sheet.isHidden || choice.names(sheet.name) {
      let isRead = choice.includes(sheet.name, isHidden: sheet.isHidden, after: sheets.count)
      guard let path = relations.first(where: { $0.id == sheet.relation })?.target, let content = try package.content(of: path) else {
        throw .unreadable("the sheet \(sheet.name) is missing in this spreadsheet")
      }
      var reader = WorksheetReader(strings ?? SharedStrings(), formats ?? CellFormats(), hasDatesFrom1904: book.hasDatesFrom1904)
      do throws(SpreadsheetError) {
        try XMLText.read(content) { (node) throws(SpreadsheetError) in try reader.take(node) }
        try reader.finish()
      } catch {
        // A sheet that is not read need not be readable.
        if isRead { throw error }
      }
      let read = reader.rows.takeSheet(name: sheet.name)
      if isRead, !read.rows.isEmpty || choice.names(sheet.name) { sheets.append(read) }
      if !isRead, !read.rows.isEmpty { others.append(sheet.name) }
    }
    return try choice.checked(sheets, names: all.map { $0.name }, others: others)
  }

  /// A file that another one refers to.
  private struct Relation {
    var id: String
    var type: String
    var target: String
  }

  /// The relations of a file within the package, or of the package itself; their targets are paths from the package's root.
  private static func relations(_ package: inout ZipFile, of path: String) throws(SpreadsheetError) -> [Relation] {
    let parts = path.split(separator: "/").map { String($0) }
    let folder = Array(parts.dropLast())
    guard let content = try package.content(of: (folder + ["_rels", "\(parts.last ?? "").rels"]).joined(separator: "/")) else { return [] }
    var relations: [Relation] = []
    try XMLText.read(content) { (node) throws(SpreadsheetError) in
      guard case .start("Relationship", let attributes) = node, relations.count < SpreadsheetLimits.entries else { return }
      guard let id = attributes["Id"], let type = attributes["Type"], let target = attributes["Target"] else { return }
      relations.append(Relation(id: id, type: type, target: resolved(target, folder)))
    }
    return relations
  }

  private static func resolved(_ target: String, _ folder: [String]) -> String {
    var path = target.utf8.first == UInt8(ascii: "/") ? [] : folder
    for part in target.split(separator: "/") {
      if part == ".." { path = path.dropLast() } else if part != "." { path.append(String(part)) }
    }
    return path.joined(separator: "/")
  }

  /// The sheets of a workbook.
  private struct Book {
    struct Sheet {
      var name: String
      var relation: String
      var isHidden: Bool
    }

    var sheets: [Sheet] = []
    var hasDatesFrom1904 = false

    init(_ content: [UInt8]) throws(SpreadsheetError) {
      var (sheets, from1904) = ([Sheet](), false)
      try XMLText.read(content) { (node) throws(SpreadsheetError) in
        guard case .start(let name, let attributes) = node, sheets.count < SpreadsheetLimits.entries else { return }
        if name == "workbookPr" { from1904 = ["1", "true"].contains(attributes["date1904"] ?? "") }
        guard name == "sheet", let relation = attributes["id"] else { return }
        sheets.append(
          Sheet(name: attributes["name"] ?? "", relation: relation, isHidden: attributes["state"].map { $0 != "visible" } ?? false))
      }
      (self.sheets, hasDatesFrom1904) = (sheets, from1904)
    }
  }
}

/// The texts that cells share (18.4).
struct SharedStrings {
  private(set) var texts: [String] = []

  init() {}

  init(_ content: [UInt8]) throws(SpreadsheetError) {
    var (texts, text) = ([String](), "")
    var (isText, phonetic) = (false, 0)
    try XMLText.read(content) { (node) throws(SpreadsheetError) in
      switch node {
      case .start("si", _): text = ""
      case .start("t", _): isText = phonetic == 0
      // The pronunciation is not part of the text.
      case .start("rPh", _): phonetic += 1
      case .end("rPh"): phonetic -= 1
      case .text(let part): if isText { text += part }
      case .end("t"): isText = false
      case .end("si"): texts.append(text)
      default: break
      }
    }
    self.texts = texts
  }
}
