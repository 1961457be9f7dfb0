import Sheets

/// How a table of questions is to be read, if its first row does not say it.
public struct TableOptions: Equatable, Sendable {
  /// What the columns hold; `nil` for what a row with their names says.
  public var columns: TableLayout?
  /// Whether no row has the names of the columns, so that the first row is a question, too.
  public var hasNoHeader: Bool
  /// Which sheets of a workbook are read.
  public var sheet: SheetChoice

  /// Options; by default a row names the columns, and the first sheet with rows is read.
  public init(columns: TableLayout? = nil, hasNoHeader: Bool = false, sheet: SheetChoice = .first) {
    (self.columns, self.hasNoHeader, self.sheet) = (columns, hasNoHeader, sheet)
  }
}

/// Which sheets of a workbook are read.
public enum SheetChoice: Equatable, Sendable {
  /// The first visible sheet with rows.
  case first
  /// The sheet of this name, even if it is hidden.
  case named(String)
  /// All visible sheets with rows, one after the other.
  case all
}

/// What the columns of a table hold, in order: `question,option,option,option,option,number`.
public struct TableLayout: Equatable, Sendable {
  let columns: [ColumnName?]

  /// Reads words with commas between them. `number` is the column with the number or letter of the right option, and `-` a column that is ignored.
  ///
  /// - Throws: ``TableLayoutError`` if a word is unknown, or if the columns say no question or no right answer.
  public init(_ text: String) throws(TableLayoutError) {
    var columns: [ColumnName?] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = String(word).trimmed
      switch ColumnName.reduced(name) {
      case "", "-", "ignore", "ignored": columns.append(nil)
      case "number", "letter": columns.append(.place)
      default:
        guard let column = ColumnName(name) else { throw TableLayoutError("\(name.quoted) is no column; write \(Self.words)") }
        columns.append(column)
      }
    }
    guard columns.count <= Self.mostColumns else {
      throw TableLayoutError("there are \(columns.count) columns, above the limit of \(Self.mostColumns)")
    }
    self.columns = columns
    let table = TableColumns(self)
    guard table.isComplete else {
      let examples = "\(Self.withOptions(4)) or question,correct,wrong"
      throw TableLayoutError("the columns have to say the question, the right answer and the others, as in \(examples)")
    }
  }

  private static let mostColumns = 256
  private static let words =
    "question, correct, wrong, option, number, category, difficulty, points, seconds, at, picture, pictureText, pictureSize, sound, soundText, explanation, link, kind, least, most, step, unit, within, partial, live, or - for a column to ignore"

  /// The layout with a number of options and the number of the right one, as it is written.
  static func withOptions(_ count: Int) -> String {
    (["question"] + [String](repeating: "option", count: count) + ["number"]).joined(separator: ",")
  }

  /// The layout that fits rows best, as advice: with the number of the right option in the first column that always names one of the options before
  /// it, otherwise in the last.
  static func advice(for rows: [[Placed<String>]]) -> String {
    let sample = rows.prefix(200).map { $0.map { $0.value.trimmed } }
    let width = sample.map { row in (row.lastIndex { !$0.isEmpty } ?? 0) + 1 }.max() ?? 0
    let data = sample.count > 1 ? sample.dropFirst() : sample[...]
    let key = (3..<max(width, 3)).first { index in
      data.allSatisfy { row in
        guard index < row.count, !row[index].isEmpty else { return false }
        let options = row[1..<index].filter { !$0.isEmpty }
        let key = AnswerKey(row[index], options: options, places: Array(1...max(options.count, 1)))
        return key.byPlace != nil || key.byText != nil
      }
    }
    if let key { return "--columns \(withOptions(key - 1))" }
    guard width > 3 else { return "--columns question,correct,wrong" }
    return "--columns \(withOptions(min(width, 11) - 2)) or question,correct\(String(repeating: ",wrong", count: min(width, 11) - 2))"
  }
}

/// Why a list of columns is refused: one line without a full stop.
public struct TableLayoutError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong and what to write.
  public let description: String

  init(_ description: String) { self.description = description }
}
