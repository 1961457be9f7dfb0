import Basics

/// A format that is recognized by the extension of a file name.
public protocol FileFormat: CaseIterable {
  /// The endings of its file names, in lower case. Each is a name of the format, too.
  var fileExtensions: [String] { get }
}

extension FileFormat {
  /// The format with this name or file extension, regardless of case.
  public init?(_ name: String) {
    let wanted = name.utf8.map(\.asciiLowercased)
    guard let found = Self.allCases.first(where: { $0.fileExtensions.contains { Array($0.utf8) == wanted } }) else { return nil }
    self = found
  }

  /// The format of a file, by the ending of its path.
  public init?(path: String) {
    guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    self.init(String(path[path.utf8.index(after: dot)...]))
  }
}

/// The formats of files that questions are read from.
public enum BankFormat: FileFormat, Sendable {
  /// Cuelight's quiz files in YAML.
  case yaml
  /// Cuelight's quiz files, or answers of Open Trivia DB, in JSON.
  case json
  /// A table as text, with commas, semicolons, tabs or bars between its cells.
  case csv
  /// Questions in Moodle's GIFT.
  case gift
  /// Questions in Aiken's format.
  case aiken
  /// The first non-empty sheet of a spreadsheet in Office Open XML.
  case xlsx
  /// The first non-empty sheet of a spreadsheet in OpenDocument.
  case ods

  /// The endings of its file names.
  public var fileExtensions: [String] {
    switch self {
    case .yaml: ["yaml", "yml"]
    case .json: ["json"]
    case .csv: ["csv", "tsv", "tab"]
    case .gift: ["gift"]
    case .aiken: ["aiken"]
    case .xlsx: ["xlsx", "xlsm"]
    case .ods: ["ods"]
    }
  }

  /// What the first number of a place in such a file counts, as messages call it.
  package var unit: String {
    switch self {
    case .csv, .xlsx, .ods: "row"
    case .yaml, .json, .gift, .aiken: "line"
    }
  }

  /// The names of all formats, as messages list them.
  public static let names = "yaml, json, csv, gift, aiken, xlsx or ods"
}
