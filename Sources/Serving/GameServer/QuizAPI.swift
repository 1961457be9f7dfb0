import Basics
import GameStore
import HTTPTypes
import LibC
import LiveInterface
import Questions
import Sheets
import WebSupport

/// The quizzes of accounts.
extension GameAPI {
  static let quizCalls = [
    Entry(
      "makeQuiz", Route("POST", "/v1/quizzes"), .account, .making, largestBody: 1 << 20, "quizzes",
      "Keep a quiz, in any format that cuelight questions reads.",
      [
        .json(
          201, "The quiz is kept.", .all(.reference("QuizEntry"), .object(["questions": .count], optional: GameOpenAPI.notices)),
          headers: [.location])
      ],
      parameters: [GameOpenAPI.quizFormat], body: OpenAPIBody(GameOpenAPI.quizFile), problems: [409: ["too-many"]],
      .function(GameAPI.makeQuiz)),
    Entry(
      "listQuizzes", Route("GET", "/v1/quizzes"), .account, .reading, "quizzes", "List the quizzes of the account.",
      [.json(200, "The quizzes.", .object(["quizzes": .list(.reference("QuizEntry"))]))],
      .server { (api, call) throws(Problem) in
        let account = try api.account(call)
        return try await api.list(call) { (store) throws(StoreError) in
          JSONObject(fields: ["quizzes": try store.quizTitles(of: account).map { api.object($0) }])
        }
      }),
    Entry(
      "getQuiz", Route("GET", "/v1/quizzes/{quiz}"), .account, .reading, "quizzes", "Give a quiz.",
      [.json(200, "The quiz.", .reference("Quiz"))], problems: [404: ["quiz-unknown"]],
      .server { (api, call) throws(Problem) in
        Answer(.ok, "application/json", Array(try await api.quiz(call).text.utf8), headers: [(.cacheControl, "private, no-store")])
      }),
    Entry(
      "removeQuiz", Route("DELETE", "/v1/quizzes/{quiz}"), .account, .reading, "quizzes", "Forget a quiz.", [.done],
      problems: [404: ["quiz-unknown"]],
      .server { (api, call) throws(Problem) in
        try await api.write([.removeQuiz(try await api.quiz(call).id)])
        return .noContent
      }),
  ]

  /// The maximum number of quizzes of an account.
  private static let mostQuizzes = 1_000

  private func makeQuiz(_ call: GameCall) async throws(Problem) -> Answer {
    let account = try account(call)
    let count = try await read { (store) throws(StoreError) in try store.quizCount(of: account) }
    guard count < Self.mostQuizzes else { throw Problem("too-many", .conflict, "an account has \(Self.mostQuizzes) quizzes at most") }
    let isCSV = call.headers[.contentType]?.lowercased().hasPrefix("text/csv") == true
    let format = try Self.format(call) ?? (isCSV ? .csv : nil)
    let (quiz, questions, notices) = try await heavy(call) { [hasMedia] (_) throws(Problem) in
      let sent = try SentQuiz(call.body, format, "", hasMedia: hasMedia)
      let bank = sent.bank
      let quiz = StoredQuiz(
        id: Self.newSession(), account: account, title: bank.title ?? "Quiz", text: bank.json, createdAt: WallClock.now)
      return (quiz, bank.questions.count, sent.noticeList)
    }
    try await write([.quiz(quiz)])
    var answer = object(QuizTitle(id: quiz.id, title: quiz.title, createdAt: quiz.createdAt))
    answer.append("questions", questions)
    answer = answer.with("notices", notices)
    return Answer(.created, answer, headers: [(.location, "/v1/quizzes/\(quiz.id)")])
  }

  private func quiz(_ call: GameCall) async throws(Problem) -> StoredQuiz {
    let (account, id) = (try account(call), call.parts["quiz"] ?? "")
    return try await heavy(call) { (store) throws(Problem) in
      guard let quiz = try Problem.of({ () throws(StoreError) in try store.quiz(id) }), quiz.account == account else {
        throw Problem("quiz-unknown", .notFound, "you have no such quiz")
      }
      return quiz
    }
  }
}
