import ArgumentParser
import Basics
import CommandSupport
import Files
import HTTPClient
import Questions
import Sheets
import Terminal

struct QuestionsFetch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Get questions from Open Trivia DB.",
    discussion: """
      The service takes one call in 5 seconds from each address and gives up to 50 questions a call, so 200 questions take half a minute. Within \
      a run that is kept to; after another run wait 5 seconds, or the service says so and is asked again. A session token keeps questions from \
      coming twice; --token goes on with that of a run before.
      Where a later call fails, or Ctrl-C ends it, the questions before are written, and the exit status is not 0.
      The questions are licensed under CC BY-SA 4.0 (https://opentdb.com).

      Example:
        cuelight questions fetch --amount 10 --category 17 --difficulty easy \\
          --type multiple -o science.yaml
      """)

  @Option(name: .long, help: "How many questions.")
  var amount = 10

  @Option(name: .long, help: "The number or name of a category (see cuelight questions categories).", transform: Self.category(_:))
  var category: OpenTriviaCategory?

  @Option(name: .long, help: "easy, medium or hard.", transform: PlanWords.difficulty(_:))
  var difficulty: Difficulty?

  @Option(name: .customLong("type"), help: "multiple or boolean.", transform: PlanWords.kind(_:))
  var kind: OpenTriviaType?

  @Option(name: .long, help: "A session token of less than 6 hours ago, whose questions are not to come again.")
  var token: String?

  @Option(name: .long, help: "Another server with the same interface.")
  var url = OpenTriviaQuery.publicServer

  @Option(name: .long, help: "Seconds between calls, for a server without that limit.")
  var pause = OpenTriviaSession.pause

  @OptionGroup var output: QuizOutputOptions

  private static func category(_ name: String) throws -> OpenTriviaCategory {
    try require(OpenTriviaCategory.named(name), "--category takes a number or name that cuelight questions categories lists, not \(name).")
  }

  func validate() throws {
    try require(
      (1...OpenTriviaQuery.largestAmount).contains(amount),
      "--amount takes a number from 1 to \(OpenTriviaQuery.largestAmount), not \(amount).")
    guard (0...3_600).contains(pause) else { throw ValidationError("--pause takes a number from 0 to 3600, not \(pause).") }
    if let token, !OpenTriviaSession.isToken(token) { throw ValidationError("--token takes letters and digits, not \(token).") }
  }

  func run() throws {
    let target = try output.target()
    let server = url.hasSuffix("/") ? String(url.dropLast()) : url
    let query = OpenTriviaQuery(amount: amount, category: category, difficulty: difficulty, kind: kind, server: server)
    var session = OpenTriviaSession(query, token: token, pause: pause)
    do throws(CommandFailure) {
      try converse(&session, server)
    } catch {
      // The session token has used up the received questions, so they would not be returned again.
      if !session.questions.isEmpty { try finish(session, target) }
      throw error
    }
    try finish(session, target)
  }

  /// Calls the service until all questions were received.
  private func converse(_ session: inout OpenTriviaSession, _ server: String) throws(CommandFailure) {
    while true {
      switch session.step {
      case .finished: return
      case .wait(let seconds):
        try CommandFailure.pause(.seconds(seconds))
        session.waited()
      case .load(let address):
        for note in try answer(address, &session) { StandardError.write("\(server): \(note)") }
      }
    }
  }

  /// Writes the received questions, and reports their number and how to continue.
  private func finish(_ session: OpenTriviaSession, _ target: TextOutput) throws(CommandFailure) {
    let questions = session.questions.map { Placed($0, at: .start) }
    try target.write(QuizFile.text(QuestionBank(questions: questions), format: output.format))
    let wanted = questions.count < amount ? " of \(amount)" : ""
    output.report("\(questions.count)\(wanted) \(amount == 1 ? "question" : "questions")")
    if let token = session.token { StandardError.write("other questions next time: --token \(token)") }
  }

  /// Loads an address and passes the answer to the session. Returns notices for the user.
  private func answer(_ address: String, _ session: inout OpenTriviaSession) throws(CommandFailure) -> [String] {
    let content: String?
    do throws(NetworkInputError) {
      content = try Self.load(address)
    } catch {
      guard error.reason == .refused(status: 429) else {
        // The service is missing, and not an input of the user.
        if case .notFound = error.reason { throw CommandFailure("\(error)", status: CommandFailure.ioError) }
        throw CommandFailure(error)
      }
      content = nil
    }
    do throws(OpenTriviaError) {
      guard let content else { return try session.refuse() }
      return try session.receive(content)
    } catch {
      throw CommandFailure("\(url): \(error)", status: CommandFailure.status(of: error))
    }
  }

  /// An answer has some kilobytes and is immediate. A slower server is broken.
  private static let limits = NetworkLimits(
    bytes: 1 << 20, time: .seconds(30), silence: .seconds(10), connecting: .seconds(10), redirects: 4)

  private static func load(_ address: String) throws(NetworkInputError) -> String {
    var input = try NetworkInput(url: address, limits: limits) { Interruption.isRequested }
    var bytes: [UInt8] = []
    while try input.fill() { bytes.append(copying: input.bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension CommandFailure {
  /// The status for missing questions, or for a service that does not work.
  fileprivate static func status(of error: OpenTriviaError) -> Int32 {
    switch error {
    case .code(.rateLimit, _, _): ioError
    case .code, .refusedAgain, .nothingNew, .unreadable: invalidInput
    }
  }
}
