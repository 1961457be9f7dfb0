import XML

/// The cells of one sheet of a spreadsheet.
///
/// Spreadsheets of Office Open XML (.xlsx, ECMA-376) and OpenDocument (.ods) are zip files of XML. libarchive unpacks
/// them and libxml2 reads them; both are opened when they are first needed.
package struct Spreadsheet: Equatable, Sendable {
  /// A cell that is not empty.
  package struct Cell: Equatable, Sendable {
    /// The column, from 1.
    package var column: Int
    /// What the cell shows, as far as its format is known.
    package var text: String

    package init(column: Int, text: String) { (self.column, self.text) = (column, text) }
  }

  /// A row that is not empty.
  package struct Row: Equatable, Sendable {
    /// The row's number, from 1.
    package var number: Int
    /// The cells, in the order of their columns.
    package var cells: [Cell]

    package init(number: Int, cells: [Cell]) { (self.number, self.cells) = (number, cells) }
  }

  /// A remark about a cell.
  package struct Remark: Equatable, Sendable {
    package var row: Int
    package var column: Int
    package var text: String
    /// Whether the cell has no text that could be used.
    package var isMistake: Bool
  }

  /// The rows that are not empty, in order.
  package internal(set) var rows: [Row] = []
  package internal(set) var remarks: [Remark] = []

  /// The sheet's name.
  package internal(set) var name = ""

  /// Reads the first sheet with something in it.
  ///
  /// - Throws: ``SpreadsheetError``.
  package init(_ bytes: [UInt8]) throws(SpreadsheetError) { self = try Self.read(bytes).first ?? Spreadsheet() }

  /// Reads sheets of a spreadsheet: those of a choice that have something in them. Hidden sheets are read if they are named, and hidden rows are
  /// read. A cell that is merged over several rows counts for each of them.
  ///
  /// Numbers are as precise as spreadsheets show them, dates are those of ISO 8601, and formulas have the values that were saved with them. Sizes are
  /// limited by ``SpreadsheetLimits``, whatever the file states.
  ///
  /// - Throws: ``SpreadsheetError``.
  package static func read(_ bytes: [UInt8], _ choice: SheetSelection = .first) throws(SpreadsheetError) -> [Spreadsheet] {
    guard !OtherFiles.isOld(bytes) else { throw .unreadable(OtherFiles.old(bytes)) }
    guard isZip(bytes) else { throw .unreadable("this is no spreadsheet: it is no zip file") }
    var package = try ZipFile(bytes)
    if let content = try package.content(of: "content.xml") {
      return try OpenDocumentTable.read(content, choice)
    }
    return try Workbook.read(&package, choice)
  }

  /// A sheet without rows.
  package static var empty: Spreadsheet { Spreadsheet() }

  init() {}

  private static let zipSignatures: [[UInt8]] = [[0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6]]

  /// Whether a file begins like a spreadsheet, be it one of a kind that is not read.
  package static func isSpreadsheet(_ bytes: [UInt8]) -> Bool { isZip(bytes) || OtherFiles.isOld(bytes) }

  /// Whether a file begins like a zip file, which the libraries read.
  package static func isZip(_ bytes: [UInt8]) -> Bool { zipSignatures.contains { bytes.starts(with: $0) } }

  /// Throws if a library for spreadsheets is missing.
  package static func requireLibraries() throws(SpreadsheetError) {
    guard LibArchive.opened != nil else { throw .libraryMissing("reading spreadsheets needs libarchive (Debian: libarchive13)") }
    guard XMLText.isAvailable else { throw .libraryMissing("reading spreadsheets needs libxml2 (Debian: libxml2)") }
  }
}

/// Why a spreadsheet cannot be read or written.
package enum SpreadsheetError: Error, Equatable, CustomStringConvertible {
  /// A library is missing; the text says which, and how to get it.
  case libraryMissing(String)
  /// The file is damaged, too large, or something else.
  case unreadable(String)
  /// The file cannot be written: it would be too large.
  case unwritable(String)

  package var description: String {
    switch self {
    case .libraryMissing(let text), .unreadable(let text), .unwritable(let text): text
    }
  }
}

/// The limits of a spreadsheet: 100,000 questions with nine answers fit, and no file exhausts memory or time.
package enum SpreadsheetLimits {
  /// Bytes of one unpacked file within the spreadsheet.
  package static let file = 32 << 20
  /// Bytes of all files that are unpacked.
  package static let files = 64 << 20
  /// Files within the spreadsheet.
  package static let entries = 10_000
  /// Columns that are not empty.
  package static let columns = 256
  /// Rows, as every spreadsheet program has them.
  package static let rows = 1_048_576
  /// Cells that are not empty.
  package static let cells = 2_000_000
  /// Bytes of a cell's text.
  package static let cell = 65_536
  /// Bytes of the texts of all cells.
  package static let text = 64 << 20
  /// Compressed bytes of a spreadsheet that is written.
  package static let written = 256 << 20
  /// Characters of a cell's text in a spreadsheet that is written, as UTF-16 counts them: more than that, spreadsheet programs call damaged.
  package static let writtenCell = 32_767
  /// Columns of a sheet that is written, as every spreadsheet program has them.
  package static let writtenColumns = 16_384
  /// Remarks about cells.
  package static let remarks = 1_000
}
