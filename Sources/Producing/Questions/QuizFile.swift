import Basics
import Sheets

/// The formats of files that hold questions.
public enum QuizFormat: CaseIterable, Sendable {
  /// Cuelight's quiz files in YAML.
  case yaml
  /// Cuelight's quiz files, or answers of Open Trivia DB, in JSON.
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

  /// The format of this name, or of a file whose name ends in a dot and this, in whatever case.
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

/// Reads and writes files that hold questions.
public enum QuizFile {
  /// Reads a file. With the format CSV it is a table. Otherwise it may be an answer of Open Trivia DB, or a quiz file in YAML or JSON, whatever the
  /// format says. Without a format it may also be a table, if that has column names or no mistakes.
  ///
  /// - Parameters:
  ///   - bytes: The file's content, in UTF-8.
  ///   - format: What the file's name says; `nil` where it says nothing.
  ///   - encoding: How the texts of an answer of Open Trivia DB are written; `nil` to find out.
  /// - Returns: The questions that are right, and every mistake.
  public static func read(_ bytes: [UInt8], format: QuizFormat?, encoding: OpenTriviaEncoding? = nil) -> QuestionBank.Reading {
    do throws(SheetError) {
      let text = try String(sheet: bytes, name: "the file")
      if format == .csv { return QuestionBank.Reading(csv: text) }
      if let (root, repeated) = JSONSheet.parse(text) {
        return isOpenTrivia(root) ? try openTrivia(text, encoding) : QuestionBank.Reading(quiz: root, problems: repeated)
      }
      return try notJSON(text, format)
    } catch {
      return QuestionBank.Reading(error)
    }
  }

  /// The text of a bank in a format.
  public static func text(_ bank: QuestionBank, format: QuizFormat) -> String {
    switch format {
    case .yaml: bank.yaml
    case .json: bank.json
    case .csv: bank.csv
    }
  }

  /// Reads YAML, or what there is instead of it.
  private static func notJSON(_ text: String, _ format: QuizFormat?) throws(SheetError) -> QuestionBank.Reading {
    let first = text.utf8.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let beginsLikeJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    // YAML takes what other readers of JSON refuse, such as a comma behind the last element.
    if format == .json, beginsLikeJSON, let failure = JSONSheet.failure(of: text) { throw failure }
    let failure: SheetError
    do throws(SheetError) {
      guard let (root, repeated) = try YAMLSheet.parse(text) else {
        throw SheetError(at: .start, "the file is empty; write questions:")
      }
      let reading = QuestionBank.Reading(quiz: root, problems: repeated)
      // A line of a table is a text in YAML.
      guard case .scalar = root else { return reading }
      failure = SheetError(reading.problems)
    } catch {
      failure = error
    }
    // A file under the name of JSON that begins with a word is YAML as long as that can be read.
    if format == .json || format == nil && beginsLikeJSON { throw JSONSheet.failure(of: text) ?? failure }
    guard format == nil else { throw failure }
    return try table(text, otherwise: failure)
  }

  /// Reads a table under a name that does not say so.
  private static func table(_ text: String, otherwise failure: SheetError) throws(SheetError) -> QuestionBank.Reading {
    let reading = QuestionBank.Reading(csv: text)
    guard !reading.bank.questions.isEmpty else { throw failure }
    let header = text.utf8.prefix(8).map(\.asciiLowercased)
    let hasNames = header == Array("question".utf8) && text.utf8.dropFirst(8).first.map { Array(",;\t ".utf8).contains($0) } ?? false
    if reading.problems.isEmpty || hasNames { return reading }
    throw SheetError(failure.problems.map { SheetProblem(at: $0.place, "\($0.message); if this is a table, say --format csv") })
  }

  private static func isOpenTrivia(_ root: SheetNode) -> Bool {
    guard case .mapping(let members, _) = root else { return false }
    return members.contains { $0.key.hasSameBytes(as: "response_code") }
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
