import Basics
import ArgumentParser
import CommandSupport
import Questions
import Sheets

struct Questions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "questions",
    abstract: "Get, check and convert the questions that shows are planned with.",
    discussion: """
      Example:
        cuelight questions fetch --amount 10 --category 17 -o science.yaml
        cuelight questions lint science.yaml quiz.csv
        cuelight questions convert quiz.csv -o quiz.yaml
        cuelight plan science.yaml quiz.yaml -o show.yaml
      """,
    subcommands: [QuestionsFetch.self, QuestionsLint.self, QuestionsConvert.self, QuestionsCategories.self])
}

struct QuestionsLint: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Check question banks: every mistake with its file and line, and questions that are there twice.",
    discussion: """
      Questions are compared across all banks, without case, spaces and punctuation. The exit status is 1 if anything is wrong; with \
      --skip-mistakes it is 0 if a question without a mistake is left.

      Example:
        cuelight questions lint science.yaml quiz.csv opentdb.json
      """)

  @OptionGroup var input: BankOptions

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  func run() throws {
    var output = StandardOutput()
    var repetitions = Repetitions()
    var seen: [String] = []
    var (mistakes, repeated) = (0, 0)
    for file in input.files {
      let reading = try file.read(input)
      var problems = reading.problems
      for question in reading.bank.questions {
        if let finding = repetitions.add(question.value) { problems.report(at: question.place, finding.mistake { seen[$0] }) }
        seen.append("\(file.name):\(question.place.line)")
      }
      mistakes += problems.count
      repeated += problems.count - reading.problems.count
      // The sheets of a workbook come one after the other.
      problems = problems.count == reading.problems.count ? problems : problems.inOrder
      if input.skipMistakes { file.skip(problems, input) }
      if json {
        for problem in problems { try output.line(Self.object(problem, file.name)) }
      } else if !input.skipMistakes {
        for problem in problems.counted(file.unit(input)) { try output.line("\(file.name):\(problem)") }
      }
    }
    try end(&output, questions: seen.count, repeated: repeated, mistakes: mistakes)
  }

  private func end(_ output: inout StandardOutput, questions: Int, repeated: Int, mistakes: Int) throws {
    let banks = input.files.count
    if json {
      try output.line(JSONObject(fields: ["type": "summary", "questions": questions, "banks": banks, "mistakes": mistakes]))
    } else {
      let found = mistakes == 0 ? "no mistake" : mistakes.of("mistake")
      try output.line("\(questions.of("question")) in \(banks.of("bank")), \(found)")
    }
    try output.flush()
    if input.skipMistakes { return try input.requireQuestions(questions - repeated) }
    guard mistakes == 0 else { throw CommandFailure.checkFailed }
  }

  private static func object(_ problem: SheetProblem, _ name: String) -> JSONObject {
    JSONObject(fields: ["type": "problem", "bank": name, "line": problem.line, "column": problem.column, "what": problem.message])
  }
}

struct QuestionsConvert: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Make a quiz file of question banks, in YAML, JSON or CSV.",
    discussion: """
      Several banks become one. CSV keeps no id and title, and without kinds of questions no order of the answers: the right answer comes first.

      Example:
        cuelight questions convert opentdb.json quiz.csv quiz.xlsx -o quiz.yaml
      """)

  @OptionGroup var input: BankOptions

  @OptionGroup var output: QuizOutputOptions

  func run() throws {
    let target = try output.target(besides: input.banks)
    var bank = QuestionBank()
    for (index, file) in input.files.enumerated() {
      let next = try file.questions(input)
      if index == 0 { (bank.id, bank.title) = (next.id, next.title) }
      bank.questions += next.questions
    }
    try input.requireQuestions(bank.questions.count)
    try target.write(QuizFile.text(bank, format: output.format))
    output.report(bank.questions.count.of("question"))
  }
}

struct QuestionsCategories: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "categories",
    abstract: "List the categories of Open Trivia DB with their numbers.")

  func run() throws { try StandardOutput.write(OpenTriviaCategory.all.map { "\("\($0.id)".padded(from: 2))  \($0.name)" }) }
}

/// The destination and format of a quiz file.
struct QuizOutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")], help: "The quiz file to write (.yaml, .json or .csv); standard output unless said.")
  var path: String?

  @Option(
    name: .customLong("to"), help: "The format, where the output's name does not say it: yaml (as it is), json or csv.",
    transform: Self.format(_:))
  var givenFormat: QuizFormat?

  @OptionGroup var replacing: ReplaceOption

  private var isStandardOutput: Bool { path == nil || path == "-" }

  var format: QuizFormat { givenFormat ?? path.flatMap { QuizFormat(path: $0) } ?? .yaml }

  func validate() throws {
    if let path, !isStandardOutput, givenFormat == nil, QuizFormat(path: path) == nil {
      throw ValidationError("The output's name must end in .yaml, .json or .csv, and \(path) does not; or say --to.")
    }
  }

  func target(besides inputs: [String?] = []) throws(CommandFailure) -> TextOutput { try replacing.text(path, besides: inputs) }

  /// Reports the content of the written file.
  func report(_ what: String) {
    guard let path, !isStandardOutput else { return }
    StandardError.write("\(path): \(what)")
  }

  private static func format(_ name: String) throws -> QuizFormat {
    try require(QuizFormat(name), "--to takes yaml, json, csv, not \(name).")
  }
}
