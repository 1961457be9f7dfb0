/// A spreadsheet of Office Open XML (ECMA-376, part 1, chapter 18).
enum Workbook {
  /// The first visible sheet that is not empty.
  static func read(_ package: inout ZipFile) throws(SpreadsheetError) -> Spreadsheet {
    let root = try relations(&package, of: "")
    let path = root.first { $0.type.hasSuffix("/officeDocument") }?.target ?? "xl/workbook.xml"
    guard let content = try package.content(of: path) else { throw .unreadable("this zip file is no spreadsheet") }
    let relations = try relations(&package, of: path)
    func target(_ type: String) -> String? { relations.first { $0.type.hasSuffix(type) }?.target }
    let book = try Book(content)
    let visible = book.sheets.filter { sheet in
      !sheet.isHidden && relations.contains { $0.id == sheet.relation && $0.type.hasSuffix("/worksheet") }
    }
    guard !visible.isEmpty else { throw .unreadable("there is no visible sheet in this spreadsheet") }
    let formats = try target("/styles").flatMap { (path) throws(SpreadsheetError) in try package.content(of: path) }.map {
      (content) throws(SpreadsheetError) in try CellFormats(content)
    }
    let strings = try target("/sharedStrings").flatMap { (path) throws(SpreadsheetError) in try package.content(of: path) }.map {
      (content) throws(SpreadsheetError) in try SharedStrings(content)
    }
    for sheet in visible {
      guard let path = relations.first(where: { $0.id == sheet.relation })?.target, let content = try package.content(of: path) else {
        throw .unreadable("the sheet \(sheet.name) is missing in this spreadsheet")
      }
      var reader = WorksheetReader(strings ?? SharedStrings(), formats ?? CellFormats(), hasDatesFrom1904: book.hasDatesFrom1904)
      try XMLText.read(content) { (node) throws(SpreadsheetError) in try reader.take(node) }
      guard !reader.rows.sheet.rows.isEmpty else { continue }
      if visible.count > 1 {
        reader.rows.remarkOnSheet("of \(visible.count) sheets this one, the first with something in it, is read: \(sheet.name)")
      }
      return reader.rows.sheet
    }
    return Spreadsheet()
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
