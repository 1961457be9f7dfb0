import ArgumentParser
import CommandSupport
import EventSchedule
import Files
import GameEvents
import Questions
import Sheets
import ShowPlanning
import Spreadsheets
import Terminal

/// A file that holds questions.
struct BankFile {
  let path: String

  /// Its name in messages.
  var name: String { path == "-" ? "standard input" : path }

  /// Its name in the heads of other files, without the folder, which means something on one machine only.
  var shortName: String { path == "-" ? name : PathParts(path).name }

  /// The bank's name if it has none of its own: the file name without folder and extension, or "game" for standard input.
  var stem: String {
    guard path != "-" else { return "game" }
    let name = PathParts(path).name
    guard BankFormat(path: path) != nil, let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The file's questions and mistakes. Guesses are reported on standard error.
  ///
  /// - Throws: If the file cannot be read, or if a library for spreadsheets is missing.
  func read(_ options: BankOptions) throws(CommandFailure) -> QuestionBank.Reading {
    let bytes = try SmallFile(path: path).bytes(limit: SheetLimits.bytes)
    if Spreadsheet.isZip(bytes) {
      try orFail(Spreadsheet.requireLibraries()) { (error: SpreadsheetError) in
        CommandFailure("\(name): \(error)", status: CommandFailure.libraryMissing)
      }
    }
    var reading = QuizFile.read(
      bytes, format: options.format ?? BankFormat(path: path), encoding: options.encoding, table: options.table.options, checksSizes: false)
    TagSizeCheck(largestTagSize: options.maxTagSize, game: reading.bank.id ?? stem).apply(to: &reading)
    for notice in reading.notices.counted(unit(options)).prefix(CommandFailure.mostProblems) { StandardError.write("\(name):\(notice)") }
    return reading
  }

  /// What lines are called in messages: rows in tables.
  func unit(_ options: BankOptions) -> String { (options.format ?? BankFormat(path: path))?.unit ?? "line" }

  /// The file's questions. With `--skip-mistakes` those with mistakes are left out, each mistake being reported on standard error.
  ///
  /// - Throws: Its mistakes.
  func questions(_ options: BankOptions) throws(CommandFailure) -> QuestionBank {
    let reading = try read(options)
    guard !reading.problems.isEmpty else { return reading.bank }
    guard options.skipMistakes else { throw CommandFailure(reading.problems.counted(unit(options)), cues: name) }
    skip(reading.problems, options)
    return reading.bank
  }

  /// Reports mistakes whose questions are left out.
  func skip(_ problems: [SheetProblem], _ options: BankOptions) {
    for line in CommandFailure.leftOut(problems.counted(unit(options)), of: name) { StandardError.write(line) }
  }
}

/// How tables are read that do not say it themselves.
struct TableReadingOptions: ParsableArguments {
  @Flag(name: .long, help: "The first row of tables is a question: no row names the columns.")
  var noHeader = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "What the columns of tables hold, in order, such as question,option,option,option,option,number; what their names say unless given.",
      valueName: "list"),
    transform: Self.layout(_:))
  var columns: TableLayout?

  @Option(name: .long, help: "The sheet of workbooks to read, by its name, or all; the first one with rows unless said.")
  var sheet: String?

  var options: TableOptions {
    let choice: SheetChoice = sheet.map { $0 == "all" ? .all : .named($0) } ?? .first
    return TableOptions(columns: columns, hasNoHeader: noHeader, sheet: choice)
  }

  private static func layout(_ text: String) throws -> TableLayout {
    do throws(TableLayoutError) { return try TableLayout(text) } catch { throw ValidationError("--columns: \(error).") }
  }
}

/// Banks that are given on the command line.
struct BankOptions: ParsableArguments {
  @Argument(
    help: "Quiz files (YAML or JSON), tables (.csv, .xlsx, .ods), GIFT, Aiken, or answers of Open Trivia DB (JSON); - for standard input.")
  var banks: [String]

  @Option(
    name: .long, help: "How answers of Open Trivia DB are encoded: html, url3986, urlLegacy or base64; found out unless said.",
    transform: Self.encoding(_:))
  var encoding: OpenTriviaEncoding?

  @Option(
    name: .long,
    help: "The format of the banks, whatever their names say: yaml, json, csv, gift, aiken, xlsx or ods; by name and content unless said.",
    transform: Self.format(_:))
  var format: BankFormat?

  @OptionGroup var table: TableReadingOptions

  @Option(name: .long, help: "The largest accepted tag in bytes, as stamp takes it.")
  var maxTagSize = TagLimit.standard

  @Flag(name: .long, help: "Leave out questions with mistakes, which are named on standard error, and go on with the others.")
  var skipMistakes = false

  var files: [BankFile] { banks.map { BankFile(path: $0) } }

  func validate() throws {
    guard banks.count(where: { $0 == "-" }) <= 1 else { throw ValidationError("Standard input (-) can be read once.") }
    try require(
      (64...CopyPolicy.largestPESPayload).contains(maxTagSize),
      "--max-tag-size takes a number from 64 to \(CopyPolicy.largestPESPayload), not \(maxTagSize).")
  }

  /// Throws if mistakes were skipped and no question is left.
  func requireQuestions(_ count: Int) throws(CommandFailure) {
    guard count == 0, skipMistakes else { return }
    throw CommandFailure(invalid: "\(files.map { $0.name }.joined(separator: ", ")): no question without a mistake is left")
  }

  private static func format(_ name: String) throws -> BankFormat {
    try require(BankFormat(name), "--format takes \(BankFormat.names), not \(name).")
  }

  private static func encoding(_ name: String) throws -> OpenTriviaEncoding {
    try require(OpenTriviaEncoding(rawValue: name), "--encoding takes html, url3986, urlLegacy or base64, not \(name).")
  }
}

/// A text that goes to a file or to standard output.
struct TextOutput {
  private let file: OutputFile?

  /// The file's path; `nil` for standard output.
  var path: String? { file?.path }

  init(path: String?, overwrites: Bool) throws(CommandFailure) {
    if let path, path != "-" { file = try OutputFile(path: path, overwrites: overwrites) } else { file = nil }
  }

  func write(_ text: String) throws(CommandFailure) {
    if let file { return try file.write(Array(text.utf8)) }
    var output = StandardOutput()
    try output.raw(text)
  }
}

extension ValidationError {
  /// Reads one of the words that an option takes.
  static func value<Value: RawRepresentable<String> & CaseIterable>(_ option: String, _ given: String) throws -> Value {
    try require(Value(rawValue: given), "\(option) takes \(Value.allCases.map(\.rawValue).joined(separator: ", ")), not \(given).")
  }
}
