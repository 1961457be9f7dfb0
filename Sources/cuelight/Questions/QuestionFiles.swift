import ArgumentParser
import CommandSupport
import Files
import Questions
import Sheets
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
    if Spreadsheet.isSpreadsheet(bytes) {
      try orFail(Spreadsheet.requireLibraries()) { (error: SpreadsheetError) in
        CommandFailure("\(name): \(error)", status: CommandFailure.libraryMissing)
      }
    }
    let reading = QuizFile.read(bytes, format: options.format ?? BankFormat(path: path), encoding: options.encoding)
    for notice in reading.notices.prefix(CommandFailure.mostProblems) { StandardError.write("\(name):\(notice)") }
    return reading
  }

  /// The file's questions.
  ///
  /// - Throws: Its mistakes.
  func questions(_ options: BankOptions) throws(CommandFailure) -> QuestionBank {
    let reading = try read(options)
    guard reading.problems.isEmpty else { throw CommandFailure(reading.problems, cues: name) }
    return reading.bank
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

  var files: [BankFile] { banks.map { BankFile(path: $0) } }

  func validate() throws {
    guard banks.count(where: { $0 == "-" }) <= 1 else { throw ValidationError("Standard input (-) can be read once.") }
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
