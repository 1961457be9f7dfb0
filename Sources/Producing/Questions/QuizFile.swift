import Basics
import GameEvents
package import Sheets
import Spreadsheets

/// The formats that questions are written in.
public enum QuizFormat: FileFormat, Sendable {
  /// Cuelight's quiz files in YAML.
  case yaml
  /// Cuelight's quiz files in JSON.
  case json
  /// Comma-separated values.
  case csv

  /// The endings of its file names.
  public var fileExtensions: [String] {
    switch self {
    case .yaml: ["yaml", "yml"]
    case .json: ["json"]
    case .csv: ["csv"]
    }
  }
}

/// Reads and writes files that hold questions.
public enum QuizFile {
  /// Reads a file.
  ///
  /// A spreadsheet is recognized by its first bytes, and Moodle's XML by its first element. With the formats CSV, GIFT and Aiken the file is a text of that format. Otherwise it may be an
  /// answer of Open Trivia DB, or a quiz file in YAML or JSON, regardless of the format. Without a format it may be any of these. A table must then
  /// have column names or no mistakes.
  ///
  /// - Parameters:
  ///   - bytes: The file's content. Tables, GIFT and Aiken may be in UTF-8, UTF-16, Windows-1252 and Windows-1250, all else in UTF-8 or UTF-16.
  ///   - format: The format by the file's name; `nil` if that gives none.
  ///   - encoding: How the texts of an answer of Open Trivia DB are encoded; `nil` to detect it.
  ///   - table: What is known of a table that does not say it itself. If it names columns, or says that there are no names, a text whose name gives no
  ///     format is a table.
  ///   - checksSizes: Whether questions are mistakes whose events may not fit into tags of 2,048 bytes, whatever the game is called.
  /// - Returns: The questions without mistakes, every mistake, and what was guessed.
  public static func read(
    _ bytes: [UInt8], format: BankFormat?, encoding: OpenTriviaEncoding? = nil, table: TableOptions = TableOptions(),
    checksSizes: Bool = true
  ) -> QuestionBank.Reading {
    var reading = anySize(bytes, format, encoding, table)
    reading.adviseOnMedia()
    if checksSizes { reading.refuseLargeQuestions() }
    return reading
  }

  private static func anySize(
    _ bytes: [UInt8], _ format: BankFormat?, _ encoding: OpenTriviaEncoding?, _ table: TableOptions
  ) -> QuestionBank.Reading {
    do throws(SheetError) {
      if Spreadsheet.isSpreadsheet(bytes) || format == .xlsx || format == .ods {
        if !Spreadsheet.isSpreadsheet(bytes), let file = otherKind(of: bytes) { throw SheetError([file.problem]) }
        return try QuestionBank.Reading(spreadsheet: bytes, table)
      }
      let textEncoding = TextEncoding(of: bytes)
      // Half of the bytes of UTF-16 look like control characters.
      let isWide = textEncoding == .utf16LittleEndian || textEncoding == .utf16BigEndian
      if !isWide, let file = ForeignFile(bytes) { throw SheetError([file.problem]) }
      let source = textEncoding.utf8(bytes)
      let isStrict = format == .yaml || format == .json
      // The encoding of these formats is fixed, so nothing is guessed.
      let text = try String(sheet: isStrict && source.notice != nil ? bytes : source.bytes, name: "the file")
      let isTable = format == nil && (table.hasNoHeader || table.columns != nil)
      var reading = try read(text, isTable ? .csv : format, encoding, table)
      if let notice = source.notice { reading.notices.insert(SheetProblem(at: .start, notice), at: 0) }
      return reading
    } catch {
      return QuestionBank.Reading(error)
    }
  }

  /// What a file is that people take for questions or for a cue sheet; `nil` if it may be one of them.
  package static func otherKind(of bytes: [UInt8]) -> ForeignFile? {
    if let file = ForeignFile.office(bytes) ?? ForeignFile(bytes) { return file }
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return ForeignText.find(in: text, mayBeList: !text.utf8.starts(with: "{".utf8))
  }

  /// The text of a bank in a format.
  public static func text(_ bank: QuestionBank, format: QuizFormat) -> String {
    switch format {
    case .yaml: bank.yaml
    case .json: bank.json
    case .csv: bank.csv
    }
  }

  private static func read(
    _ text: String, _ format: BankFormat?, _ encoding: OpenTriviaEncoding?, _ table: TableOptions
  ) throws(SheetError) -> QuestionBank.Reading {
    if MoodleXML.isLikely(text) { return try QuestionBank.Reading(moodle: text) }
    switch format {
    case .csv:
      let isTable = CSVText(text.unicodeScalars.prefix(4_096), separator: CSVDialect(of: text).separator).rows.contains { $0.count > 2 }
      return try checked(QuestionBank.Reading(csv: text, table), text, mayBeList: !isTable)
    case .gift: return try checked(QuestionBank.Reading(gift: text), text, mayBeList: !text.utf8.contains(UInt8(ascii: "{")))
    case .aiken: return QuestionBank.Reading(aiken: text)
    case .yaml, .json, .xlsx, .ods, nil: break
    }
    if let (root, repeated) = JSONSheet.parse(text) {
      return isOpenTrivia(root)
        ? try openTrivia(text, encoding) : try checked(QuestionBank.Reading(quiz: root, problems: repeated), text, mayBeList: false)
    }
    if format == nil {
      if AikenText.isLikely(text) { return QuestionBank.Reading(aiken: text) }
      if GIFTText.isLikely(text) { return QuestionBank.Reading(gift: text) }
    }
    return try notJSON(text, format)
  }

  /// What was read; if there is no question, the text may be of another kind, which is named instead of its mistakes.
  private static func checked(_ reading: QuestionBank.Reading, _ text: String, mayBeList: Bool) throws(SheetError) -> QuestionBank.Reading {
    guard reading.bank.questions.isEmpty, let file = ForeignText.find(in: text, mayBeList: mayBeList) else { return reading }
    throw SheetError([file.problem])
  }

  /// Reads YAML, or another text in place of it.
  private static func notJSON(_ text: String, _ format: BankFormat?) throws(SheetError) -> QuestionBank.Reading {
    let first = text.utf8.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let beginsLikeJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    // YAML accepts texts that readers of JSON refuse, such as a comma after the last element.
    if format == .json, beginsLikeJSON, let failure = JSONSheet.failure(of: text) {
      throw ForeignText.find(in: text, mayBeList: false).map { SheetError([$0.problem]) } ?? failure
    }
    var failure: SheetError
    do throws(SheetError) {
      guard let (root, repeated) = try YAMLSheet.parse(text) else { throw SheetError(at: .start, "the file is empty; write questions:") }
      var reading = QuestionBank.Reading(quiz: root, problems: repeated)
      reading.notices += CutText.warnings(in: root, of: text, skipping: Self.keysWithoutText)
      // A line of a table is a text in YAML.
      guard case .scalar = root else { return try other(text, format, than: reading) }
      failure = SheetError(reading.problems)
    } catch {
      failure = error
    }
    // A file named as JSON that begins with a word is YAML, if it can be read as that.
    if format == .json || format == nil && beginsLikeJSON { failure = JSONSheet.failure(of: text) ?? failure }
    if format == nil, !beginsLikeJSON, hasColumnNames(text) { return QuestionBank.Reading(csv: text) }
    if let file = ForeignText.find(in: text, mayBeList: !beginsLikeJSON) { throw SheetError([file.problem]) }
    guard format == nil, !beginsLikeJSON else { throw failure }
    return try table(text, otherwise: failure)
  }

  /// Keys whose values are not texts, so that a `#` after a value begins a comment.
  private static let keysWithoutText = Set(RightAnswer.keys + ["points", "seconds", "difficulty"] + QuestionTask.keysWithoutText)

  /// Returns what YAML could read, unless the text is a table with column names, or a list: YAML reads a line with a colon as a mapping.
  private static func other(
    _ text: String, _ format: BankFormat?, than quiz: QuestionBank.Reading
  ) throws(SheetError) -> QuestionBank.Reading {
    if format == nil, quiz.bank.questions.isEmpty, hasColumnNames(text) { return QuestionBank.Reading(csv: text) }
    return try checked(quiz, text, mayBeList: true)
  }

  /// What keeps a text from being read whose name gives no format. It may be a table without names of columns.
  private static func table(_ text: String, otherwise failure: SheetError) throws(SheetError) -> QuestionBank.Reading {
    let dialect = CSVDialect(of: text)
    let rows = CSVText(text.unicodeScalars.prefix(4_096), separator: dialect.separator, skipping: dialect.skipped).rows
    guard rows.contains(where: { $0.count > 2 }) else { throw failure }
    let advice = "--no-header \(TableLayout.advice(for: rows))"
    throw SheetError(failure.problems.map { SheetProblem(at: $0.place, "\($0.message); if this is a table, say --format csv \(advice)") })
  }

  /// Whether a text begins with a table whose columns are named.
  private static func hasColumnNames(_ text: String) -> Bool {
    let dialect = CSVDialect(of: text)
    let table = CSVText(text.unicodeScalars.prefix(4_096), separator: dialect.separator, skipping: dialect.skipped)
    return TableColumns.header(of: table.rows) != nil
  }

  private static func isOpenTrivia(_ root: SheetNode) -> Bool {
    if case .mapping(let members, _) = root, members.contains(where: { $0.key.hasSameBytes(as: "response_code") }) { return true }
    return OpenTriviaAnswer.results(of: root) != nil
  }

  private static func openTrivia(_ text: String, _ encoding: OpenTriviaEncoding?) throws(SheetError) -> QuestionBank.Reading {
    let answer = try OpenTriviaAnswer(parsing: text, encoding: encoding)
    guard answer.code == .success else { throw SheetError(at: .start, answer.code.message) }
    if answer.questions == QuestionBank.Reading(QuestionBank()) {
      throw SheetError(at: .start, "there is no question in this answer of Open Trivia DB; get one with questions")
    }
    return answer.questions
  }
}
