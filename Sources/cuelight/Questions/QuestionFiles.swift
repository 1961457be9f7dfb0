import ArgumentParser
import Files
import LibAV
import Questions
import Sheets

/// A file that holds questions.
struct BankFile {
  let path: String

  /// What messages call it.
  var name: String { path == "-" ? "standard input" : path }

  /// What the heads of other files call it: its name without its folder, which says something of one machine alone.
  var shortName: String { path == "-" ? name : PathParts(path).name }

  /// The bank's name where it says none itself: that of the file, without its folder and its end; of standard input, "game".
  var stem: String {
    guard path != "-" else { return "game" }
    let name = PathParts(path).name
    guard QuizFormat(path: path) != nil, let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The file's questions and mistakes.
  func read(_ options: BankOptions) throws(CommandFailure) -> QuestionBank.Reading {
    let bytes = try SmallFile(path: path).bytes(limit: SheetLimits.bytes)
    return QuizFile.read(bytes, format: options.format ?? QuizFormat(path: path), encoding: options.encoding)
  }

  /// The file's questions.
  ///
  /// - Throws: its mistakes.
  func questions(_ options: BankOptions) throws(CommandFailure) -> QuestionBank {
    let reading = try read(options)
    guard reading.problems.isEmpty else { throw CommandFailure(reading.problems, cues: name) }
    return reading.bank
  }
}

/// Banks that are given on the command line.
struct BankOptions: ParsableArguments {
  @Argument(help: "Quiz files (YAML or JSON), tables (.csv), or answers of Open Trivia DB (JSON); - for standard input.")
  var banks: [String]

  @Option(
    name: .long, help: "How answers of Open Trivia DB are encoded: html, url3986, urlLegacy or base64; found out unless said.",
    transform: Self.encoding(_:))
  var encoding: OpenTriviaEncoding?

  @Option(
    name: .long, help: "The format of the banks, whatever their names say: yaml, json or csv; by name and content unless said.",
    transform: Self.format(_:))
  var format: QuizFormat?

  var files: [BankFile] { banks.map { BankFile(path: $0) } }

  func validate() throws {
    guard banks.count(where: { $0 == "-" }) <= 1 else { throw ValidationError("Standard input (-) can be read once.") }
  }

  private static func format(_ name: String) throws -> QuizFormat {
    try ValidationError.value(QuizFormat(name), "--format", ["yaml", "json", "csv"], name)
  }

  private static func encoding(_ name: String) throws -> OpenTriviaEncoding {
    guard let encoding = OpenTriviaEncoding(name) else {
      throw ValidationError("--encoding takes html, url3986, urlLegacy or base64, not \(name).")
    }
    return encoding
  }
}

/// A text that goes to a file under its name only when it is whole, or to standard output.
struct TextOutput {
  let path: String?
  let overwrites: Bool

  /// - Throws: where the file cannot be made, before any work is done for it.
  init(path: String?, overwrites: Bool) throws(CommandFailure) {
    self.path = path == "-" ? nil : path
    self.overwrites = overwrites
    guard let path = self.path else { return }
    _ = try FileSink.output(path, overwrite: overwrites)
  }

  func write(_ text: String) throws(CommandFailure) {
    guard let path else {
      var output = StandardOutput()
      return try output.raw(text)
    }
    let bytes = Array(text.utf8)
    do throws(FileSinkError) {
      var sink = try FileSink(path: path, overwrite: overwrites)
      sink.write(bytes.span)
      try sink.commit()
    } catch {
      throw CommandFailure(error)
    }
  }
}

extension ValidationError {
  /// Reads a word that stands for a value; `names` are those that there are.
  static func value<Value>(_ value: Value?, _ option: String, _ names: [String], _ given: String) throws -> Value {
    guard let value else { throw ValidationError("\(option) takes \(names.joined(separator: ", ")), not \(given).") }
    return value
  }
}
