import Basics
import HTTPTypes
import LiveInterface
import Questions
import Sheets
import WebSupport

/// Reads and writes quiz files for whoever makes a quiz in a browser. Nothing is kept.
extension GameAPI {
  static let quizFileCalls = [
    Entry(
      "readQuizFile", Route("POST", "/v1/quiz-files"), .everybody, .checking, largestBody: 1 << 20, "quizzes",
      "Read a quiz file in any format that cuelight questions reads, and name its mistakes. Nothing is kept.",
      [.json(200, "The questions without mistakes, the mistakes, and what was guessed or is seldom meant.", .reference("QuizReading"))],
      parameters: [GameOpenAPI.quizFormat],
      body: OpenAPIBody([("application/octet-stream", .text)] + GameOpenAPI.quizFile), problems: [503: ["overloaded"]],
      .server { (api, call) throws(Problem) in
        let format = try format(call)
        return try await api.fileQueue.run(for: api.place(of: call)) { () throws(Problem) in
          api.secret(QuizReading(call.body, format).object)
        }
      }),
    Entry(
      "writeQuizFile", Route("POST", "/v1/quiz-files/{format}"), .everybody, .checking, largestBody: 1 << 20, "quizzes",
      "Write a quiz in another format. Nothing is kept.", [.text("The quiz file, in YAML, JSON or CSV.", "application/octet-stream")],
      body: .json(.reference("Quiz")), problems: [404: ["notFound"], 503: ["overloaded"]],
      .server { (api, call) throws(Problem) in
        guard let format = call.parts["format"].flatMap({ QuizFormat($0) }) else {
          throw Problem("notFound", .notFound, "a quiz file is written as yaml, json or csv")
        }
        return try await api.fileQueue.run(for: api.place(of: call)) { () throws(Problem) in
          // A file of the sender's own keeps the names of what lies beside it.
          let quiz = try SentQuiz(call.body, .json, "") { _ in true }
          let text = QuizFile.text(quiz.bank, format: format)
          return file("quiz.\(format.fileExtensions[0])", "application/octet-stream", Array(text.utf8))
        }
      }),
  ]
}

/// What a quiz file says, and what is wrong with it, as `cuelight questions lint` says it.
private struct QuizReading {
  /// The maximum number of mistakes, and of notices, that are listed.
  private static let most = 200

  private var reading: QuestionBank.Reading
  private var repeated: [SheetProblem] = []
  private let unit: String

  init(_ bytes: [UInt8], _ format: BankFormat?) {
    reading = QuizFile.read(bytes, format: format)
    unit = format?.unit ?? "line"
    var repetitions = Repetitions()
    var seen: [SheetPlace] = []
    for question in reading.bank.questions {
      if let finding = repetitions.add(question.value) {
        repeated.report(at: question.place, finding.mistake { [unit] in "\(unit) \(seen[$0].line)" })
      }
      seen.append(question.place)
    }
  }

  var object: JSONObject {
    let quiz = JSONObject().with("id", reading.bank.id).with("title", reading.bank.title)
      .with("questions", reading.bank.questions.map(\.value.object))
    return JSONObject(fields: [
      "quiz": quiz, "unit": unit, "mistakes": Self.list((reading.problems + repeated).inOrder), "notices": Self.list(reading.notices),
    ])
  }

  private static func list(_ problems: [SheetProblem]) -> [JSONObject] {
    problems.prefix(most).map { JSONObject(fields: ["line": $0.line, "column": $0.column, "what": $0.message]) }
  }
}
