import Basics
import GameEvents
import GameHosting
import HTTPTypes
import LiveInterface
import Questions
import WebSupport

/// What hosts may know of the questions, and nobody else.
extension GameAPI {
  static let questionCalls = [
    Entry(
      "listQuestions", Route("GET", "/v1/games/{game}/questions"), .host, .leading, "hosts",
      "List the questions with their right answers: those to be asked, in this order, those that are skipped, and those that were asked.",
      [.json(200, "The questions by their numbers, which stay the same when the order changes.", .reference("Questions"))],
      .game { (api, call, game) throws(Problem) in try await api.heavy(call) { (_) throws(Problem) in api.questions(game) } })
  ]

  /// The questions of a game, for its hosts.
  func questions(_ runner: GameRunner) -> Answer {
    let object = runner.look { game -> JSONObject in
      func entry(_ number: Int) -> JSONObject {
        JSONObject(fields: ["question": number, "content": game.settings.questions[number].object])
      }
      return JSONObject(fields: [
        "upcoming": game.upcoming.map(entry), "skipped": game.skipped.map(entry),
        "asked": game.asked.enumerated().map { index, asked in
          entry(asked.quizIndex).with("guid", asked.guid.text).with("unsettled", game.mayBeSettled(index) ? true : nil)
        },
      ])
    }
    return secret(object)
  }
}

extension HostedGame.QuestionChange {
  /// The names of the commands that change questions.
  static let names = ["write", "edit", "move", "skip"]

  /// Reads the rest of a host's command of a name; returns `nil` if it is not the name of one that changes questions.
  ///
  /// - Throws: `HostingProblem` if the command is wrong.
  init?(_ name: String, _ object: JSONObject) throws(HostingProblem) {
    func count(_ key: String, _ what: String) throws(HostingProblem) -> Int {
      guard let number = object[key]?.int(in: .counts) else { throw .invalid("/\(key)", "write \(what)") }
      return number
    }
    func question() throws(HostingProblem) -> Int { try count("question", "the number of a question") }
    func place() throws(HostingProblem) -> Int { try count("to", "the place among the questions to be asked, from 0") }
    func content() throws(HostingProblem) -> Question {
      guard let content = object["content"]?.object else { throw .invalid("/content", "write a question as quiz files have it") }
      switch Question.read(content) {
      case .success(let question):
        // A file beside a quiz has stayed with the sender.
        for case let address? in [question.media.picture?.address, question.media.sound?.address] where address.isBesideQuiz {
          throw .invalid("/content", "\(address.text) was not sent; write an address that begins with https://")
        }
        return question
      case .failure(let problem): throw .invalid("/content", problem.description)
      }
    }
    switch name {
    case "write": self = .write(try content(), at: object["to"] == nil ? nil : try place())
    case "edit": self = .edit(question: try question(), try content())
    case "move": self = .move(question: try question(), to: try place())
    case "skip": self = .skip(question: try question())
    default: return nil
    }
  }
}

extension JSONObject {
  /// The object with the members of a command that changes questions.
  func with(_ change: HostedGame.QuestionChange) -> JSONObject {
    switch change {
    case .write(let content, let place): with("command", "write").with("content", content.object).with("to", place)
    case .edit(let number, let content): with("command", "edit").with("question", number).with("content", content.object)
    case .move(let number, let place): with("command", "move").with("question", number).with("to", place)
    case .skip(let number): with("command", "skip").with("question", number)
    }
  }
}
