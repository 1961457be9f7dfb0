import Sheets

/// How the cells of a table are separated: by commas, or by what spreadsheets of other countries use instead.
struct CSVDialect: Equatable {
  /// The separator of cells.
  var separator: Unicode.Scalar
  /// The number of characters of a first line such as `sep=;`, which belong to no cell.
  var skipped = 0

  /// The separators that are detected, the usual one first.
  static let separators: [Unicode.Scalar] = [",", ";", "\t", "|"]

  /// The number of characters that are examined to find the separator.
  private static let sampleLength = 20_000
  /// Rows with fewer cells cannot hold a question with two answers.
  private static let leastCells = 3

  /// The dialect of a text.
  ///
  /// A first line `sep=;` gives the separator. Otherwise it is the one with which the table has column names, then the fewest mistakes, then the most
  /// rows with a question and two answers. Among equals it is the one that is followed by a space less often, because commas within sentences are.
  init(of text: String) {
    if let (separator, skipped) = Self.announced(in: text) {
      (self.separator, self.skipped) = (separator, skipped)
      return
    }
    let sample = Array(text.unicodeScalars.prefix(Self.sampleLength))
    // The last line of a sample may be incomplete.
    let end = sample.count < Self.sampleLength ? sample.endIndex : sample.lastIndex { $0 == "\n" || $0 == "\r" } ?? sample.endIndex
    let whole = sample[..<end]
    let present = Self.separators.filter { whole.contains($0) }
    let scores = present.map { Score($0, in: whole) }
    // `max` takes the last of equals.
    self.separator = zip(present, scores).reversed().max { $0.1 < $1.1 }?.0 ?? ","
  }

  /// The separator that a first line gives, and the number of characters of that line including its end.
  private static func announced(in text: String) -> (Unicode.Scalar, Int)? {
    let line = Array(text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }.prefix(9))
    let quoted = line.first == "\"" && line.last == "\""
    let content = Array(quoted ? line.dropFirst().dropLast() : line[...])
    guard content.count == 5, String(String.UnicodeScalarView(content[..<4])).lowercased() == "sep=" else { return nil }
    let ends = text.unicodeScalars.dropFirst(line.count).prefix(2)
    let endCount = ends.elementsEqual(["\r", "\n"]) ? 2 : min(ends.count, 1)
    return (content[4], line.count + endCount)
  }

  private struct Score: Comparable {
    var hasNames: Bool
    var mistakes: Int
    var rows: Int
    var spaces: Int

    init(_ separator: Unicode.Scalar, in text: ArraySlice<Unicode.Scalar>) {
      let table = CSVText(text, separator: separator)
      hasNames = TableColumns.header(of: table.rows) != nil
      mistakes = table.problems.count
      rows = table.rows.count { $0.count >= leastCells }
      spaces = zip(text, text.dropFirst()).count { $0 == separator && $1 == " " }
    }

    static func < (left: Score, right: Score) -> Bool {
      if left.hasNames != right.hasNames { return right.hasNames }
      if left.mistakes != right.mistakes { return left.mistakes > right.mistakes }
      return left.rows != right.rows ? left.rows < right.rows : left.spaces > right.spaces
    }
  }
}
