import XML

/// The formats of cells (18.8): how their numbers are shown.
struct CellFormats {
  private var formats: [NumberFormat] = []

  init() {}

  init(_ content: [UInt8]) throws(SpreadsheetError) {
    var codes: [Int: String] = [:]
    var cells: [Int] = []
    var isCellFormats = false
    try XMLText.read(content) { (node) throws(SpreadsheetError) in
      switch node {
      case .start("numFmt", let attributes):
        if let id = attributes["numFmtId"].flatMap({ Int($0) }), codes.count < SpreadsheetLimits.entries {
          codes[id] = attributes["formatCode"]
        }
      case .start("cellXfs", _): isCellFormats = true
      case .end("cellXfs"): isCellFormats = false
      case .start("xf", let attributes):
        if isCellFormats { cells.append(attributes["numFmtId"].flatMap { Int($0) } ?? 0) }
      default: break
      }
    }
    let builtIn = NumberFormat.codes
    formats = cells.map { id in NumberFormat(codes[id] ?? builtIn[id] ?? "General") }
  }

  /// The format of an index; numbers without one are shown as they are.
  subscript(_ index: Int) -> NumberFormat { formats.indices.contains(index) ? formats[index] : NumberFormat("General") }
}
